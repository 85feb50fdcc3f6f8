"""Rows of a PostgreSQL server: to a network by reading them once, and by having the server count.

A server is started in a temporary folder, as the tests do it, with one table of texts: samples of ALARM. Told
are CPU seconds of this process and of the server together. Hill climbing, effort 2.

    python benchmarks/core/bench_postgres.py                  # a million rows, some minutes
    python benchmarks/core/bench_postgres.py --rows 100000 --only rows
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # for tests/postgres_server.py
sys.path.insert(0, str(Path(__file__).resolve().parent))
from bars import Figures
from tests.postgres_server import PostgresServer, start, stop

ROWS = 1_000_000
MODES = {"rows": 8.0, "counts": 200.0}  # seconds to a model, of so many rows
TABLE = "rows of a benchmark"
TICKS = 100.0  # in which Linux tells CPU time, a second
Cpu = Callable[[], float]


@contextmanager
def server_with(n_rows: int) -> Iterator[PostgresServer]:
    server = start()
    try:
        rows = tw.load_network("alarm").sample(n_rows, rng=np.random.default_rng(0))
        server.put(TABLE, {name: list(map(str, cells)) for name, cells in rows.to_dict().items()})
        server.run(f'ANALYZE "{TABLE}"')
        yield server
    finally:
        stop(server)


def server_seconds(server: PostgresServer) -> float:
    """CPU seconds of the server: of its first process, of those that ended, and of those that are there."""
    first = (Path(server.folder) / "data" / "postmaster.pid").read_text().split()[0]
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it ended just now
            continue
        if stat.parent.name == first:
            ticks += sum(map(int, fields[11:15]))
        elif fields[1] == first:
            ticks += sum(map(int, fields[11:13]))
    return ticks / TICKS


def measure(figures: Figures, server: PostgresServer, mode: Any, n_rows: int) -> None:
    source = tw.tables.SqlTable(server.url(), TABLE)
    began, here, there = time.perf_counter(), time.process_time(), server_seconds(server)
    counter = tw.open_source(source, mode=mode)
    read = time.perf_counter()
    learned = tw.learn_hill_climbing(tw.BIC(counter), effort=2)
    tw.fit(learned.dag, counter)
    ended = time.perf_counter()
    here, there = time.process_time() - here, server_seconds(server) - there
    bar = MODES[mode] if n_rows == ROWS else None
    figures.add(f"`mode={mode!r}`, to a model: CPU", here + there, "s", bar)
    figures.tell(
        f"`mode={mode!r}`: in all",
        f"{there:.1f} s of the server, {here:.1f} s here; by the clock {read - began:.1f} s until there was "
        f"a counter, {ended - read:.1f} s to a network of {learned.dag.n_edges} arcs with its parameters",
    )
    if mode == "counts":
        said = next(note for note in counter.report.notes if "statements" in note)
        figures.tell("what the server was asked", said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--only", nargs="*", default=list(MODES), choices=MODES)
    parser.add_argument("--write", action="store_true", help="into docs/measured/scale.md")
    options = parser.parse_args()
    figures = Figures(f"python benchmarks/core/bench_postgres.py --rows {options.rows}")
    with server_with(options.rows) as server:
        for mode in options.only:
            measure(figures, server, mode, options.rows)
    figures.finish(write=options.write)


if __name__ == "__main__":
    main()
