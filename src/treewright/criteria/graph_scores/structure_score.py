"""Scores of whole undirected graphs.

A :class:`StructureScore` judges a graph at once. Searches flip one edge after the other, so it also hands out
a native judge that keeps the total of a graph under flips and tells, pair by pair, how well the graph fits.
"""

from __future__ import annotations

import math
from typing import Protocol

from treewright import _core
from treewright.criteria.scores.score import refuse_other_variables
from treewright.errors import SettingError
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.statistics.counter import Counter
from treewright.tables.schema import Schema


class StructureScore(Protocol):
    """What a search over undirected graphs asks of a score."""

    counter: Counter

    @property
    def schema(self) -> Schema: ...

    def score(self, graph: UndirectedGraph) -> float:
        """The score of a graph over the variables of the score, in any order; higher is better, in nats."""
        ...

    def judge(self) -> _core.GraphScore:
        """A native judge of its own that follows flips."""
        ...

    def tuned(self) -> StructureScore:
        """The same score with the settings left open as they learn best."""
        ...


def aligned(schema: Schema, graph: UndirectedGraph) -> UndirectedGraph:
    """The graph with the columns in the order of a score's schema."""
    if graph.schema.names == schema.names:
        return graph
    refuse_other_variables("the graph and the score", schema, graph.schema)
    return UndirectedGraph(schema, graph.edges())


def price(name: str, value: float) -> float:
    """A setting in nats, from 0 on."""
    if not (math.isfinite(value) and value >= 0):
        raise SettingError(f"{name} must be a finite number of nats from 0 on; found {value!r}")
    return float(value)
