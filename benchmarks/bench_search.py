"""Searches for networks of high score: the time and the answer, beside peers on the same rows.

    python benchmarks/bench_search.py
    python benchmarks/bench_search.py --shuffles 5 --networks alarm hailfinder hepar2

Times include everything from a loaded table on: packing, counting, searching. Peers climb through single
networks; ours searches equivalence classes with its default effort. Their scores are those of our BIC.

With ``--shuffles`` no time is taken: the columns are shuffled so often, ours must give one class for all
orders and no peer may score above it in any of them; the program ends with status 1 where that fails.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
from common import (
    SEED,
    Results,
    console,
    frame_of,
    installed,
    network_rows,
    one_thread,
    pyagrum_learner,
    seconds,
)
from rich.table import Table as RichTable

import treewright as tw

NETWORKS = ("alarm", "hailfinder", "hepar2", "andes")
ROWS = 10_000


class Answers:
    """What each search ended with: score and edges."""

    def __init__(self) -> None:
        self.table = RichTable("data", "search", "BIC", "edges", title="answers")

    def add(self, data: str, search: str, score: tw.BIC, dag: tw.Dag) -> None:
        self.table.add_row(data, search, f"{score.score(dag):,.1f}", str(dag.n_edges))


def pybnesian_climb(frame: Any) -> Any:
    import pybnesian

    return pybnesian.hc(frame, bn_type=pybnesian.DiscreteBNType(), score="bic", operators=["arcs"])


def pyagrum_climb(table: tw.Table) -> Any:
    learner = pyagrum_learner(table)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    return learner.learnDAG()


def categories(table: tw.Table) -> Any:
    """The codes as a pandas frame of categories, all declared states among them."""
    import pandas as pd

    frame = frame_of(table)
    for variable in table.schema:
        labels = [f"s{k}" for k in range(variable.cardinality)]
        codes = frame[variable.name].to_numpy()
        frame[variable.name] = pd.Categorical.from_codes(codes, categories=labels)
    return frame


def measure(results: Results, answers: Answers, name: str) -> None:
    table, shown = network_rows(name, ROWS)
    score = tw.BIC(tw.count(table))
    repeats = 3 if name == "andes" else 10
    ours = seconds(lambda: tw.learn_hill_climbing(tw.BIC(tw.count(table))), repeats)
    answers.add(shown, "class search", score, tw.learn_hill_climbing(score).structure)
    peer_repeats = 0 if name == "andes" else 2
    if installed("pybnesian"):
        frame = categories(table)
        theirs = seconds(lambda: pybnesian_climb(frame), peer_repeats)
        results.add("search", shown, ours, "pybnesian hc", theirs, 10)
        answers.add(shown, "pybnesian hc", score, tw.Dag(table.schema, pybnesian_climb(frame).arcs()))
    else:
        results.absent("search", "pybnesian")
    if installed("pyagrum"):
        theirs = seconds(lambda: pyagrum_climb(table), peer_repeats)
        results.add("search", shown, ours, "pyAgrum", theirs, 50 if name == "andes" else None)
        answers.add(shown, "pyAgrum", score, tw.Dag(table.schema, pyagrum_climb(table).arcs()))
    else:
        results.absent("search", "pyagrum")


def shuffled(table: tw.Table, rng: np.random.Generator) -> tw.Table:
    order = rng.permutation(len(table.schema))
    variables = list(table.schema)
    return tw.Table(tw.Schema(variables[v] for v in order), [table.columns[v] for v in order])


def class_of(learned: tw.learners.LearnedClass) -> tuple[frozenset[Any], frozenset[Any]]:
    """The class by names, whatever the order of the columns."""
    lines = (frozenset(edge) for edge in learned.cpdag.undirected_edges())
    return frozenset(learned.cpdag.directed_edges()), frozenset(lines)


def peer_scores(table: tw.Table, score: tw.BIC) -> dict[str, float]:
    """The BIC of what each peer finds on these rows."""
    found = {}
    if installed("pybnesian"):
        found["pybnesian hc"] = score.score(tw.Dag(table.schema, pybnesian_climb(categories(table)).arcs()))
    if installed("pyagrum"):
        found["pyAgrum"] = score.score(tw.Dag(table.schema, pyagrum_climb(table).arcs()))
    return found


def check_shuffles(shown: RichTable, name: str, n_shuffles: int) -> bool:
    """Whether all orders of the columns give one class that no peer beats."""
    table, data = network_rows(name, ROWS)
    rng = np.random.default_rng(SEED)
    expected = tw.learn_hill_climbing(tw.BIC(tw.count(table)))
    holds = True
    for number in range(n_shuffles):
        other = shuffled(table, rng)
        score = tw.BIC(tw.count(other))
        learned = tw.learn_hill_climbing(score)
        is_same = class_of(learned) == class_of(expected) and learned.score == expected.score
        peers = peer_scores(other, score)
        is_best = all(learned.score >= theirs for theirs in peers.values())
        best = ", ".join(f"{peer} {theirs:,.1f}" for peer, theirs in peers.items()) or "none installed"
        shown.add_row(data, str(number + 1), f"{learned.score:,.1f}", "yes" if is_same else "NO", best)
        holds = holds and is_same and is_best
    return holds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS))
    parser.add_argument("--shuffles", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    one_thread()
    if options.shuffles:
        shown = RichTable("data", "shuffle", "class search", "one class", "peers", title="BIC by order")
        held = [check_shuffles(shown, name, options.shuffles) for name in options.networks]
        console.print(shown)
        sys.exit(0 if all(held) else 1)
    results = Results("searches for a network, BIC, one thread")
    answers = Answers()
    for name in options.networks:
        measure(results, answers, name)
    if not options.json:
        console.print(answers.table)
    results.finish()


if __name__ == "__main__":
    main()
