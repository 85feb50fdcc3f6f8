"""Time and memory of reading rows, beside pandas on the same rows.

Every measurement has a process of its own, with all modules loaded before; the best of some is taken. Time is
that of the processor, of all threads together; memory is the peak of the process, modules included. The bar:
at most three times the time of ``pandas.read_csv``, and six times the file plus 250 MB; it fails on a miss.
Parquet has a second line, beside ``pandas.read_parquet``, which has no bar: pandas keeps texts as they are,
and does not find out which there are. ``--write`` puts the table into docs/measured/README.md.

    python benchmarks/bench_reading.py                  # files of the sizes below, made in a temporary folder
    TREEWRIGHT_DATA=... python benchmarks/bench_reading.py --repeats 5    # andes and link are those networks
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CASES = {  # file, and what is read out of it
    "andes, 5,000 x 223 texts": ("andes.csv", "file"),
    "andes, gzip": ("andes.csv.gz", "file"),
    "andes, frame of pandas": ("andes.csv", "frame"),
    "link, 3,000 x 724 texts": ("link.csv", "file"),
    "link, Parquet": ("link.parquet", "file"),
    "link, table of DuckDB": ("link.duckdb", "table"),
    "300 x 800 texts": ("texts.csv", "file"),
    "300 x 1,600 whole numbers": ("wide.csv", "file"),
    "1,000 x 5,000 whole numbers": ("widest.csv", "file"),
    "1,000,000 x 50, mixed": ("long.csv", "file"),
    "1,000,000 x 50, Parquet": ("long.parquet", "file"),
}
SLOWER = 3.0  # than pandas at most
WIDEST = "1,000 x 5,000 whole numbers"
WIDEST_SECONDS = 10.0  # that it may take


def make(folder: Path, n_rows: int) -> None:
    """Write the files."""
    import duckdb
    import numpy as np

    rng = np.random.default_rng(1)
    write_network(folder / "andes.csv", "andes", 5000, 223, rng)
    write_network(folder / "link.csv", "link", 3000, 724, rng)
    write_cells(folder / "texts.csv", np.array(["no", "yes", "maybe"])[rng.integers(0, 3, (300, 800))])
    write_cells(folder / "wide.csv", rng.integers(0, 10, (300, 1600)).astype(str))
    write_cells(folder / "widest.csv", rng.integers(0, 4, (1000, 5000)).astype(str))
    block = np.hstack(
        [
            rng.integers(0, 5, (10_000, 30)).astype(str),
            np.array(["low", "normal", "high"])[rng.integers(0, 3, (10_000, 10))],
            np.round(rng.normal(size=(10_000, 10)), 4).astype(str),
        ]
    )
    write_cells(folder / "long.csv", block, times=n_rows // 10_000)
    with gzip.open(folder / "andes.csv.gz", "wb", compresslevel=1) as packed:
        packed.write((folder / "andes.csv").read_bytes())
    options = "header=true, max_line_size=1000000, sample_size=1000"
    for name in ("link", "long"):
        query = f"SELECT * FROM read_csv('{folder / name}.csv', {options})"
        duckdb.execute(f"COPY ({query}) TO '{folder / name}.parquet' (FORMAT parquet)")
    with duckdb.connect(str(folder / "link.duckdb")) as database:
        database.execute(f"CREATE TABLE rows AS SELECT * FROM read_csv('{folder / 'link'}.csv', {options})")


def write_network(path: Path, name: str, n_rows: int, n_columns: int, rng) -> None:
    """Rows of a published network, or of texts of the same shape where there is none."""
    import numpy as np

    import treewright as tw

    model = Path(os.environ.get("TREEWRIGHT_DATA", "nowhere")) / "networks" / f"{name}.bif.gz"
    if not model.exists():
        labels = np.array(["a", "normal", "low", "high"])
        write_cells(path, labels[rng.integers(0, 4, (n_rows, n_columns))])
        return
    table = tw.read_model(str(model)).sample(n_rows, rng=rng)
    cells = np.array(
        [[str(label) for label in table.labels(i)] for i in range(len(table.schema))], dtype=object
    )
    write_cells(path, cells.T)


def write_cells(path: Path, cells, times: int = 1) -> None:
    with path.open("w") as file:
        file.write(",".join(f"v{i}" for i in range(cells.shape[1])) + "\n")
        rows = "".join(",".join(row) + "\n" for row in cells.tolist())
        for _ in range(times):
            file.write(rows)


def measure(reader: str, path: str, what: str) -> None:
    """Read once in this process; print seconds of the processor, seconds, and megabytes at the peak."""
    if reader == "pandas" or what == "frame":
        import pandas as pd
    if reader == "treewright":
        import duckdb  # noqa: F401

        import treewright as tw
        from treewright.tables import SqlTable
        from treewright.tables._reading import csv_files, duck_files, frames  # noqa: F401

        source = SqlTable(path, "rows") if what == "table" else path
        if what == "frame":
            source = pd.read_csv(path)
    begun, at = time.process_time(), time.perf_counter()
    if reader == "treewright":
        tw.read_table(source)
    elif what == "parquet":
        pd.read_parquet(path)
    else:
        pd.read_csv(path)
    spent, passed = time.process_time() - begun, time.perf_counter() - at
    status = Path("/proc/self/status")
    peak = 0.0
    if status.exists():
        peak = float(status.read_text().split("VmHWM:")[1].split()[0]) / 1e3
    print(spent, passed, peak)


def best(reader: str, path: Path, what: str, repeats: int) -> tuple[float, float, float]:
    command = [sys.executable, __file__, "--measure", reader, str(path), what]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(repeats)]
    figures = [tuple(map(float, run.stdout.split())) for run in runs]
    return tuple(map(min, zip(*figures, strict=True)))


HEADS = ["rows", "MB as CSV", "pandas, s", "ours, s", "ratio", "by the clock, s", "peak, MB", "bar, MB"]


def compare(folder: Path, name: str, file: str, what: str, repeats: int) -> tuple[list[list[str]], bool]:
    """Lines of the table for one case, and whether the bars were held."""
    path = folder / file
    rows = folder / f"{file.partition('.')[0]}.csv"  # pandas reads the same rows as CSV
    size = rows.stat().st_size / 1e6
    ours, wall, peak = best("treewright", path, what, repeats)
    theirs, _, _ = best("pandas", path if file.endswith(".gz") else rows, "file", repeats)
    memory = 6 * size + 250
    held = ours <= SLOWER * theirs and peak <= memory and (name != WIDEST or wall < WIDEST_SECONDS)
    lines = [line_of(name + ("" if held else " !"), size, theirs, ours, wall, peak, memory)]
    if file.endswith(".parquet"):
        theirs, _, _ = best("pandas", path, "parquet", repeats)
        lines.append(line_of(f"{name}, beside pandas.read_parquet", size, theirs, ours, wall, peak, memory))
    for line in lines:
        print("  ".join(line), flush=True)
    return lines, held


def line_of(
    name: str, size: float, theirs: float, ours: float, wall: float, peak: float, memory: float
) -> list[str]:
    figures = (size, theirs, ours, ours / theirs, wall, peak, memory)
    return [name, *(f"{one:.{2 if one < 100 else 0}f}" for one in figures)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the long file")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--folder", help="where files are kept for the next time")
    parser.add_argument("--write", action="store_true", help="the table into docs/measured/README.md")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--make", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(*arguments.measure)
        return
    if arguments.make:
        make(Path(arguments.make), arguments.rows)
        return
    folder = Path(arguments.folder or tempfile.mkdtemp(prefix="treewright-"))
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "link.duckdb").exists():
        command = [sys.executable, __file__, "--make", str(folder), "--rows", str(arguments.rows)]
        subprocess.run(command, check=True)
    rows, good = [], True
    for name, (file, what) in CASES.items():
        if arguments.only in name:
            found, held = compare(folder, name, file, what, arguments.repeats)
            rows, good = [*rows, *found], good and held
    if not arguments.folder:
        shutil.rmtree(folder)
    if arguments.write:
        from common import write_table

        write_table("reading", HEADS, rows)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
