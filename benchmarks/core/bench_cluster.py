"""A cluster on this machine: what a round takes, and what a second worker is good for.

A round is 48 tables of tiny pieces, counted by two workers; told are the median by the clock, which means
something on an idle machine only, and the CPU time of this process: the client, with Dask the scheduler as
well. Then all pairs of R50 are counted anew by one worker and by two, each on one thread and held to a core
of its own, by the clock: the least of many times.

    python benchmarks/core/bench_cluster.py                   # processes, and Dask if it is there
    python benchmarks/core/bench_cluster.py --rounds 200 --rows 8000000 --write
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.statistics.cluster import ClusterCounter, LocalPool, Piece, Pool, cut_into_pieces

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # for tests/scale/r50.py
sys.path.insert(0, str(Path(__file__).resolve().parent))
from bars import Figures
from tests.scale.r50 import r50

TABLES = 48
ROUND, WORST, GAIN = 30.0, 50.0, 1.7  # milliseconds, milliseconds, times
PIECES = 4


def time_rounds(figures: Figures, name: str, counter: ClusterCounter, rounds: int, bar: float | None) -> None:
    scopes = [(u, v) for v in range(len(counter.schema)) for u in range(v)][:TABLES]
    counter.counts_many(scopes)  # files are opened
    taken, began = [], time.process_time()
    for _ in range(rounds):
        started = time.perf_counter()
        counter.counts_many(scopes)
        taken.append(1e3 * (time.perf_counter() - started))
    cpu = 1e3 * (time.process_time() - began) / rounds
    figures.add(f"{name}, two workers, a round: median by the clock", float(np.median(taken)), "ms", bar)
    asked = "" if bar is None else f"worst {WORST:g} ms"
    holds = bar is None or max(taken) <= WORST
    figures.tell(f"{name}: best and worst", f"{min(taken):.1f} and {max(taken):.1f} ms", asked, holds=holds)
    figures.add(f"{name}: CPU of the client", cpu, "ms")


def time_pairs(counter: ClusterCounter, times: int = 60) -> float:
    """Seconds by the clock for all pairs: the least of several, when sections have been checked."""
    pairs = [(u, v) for v in range(len(counter.schema)) for u in range(v)]
    taken = []
    for _ in range(times + 1):
        started = time.perf_counter()
        counter.each(count_anew, pairs)
        taken.append(time.perf_counter() - started)
    return min(taken[1:])


def count_anew(counter: Any, scopes: Any) -> int:
    """By a worker: its own counter would remember the pairs of the time before."""
    return sum(int(table[0].sum()) for table in tw.count(counter.table).counts_many(scopes))


def hold_to(core: int) -> None:
    """By a worker: on a core of its own, as on a machine of its own."""
    for thread in os.listdir("/proc/self/task"):
        os.sched_setaffinity(int(thread), {core})


def time_workers(figures: Figures, name: str, pieces: Sequence[Piece], pools: Any) -> None:
    seconds = []
    for n_workers in (1, 2):
        with pools(n_workers) as pool:
            for core, where in enumerate(pool.workers()):
                pool.submit(hold_to, core, where=where).result(60.0)
            seconds.append(time_pairs(ClusterCounter(pieces, pool)))
    said = f"{1e3 * seconds[0]:.0f} and {1e3 * seconds[1]:.0f} ms"
    figures.tell(f"{name}, all pairs, one worker and two: by the clock", said)
    figures.add(f"{name}, two workers against one", seconds[0] / seconds[1], "times", GAIN, least=True)


@contextmanager
def dask_pool(n_workers: int) -> Iterator[Pool]:
    from distributed import Client, LocalCluster

    from treewright.statistics.cluster import DaskPool

    how: dict[str, Any] = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(processes=True, **how) as cluster, Client(cluster) as client:
        yield DaskPool(client)


def pack_pieces(network: tw.BayesianNetwork, n_rows: int, n_pieces: int, folder: Path) -> list[Piece]:
    """Rows in so many packed files, each drawn by itself; those of a time before are taken again."""
    folder.mkdir(exist_ok=True)
    for i in range(n_pieces):
        if (folder / f"{i}.twp").exists():
            continue
        rows = network.sample(n_rows // n_pieces, rng=np.random.default_rng(i))
        tw.pack(rows, folder / f"{i}.twp")
    return cut_into_pieces(str(folder / "*.twp"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--rows", type=int, default=8_000_000)
    parser.add_argument("--folder", type=Path, default=None, help="where rows stay for a next time")
    parser.add_argument("--write", action="store_true", help="into docs/measured/scale.md")
    options = parser.parse_args()
    command = f"python benchmarks/core/bench_cluster.py --rounds {options.rounds} --rows {options.rows}"
    figures = Figures(command)
    pools: dict[str, Any] = {"processes": LocalPool}
    if find_spec("distributed") is None:
        print("Dask is not there: pip install 'treewright[dask]'")
    else:
        pools["Dask"] = dask_pool
    with nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as folder:
        tiny = pack_pieces(tw.load_network("alarm"), 2_000, 2, Path(folder) / "tiny")
        large = pack_pieces(r50(), options.rows, PIECES, Path(folder) / "large")
        for name, pool in pools.items():
            with pool(2) as two:
                bar = ROUND if name == "Dask" else None
                time_rounds(figures, name, ClusterCounter(tiny, two), options.rounds, bar)
            time_workers(figures, name, large, pool)
    figures.finish(write=options.write)


if __name__ == "__main__":
    main()
