"""Family scores and independence tests in batches, beside pgmpy and pyAgrum."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import treewright as tw

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for benchmarks/common.py
from common import (
    Results,
    console,
    duration,
    first_seconds,
    frame_of,
    installed,
    network_rows,
    one_thread,
    pyagrum_learner,
    seconds,
)


def rescoring(results: Results, table: tw.Table, shown: str) -> None:
    """One step of a search: a child with two parents against all other candidates."""
    score = tw.BIC(tw.count(table))
    n = len(table.schema)
    candidates = range(3, n)
    ours = seconds(lambda: score.local_additions(0, (1, 2), candidates))
    console.print(f"rescoring of one child, {shown}: {duration(ours)} for {n - 3} candidates")
    if installed("pgmpy"):
        from pgmpy import structure_score

        names = table.schema.names
        theirs = structure_score.BIC(frame_of(table))
        families = [(names[1], names[2], names[c]) for c in list(candidates)[:10]]
        each = first_seconds(lambda: [theirs.local_score(names[0], f) for f in families]) / len(families)
        results.add("a candidate parent, BIC", shown, ours / len(candidates), "pgmpy", each)
    else:
        results.absent("scores", "pgmpy")


def testing(results: Results, table: tw.Table, shown: str) -> bool:
    """G2 with one conditioning variable: random triples, and one context against all partners."""
    test = tw.GTest(tw.count(table))
    n = len(table.schema)
    rng = np.random.default_rng(0)
    triples = [tuple(map(int, rng.choice(n, 3, replace=False))) for _ in range(1000)]
    queries = [(x, y, (z,)) for x, y, z in triples]
    ours = seconds(lambda: test.independent_many(queries)) / len(queries)
    partners = range(2, n)
    grouped = seconds(lambda: test.independent_partners(0, (1,), partners)) / len(partners)
    console.print(
        f"G2 given one variable, {shown}: {duration(ours)} a test in a batch of random triples, "
        f"{duration(grouped)} for one context against all partners"
    )
    names = table.schema.names
    few = [(names[x], names[y], names[z]) for x, y, z in triples[:20]]
    if installed("pyagrum"):
        learner = pyagrum_learner(table)
        theirs = seconds(lambda: [learner.G2(x, y, [z]) for x, y, z in few], 1) / len(few)
        results.add("G2 given one variable", shown, ours, "pyAgrum", theirs)
    else:
        results.absent("tests", "pyagrum")
    return ours <= 3e-6


def main() -> None:
    one_thread()
    results = Results("scores and tests, 10,000 rows, one thread")
    fast = True
    for name in ("alarm", "hepar2", "andes"):
        table, shown = network_rows(name, 10_000)
        rescoring(results, table, shown)
        fast &= testing(results, table, shown)
    if not fast:
        console.print("[red]a G2 test takes more than 3 microseconds[/]")
    results.finish()
    sys.exit(not fast)


if __name__ == "__main__":
    main()
