"""Markov equivalence classes of DAGs.

DAGs that promise the same independences share their skeleton and their v-structures (Verma & Pearl 1990). The
class is drawn as one graph: an edge is directed when all members agree on it, undirected when they do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from treewright import _core
from treewright.errors import GraphError
from treewright.graphs.directed.arcs import GivenPairs, as_pairs
from treewright.graphs.directed.colliders import GivenCollider, point_colliders
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.extension import consistent_extension, directed_cycle
from treewright.graphs.directed.meek import close_under_meek
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.ranked import ranks_by_name
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.tables.schema import Schema
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
        extension = consistent_extension(self)
        if extension is None:
            raise GraphError(_why_no_extension(self))
        proper = Cpdag.of(extension)
        if proper != self:
            raise GraphError(_first_wrong_mark(self, proper))

    @classmethod
    def of(cls, dag: Dag) -> Cpdag:
        """The class of a DAG (Chickering 1995)."""
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
        extension = consistent_extension(self)
        assert extension is not None, "a Cpdag extends"
        return extension


def _why_no_extension(graph: Pdag) -> str:
    cycle = directed_cycle(graph)
    if cycle:
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
