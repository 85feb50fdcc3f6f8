"""Directed acyclic graphs.

A :class:`Dag` cannot hold a cycle: the arcs are checked once, when it is made, and code that holds one never
asks again. Names stand at the boundary (`edges()`, messages, answers about a variable given by name); what is
asked by index is answered by index, and `schema.names_of` turns indices into names. Two graphs are equal when
they have the same variables and arcs by name, whatever the order of the columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from treewright import _core
from treewright.arguments import PDAG, SCHEMA, require
from treewright.errors import CycleError, GraphError
from treewright.graphs.directed.d_separation import is_d_separated
from treewright.graphs.edges import (
    GivenPairs,
    NamedArc,
    as_array,
    as_pairs,
    cycle_text,
    named_pairs,
    path_text,
    resolve_pairs,
)
from treewright.graphs.ranked import ranks_by_name
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.once import cached_property
from treewright.tables.schema import NameOrIndex, Schema, Which
from treewright.types import Arc, Pictured, Scope

if TYPE_CHECKING:
    import networkx as nx

    from treewright.graphs.directed.pdag import Pdag

Collider = tuple[int, int, int]
Variables = NameOrIndex | Iterable[NameOrIndex]


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Dag(Pictured):
    """A directed acyclic graph over the variables of a schema.

    Parameters
    ----------
    schema
        The variables; each is a vertex, with or without arcs.

    Attributes
    ----------
    pattern
        Which of its edges have a direction, where the graph was learned: the others could point either way
        and fit the rows as well. None where nobody said so, and then every arc stands as it is.

    Raises
    ------
    CycleError
        When the arcs close a directed cycle; the message names one.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name, ("no", "yes")) for name in ("rain", "sprinkler", "wet")])
    >>> dag = Dag(schema, [("rain", "wet"), ("sprinkler", "wet")])
    >>> dag.edges()
    [('rain', 'wet'), ('sprinkler', 'wet')]
    >>> dag.parents("wet"), dag.parents(2)
    (('rain', 'sprinkler'), (0, 1))
    >>> dag.is_d_separated("rain", "sprinkler"), dag.is_d_separated("rain", "sprinkler", given=["wet"])
    (True, False)
    >>> dag.with_arcs([("wet", "rain")])
    Traceback (most recent call last):
    ...
    treewright.errors.CycleError: these arcs close a directed cycle: rain -> wet -> rain
    """

    schema: Schema
    _arcs: tuple[Arc, ...]
    pattern: Pdag | None = field(default=None, kw_only=True)

    def __init__(self, schema: Schema, arcs: GivenPairs = ()) -> None:
        pairs = tuple(sorted(set(resolve_pairs(schema, arcs))))
        if cycle := cycle_text(schema, pairs):
            raise CycleError(f"these arcs close a directed cycle: {cycle}")
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "_arcs", pairs)

    @classmethod
    def empty(cls, schema: Schema) -> Dag:
        """The graph without arcs."""
        return cls(schema)

    @cached_property
    def native(self) -> _core.Dag:
        """The graph as the core holds it."""
        return _core.Dag(len(self.schema), as_array(self._arcs))

    # what it is made of

    def edges(self) -> list[NamedArc]:
        """Name pairs (from, to), sorted."""
        return named_pairs(self.schema, self._arcs, ordered=True)

    def index_edges(self) -> list[Arc]:
        """Index pairs (from, to), sorted."""
        return list(self._arcs)

    @property
    def n_edges(self) -> int:
        return len(self._arcs)

    def has_arc(self, tail: NameOrIndex, head: NameOrIndex) -> bool:
        return self.schema.index(tail) in self.native.parents(self.schema.index(head))

    def adjacent(self, u: NameOrIndex, v: NameOrIndex) -> bool:
        return self.has_arc(u, v) or self.has_arc(v, u)

    def parents(self, variable: Which) -> tuple[Which, ...]:
        """The parents in column order: names for a name, indices for an index."""
        return self.schema.said_like(variable, self.native.parents(self.schema.index(variable)))

    def children(self, variable: Which) -> tuple[Which, ...]:
        """The children in column order: names for a name, indices for an index."""
        return self.schema.said_like(variable, self.native.children(self.schema.index(variable)))

    # paths

    @cached_property
    def topological_order(self) -> Scope:
        """Parents before children; of the variables that are ready, the first by name comes first."""
        return tuple(self.native.topological_order(ranks_by_name(self.schema)))

    def ancestors(self, variables: Which | Collection[Which]) -> tuple[Which, ...]:
        """Those with a directed path into one of the variables, which themselves are left out.

        Names where the variables are given by name, else indices.
        """
        return self.schema.said_like(variables, self.native.ancestors(as_scope(self.schema, variables)))

    def descendants(self, variables: Which | Collection[Which]) -> tuple[Which, ...]:
        """Those with a directed path out of one of the variables, which themselves are left out."""
        return self.schema.said_like(variables, self.native.descendants(as_scope(self.schema, variables)))

    def reachable(self, tail: NameOrIndex, head: NameOrIndex) -> bool:
        """Whether a directed path of at least one arc leads from tail to head."""
        return self.schema.index(tail) in self.native.ancestors((self.schema.index(head),))

    def is_d_separated(self, x: Variables, y: Variables, given: Iterable[NameOrIndex] = ()) -> bool:
        """Whether `given` blocks every path between x and y, each one variable or several."""
        return is_d_separated(self, as_scope(self.schema, x), as_scope(self.schema, y), given)

    # shapes that belong to it

    def skeleton(self) -> UndirectedGraph:
        """The edges without their direction."""
        return UndirectedGraph(self.schema, self._arcs)

    def moral_graph(self) -> UndirectedGraph:
        """The skeleton with the parents of each child joined."""
        return UndirectedGraph(self.schema, as_pairs(self.native.moral_edges()))

    def v_structures(self) -> list[Collider]:
        """Index triples (u, w, v) with u -> w <- v, u and v not adjacent, u < v; sorted."""
        return sorted((u, w, v) for u, w, v in self.native.v_structures().tolist())

    def covered_arcs(self) -> list[NamedArc]:
        """The arcs u -> v with parents(v) = parents(u) + u, by name.

        Reversing one of them, and no other single arc, leads to an equivalent graph (Chickering 1995).
        """
        return named_pairs(self.schema, as_pairs(self.native.covered_arcs()), ordered=True)

    def with_pattern(self, pattern: Pdag) -> Self:
        """The same graph, which says of which class it was learned to be; equal to it.

        A `GraphError` refuses marks of other edges, and a line where all graphs of its class that have the
        arrows agree on a direction.

        Examples
        --------
        >>> from treewright.graphs import Cpdag
        >>> from treewright.tables import Variable
        >>> dag = Dag(Schema([Variable(name) for name in "abc"]), [("a", "c"), ("b", "c")])
        >>> dag.with_pattern(Cpdag.of(dag)).pattern.undirected_edges(), dag.pattern
        ([], None)
        """
        require("with_pattern", PDAG, pattern)
        arcs, lines = set(self.edges()), pattern.undirected_edges()
        turned = [(v, u) if (v, u) in arcs else (u, v) for u, v in lines]
        if sorted([*pattern.directed_edges(), *turned]) != self.edges():
            odd = sorted(arcs.symmetric_difference([*pattern.directed_edges(), *turned]))[0]
            raise GraphError(f"a pattern has the edges of its graph; {odd[0]} -> {odd[1]} is in one only")
        from treewright.graphs.directed.orientation import sure_directions

        forced = set(lines).difference(sure_directions(self, pattern).undirected_edges())
        if forced:
            u, v = min(forced)
            raise GraphError(f"a pattern says what is sure: the edge {u} - {v} has a direction")
        return self.as_one_of(pattern)

    def as_one_of(self, pattern: Pdag) -> Self:
        """The same with a pattern that was made for it, which is not checked."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, pattern=pattern)
        return twin

    # graphs one step away

    def with_arcs(self, arcs: GivenPairs) -> Dag:
        """The same graph and some arcs more."""
        return Dag(self.schema, (*self._arcs, *resolve_pairs(self.schema, arcs)))

    def without(self, arcs: GivenPairs) -> Dag:
        """The same graph without some of its arcs."""
        gone = resolve_pairs(self.schema, arcs)
        for tail, head in gone:
            self._require_arc(tail, head)
        return Dag(self.schema, set(self._arcs).difference(gone))

    def with_reversed(self, tail: NameOrIndex, head: NameOrIndex) -> Dag:
        """The same graph with one arc turned round."""
        u, v = self.schema.index(tail), self.schema.index(head)
        self._require_arc(u, v)
        return Dag(self.schema, (set(self._arcs) - {(u, v)}) | {(v, u)})

    def _require_arc(self, tail: int, head: int) -> None:
        if not self.has_arc(tail, head):
            u, v = self.schema.names_of((tail, head))
            hint = f"; there is {v} -> {u}" if self.has_arc(head, tail) else ""
            raise GraphError(f"there is no arc {u} -> {v}{hint}")

    # protocol of a value

    @cached_property
    def _by_name(self) -> tuple[frozenset[str], tuple[NamedArc, ...]]:
        return frozenset(self.schema.names), tuple(self.edges())

    def __eq__(self, other: object) -> bool:
        return self._by_name == other._by_name if isinstance(other, Dag) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._by_name)

    def __repr__(self) -> str:
        return f"Dag({len(self.schema)} variables, {self.n_edges} arcs)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Dag, (self.schema, self._arcs), {"pattern": self.pattern}

    def to_networkx(self) -> nx.DiGraph[Any]:
        """The graph as a `networkx.DiGraph` of names."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.schema.names)
        graph.add_edges_from(self.edges())
        return graph


def as_scope(schema: Schema, variables: Variables) -> Scope:
    """One variable or several, as indices."""
    if isinstance(variables, str) or not isinstance(variables, Iterable):
        return (schema.index(variables),)
    return schema.scope(variables)


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
        require("DagBuilder", SCHEMA, schema)
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
