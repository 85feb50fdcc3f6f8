"""One round of a cluster: 48 tables of tiny pieces, counted by two workers of this machine.

Told are the median by the clock, which means something on an idle machine only, and the CPU time of this
process: the client, with Dask the scheduler as well.

    python benchmarks/core/bench_cluster.py                   # processes, and Dask if it is there
    python benchmarks/core/bench_cluster.py --rounds 200
"""

from __future__ import annotations

import argparse
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from treewright.statistics.cluster import ClusterCounter, LocalPool, pieces_of

TABLES = 48


def time_rounds(name: str, counter: ClusterCounter, rounds: int) -> None:
    scopes = [(u, v) for v in range(len(counter.schema)) for u in range(v)][:TABLES]
    counter.counts_many(scopes)  # files are opened
    taken, began = [], time.process_time()
    for _ in range(rounds):
        started = time.perf_counter()
        counter.counts_many(scopes)
        taken.append(1e3 * (time.perf_counter() - started))
    cpu = 1e3 * (time.process_time() - began) / rounds
    print(
        f"{name}: {np.median(taken):.1f} ms a round by the clock ({min(taken):.1f} at best, "
        f"{max(taken):.1f} at worst), {cpu:.1f} ms CPU of this process "
        "(bar for Dask: 30 ms median on an idle machine)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = tw.load_network("alarm").sample(2_000, rng=np.random.default_rng(0))
        for i, shard in enumerate(table.shards(2)):
            tw.pack(shard, Path(folder) / f"{i}.twp")
        pieces = pieces_of(str(Path(folder) / "*.twp"))
        with LocalPool(2) as pool:
            time_rounds("processes", ClusterCounter(pieces, pool), options.rounds)
        if find_spec("distributed") is None:
            print("Dask is not there: pip install 'treewright[dask]'")
            return
        time_dask(pieces, options.rounds)


def time_dask(pieces: Any, rounds: int) -> None:
    from distributed import Client, LocalCluster

    from treewright.statistics.cluster import DaskPool

    how: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(processes=True, **how) as cluster, Client(cluster) as client:
        time_rounds("Dask", ClusterCounter(pieces, DaskPool(client)), rounds)


if __name__ == "__main__":
    main()
