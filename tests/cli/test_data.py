import io
import os
import signal
import subprocess
import sys
import time

import pytest

from treewright.cli.answers.output import Output
from treewright.cli.data import DataOptions, read_bins
from treewright.cli.options import Missing
from treewright.errors import SettingError
from treewright.tables._reading.paths import WATCHER
from treewright.types import Step


@pytest.mark.parametrize(
    ("texts", "bins"),
    [
        ([], None),
        (["4"], 4),
        (["age=4", "b=2"], {"age": 4, "b": 2}),
        (["age=uniform:3"], {"age": ("uniform", 3)}),
        (["age=quantile:3"], {"age": ("quantile", 3)}),
        (["a=b=0,1.5,3"], {"a=b": [0.0, 1.5, 3.0]}),
    ],
)
def test_bins(texts, bins):
    assert read_bins(texts) == bins


@pytest.mark.parametrize("text", ["x", "age=", "age=x", "age=1,b", "age=uniform:x", "-3", "2.5"])
def test_bins_that_cannot_be_read(text):
    with pytest.raises(SettingError, match="cannot be read; write 4, age=4"):
        read_bins([text])


def test_one_number_goes_alone():
    with pytest.raises(SettingError, match="one number for all continuous columns, or name="):
        read_bins(["4", "age=3"])


def test_marks_of_missing_cells(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\nx,1\n?,-999\ny,3\n")
    table = DataOptions(missing=Missing.drop, missing_value=["?", "-999"]).read([str(path)])
    assert table.to_dict() == {"a": ["x", "y"], "b": [1, 3]}


def test_encodings_delimiters_and_weights(tmp_path, run_json):
    rows = tmp_path / "rows.csv"
    rows.write_bytes("größe:n\nklein:3\ngroß:1\n".encode("cp1252"))
    options = ["--encoding", "cp1252", "--delimiter", ":", "--weights", "n"]
    document = run_json("inspect", rows, *options)
    (column,) = document["columns"]
    assert (column["name"], column["states"]) == ("größe", ["groß", "klein"])
    assert document["ignored"] == [{"name": "n", "reason": "taken as the weights of the rows"}]
    model = tmp_path / "m.twm"
    run_json("learn", rows, *options, "-m", "chow-liu", "-o", model)
    found = run_json("query", model, "größe")["distribution"]
    assert found == pytest.approx({"klein": 0.75, "groß": 0.25}, abs=0.1)
    assert run_json("score", model, rows, *options)["rows"] == 2


def test_unknown_encodings_and_weights_are_refused(tmp_path, refused):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,n\nx,3\ny,1\n")
    assert "there is no encoding 'klingon'" in refused("inspect", rows, "--encoding", "klingon")
    assert "there is no column 'm'; there are 'a', 'n'" in refused("inspect", rows, "--weights", "m")
    rows.write_bytes("a\né\n".encode("latin-1"))
    assert "is not text in UTF-8" in refused("inspect", rows)


def test_rows_from_standard_input(spawn, tmp_path):
    model = tmp_path / "m.twm"
    rows = "a;b\nx;1\ny;0\nx;1\n"
    looked = spawn("inspect", "-", "--ignore", "b", "--json", input=rows)
    assert looked.returncode == 0, looked.stderr
    assert '"rows":3' in looked.stdout.replace(" ", "")
    learned = spawn("learn", "-", "-m", "chow-liu", "-o", model, input=rows)
    assert learned.returncode == 0, learned.stderr
    again = spawn("learn", "-", "-m", "chow-liu", "-o", model, input=rows)  # over the model that is there
    assert again.returncode == 0, again.stderr
    scored = spawn("score", model, "-", "--json", input=rows)
    assert '"rows":3' in scored.stdout.replace(" ", "")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_reading_is_interrupted_at_once(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n" + "".join(f"x{i},{i}.5\n" for i in range(400_000)))
    watch = (
        "import os, sys, time\n"
        "from treewright.tables._reading import paths\n"
        "from treewright.cli import main\n"
        "def first(step):\n"
        "    print(time.monotonic(), flush=True)\n"
        "    time.sleep(0.01)\n"
        "paths.WATCHER.set(first)\n"
        f"sys.argv = ['treewright', 'inspect'] + [{str(rows)!r}] * 400\n"
        "sys.exit(main())\n"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", watch], **pipes) as process:
        process.stdout.readline()  # it reads
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr == "interrupted\n"
    assert time.monotonic() - asked < 30  # half a second on an idle machine; all of the files take minutes


def test_a_terminal_sees_how_much_is_read(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for output in (Output(as_json=True), Output(quiet=True)):
        with output.progress("reading"):
            assert WATCHER.get() is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Output().progress("reading", total=4):
        WATCHER.get()(Step("read", 5_000_000, 10_000_000))
        time.sleep(0.3)  # until it is drawn
    assert "reading 50% of 10.0 MB" in sys.stderr.getvalue()
    assert WATCHER.get() is None


@pytest.mark.parametrize("command", [("predict", "--target", "größe"), ("report",)])
def test_other_commands_read_the_same_files(tmp_path, run, command):
    rows, model = tmp_path / "rows.csv", tmp_path / "m.twm"
    rows.write_bytes("größe:n\nklein:x\ngroß:y\nklein:x\n".encode("cp1252"))
    options = ["--encoding", "cp1252", "--delimiter", ":"]
    run("learn", rows, *options, "-m", "chow-liu", "-o", model)
    run(
        command[0],
        model,
        rows,
        *command[1:],
        *options,
        "-o",
        tmp_path / ("out.csv" if command[1:] else "out.html"),
    )
