"""Scale: from Parquet to packed rows to a network, in CPU seconds summed over threads.

R50 is 50 columns of 2 to 5 states (126 bit planes) that 108 arcs tie together, with texts for labels.

    python benchmarks/core/bench_scale.py                       # 1.1 million rows
    python benchmarks/core/bench_scale.py --rows 20000000 --only pack pairs memory
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas

import treewright as tw

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for benchmarks/common.py
from common import console

N_COLUMNS, N_ARCS, N_PLANES = 50, 108, 126
BLOCK = 1 << 20


def r50(rng: np.random.Generator) -> tuple[list[int], list[list[int]], list[np.ndarray]]:
    """States, parents and cumulated tables of each column."""
    states = [2 + i % 4 for i in range(N_COLUMNS)]  # 2 to 5
    for i in range(N_PLANES - (sum(states) - N_COLUMNS)):
        states[4 * i] += 1
    parents: list[list[int]] = [[] for _ in states]
    while sum(map(len, parents)) < N_ARCS:
        child = int(rng.integers(1, N_COLUMNS))
        parent = int(rng.integers(max(0, child - 12), child))
        if parent not in parents[child] and len(parents[child]) < 4:
            parents[child].append(parent)
    tables = []
    for child, own in enumerate(parents):
        shape = (int(np.prod([states[p] for p in own], dtype=int)), states[child])
        tables.append(np.cumsum(rng.dirichlet(np.full(states[child], 0.6), size=shape[0]), axis=1))
    return states, parents, tables


def draw(network: tuple[list[int], list[list[int]], list[np.ndarray]], n: int, seed: int) -> list[np.ndarray]:
    states, parents, tables = network
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for child, own in enumerate(parents):
        at = np.zeros(n, dtype=np.int64)
        for parent in own:
            at = at * states[parent] + columns[parent]
        u = rng.random(n)
        columns.append((u[:, None] > tables[child][at][:, :-1]).sum(axis=1).astype(np.uint8))
    return columns


def write_parquet(folder: Path, n_rows: int) -> str:
    """Files of a million rows each, labels as texts."""
    network = r50(np.random.default_rng(50))
    names = [f"c{v:02}" for v in range(N_COLUMNS)]
    labels = [
        [f"state {'abcde'[s]} of {name}" for s in range(r)] for name, r in zip(names, network[0], strict=True)
    ]
    connection = duckdb.connect()
    for i, begin in enumerate(range(0, n_rows, BLOCK)):
        codes = dict(zip(names, draw(network, min(BLOCK, n_rows - begin), i), strict=True))
        listed = ", ".join(
            f"{own}[{name}::INTEGER + 1] AS {name}" for name, own in zip(names, labels, strict=True)
        )
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


def tell(name: str, seconds: float, n_rows: int, bar: str = "") -> None:
    per_row = 1e6 * seconds / n_rows
    console.print(f"{name}: {seconds:.2f} s, {per_row:.3f} us a row{f' (bar {bar})' if bar else ''}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_100_000)  # searches remember tables from 2^20 on
    parser.add_argument(
        "--only", nargs="*", default=["pack", "pairs", "counts", "climb", "bounded", "memory"]
    )
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(options.folder or Path(folder), options.rows, options.only)


def run(folder: Path, n: int, only: list[str]) -> None:
    source = str(folder / "rows-*.parquet")
    if not list(folder.glob("rows-*.parquet")):
        source = write_parquet(folder, n)
    packed = folder / "rows.twp"
    tw.pack({"a": ["x", "y"]}, folder / "first.twp")  # what is loaded once
    if "pack" in only or not packed.exists():
        seconds, table = cpu(lambda: tw.pack(source, packed))
        tell("Parquet to packed file", seconds, n, "1.45 us a row")
        seconds, _ = cpu(lambda: tw.pack(source, folder / "again.twp", schema=table.schema))
        tell("the same with schema=", seconds, n, "0.85 us a row")
        seconds, _ = cpu(lambda: tw.read_table(source))
        tell("read_table", seconds, n)
    seconds, table = cpu(lambda: tw.open_table(packed))
    console.print(f"opening: {1e3 * seconds:.1f} ms (bar 20 ms)")
    counter = tw.count(table)
    if "pairs" in only:
        seconds, _ = cpu(lambda: tw.learn_chow_liu(tw.BIC(tw.count(table))), warm=True)
        tell("Chow-Liu", seconds, n, "0.05 us a row")
    if "counts" in only:
        time_counts(counter)
    if "climb" in only:
        for effort in (0, 2):
            seconds, learned = cpu(
                lambda effort=effort: tw.learn_hill_climbing(tw.BIC(counter), effort=effort)
            )
            tell(
                f"hill climbing, effort {effort}, {len(learned.dag.edges())} arcs",
                seconds,
                n,
                "2.2 / 4.5 us a row",
            )
    if "bounded" in only:
        rng = np.random.default_rng(0)
        seconds, _ = cpu(lambda: tw.learn_bounded_treewidth(tw.BIC(counter), treewidth=3, rng=rng))
        tell("bounded search, K = 3", seconds, n, "2.5 us a row")
    if "memory" in only:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        console.print(f"largest resident size, pages of files among it: {peak / 1024:.0f} MiB")


def time_counts(counter: Any) -> None:
    n = len(counter.schema)
    pairs = [(u, v) for v in range(n) for u in range(v)]
    quads = [(0, 1, 2, v) for v in range(3, n)]
    for name, scopes, bar in (("1225 pairs", pairs, "0.05 s"), ("47 quads", quads, "0.013 s")):
        seconds, _ = cpu(lambda scopes=scopes: tw.count(counter.table).counts_many(scopes), warm=True)
        console.print(f"counts_many, {name}: {seconds:.3f} s (bar {bar} for a million rows)")


if __name__ == "__main__":
    main()
