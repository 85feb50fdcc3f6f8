"""The equivalence class of a skeleton whose colliders were found in data.

With exact answers the colliders fit together and `Cpdag.oriented` takes them as they are. With data they may
contradict each other: then the stronger claim wins, and what was left out is on record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treewright import _core
from treewright.arguments import UNDIRECTED, require
from treewright.graphs.directed.cpdag import Cpdag, GivenCollider, resolve_collider, undirected_rest
from treewright.graphs.directed.dag import Collider, Dag
from treewright.graphs.directed.pdag import (
    MeekClosure,
    Pdag,
    apply_meek_rules,
    find_consistent_extension,
    find_nearest_extension,
)
from treewright.graphs.edges import GivenPairs, NamedArc, resolve_pairs
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.tables.schema import Schema
from treewright.types import Arc

NamedCollider = tuple[str, str, str]


@dataclass(frozen=True)
class Orientation:
    """What `orient_consistently` found.

    Attributes
    ----------
    cpdag, graph, dag
        The equivalence class; the class with the directions that were known and what follows from them, the
        same when nothing was known; a member that has the known directions.
    dropped, added
        Colliders, by name, that contradict stronger ones or leave no DAG; those that nobody claimed but the
        skeleton cannot do without.
    skipped
        Orientations of Meek's rules that would have closed a cycle.
    """

    cpdag: Cpdag
    graph: Pdag
    dag: Dag
    dropped: tuple[NamedCollider, ...]
    skipped: tuple[NamedArc, ...]
    added: tuple[NamedCollider, ...]


def orient_consistently(
    skeleton: UndirectedGraph, colliders: Sequence[GivenCollider], *, arcs: GivenPairs = ()
) -> Orientation:
    """Orient a skeleton by claims that may contradict each other; the result is always an equivalence class.

    Colliders are taken in the order given, strongest first. One that contradicts an accepted direction or
    closes a directed cycle is dropped. If the rest extends to no DAG, the weakest among the vertices in the
    way are dropped one at a time until it does. A skeleton with a chordless cycle may need a collider there
    that nobody claimed: then all accepted claims are kept and the extension with few further v-structures is
    taken.

    Parameters
    ----------
    colliders
        Triples (u, w, v), u -> w <- v, strongest first.
    arcs
        Directions of edges that are known beforehand and stronger than any claim; they must be acyclic.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> path = UndirectedGraph(Schema([Variable(n) for n in "abcd"]), [("a", "b"), ("b", "c"), ("c", "d")])
    >>> found = orient_consistently(path, [("a", "b", "c"), ("b", "c", "d")])
    >>> found.cpdag.directed_edges(), found.dropped
    ([('a', 'b'), ('c', 'b')], (('b', 'c', 'd'),))
    >>> orient_consistently(path, [("a", "b", "c")], arcs=[("b", "a")]).graph.directed_edges()
    [('b', 'a')]
    """
    require("orient_consistently", UNDIRECTED, skeleton)
    known = resolve_pairs(skeleton.schema, arcs)
    claims = [resolve_collider(skeleton, collider) for collider in colliders]
    kept, closure, dag = extend_claims(skeleton, accept_claims(skeleton.schema, claims, known), known)
    return _orientation(claims, kept, closure, dag, known)


def orient_greedily(
    skeleton: UndirectedGraph, colliders: Sequence[GivenCollider], *, arcs: GivenPairs = ()
) -> Orientation:
    """The same, except that no accepted collider is dropped again when the rest extends to no DAG.

    The extension with few further v-structures is then taken at once, in time that does not grow with the
    number of contradictions: for graphs with thousands of edges too many.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> path = UndirectedGraph(Schema([Variable(n) for n in "abcd"]), [("a", "b"), ("b", "c"), ("c", "d")])
    >>> orient_greedily(path, [("a", "b", "c"), ("b", "c", "d")]).dag.edges()
    [('a', 'b'), ('c', 'b'), ('c', 'd')]
    """
    require("orient_greedily", UNDIRECTED, skeleton)
    known = resolve_pairs(skeleton.schema, arcs)
    claims = [resolve_collider(skeleton, collider) for collider in colliders]
    accepted = accept_claims(skeleton.schema, claims, known)
    closure = _close(skeleton, accepted, known)
    return _orientation(claims, accepted, closure, find_nearest_extension(closure.graph), known)


def _orientation(
    claims: Sequence[Collider],
    kept: Sequence[Collider],
    closure: MeekClosure,
    dag: Dag,
    known: Sequence[Arc],
) -> Orientation:
    schema = dag.schema
    implied = {(min(u, v), w, max(u, v)) for u, w, v in [*kept, *_v_structures(closure.graph)]}
    is_kept = set(kept)
    cpdag = Cpdag.of(dag)
    return Orientation(
        cpdag=cpdag,
        graph=add_directions(cpdag, known) if known else cpdag,
        dag=dag,
        dropped=tuple(_names(schema, claim) for claim in claims if claim not in is_kept),
        skipped=closure.skipped,
        added=tuple(_names(schema, found) for found in dag.v_structures() if found not in implied),
    )


def add_directions(graph: Pdag, arcs: Iterable[Arc]) -> Pdag:
    """Direct edges of a graph, and all that follows from them by Meek's rules."""
    directed = {*graph.index_directed_edges(), *arcs}
    return apply_meek_rules(Pdag(graph.schema, directed, undirected_rest(graph.skeleton(), directed))).graph


def sure_directions(dag: Dag, marks: Pdag) -> Pdag:
    """The class of a DAG with the arrows of some marks of its edges, and what follows from both."""
    cpdag, arcs = Cpdag.of(dag), resolve_pairs(dag.schema, marks.directed_edges())
    return cpdag if {*arcs} <= {*cpdag.index_directed_edges()} else add_directions(cpdag, arcs)


def accept_claims(schema: Schema, claims: Iterable[Collider], arcs: Iterable[Arc] = ()) -> list[Collider]:
    """Take colliders one after the other, unless an arrow is there the other way round or closes a cycle."""
    directed = _core.DagBuilder(len(schema))
    for tail, head in arcs:
        directed.add(tail, head)
    accepted: list[Collider] = []
    for u, w, v in claims:
        missing = [end for end in (u, v) if not directed.has_arc(end, w)]
        # two arrows into one variable never close a cycle with each other, so each can be asked alone
        if all(directed.can_add(end, w) for end in missing):
            for end in missing:
                directed.add(end, w)
            accepted.append((u, w, v))
    return accepted


def extend_claims(
    skeleton: UndirectedGraph, accepted: Sequence[Collider], arcs: Sequence[Arc] = ()
) -> tuple[Sequence[Collider], MeekClosure, Dag]:
    """Drop the weakest of the colliders that stand in the way until the closure extends to a DAG."""
    kept = list(accepted)
    while True:
        closure = _close(skeleton, kept, arcs)
        dag = find_consistent_extension(closure.graph)
        if dag is not None:
            return kept, closure, dag
        in_the_way = set(_core.obstruction(len(skeleton.schema), *closure.graph.marks))
        suspects = [collider for collider in kept if len(in_the_way.intersection(collider)) > 1]
        if not suspects:
            closure = _close(skeleton, accepted, arcs)
            return accepted, closure, find_nearest_extension(closure.graph)
        kept.remove(suspects[-1])


def _close(skeleton: UndirectedGraph, colliders: Iterable[Collider], arcs: Iterable[Arc]) -> MeekClosure:
    directed: set[Arc] = {*arcs, *(arc for u, w, v in colliders for arc in ((u, w), (v, w)))}
    return apply_meek_rules(Pdag(skeleton.schema, directed, undirected_rest(skeleton, directed)))


def _v_structures(graph: Pdag) -> list[Collider]:
    joined = set(graph.index_undirected_edges())
    arrows = Dag(graph.schema, graph.index_directed_edges())
    return [(u, w, v) for u, w, v in arrows.v_structures() if (u, v) not in joined]


def _names(schema: Schema, collider: Collider) -> NamedCollider:
    u, w, v = schema.names_of(collider)
    return min(u, v), w, max(u, v)
