"""Scale: from packed rows to a network, in CPU seconds summed over threads.

R50 is 50 columns of 2 to 5 states (126 bit planes) that 108 arcs tie together, with texts for labels. What a
fresh counter is asked is counted anew; searches begin with one.

    python benchmarks/core/bench_scale.py                       # 1.1 million rows
    python benchmarks/core/bench_scale.py --rows 8000000 --write
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas

import treewright as tw

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # for tests/scale/r50.py
sys.path.insert(0, str(Path(__file__).resolve().parent))
from bars import Figures
from tests.scale.r50 import r50

BLOCK = 1 << 20
MOST_IN_MEMORY = 20_000_000  # rows that are read into memory here
PARTS = ("pairs", "counts", "climb", "bounded")


def write_parquet(folder: Path, n_rows: int) -> str:
    """Files of 2^20 rows each, labels as texts."""
    network = r50()
    listed = ", ".join(
        f"{list(variable.states or ())}[{variable.name}::INTEGER + 1] AS {variable.name}"
        for variable in network.schema
    )
    connection = duckdb.connect()
    for i, begin in enumerate(range(0, n_rows, BLOCK)):
        table = network.sample(min(BLOCK, n_rows - begin), rng=np.random.default_rng(i))
        codes = dict(zip(table.schema.names, table.columns, strict=True))
        connection.register("codes", pandas.DataFrame(codes))
        connection.execute(f"COPY (SELECT {listed} FROM codes) TO '{folder}/rows-{i:05}.parquet'")
    return f"{folder}/rows-*.parquet"


def cpu(work: Callable[[], Any], *, warm: bool = False) -> tuple[float, Any]:
    """CPU seconds of all threads; `warm`: of the second time, when sections have been checked."""
    if warm:
        work()
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_100_000)  # searches remember tables from 2^20 on
    parser.add_argument("--only", nargs="*", default=list(PARTS), choices=PARTS)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--write", action="store_true", help="into docs/measured/scale.md")
    options = parser.parse_args()
    figures = Figures(f"python benchmarks/core/bench_scale.py --rows {options.rows}")
    with tempfile.TemporaryDirectory() as folder:
        run(figures, options.folder or Path(folder), options.rows, options.only)
    figures.finish(write=options.write)


def run(figures: Figures, folder: Path, n: int, only: list[str]) -> None:
    if not list(folder.glob("rows-*.parquet")):
        write_parquet(folder, n)
    packed = folder / "rows.twp"
    tw.pack({"a": ["x", "y"]}, folder / "first.twp")  # what is loaded once
    if not packed.exists():
        tw.pack(str(folder / "rows-*.parquet"), packed)
    began = time.perf_counter()
    table = tw.open_table(packed)
    figures.add("opening", 1e3 * (time.perf_counter() - began), "ms", 20)
    counter = tw.count(table)

    def price(what: str, seconds: float, bar: float | None) -> None:
        figures.add(what, 1e6 * seconds / n, "us a row", bar)

    if "pairs" in only:
        price("Chow-Liu", cpu(lambda: tw.learn_chow_liu(tw.BIC(tw.count(table))), warm=True)[0], 0.05)
    if "counts" in only:
        time_counts(figures, counter, n)
    if "climb" in only:
        for effort, bar in ((0, 2.2), (2, 4.5)):
            climb = partial(tw.learn_hill_climbing, tw.BIC(tw.count(table)), effort=effort)
            seconds, learned = cpu(climb)
            price(f"hill climbing, effort {effort}, {learned.dag.n_edges} arcs", seconds, bar)
    if "bounded" in only:
        bounded = partial(tw.learn_bounded_treewidth, tw.BIC(tw.count(table)), treewidth=3)
        price("bounded search, K = 3", cpu(lambda: bounded(rng=np.random.default_rng(0)))[0], 2.5)


def time_counts(figures: Figures, counter: Any, n_rows: int) -> None:
    n = len(counter.schema)
    pairs = [(u, v) for v in range(n) for u in range(v)]
    quads = [(0, 1, 2, v) for v in range(3, n)]
    for name, scopes, bar in (("1225 pairs", pairs, 0.05), ("47 quads", quads, 0.013)):
        work = partial(lambda scopes: tw.count(counter.table).counts_many(scopes), scopes)
        seconds = min(cpu(work)[0] for _ in range(3))  # sections are checked in the first
        figures.add(f"`counts_many`, {name}, of a million rows", 1e6 * seconds / n_rows, "s", bar)


if __name__ == "__main__":
    main()
