"""Which edges of knots stay: all, those that no knot with both ends disputes, or those that tests confirm."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from treewright.graphs import BoundKnowledge, Edge, UndirectedGraph, edge
from treewright.learners.bayesian_knots.dependency_tree import Dependencies
from treewright.learners.bayesian_knots.engines import Knot, KnotLearner
from treewright.learners.independence.skeleton import find_skeleton
from treewright.tables.schema import Schema

Merge = Literal["union", "all", "verify"]


@dataclass(frozen=True)
class WeighedEdges:
    """Edges with the dependence of their ends as strength."""

    graph: UndirectedGraph
    dependencies: Dependencies

    def strength(self, u: int, v: int) -> float:
        return float(self.dependencies.weights[u, v])


def edges_of(knot: Knot, whole: Schema) -> list[Edge]:
    return [edge(whole.index(u), whole.index(v)) for u, v in knot.graph.edges()]


def joined_by_knots(schema: Schema, knots: Sequence[Knot], known: BoundKnowledge) -> UndirectedGraph:
    """The edges of all knots, and those that are required although their ends share no cluster."""
    required = [edge(u, v) for u, v in known.required_arcs()]
    return UndirectedGraph(schema, {e for knot in knots for e in edges_of(knot, schema)}.union(required))


def merge_edges(
    union: UndirectedGraph, knots: Sequence[Knot], merge: Merge, learner: KnotLearner
) -> UndirectedGraph:
    """The edges that stay."""
    if merge == "union":
        return union
    known = learner.known
    required = known.required | known.required.T
    if merge == "all":
        agreed = undisputed(union, knots)
        return UndirectedGraph(union.schema, [e for e in union.index_edges() if e in agreed or required[e]])
    inside = np.zeros_like(known.allowed)
    for u, v in union.index_edges():
        inside[u, v] = inside[v, u] = True
    within = BoundKnowledge(union.schema, inside, known.required.copy())
    return find_skeleton(learner.test.whole(), depth=learner.settings.depth, known=within).graph


def undisputed(union: UndirectedGraph, knots: Sequence[Knot]) -> set[Edge]:
    """Edges that every knot with both ends has."""
    schema = union.schema
    joined = Tally(e for knot in knots for e in edges_of(knot, schema))
    shared: Tally[Edge] = Tally()
    for knot in knots:
        scope = schema.scope(knot.variables)
        shared.update(e for e in (edge(u, v) for u, v in combinations(scope, 2)) if e in joined)
    return {e for e, n in joined.items() if n == shared[e]}
