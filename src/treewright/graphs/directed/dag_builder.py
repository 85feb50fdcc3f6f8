"""A directed acyclic graph under construction, for searches that edit one arc at a time.

The core keeps the ancestors of every variable as a row of bits, so a legality question is one look-up and an
edit costs O(n^2 / 64) for families of bounded size. An illegal move is refused and changes nothing.
"""

from __future__ import annotations

from treewright import _core
from treewright.errors import CycleError, GraphError
from treewright.graphs.directed.arcs import GivenPairs, as_pairs, path_text, resolve_pairs
from treewright.graphs.directed.dag import Dag
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc, Scope


class DagBuilder:
    """A mutable directed acyclic graph.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> builder = DagBuilder(Schema([Variable(name) for name in "abc"]), [("a", "b"), ("b", "c")])
    >>> builder.can_add("c", "a"), builder.can_add("a", "c")
    (False, True)
    >>> builder.reverse("a", "b")
    >>> builder.freeze().edges()
    [('b', 'a'), ('b', 'c')]
    """

    def __init__(self, schema: Schema, arcs: GivenPairs = ()) -> None:
        self.schema = schema
        self._native = _core.DagBuilder(len(schema))
        for tail, head in dict.fromkeys(resolve_pairs(schema, arcs)):
            self.add(tail, head)

    @classmethod
    def of(cls, dag: Dag) -> DagBuilder:
        """Start from a graph that exists."""
        return cls(dag.schema, dag.index_edges())

    def copy(self) -> DagBuilder:
        twin = DagBuilder(self.schema)
        twin._native = self._native.copy()
        return twin

    def freeze(self) -> Dag:
        """The graph as it stands now, as a value."""
        return Dag(self.schema, self.index_edges())

    @property
    def n_edges(self) -> int:
        return self._native.n_arcs

    def index_edges(self) -> list[Arc]:
        return list(as_pairs(self._native.arcs()))

    def parents(self, variable: NameOrIndex) -> Scope:
        return tuple(self._native.parents(self.schema.index(variable)))

    def has_arc(self, tail: NameOrIndex, head: NameOrIndex) -> bool:
        return self._native.has_arc(*self._ends(tail, head))

    def is_ancestor(self, above: NameOrIndex, below: NameOrIndex) -> bool:
        """Whether a directed path leads from `above` to `below`."""
        return self._native.is_ancestor(*self._ends(above, below))

    def can_add(self, tail: NameOrIndex, head: NameOrIndex) -> bool:
        """Whether the two differ, are not adjacent, and no directed path leads from head to tail."""
        return self._native.can_add(*self._ends(tail, head))

    def can_reverse(self, tail: NameOrIndex, head: NameOrIndex) -> bool:
        """Whether tail -> head is an arc, and the only directed path from tail to head."""
        return self._native.can_reverse(*self._ends(tail, head))

    def add(self, tail: NameOrIndex, head: NameOrIndex) -> None:
        u, v = self._ends(tail, head)
        if not self._native.can_add(u, v):
            raise self._why_not_add(u, v)
        self._native.add(u, v)

    def remove(self, tail: NameOrIndex, head: NameOrIndex) -> None:
        u, v = self._ends(tail, head)
        self._require_arc(u, v, "remove")
        self._native.remove(u, v)

    def reverse(self, tail: NameOrIndex, head: NameOrIndex) -> None:
        u, v = self._ends(tail, head)
        self._require_arc(u, v, "reverse")
        if not self._native.can_reverse(u, v):
            self._native.remove(u, v)  # so that the path found is the other one
            path = self._native.path(u, v)
            self._native.add(u, v)
            raise CycleError(f"cannot reverse {self._arrow(u, v)}: it would close {self._cycle(v, path)}")
        self._native.reverse(u, v)

    def _ends(self, tail: NameOrIndex, head: NameOrIndex) -> Arc:
        return self.schema.index(tail), self.schema.index(head)

    def _require_arc(self, u: int, v: int, move: str) -> None:
        if not self._native.has_arc(u, v):
            raise GraphError(f"cannot {move} {self._arrow(u, v)}: there is no such arc")

    def _why_not_add(self, u: int, v: int) -> CycleError | GraphError:
        asked = f"cannot add {self._arrow(u, v)}"
        if u == v:
            return GraphError(f"{asked}: an arc joins two variables")
        if self._native.has_arc(u, v):
            return GraphError(f"{asked}: it is there already")
        return CycleError(f"{asked}: it would close {self._cycle(u, self._native.path(v, u))}")

    def _arrow(self, u: int, v: int) -> str:
        return path_text(self.schema, (u, v))

    def _cycle(self, start: int, path: list[int]) -> str:
        return path_text(self.schema, (start, *path))
