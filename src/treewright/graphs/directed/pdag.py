"""Partially directed graphs: edges that have a direction beside edges that have none yet.

A :class:`Pdag` promises one mark per pair of variables and no more. Meek's rules say which directions follow
from directions. In a graph whose v-structures are all known, an undirected edge a - b has to be a -> b when

- R1: c -> a with c and b not adjacent (else a would be the middle of a new v-structure),
- R2: a -> c -> b (else there would be a cycle),
- R3: a - c -> b and a - d -> b with c and d not adjacent,
- R4: a - d -> c -> b with c adjacent to a, and d and b not adjacent (needed with background knowledge only).

A consistent extension directs the undirected edges so that no cycle and no new v-structure appears. Dor &
Tarsi (1992) build one backwards: find a vertex that can be last, point everything at it, take it out, go on.
Here it is always the one with the largest name, so that a graph has one canonical extension whatever the
column order. A `Pdag` that has the answer in its type is a `Cpdag`.

References
----------
Meek (1995). Causal inference and causal explanation with background knowledge. UAI.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from treewright import _core
from treewright.arguments import PDAG, require
from treewright.errors import CycleError, GraphError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.edges import (
    GivenPairs,
    NamedArc,
    Pairs,
    as_array,
    as_pairs,
    cycle_text,
    named_pairs,
    resolve_pairs,
)
from treewright.graphs.ranked import ranks_by_name
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.once import cached_property
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc, Pictured

if TYPE_CHECKING:
    import networkx as nx

# said once wherever arrows are shown
NOT_A_CAUSE = "An arrow is not a cause: it tells how rows hang together, not what acting would change."


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Pdag(Pictured):
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


def _require_one_mark(schema: Schema, arrows: Sequence[Arc], lines: Sequence[Arc]) -> None:
    pairs = {(min(pair), max(pair)) for pair in chain(arrows, lines)}
    if len(pairs) == len(arrows) + len(lines):
        return
    seen: dict[Arc, str] = {}
    named = [((u, v), "->") for u, v in arrows] + [((u, v), "-") for u, v in lines]
    for (u, v), sign in named:
        mark = f"{schema.names[u]} {sign} {schema.names[v]}"
        other = seen.setdefault((min(u, v), max(u, v)), mark)
        if other != mark:
            raise GraphError(f"two variables share at most one edge; found {other} and {mark}")


@dataclass(frozen=True)
class MeekClosure:
    """A closed graph, and by name the orientations left out because they would have closed a cycle."""

    graph: Pdag
    skipped: tuple[NamedArc, ...]


def close_under_meek(graph: Pdag) -> Pdag:
    """Direct every edge that Meek's rules R1 to R4 direct.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> close_under_meek(Pdag(schema, [("a", "b")], [("b", "c")])).directed_edges()
    [('a', 'b'), ('b', 'c')]
    """
    require("close_under_meek", PDAG, graph)
    return apply_meek_rules(graph).graph


def apply_meek_rules(graph: Pdag) -> MeekClosure:
    """Direct every edge that Meek's rules direct, and report what they could not.

    From directions that some DAG has, no rule ever asks for a cycle. Directions found in data may contradict
    each other; an orientation that would close a directed cycle is then skipped, and the edge stays
    undirected unless another rule directs it the other way. Edges are taken in the order of their names.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcde"])
    >>> arrows = [("b", "c"), ("c", "d"), ("d", "a"), ("e", "a")]
    >>> closure = apply_meek_rules(Pdag(schema, arrows, [("a", "b")]))
    >>> closure.skipped, closure.graph.undirected_edges()
    ((('a', 'b'),), [('a', 'b')])
    """
    require("apply_meek_rules", PDAG, graph)
    directed, undirected, skipped = _core.close_under_meek(
        len(graph.schema), *graph.marks, ranks_by_name(graph.schema)
    )
    closed = Pdag(graph.schema, as_pairs(directed), as_pairs(undirected))
    return MeekClosure(closed, tuple(named_pairs(graph.schema, as_pairs(skipped), ordered=True)))


def find_consistent_extension(graph: Pdag) -> Dag | None:
    """Extend to a DAG with the same skeleton, arrows and v-structures; None when there is none.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> find_consistent_extension(Pdag(schema, [], [("a", "b"), ("b", "c")])).edges()
    [('a', 'b'), ('b', 'c')]
    >>> square = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]
    >>> find_consistent_extension(Pdag(schema, [], square)) is None
    True
    """
    require("find_consistent_extension", PDAG, graph)
    arcs = _core.consistent_extension(len(graph.schema), *graph.marks, ranks_by_name(graph.schema))
    return None if arcs is None else Dag(graph.schema, as_pairs(arcs))


def find_nearest_extension(graph: Pdag) -> Dag:
    """Extend to a DAG with the same skeleton and arrows, adding v-structures only where nothing else is left.

    It is the consistent extension when there is one. Where no vertex can be last without a new v-structure,
    the one that makes fewest is.

    Raises
    ------
    CycleError
        When the arrows themselves close a cycle.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> square = Pdag(schema, [], [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    >>> find_nearest_extension(square).edges()
    [('a', 'b'), ('a', 'd'), ('b', 'c'), ('c', 'd')]
    """
    require("find_nearest_extension", PDAG, graph)
    if cycle := cycle_text(graph.schema, graph.index_directed_edges()):
        raise CycleError(f"the arrows close a directed cycle: {cycle}")
    arcs = _core.nearest_extension(len(graph.schema), *graph.marks, ranks_by_name(graph.schema))
    return Dag(graph.schema, as_pairs(arcs))
