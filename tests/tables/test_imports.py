import subprocess
import sys

HEAVY = ("duckdb", "narwhals", "pandas", "polars", "pyarrow", "scipy")


def loaded_after(code):
    script = f"import sys\n{code}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_loads_no_reader():
    assert loaded_after("import treewright.tables") == "[]"


def test_files_are_read_without_frame_libraries(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,t\nx,0.5\n,1.5\n")
    code = f"from treewright.tables import read_table\nread_table({str(path)!r}, missing='em')"
    assert loaded_after(code) == "[]"


def test_dictionaries_and_arrays_need_numpy_only():
    code = "import numpy\nfrom treewright.tables import read_table\n"
    code += "read_table({'a': ['x']})\nread_table(numpy.zeros((1, 1), dtype=int))"
    assert loaded_after(code) == "[]"
