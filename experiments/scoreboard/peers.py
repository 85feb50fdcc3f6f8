"""Peers that may be installed, each with its own defaults under BIC, or as its manual shows it first."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from typing import Any

import treewright as tw

Arcs = Iterable[tuple[str, str]]


def pyagrum_rows(table: tw.Table) -> Any:
    """Its learner over the same rows and states, on one thread."""
    import pyagrum

    template = pyagrum.BayesNet()
    for variable in table.schema:
        template.add(pyagrum.LabelizedVariable(variable.name, variable.name, list(variable.states or ())))
    learner = pyagrum.BNLearner(table.to_pandas().astype(str), template)
    learner.setNumberOfThreads(1)
    return learner


def pyagrum_climbing(table: tw.Table) -> Callable[[], Arcs]:
    learner = pyagrum_rows(table)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    return lambda: _pyagrum_arcs(learner)


def pyagrum_miic(table: tw.Table) -> Callable[[], Arcs]:
    learner = pyagrum_rows(table)
    learner.useMIIC()
    return lambda: _pyagrum_arcs(learner)


def _pyagrum_arcs(learner: Any) -> Arcs:
    names = learner.names()
    return [(names[a], names[b]) for a, b in learner.learnDAG().arcs()]


def pybnesian_climbing(table: tw.Table) -> Callable[[], Arcs]:
    import pybnesian

    frame = table.to_pandas().astype(str).astype("category")
    kind = pybnesian.DiscreteBNType()
    return lambda: pybnesian.hc(frame, bn_type=kind, score="bic", operators=["arcs"]).arcs()


def pgmpy_climbing(table: tw.Table) -> Callable[[], Arcs]:
    from pgmpy.estimators import HillClimbSearch

    frame = table.to_pandas().astype(str)
    return lambda: HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False).edges()


# name on the board: package, and from rows as it likes them to work that is timed
PEERS: dict[str, tuple[str, Callable[[tw.Table], Callable[[], Arcs]]]] = {
    "pyAgrum, hill climbing": ("pyagrum", pyagrum_climbing),
    "pyAgrum, MIIC": ("pyagrum", pyagrum_miic),
    "pybnesian, hill climbing": ("pybnesian", pybnesian_climbing),
    "pgmpy, hill climbing": ("pgmpy", pgmpy_climbing),
}


def installed_peers() -> list[str]:
    return [name for name, (package, _) in PEERS.items() if importlib.util.find_spec(package) is not None]
