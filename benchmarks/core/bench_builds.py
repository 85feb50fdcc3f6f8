"""Two builds of treewright on the same jobs, by turns: is the second as fast as the first?

    python benchmarks/core/bench_builds.py BEFORE AFTER

BEFORE and AFTER are folders that `import treewright` works in (the `src` of two checkouts with their native
modules in place, or two site-packages). Each job is timed in its own process, by turns, as the least CPU time
of several calls; what is printed is the ratio of the second to the first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

ROUNDS = 5


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


def measure(calls: int = 7) -> dict[str, float]:
    found = {}
    for name, job in jobs().items():
        job()
        times = []
        for _ in range(calls):
            began = time.process_time()
            job()
            times.append(time.process_time() - began)
        found[name] = min(times)
    return found


def measured_in(folder: str) -> dict[str, float]:
    environment = {**os.environ, "PYTHONPATH": folder}
    done = subprocess.run(
        [sys.executable, __file__, "--measure"], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def main() -> None:
    if sys.argv[1:] == ["--measure"]:
        print(json.dumps(measure()))
        return
    before, after = sys.argv[1:]
    rounds = [(measured_in(before), measured_in(after)) for _ in range(ROUNDS)]
    print(f"{'job':40}{'before, ms':>12}{'after, ms':>12}{'ratio':>8}")
    for job in rounds[0][0]:
        first, second = (min(one[k][job] for one in rounds) for k in (0, 1))
        print(f"{job:40}{1e3 * first:12.2f}{1e3 * second:12.2f}{second / first:8.2f}")


if __name__ == "__main__":
    main()
