"""Undirected graphs over the variables of a schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from treewright.graphs.arcs import Arc, named_pairs
from treewright.tables.schema import NameOrIndex, Schema


@dataclass(frozen=True, init=False)
class UndirectedGraph:
    """A set of undirected edges between named variables.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> UndirectedGraph(Schema([Variable("a"), Variable("b")]), [("b", "a")]).edges()
    [('a', 'b')]
    """

    schema: Schema
    _edges: frozenset[Arc]

    def __init__(self, schema: Schema, edges: Iterable[tuple[NameOrIndex, NameOrIndex]] = ()) -> None:
        pairs = ((schema.index(u), schema.index(v)) for u, v in edges)
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "_edges", frozenset((min(u, v), max(u, v)) for u, v in pairs))

    def edges(self) -> list[tuple[str, str]]:
        return named_pairs(self.schema, self._edges, ordered=False)

    def index_edges(self) -> list[Arc]:
        return sorted(self._edges)

    def adjacent(self, u: NameOrIndex, v: NameOrIndex) -> bool:
        i, j = self.schema.index(u), self.schema.index(v)
        return (min(i, j), max(i, j)) in self._edges
