"""From an equivalence class to a DAG under directed knowledge.

A search over classes can leave out pairs, and knows no directions. Where directions are known, the class is
the start: the member that obeys, if there is one, else the required arcs; from there single DAGs are climbed.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from treewright.criteria.scores.score import LocalScore
from treewright.errors import GraphError
from treewright.graphs import (
    BoundKnowledge,
    Cpdag,
    Dag,
    DagBuilder,
    Pdag,
    UndirectedGraph,
    consistent_extension,
)
from treewright.graphs.directed.colliders import undirected_rest
from treewright.graphs.directed.orientation import add_directions
from treewright.learners.classes.dag_climbing import learn_dag_climbing
from treewright.types import Arc


def one_way_arcs(edges: Iterable[Arc], known: BoundKnowledge) -> list[Arc]:
    """The edges that may point one way only, as arcs."""
    both = [(u, v) for edge in edges for u, v in (edge, edge[::-1])]
    return [(u, v) for u, v in both if known.required[u, v] or not known.allowed[v, u]]


def obedient_member(cpdag: Cpdag, known: BoundKnowledge, max_parents: int | None = None) -> Dag | None:
    """The member of a class that obeys, with required arcs added that it lacks; None when there is none.

    Examples
    --------
    >>> from treewright.graphs import Knowledge
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> known = Knowledge(required=[("b", "a")]).on(schema)
    >>> obedient_member(Cpdag.of(Dag(schema, [("a", "b")])), known).edges()
    [('b', 'a')]
    >>> obedient_member(Cpdag.empty(schema), known).edges()
    [('b', 'a')]
    >>> obedient_member(Cpdag.of(Dag(schema, [("a", "b"), ("c", "b")])), known) is None
    True
    """
    directed = {*cpdag.index_directed_edges(), *one_way_arcs(cpdag.index_edges(), known)}
    try:
        marks = Pdag(cpdag.schema, directed, undirected_rest(cpdag.skeleton(), directed))
    except GraphError:  # the class points an edge the other way, or the directions run in a circle
        return None
    member = consistent_extension(marks)
    if member is None or Cpdag.of(member) != cpdag:  # the directions made a v-structure
        return None
    return with_required_arcs(member, known, max_parents)


def with_required_arcs(dag: Dag, known: BoundKnowledge, max_parents: int | None) -> Dag | None:
    """The DAG with the required arcs it lacks; None when they do not fit."""
    builder = DagBuilder.of(dag)
    for u, v in known.required_dag().edges():
        if builder.has_arc(u, v):
            continue
        if not builder.can_add(u, v) or len(builder.parents(v)) == max_parents:
            return None
        builder.add(u, v)
    grown = builder.freeze()
    return grown if known.obeyed_by(grown) else None


def climb_obediently(
    score: LocalScore,
    cpdag: Cpdag,
    known: BoundKnowledge,
    inside: UndirectedGraph | None = None,
    max_parents: int | None = None,
) -> Dag:
    """The best DAG that climbing finds from the class under the knowledge, among the edges of `inside`."""
    if inside is not None:
        allowed = known.allowed & adjacency(inside)
        known = BoundKnowledge(known.schema, allowed, known.required.copy())
    start = obedient_member(cpdag, known, max_parents)
    return learn_dag_climbing(score, knowledge=known, start=start, max_parents=max_parents).structure


def adjacency(graph: UndirectedGraph) -> npt.NDArray[np.bool_]:
    """A graph as a symmetric matrix."""
    matrix = np.zeros((len(graph.schema), len(graph.schema)), dtype=np.bool_)
    u, v = graph.edge_array.T
    matrix[u, v] = matrix[v, u] = True
    return matrix


def marks_of(dag: Dag, known: BoundKnowledge) -> Pdag:
    """What is sure about a DAG: its class, the known directions, and what follows from both."""
    cpdag = Cpdag.of(dag)
    arcs = one_way_arcs(cpdag.index_edges(), known)
    return add_directions(cpdag, arcs) if arcs else cpdag
