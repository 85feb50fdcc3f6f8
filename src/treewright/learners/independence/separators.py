"""The sets that separated pairs, without a line for each of the many pairs that needed nothing.

Of a thousand variables half a million pairs are mostly independent as they are. Only sets with members are
kept; that the empty set separated a pair follows from its being tested and not joined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from treewright.graphs import BoundKnowledge, Edge, UndirectedGraph
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope


class Separators(Mapping[Edge, Scope]):
    """For every pair of indices that was tested and separated, the set that did it.

    A pair may be asked for in either order; iteration gives the smaller name first, in the order of names.

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
