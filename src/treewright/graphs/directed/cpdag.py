"""Markov equivalence classes of DAGs, and the colliders that tell them apart.

DAGs that promise the same independences share their skeleton and their v-structures (Verma & Pearl 1990). The
class is drawn as one graph: an edge is directed when all members agree on it, undirected when they do not.
Where u - w - v with u and v apart, w is a collider (u -> w <- v) exactly when the set that separates u from v
leaves w out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from treewright import _core
from treewright.arguments import DAG, UNDIRECTED, described, require
from treewright.errors import ArgumentError, GraphError
from treewright.graphs.directed.dag import Collider, Dag
from treewright.graphs.directed.pdag import Pdag, close_under_meek, find_consistent_extension
from treewright.graphs.edges import GivenPairs, as_pairs, cycle_text
from treewright.graphs.ranked import ranks_by_name
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Arc


class Cpdag(Pdag):
    """The completed partially directed graph of a class of equivalent DAGs.

    The type is a proof: a `Cpdag` made from marks is extended to a DAG, and the class of that DAG must be the
    marks. Marks that say less, or more (background knowledge), are a :class:`Pdag`.

    Raises
    ------
    GraphError
        When no DAG extends the marks, or the class of such a DAG has other marks.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> cpdag = Cpdag.of(Dag(schema, [("a", "c"), ("b", "c"), ("d", "a")]))
    >>> cpdag.directed_edges(), cpdag.undirected_edges()
    ([('a', 'c'), ('b', 'c')], [('a', 'd')])
    >>> cpdag.to_dag().edges()
    [('a', 'c'), ('a', 'd'), ('b', 'c')]
    >>> Cpdag.of(cpdag.to_dag()) == cpdag
    True
    """

    def __init__(self, schema: Schema, directed: GivenPairs = (), undirected: GivenPairs = ()) -> None:
        super().__init__(schema, directed, undirected)
        extension = find_consistent_extension(self)
        if extension is None:
            raise GraphError(_why_no_extension(self))
        proper = Cpdag.of(extension)
        if proper != self:
            raise GraphError(_first_wrong_mark(self, proper))

    @classmethod
    def of(cls, dag: Dag) -> Cpdag:
        """The class of a DAG (Chickering 1995)."""
        require("Cpdag.of", DAG, dag)
        directed, undirected = _core.cpdag_of(dag.native, ranks_by_name(dag.schema))
        return cls._proven(dag.schema, as_pairs(directed), as_pairs(undirected))

    @classmethod
    def empty(cls, schema: Schema) -> Cpdag:
        """The class of the graph without edges."""
        return cls._proven(schema, (), ())

    @classmethod
    def oriented(cls, skeleton: UndirectedGraph, colliders: Iterable[GivenCollider]) -> Cpdag:
        """The class with a skeleton whose v-structures are the given colliders (u, w, v), u -> w <- v.

        Raises
        ------
        GraphError
            When the colliders contradict each other or the skeleton. For answers from data, which may,
            `orient_consistently` decides by rank and records what it left out.

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> schema = Schema([Variable(name) for name in "abcd"])
        >>> graph = UndirectedGraph(schema, [("a", "c"), ("b", "c"), ("c", "d")])
        >>> Cpdag.oriented(graph, [("a", "c", "b")]).directed_edges()
        [('a', 'c'), ('b', 'c'), ('c', 'd')]
        """
        closed = close_under_meek(point_colliders(skeleton, colliders))
        return cls(closed.schema, closed.index_directed_edges(), closed.index_undirected_edges())

    @classmethod
    def _proven(cls, schema: Schema, directed: tuple[Arc, ...], undirected: tuple[Arc, ...]) -> Cpdag:
        """Sorted pairs that the core made, lines with the smaller index first; not checked again."""
        graph = cls.__new__(cls)
        for name, value in (("schema", schema), ("_directed", directed), ("_undirected", undirected)):
            object.__setattr__(graph, name, value)
        return graph

    def to_dag(self) -> Dag:
        """The canonical member: the extension that always takes the removable sink with the largest name."""
        extension = find_consistent_extension(self)
        assert extension is not None, "a Cpdag extends"
        return extension


def _why_no_extension(graph: Pdag) -> str:
    if cycle := cycle_text(graph.schema, graph.index_directed_edges()):
        return f"the directed edges close a cycle: {cycle}"
    return (
        "no DAG has this skeleton and these directed edges without a further v-structure; "
        "keep the marks as a Pdag, or orient the skeleton with orient_consistently"
    )


def _first_wrong_mark(found: Pdag, proper: Pdag) -> str:
    has, needs = _marks_by_pair(found), _marks_by_pair(proper)
    pair = min(pair for pair in has if has[pair] != needs[pair])
    return (
        f"these marks are not those of an equivalence class: found {has[pair]}, but the DAGs with this "
        f"skeleton and these v-structures have {needs[pair]}; keep the marks as a Pdag, or use Cpdag.of or "
        "Cpdag.oriented"
    )


def _marks_by_pair(graph: Pdag) -> Mapping[tuple[str, str], str]:
    marks = {(min(u, v), max(u, v)): f"{u} -> {v}" for u, v in graph.directed_edges()}
    return marks | {(u, v): f"{u} - {v}" for u, v in graph.undirected_edges()}


GivenCollider = tuple[NameOrIndex, NameOrIndex, NameOrIndex]


def find_colliders(skeleton: UndirectedGraph, separators: Mapping[Arc, Iterable[int]]) -> list[Collider]:
    """Index triples (u, w, v) whose middle is not in the separator of u and v; by the names of u, v and w.

    `separators` has for pairs of indices, in either order, a set that separates them; a pair without an entry
    makes no claim. Of u and v the first by name comes first.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> graph = UndirectedGraph(Schema([Variable(name) for name in "abc"]), [("a", "c"), ("b", "c")])
    >>> find_colliders(graph, {(0, 1): ()}), find_colliders(graph, {(0, 1): (2,)})
    ([(0, 2, 1)], [])
    """
    require("find_colliders", UNDIRECTED, skeleton)
    if not isinstance(separators, Mapping):
        raise ArgumentError(f"separators= maps pairs of indices to sets; found {described(separators)}")
    names = skeleton.schema.names
    around: dict[int, set[int]] = {}
    for u, v in skeleton.index_edges():
        around.setdefault(u, set()).add(v)
        around.setdefault(v, set()).add(u)
    colliders: list[Collider] = []
    for w, neighbours in around.items():
        for u, v in combinations(skeleton.schema.by_name(neighbours), 2):
            if v in around[u]:
                continue
            separator = separators.get((u, v), separators.get((v, u)))
            if separator is not None and w not in separator:
                colliders.append((u, w, v))
    return sorted(colliders, key=lambda c: (names[c[0]], names[c[2]], names[c[1]]))


def point_colliders(skeleton: UndirectedGraph, colliders: Iterable[GivenCollider]) -> Pdag:
    """The skeleton with the edges of the colliders directed into their middles.

    Raises
    ------
    GraphError
        When a collider lacks an edge, is shielded, or two of them direct one edge both ways.
    """
    require("point_colliders", UNDIRECTED, skeleton)
    schema = skeleton.schema
    heads: dict[Arc, Collider] = {}
    for collider in colliders:
        u, w, v = resolve_collider(skeleton, collider)
        for end in (u, v):
            if (w, end) in heads:
                raise GraphError(
                    f"colliders direct the edge of {schema.names[end]!r} and {schema.names[w]!r} both ways: "
                    f"{_text(schema, heads[w, end])} and {_text(schema, (u, w, v))}"
                )
            heads[end, w] = (u, w, v)
    return Pdag(schema, heads, undirected_rest(skeleton, heads))


def resolve_collider(skeleton: UndirectedGraph, collider: GivenCollider) -> Collider:
    """Indices of a collider, checked against the skeleton."""
    schema = skeleton.schema
    u, w, v = schema.scope(collider)
    for end in (u, v):
        if not skeleton.adjacent(end, w):
            missing = f"{schema.names[end]} - {schema.names[w]}"
            raise GraphError(f"collider {_text(schema, (u, w, v))} needs the edge {missing}; there is none")
    if skeleton.adjacent(u, v):
        ends = f"{schema.names[u]!r} and {schema.names[v]!r}"
        raise GraphError(f"{_text(schema, (u, w, v))} is no v-structure: {ends} are adjacent")
    return u, w, v


def undirected_rest(skeleton: UndirectedGraph, arcs: Iterable[Arc]) -> list[Arc]:
    """The edges of a skeleton that no arc has taken."""
    taken = {(min(arc), max(arc)) for arc in arcs}
    return [edge for edge in skeleton.index_edges() if (min(edge), max(edge)) not in taken]


def _text(schema: Schema, collider: Collider) -> str:
    u, w, v = schema.names_of(collider)
    return f"{u} -> {w} <- {v}"
