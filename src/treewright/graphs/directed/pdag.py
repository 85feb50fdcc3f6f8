"""Partially directed graphs: edges that have a direction beside edges that have none yet.

A :class:`Pdag` promises one mark per pair of variables and no more. Whether its undirected edges can be
directed without a cycle or a new v-structure is a question for `consistent_extension`; a `Pdag` that has the
answer in its type is a `Cpdag`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treewright.errors import GraphError
from treewright.graphs.directed.arcs import GivenPairs, NamedArc, Pairs, as_array, named_pairs, resolve_pairs
from treewright.graphs.directed.dag import Dag
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Pdag:
    """A graph with directed and undirected edges, at most one between two variables.

    Two graphs are equal when they have the same variables and marks by name, whatever the order of the
    columns.

    Parameters
    ----------
    directed, undirected
        Pairs of variables, by name or index.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> graph = Pdag(Schema([Variable(name) for name in "abc"]), [("b", "a")], [("c", "b")])
    >>> graph.directed_edges(), graph.undirected_edges()
    ([('b', 'a')], [('b', 'c')])
    """

    schema: Schema
    _directed: tuple[Arc, ...]
    _undirected: tuple[Arc, ...]

    def __init__(self, schema: Schema, directed: GivenPairs = (), undirected: GivenPairs = ()) -> None:
        arrows = tuple(sorted(set(resolve_pairs(schema, directed))))
        lines = tuple(sorted({(min(e), max(e)) for e in resolve_pairs(schema, undirected)}))
        _require_one_mark(schema, arrows, lines)
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "_directed", arrows)
        object.__setattr__(self, "_undirected", lines)

    def directed_edges(self) -> list[NamedArc]:
        """Name pairs (from, to), sorted."""
        return named_pairs(self.schema, self._directed, ordered=True)

    def undirected_edges(self) -> list[NamedArc]:
        """Name pairs, the smaller name first, sorted."""
        return named_pairs(self.schema, self._undirected, ordered=False)

    def edges(self) -> list[NamedArc]:
        """All edges by name, sorted: directed ones as (from, to), others with the smaller name first."""
        return sorted(self.directed_edges() + self.undirected_edges())

    def index_directed_edges(self) -> list[Arc]:
        return list(self._directed)

    def index_undirected_edges(self) -> list[Arc]:
        return list(self._undirected)

    def index_edges(self) -> list[Arc]:
        return sorted(self._directed + self._undirected)

    @property
    def n_edges(self) -> int:
        return len(self._directed) + len(self._undirected)

    def adjacent(self, u: NameOrIndex, v: NameOrIndex) -> bool:
        return self.skeleton().adjacent(u, v)

    def skeleton(self) -> UndirectedGraph:
        """The edges without their direction."""
        return UndirectedGraph(self.schema, self._directed + self._undirected)

    @property
    def marks(self) -> tuple[Pairs, Pairs]:
        """Directed and undirected edges as the core takes them."""
        return as_array(self._directed), as_array(self._undirected)

    @cached_property
    def _by_name(self) -> tuple[frozenset[str], tuple[NamedArc, ...], tuple[NamedArc, ...]]:
        return frozenset(self.schema.names), tuple(self.directed_edges()), tuple(self.undirected_edges())

    def __eq__(self, other: object) -> bool:
        return self._by_name == other._by_name if isinstance(other, Pdag) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._by_name)

    def __repr__(self) -> str:
        counts = f"{len(self._directed)} directed and {len(self._undirected)} undirected edges"
        return f"{type(self).__name__}({len(self.schema)} variables, {counts})"

    def __reduce__(self) -> tuple[type[Pdag], tuple[Schema, tuple[Arc, ...], tuple[Arc, ...]]]:
        return type(self), (self.schema, self._directed, self._undirected)

    def to_networkx(self) -> nx.DiGraph[Any]:
        """The graph as a `networkx.DiGraph` of names; an undirected edge appears in both directions.

        The attribute `directed` of an edge tells which it is.
        """
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.schema.names)
        graph.add_edges_from(self.directed_edges(), directed=True)
        graph.add_edges_from(self.undirected_edges(), directed=False)
        graph.add_edges_from(((v, u) for u, v in self.undirected_edges()), directed=False)
        return graph


def as_pdag(graph: Dag | Pdag | UndirectedGraph) -> Pdag:
    """Any of the edge-by-edge shapes as marks: a DAG has only arrows, an undirected graph none."""
    if isinstance(graph, Pdag):
        return graph
    if isinstance(graph, Dag):
        return Pdag(graph.schema, graph.index_edges())
    return Pdag(graph.schema, (), graph.index_edges())


def _require_one_mark(schema: Schema, arrows: Iterable[Arc], lines: Iterable[Arc]) -> None:
    seen: dict[Arc, str] = {}
    named = [((u, v), "->") for u, v in arrows] + [((u, v), "-") for u, v in lines]
    for (u, v), sign in named:
        mark = f"{schema.names[u]} {sign} {schema.names[v]}"
        other = seen.setdefault((min(u, v), max(u, v)), mark)
        if other != mark:
            raise GraphError(f"two variables share at most one edge; found {other} and {mark}")
