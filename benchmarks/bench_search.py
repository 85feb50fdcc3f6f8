"""Searches for networks of high score: the time and the answer, beside peers on the same rows.

Times include everything from a loaded table on: packing, counting, searching. Peers climb through single
networks; ours searches equivalence classes with its default effort. Their scores are those of our BIC.
"""

from __future__ import annotations

import sys
from typing import Any

from common import (
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


def main() -> None:
    one_thread()
    results = Results("searches for a network, BIC, one thread")
    answers = Answers()
    for name in NETWORKS:
        measure(results, answers, name)
    if "--json" not in sys.argv:
        console.print(answers.table)
    results.finish()


if __name__ == "__main__":
    main()
