"""The skeleton of a DAG by independence tests: the first half of PC.

Two variables are adjacent in a DAG exactly when no set separates them; a set that does can be found among the
neighbours of one of them. PC starts with every pair joined and, level by level, looks for separators of size
0, 1, 2, ... among what still surrounds the pair. In the order-independent form (Colombo & Maathuis 2014) the
surroundings are those at the beginning of the level, so that no pair influences another.

The core generates the candidates, strongest first: a separator usually depends much on both ends. What the
core does not know is who answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Literal, Protocol

import numpy as np

from treewright import _core
from treewright.criteria import IndependenceTest
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, UndirectedGraph
from treewright.graphs.ranked import ranks_by_name
from treewright.learners.independence.answers import answers_of
from treewright.learners.independence.separators import Separators
from treewright.learners.learned import TraceBuilder, tell
from treewright.tables.schema import Schema
from treewright.types import Progress

CandidateOrder = Literal["strong", "weak", "names"]


class Weighed(Protocol):
    """Edges that have a strength."""

    @property
    def graph(self) -> UndirectedGraph: ...

    def strength(self, u: int, v: int) -> float: ...


@dataclass(frozen=True)
class Skeleton:
    """Edges that no set separated, and for every other pair that was tested the set that did.

    Attributes
    ----------
    graph
        The edges.
    separators
        By pairs of indices, in either order.
    search
        The finished search in the core, which can weigh triples.
    answers
        Who answered.
    """

    graph: UndirectedGraph
    separators: Separators
    search: _core.SkeletonSearch
    answers: _core.TestAnswers

    def strength(self, u: int, v: int) -> float:
        """How strongly two variables depend on each other with nothing given."""
        return self.search.strength(u, v)


def find_skeleton(
    test: IndependenceTest,
    *,
    depth: int | None = 3,
    known: BoundKnowledge | None = None,
    trace: TraceBuilder | None = None,
    progress: Progress | None = None,
    candidates: CandidateOrder = "strong",
    early_exit: bool = True,
) -> Skeleton:
    """PC-stable: settle the pairs level by level.

    Parameters
    ----------
    test
        Decides independence.
    depth
        Largest separator looked for; None for no limit.
    known
        Pairs that may be joined, and pairs that are.
    trace
        Gets one phase for each level, with its pairs, tests and removals.
    progress
        Called before each level.
    candidates, early_exit
        Which candidates come first, and whether a pair is done at its first separator: both change how many
        tests are asked, and neither the skeleton.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> found = find_skeleton(tw.DSeparationOracle(tw.Dag(schema, [("a", "b"), ("b", "c")])))
    >>> found.graph.edges(), dict(found.separators)
    ([('a', 'b'), ('b', 'c')], {(0, 2): (1,)})
    """
    schema, trace = test.schema, trace or TraceBuilder()
    answers = answers_of(test)
    search = start_search(schema, known, candidates, early_exit)
    for level in count() if depth is None else range(checked_depth(depth) + 1):
        if level > 0 and not search.has_candidates(level):
            break
        tell(progress, f"separators of size {level}", level, depth)
        with trace.phase(f"level {level}") as tallies:
            pairs, tests, removed = search.settle(level, answers)
            tallies.update(pairs=pairs, tests=tests, removed=removed)
    graph = UndirectedGraph(schema, search.edges())
    members = {(u, v): tuple(given) for u, v, given in search.separators()}
    return Skeleton(graph, Separators(graph, members, known), search, answers)


def start_search(
    schema: Schema, known: BoundKnowledge | None, candidates: CandidateOrder, early_exit: bool
) -> _core.SkeletonSearch:
    """Every pair joined, except those that are known to be apart."""
    n = len(schema)
    possible = np.ones((n, n), dtype=bool) if known is None else known.allowed_pairs
    certain = np.zeros((n, n), dtype=bool) if known is None else known.required | known.required.T
    return _core.SkeletonSearch(ranks_by_name(schema), possible, certain, candidates, early_exit)


def checked_depth(depth: int) -> int:
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise SettingError(f"depth must be a whole number from 0 on, or None for no limit; found {depth!r}")
    return depth
