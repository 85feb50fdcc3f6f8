"""The best tree: at most one parent for each variable.

A network in which nobody has two parents is a forest, and its score is a sum over its edges. If the score
cannot tell x -> y from y -> x, an edge has one weight and the best forest is a maximum spanning forest
(Chow & Liu 1968); with the likelihood as score the weight is the mutual information. Otherwise the two
directions weigh differently and the best forest is a maximum branching (Edmonds 1967). Both are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from treewright.criteria.score import LocalScore
from treewright.errors import KnowledgeError, SchemaError
from treewright.graphs import (
    BoundKnowledge,
    Dag,
    Knowledge,
    UndirectedGraph,
    bind_knowledge,
    maximum_branching,
    maximum_spanning_forest,
)
from treewright.graphs.arcs import listed
from treewright.learners.learned import Learned, TraceBuilder
from treewright.tables.schema import NameOrIndex, Schema

Gains = npt.NDArray[np.float64]


def learn_chow_liu(
    score: LocalScore,
    *,
    order: Sequence[NameOrIndex] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
) -> Learned[Dag]:
    """Learn the network of best score in which each variable has at most one parent.

    Parameters
    ----------
    score
        Any decomposable score. With :class:`~treewright.criteria.BIC` and other penalised scores an edge
        that does not pay is left out, so the result may be a forest.
    order
        A total order of the variables; parents then come before their children.
    knowledge
        Arcs that are required or forbidden. The tree is the best of those that obey; knowledge that requires
        two parents of one variable is refused, since no tree obeys it.

    Returns
    -------
    Learned[Dag]
        Edges point away from the variable of smallest name in each tree, unless the score, `order` or
        `knowledge` knows better.

    References
    ----------
    .. [1] Chow & Liu (1968). Approximating discrete probability distributions with dependence trees. IEEE
       Transactions on Information Theory 14, 462-467.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9})
    >>> tw.learn_chow_liu(tw.BIC(tw.count(table))).structure.edges()
    [('a', 'b')]
    """
    known = bind_in_order(knowledge, score.schema, order)
    refuse_two_parents(known)
    trace = TraceBuilder()
    with trace.phase("pairs") as tallies:
        gains = score.pair_gains()
        tallies["scores"] = gains.size
    with trace.phase("tree"):
        if score.is_score_equivalent and known.is_symmetric:
            weights = np.where(known.allowed, gains, -np.inf)
            dag = rooted(maximum_spanning_forest(score.schema, weights, threshold=0.0))
        else:
            dag = obedient_branching(gains, known)
        known.check(dag)
    return Learned(dag, trace.build())


def rooted(forest: UndirectedGraph) -> Dag:
    """Direct the edges of a forest away from the first variable, by name, of each tree."""
    schema = forest.schema
    neighbours: dict[int, list[int]] = {}
    for u, v in forest.index_edges():
        neighbours.setdefault(u, []).append(v)
        neighbours.setdefault(v, []).append(u)
    arcs: list[tuple[int, int]] = []
    seen: set[int] = set()
    for root in schema.name_order:
        if root in seen or root not in neighbours:
            continue
        seen.add(root)
        frontier = [root]
        for parent in frontier:  # grows while it is walked
            children = [v for v in neighbours[parent] if v not in seen]
            arcs += [(parent, child) for child in children]
            seen.update(children)
            frontier += children
    return Dag(schema, arcs)


def with_order(
    knowledge: Knowledge | None, schema: Schema, order: Sequence[NameOrIndex] | None
) -> Knowledge | None:
    """Knowledge that holds the order as well."""
    if order is None:
        return knowledge
    sequence = schema.scope(order)
    if len(sequence) != len(schema):
        absent = [schema.names[v] for v in range(len(schema)) if v not in sequence]
        raise SchemaError(f"an order names every variable; it lacks {', '.join(map(repr, absent))}")
    if knowledge is not None and knowledge.order is not None:
        raise KnowledgeError("the knowledge holds an order already; leave out order=")
    return replace(knowledge or Knowledge(), order=schema.names_of(sequence))


def bind_in_order(
    knowledge: Knowledge | BoundKnowledge | None, schema: Schema, order: Sequence[NameOrIndex] | None
) -> BoundKnowledge:
    """What a learner was told, the order included, about the variables it learns."""
    if not isinstance(knowledge, BoundKnowledge):
        return bind_knowledge(with_order(knowledge, schema, order), schema)
    if order is not None:
        raise KnowledgeError("the knowledge is bound to its variables already; leave out order=")
    return bind_knowledge(knowledge, schema)


def refuse_two_parents(known: BoundKnowledge) -> None:
    crowded = np.flatnonzero(known.required.sum(axis=0) > 1)
    if len(crowded):
        child = min(known.schema.names[v] for v in crowded.tolist())
        parents = np.flatnonzero(known.required[:, known.schema.index(child)])
        raise KnowledgeError(
            f"a tree has one parent for each variable; the knowledge requires of {child!r} the parents "
            f"{listed(sorted(known.schema.names_of(parents.tolist())))}"
        )


def obedient_branching(gains: Gains, known: BoundKnowledge) -> Dag:
    """The best branching of allowed arcs that holds the required ones.

    Required arcs form trees. Such a tree can only be entered at its root, so it is contracted to it: the
    branching over the roots, each arc leaving the best member of a tree, is the best one outside.
    """
    schema = known.schema
    parent_of = {head: tail for tail, head in known.required_arcs()}
    roots = [v for v in schema.name_order if v not in parent_of]
    place = {root: i for i, root in enumerate(roots)}
    weights = np.full((len(roots), len(roots)), -np.inf)
    tails = np.zeros((len(roots), len(roots)), dtype=np.intp)
    for member in schema.name_order:  # of equal gains the first by name stays
        root = member
        while root in parent_of:
            root = parent_of[root]
        row = np.where(known.allowed[member, roots], gains[member, roots], -np.inf)
        better = row > weights[place[root]]
        weights[place[root], better] = row[better]
        tails[place[root], better] = member
    outside = maximum_branching(schema.select(roots), weights)
    arcs = [(int(tails[tree, into]), roots[into]) for tree, into in outside.index_edges()]
    return Dag(schema, [*known.required_arcs(), *arcs])
