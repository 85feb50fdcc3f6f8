"""The skeleton of a DAG by independence tests: the first half of PC.

Two variables are adjacent in a DAG exactly when no set separates them; a set that does can be found among the
neighbours of one of them. PC starts with every pair joined and, level by level, looks for separators of size
0, 1, 2, ... among what still surrounds the pair. In the order-independent form (Colombo & Maathuis 2014) the
surroundings are those at the beginning of the level, so that no pair influences another.

The core generates the candidates, strongest first: a separator usually depends much on both ends. What the
core does not know is who answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, count
from typing import Literal, Protocol

import numpy as np

from treewright import _core
from treewright.criteria import IndependenceTest
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, Edge, UndirectedGraph
from treewright.graphs.ranked import ranks_by_name
from treewright.learners.independence.answers import answers_of
from treewright.learners.learned import TraceBuilder, tell
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Progress, Scope


class Separators(Mapping[Edge, Scope]):
    """For every pair of indices that was tested and separated, the set that did it.

    A pair may be asked for in either order; iteration gives the smaller name first, in the order of names.
    Only sets with members are kept: of a thousand variables most pairs are independent as they are.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> found = Separators(UndirectedGraph(schema, [("a", "b")]), {(1, 2): (0,)})
    >>> dict(found)
    {(0, 2): (), (1, 2): (0,)}
    >>> found[2, 1], (0, 1) in found
    ((0,), False)
    """

    def __init__(
        self, graph: UndirectedGraph, members: Mapping[Edge, Scope], known: BoundKnowledge | None = None
    ) -> None:
        self.graph = graph
        self.members = dict(members)
        self._known = known

    def __getitem__(self, pair: Edge) -> Scope:
        u, v = pair
        found = self.members.get((u, v), self.members.get((v, u)))
        if found is not None:
            return found
        if u == v or self.graph.adjacent(u, v) or not self._tested(u, v):
            raise KeyError(pair)
        return ()

    def __iter__(self) -> Iterator[Edge]:
        for u, v in combinations(self.graph.schema.name_order, 2):
            if not self.graph.adjacent(u, v) and self._tested(u, v):
                yield u, v

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _tested(self, u: int, v: int) -> bool:
        return self._known is None or bool(self._known.allowed_pairs[u, v])


class NamedSeparators(Mapping[tuple[str, str], tuple[str, ...]]):
    """The same by names."""

    def __init__(self, separators: Separators) -> None:
        self._separators = separators

    @property
    def schema(self) -> Schema:
        return self._separators.graph.schema

    def __getitem__(self, pair: tuple[NameOrIndex, NameOrIndex]) -> tuple[str, ...]:
        u, v = pair
        try:
            return self.schema.names_of(self._separators[self.schema.index(u), self.schema.index(v)])
        except KeyError:
            raise KeyError(pair) from None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        names = self.schema.names
        return ((names[u], names[v]) for u, v in self._separators)

    def __len__(self) -> int:
        return len(self._separators)

    def __repr__(self) -> str:
        return repr(dict(self))


CandidateOrder = Literal["strong", "weak", "names"]


class Weighed(Protocol):
    """Edges that have a strength."""

    @property
    def graph(self) -> UndirectedGraph: ...

    def strength(self, u: int, v: int) -> float: ...


@dataclass(frozen=True)
class Skeleton:
    """Edges that no set separated, and for every other pair that was tested the set that did."""

    graph: UndirectedGraph
    separators: Separators  # by pairs of indices, in either order
    search: _core.SkeletonSearch  # finished; it can weigh triples
    answers: _core.TestAnswers  # who answered

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
    settled: list[Callable[[], Skeleton]] | None = None,
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
    settled
        Gets, after the first level that gives variables, who tells what the last finished level left: the
        skeleton of a smaller depth.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> found = find_skeleton(tw.DSeparationOracle(tw.Dag(schema, [("a", "b"), ("b", "c")])))
    >>> found.graph.edges(), dict(found.separators)
    ([('a', 'b'), ('b', 'c')], {(0, 2): (1,)})
    """
    schema, trace = test.schema, trace or TraceBuilder()
    answers, shape = answers_of(test), (len(schema), len(schema))
    possible = np.ones(shape, dtype=bool) if known is None else known.allowed_pairs
    certain = np.zeros(shape, dtype=bool) if known is None else known.required | known.required.T
    search = _core.SkeletonSearch(ranks_by_name(schema), possible, certain, candidates, early_exit)
    for level in count() if depth is None else range(checked_depth(depth) + 1):
        if level > 0 and not search.has_candidates(level):
            break
        tell(progress, f"separators of size {level}", level, depth)
        with trace.phase(f"level {level}") as tallies:
            pairs, tests, removed = search.settle(level, answers)
            tallies.update(pairs=pairs, tests=tests, removed=removed)
        if settled is not None and level == 1:
            settled.append(partial(_skeleton, schema, search, known, answers))
    return _skeleton(schema, search, known, answers)


def _skeleton(
    schema: Schema, search: _core.SkeletonSearch, known: BoundKnowledge | None, answers: _core.TestAnswers
) -> Skeleton:
    """What the search has left."""
    graph = UndirectedGraph(schema, search.edges())
    members = {(u, v): tuple(given) for u, v, given in search.separators()}
    return Skeleton(graph, Separators(graph, members, known), search, answers)


def checked_depth(depth: int) -> int:
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise SettingError(f"depth must be a whole number from 0 on, or None for no limit; found {depth!r}")
    return depth
