"""Undirected graphs over the variables of a schema.

The graph is a frozen value. Inside it is a matrix of bits, one row of 64-bit words per variable, which the
native core reads as it is; names appear where people write and read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import GraphError, TableTooLarge
from treewright.graphs._bits import (
    FrozenGraph,
    Rows,
    members,
    n_words,
    pack,
    row_of,
    to_sets,
    unpack,
)
from treewright.graphs.edges import Edge, EdgeLike, Pairs, named_pairs, read_edges
from treewright.limits import format_bytes, memory_limit
from treewright.once import cached_property
from treewright.tables.schema import NameOrIndex, Schema, Which
from treewright.types import Pictured, Scope

if TYPE_CHECKING:
    import networkx


def _require_room(n: int) -> None:
    """Refuse a matrix of bits that would not fit, before it is made."""
    size, limit = 8 * n * n_words(n), memory_limit()
    if size > limit:
        raise TableTooLarge(
            f"a graph of {n:,} variables would take {format_bytes(size)}, more than the limit of "
            f"{format_bytes(limit)}; raise it with set_memory_limit or TREEWRIGHT_MEMORY"
        )


class UndirectedGraph(FrozenGraph, Pictured):
    """An undirected graph without loops.

    Parameters
    ----------
    schema
        The variables; each is a vertex, whether an edge touches it or not.
    edges
        Pairs of names or indices, in any order; or an integer array with two columns. Repeated edges count
        once.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> graph = UndirectedGraph(schema, [("c", "a"), ("a", "b")])
    >>> graph.edges()
    [('a', 'b'), ('a', 'c')]
    >>> graph.neighbours("a"), graph.degree("d"), graph.adjacent("b", "c")
    (('b', 'c'), 0, False)
    """

    schema: Schema
    rows: Rows

    def __init__(self, schema: Schema, edges: Iterable[EdgeLike] | npt.NDArray[np.integer] = ()) -> None:
        pairs = read_edges(schema, edges)
        _require_room(len(schema))
        self._set(schema, _core.graph_rows(len(schema), pairs))

    @classmethod
    def of_rows(cls, schema: Schema, rows: Rows) -> UndirectedGraph:
        """The graph with these rows of bits, which must be symmetric and loopless and never change again."""
        assert rows.shape == (len(schema), n_words(len(schema)))
        graph = cls.__new__(cls)
        graph._set(schema, rows)
        return graph

    @classmethod
    def complete(cls, schema: Schema) -> UndirectedGraph:
        """Every two variables joined."""
        _require_room(8 * len(schema))
        return cls.of_rows(schema, pack(~np.eye(len(schema), dtype=np.bool_)))

    def _set(self, schema: Schema, rows: Rows) -> None:
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "rows", rows)
        rows.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return UndirectedGraph, (self.schema, self.edge_array)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UndirectedGraph):
            return NotImplemented
        return self.schema == other.schema and np.array_equal(self.rows, other.rows)

    def __hash__(self) -> int:
        return hash((self.schema, self.rows.tobytes()))

    def __repr__(self) -> str:
        return f"UndirectedGraph({len(self.schema)} variables, {self.n_edges} edges)"

    @cached_property
    def edge_array(self) -> Pairs:
        """The edges as indices: one line per edge, the smaller index first, lines in order."""
        ends = _core.graph_edges(self.rows)
        ends.flags.writeable = False
        return ends

    @cached_property
    def ties(self) -> npt.NDArray[np.uint32]:
        """The variables in the order of their names, which breaks every tie."""
        return np.array(self.schema.name_order, dtype=np.uint32)

    @property
    def n_edges(self) -> int:
        return len(self.edge_array)

    def index_edges(self) -> list[Edge]:
        """The edges as pairs of indices, sorted."""
        return [(u, v) for u, v in self.edge_array.tolist()]

    def edges(self) -> list[tuple[str, str]]:
        """The edges as pairs of names, sorted."""
        return named_pairs(self.schema, self.index_edges(), ordered=False)

    def adjacent(self, u: NameOrIndex, v: NameOrIndex) -> bool:
        """Whether two variables are joined; none is joined to itself."""
        a, b = self.schema.index(u), self.schema.index(v)
        return bool(int(self.rows[a, b // 64]) >> (b % 64) & 1)

    def neighbours(self, v: Which) -> tuple[Which, ...]:
        """The variables joined to `v` in column order: names for a name, indices for an index."""
        return self.schema.said_like(v, members(self.rows[self.schema.index(v)]))

    def degree(self, v: NameOrIndex) -> int:
        """Number of neighbours."""
        return len(self.neighbours(self.schema.index(v)))

    def degrees(self) -> npt.NDArray[np.int64]:
        """Number of neighbours of every variable, by index."""
        return np.bincount(self.edge_array.ravel(), minlength=len(self.schema)).astype(np.int64)

    def irregularity(self) -> int:
        """Sum over the edges of the difference between the degrees of their ends (Albertson 1997).

        It is 0 exactly when every connected component is regular.

        Examples
        --------
        >>> from treewright.tables.schema import Schema, Variable
        >>> schema = Schema([Variable(name) for name in "abcdef"])
        >>> UndirectedGraph(schema, [("a", leaf) for leaf in "bcdef"]).irregularity()
        20
        """
        ends = self.degrees()[self.edge_array]
        return int(np.abs(ends[:, 0] - ends[:, 1]).sum())

    def components(self) -> tuple[Scope, ...]:
        """Connected components as indices; members, and components by their first member, in name order."""
        return to_sets(*_core.graph_components(self.rows, self.ties))

    def is_complete(self, scope: Iterable[NameOrIndex]) -> bool:
        """Whether all variables of a scope are joined to each other."""
        inside = self.schema.scope(scope)
        wanted = row_of(inside, len(self.schema))
        found = self.rows[list(inside)] & wanted
        for line, v in zip(found, inside, strict=True):
            line[v // 64] |= np.uint64(1 << v % 64)
        return bool((found == wanted).all())

    def is_subgraph_of(self, other: UndirectedGraph) -> bool:
        """Whether another graph over the same schema has all of these edges."""
        if self.schema != other.schema:
            raise GraphError("graphs can be compared edge by edge only over the same schema")
        return not bool((self.rows & ~other.rows).any())

    def subgraph(self, scope: Sequence[NameOrIndex]) -> UndirectedGraph:
        """The graph over some of the variables, in the order given, with the edges between them."""
        inside = self.schema.scope(scope)
        matrix = unpack(self.rows)[np.ix_(inside, inside)]
        return UndirectedGraph.of_rows(self.schema.select(inside), pack(matrix))

    def with_edges(self, edges: Iterable[EdgeLike] | npt.NDArray[np.integer]) -> UndirectedGraph:
        """The graph with further edges."""
        return UndirectedGraph.of_rows(self.schema, self.rows | UndirectedGraph(self.schema, edges).rows)

    def without_edges(self, edges: Iterable[EdgeLike] | npt.NDArray[np.integer]) -> UndirectedGraph:
        """The graph without some edges, whether it had them or not."""
        return UndirectedGraph.of_rows(self.schema, self.rows & ~UndirectedGraph(self.schema, edges).rows)

    def to_networkx(self) -> networkx.Graph:
        """A networkx graph whose nodes are the names."""
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(self.schema.names)
        graph.add_edges_from(self.edges())
        return graph
