"""One learner on one sample, in a process of its own: errors, rows not seen, seconds, bytes.

`python -m experiments.scoreboard.judge alarm "hill climbing" 2000 0` prints one line of JSON. Columns are
shuffled by the seed. Only learning is timed, and memory is what the process needs for it on top of the rows.
"""

from __future__ import annotations

import json
import math
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from experiments.common import Row
from experiments.scoreboard.learners import LEARNERS, NETWORKS
from experiments.scoreboard.peers import PEERS
from treewright import _core

TEST_ROWS = 5_000
SECONDS = 20.0  # of the processor, for learning from one sample


def judge(name: str, learner: str, n_rows: int, seed: int) -> Row:
    """All figures of one sample."""
    truth, train, test = sample(name, n_rows, seed)
    counter = tw.count(train)
    work: Callable[[], Any]
    if learner in PEERS:
        arcs = PEERS[learner][1](train)
        work = lambda: tw.Dag(train.schema, arcs())  # noqa: E731
    else:
        work = lambda: LEARNERS[learner](counter)  # noqa: E731
    before = peak_memory(reset=True)
    start = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(start + SECONDS), resource.RLIM_INFINITY))
    structure = work()
    seconds = time.process_time() - start
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    memory = peak_memory() - before
    if isinstance(structure, tw.FeatureGraph):  # it is learned with its parameters
        model: Any = tw.FeatureNetwork(structure)
    else:
        model = tw.fit(structure, counter)
    directed = learner in PEERS or learner in NETWORKS
    return {
        "errors": tw.shd(truth.dag, structure) if directed else None,
        "behind": (truth.score(test) - model.score(test)) / len(test.schema),
        "seconds": seconds,
        "bytes": memory,
    }


def nothing_learned(name: str, n_rows: int, seed: int) -> Row:
    """What somebody who does not come back in time is judged by: the network without arcs."""
    truth, train, test = sample(name, n_rows, seed)
    empty = tw.fit(tw.Dag(train.schema), tw.count(train))
    behind = (truth.score(test) - empty.score(test)) / len(test.schema)
    return {"errors": truth.dag.n_edges, "behind": behind}


def sample(name: str, n_rows: int, seed: int) -> tuple[tw.BayesianNetwork, tw.Table, tw.Table]:
    """The network, rows to learn from with shuffled columns, and rows to judge by."""
    truth = tw.load_network(name)
    rng = np.random.default_rng([n_rows, seed])
    table = truth.sample(n_rows, rng=rng)
    test = truth.sample(TEST_ROWS, rng=rng)
    names = [table.schema.names[i] for i in rng.permutation(len(table.schema))]
    return truth, table.select(names), test


def peak_memory(*, reset: bool = False) -> int:
    """The most bytes that this process has held since the last reset; 0 where the system does not say."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    _core.set_threads(1)
    name, learner, n_rows, seed = sys.argv[1:]
    print(json.dumps(judge(name, learner, int(n_rows), int(seed))))
