"""Ctrl-C while rows are read, by a real signal: exit 130, one word, and every file as it was."""

import gzip
import os
import signal
import subprocess
import sys

import duckdb
import pytest

import treewright as tw

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
]
# says a line when rows begin to come, and goes on reading
WATCH = """
import sys
from treewright.cli import main
from treewright.tables._reading import paths

def first(step):
    print("reading", flush=True)

def waits(*pipe, copy=paths.shutil.copyfileobj):
    print("reading", flush=True)
    copy(*pipe)

paths.WATCHER.set(first)
paths.shutil.copyfileobj = waits
sys.argv = ["treewright", *sys.argv[1:]]
sys.exit(main())
"""
COLUMNS = ", ".join(f"(i * {k + 7}) % {2 + k % 5} AS c{k}" for k in range(150))
ROWS = f"SELECT {COLUMNS} FROM range(150000) AS t(i)"


def csv_gz(folder):
    path = folder / "rows.csv.gz"
    lines = "".join(f"x{i % 50},{i % 7}\n" for i in range(200_000))
    path.write_bytes(gzip.compress(f"a,b\n{lines}".encode(), compresslevel=1))
    return path, [str(path)] * 100


def parquet(folder):
    path = folder / "rows.parquet"
    duckdb.execute(f"COPY ({ROWS}) TO '{path}' (FORMAT parquet)")
    return path, [str(path)] * 4


def duckdb_table(folder):
    path = folder / "rows.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(f"CREATE TABLE rows AS {ROWS}")
    return path, [f"{path}::rows"]


def standard_input(folder):
    return None, ["-"]


@pytest.mark.parametrize("source", [csv_gz, parquet, duckdb_table, standard_input])
def test_reading_is_left_at_once_and_nothing_is_touched(source, tmp_path):
    path, data = source(tmp_path)
    model = tmp_path / "model.twm"
    tw.load_network("asia").save(model)
    kept = {file: file.read_bytes() for file in (path, model) if file is not None}
    command = [sys.executable, "-c", WATCH, "learn", *data, "-o", str(model)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        process.stdin.write("a,b\nx,1\n")  # and never an end
        process.stdin.flush()
        assert process.stdout.readline() == "reading\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        said, stdout = process.stderr.read(), process.stdout.read()
    assert said == "interrupted\n"
    assert set(stdout.splitlines()) <= {"reading"}
    assert {file: file.read_bytes() for file in kept} == kept
    assert set(tmp_path.iterdir()) == set(kept)
