"""Two builds of treewright on the same jobs, by turns: is the second as fast as the first?

    python benchmarks/core/bench_builds.py BEFORE AFTER

BEFORE and AFTER are folders that `import treewright` works in (the `src` of two checkouts with their native
modules in place, or two site-packages). Each build has a process of its own; calls alternate between the two,
so that what else the machine does meets both alike. Jobs that one of them does not know are left out. Printed
are the lower quartiles of CPU times, and their ratio.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress

CALLS = 60


def jobs():
    import numpy as np

    import treewright as tw

    rng = np.random.default_rng(0)
    alarm, asia = tw.load_network("alarm"), tw.load_network("asia")
    few, many = alarm.sample(2_000, rng=rng), alarm.sample(100_000, rng=rng)
    few_counts, many_counts = tw.count(few), tw.count(many)
    pairs = [(i, j) for i in range(37) for j in range(i)]
    triples = [(i, j, (i + j) % 7 + 30) for i in range(20) for j in range(i)]
    evidence = {"HR": alarm.schema["HR"].states[0]}
    return {
        "counts: pairs of 100,000 rows": lambda: many_counts.counts_many(pairs),
        "counts: triples of 100,000 rows": lambda: many_counts.counts_many(triples),
        "score: pairs": lambda: tw.BIC(tw.count(few)).pair_gains(),
        "search: hill climbing": lambda: tw.learn_hill_climbing(tw.BIC(tw.count(few))),
        "search: hill climbing, 100,000 rows": lambda: tw.learn_hill_climbing(tw.BIC(tw.count(many))),
        "search: bounded, K = 2": lambda: tw.learn_bounded_treewidth(tw.BIC(tw.count(few)), treewidth=2),
        "search: bounded, K = 4": lambda: tw.learn_bounded_treewidth(tw.BIC(tw.count(few)), treewidth=4),
        "search: knots": lambda: tw.learn_knots(tw.count(few)),
        "search: pc": lambda: tw.learn_pc(tw.GTest(tw.count(few))),
        "answers: marginals": lambda: [alarm.marginals(given=evidence) for _ in range(50)],
        "answers: query": lambda: [asia.query("dysp", given={"smoke": "yes"}) for _ in range(50)],
        "answers: probabilities of rows": lambda: alarm.log_probability(few),
        "answers: sample": lambda: alarm.sample(20_000, rng=np.random.default_rng(1)),
        "fit": lambda: tw.fit(alarm.dag, few_counts),
    }


def kicks_of(n_variables):
    """Kicks of a bounded search that has come to its first local optimum."""
    import numpy as np

    import treewright as tw
    from treewright.graphs import bind_knowledge
    from treewright.learners.bounded_treewidth.search import BoundedSearches, BoundedSettings, BoundedStart
    from treewright.networks.generate import sparse_network

    network = sparse_network(n_variables, np.random.default_rng(2))
    score = tw.BIC(tw.count(network.sample(1_000, rng=np.random.default_rng(3))))
    settings = BoundedSettings(score, bind_knowledge(None, score.schema), 4, None)
    native = BoundedSearches(settings, [1], BoundedStart(tw.learn_chow_liu(score).structure)).native
    native.climb(False, False)
    native.settle()
    return lambda: native.kick(20)


def answer_requests() -> None:
    """Time one call of each job whose name comes in, as long as names come."""
    known = jobs()
    with suppress(ImportError):  # what lies inside has other names in older builds
        known["search: 20 kicks, K = 4, 1,000 variables"] = kicks_of(1_000)
    print(json.dumps(list(known)), flush=True)
    for line in sys.stdin:
        job = known[line.strip()]
        began = time.process_time()
        job()
        print(time.process_time() - began, flush=True)


class Build:
    """One build in a process of its own, which runs jobs when asked."""

    def __init__(self, folder: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--answer"],
            env={**os.environ, "PYTHONPATH": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.names = json.loads(self.process.stdout.readline())

    def time(self, job: str) -> float:
        self.process.stdin.write(job + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def main() -> None:
    if sys.argv[1:] == ["--answer"]:
        answer_requests()
        return
    builds = [Build(folder) for folder in sys.argv[1:]]
    print(f"{'job':40}{'before, ms':>12}{'after, ms':>12}{'ratio':>8}")
    for job in filter(builds[1].names.__contains__, builds[0].names):
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(CALLS):
            for k in (0, 1) if turn % 2 else (1, 0):
                times[k].append(builds[k].time(job))
        first, second = (sorted(some)[CALLS // 4] for some in times)
        print(f"{job:40}{1e3 * first:12.2f}{1e3 * second:12.2f}{second / first:8.2f}")


if __name__ == "__main__":
    main()
