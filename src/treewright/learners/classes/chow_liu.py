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

from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.errors import KnowledgeError, SchemaError
from treewright.graphs import (
    BoundKnowledge,
    Dag,
    Knowledge,
    UndirectedGraph,
    bind_knowledge,
    find_maximum_branching,
    find_maximum_spanning_forest,
)
from treewright.graphs.edges import listed
from treewright.learners.learned import LearnedNetwork, TraceBuilder, notes_on, tell
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Progress

Gains = npt.NDArray[np.float64]


def learn_chow_liu(
    score: LocalScore,
    *,
    order: Sequence[NameOrIndex] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> LearnedNetwork[Dag]:
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
    progress
        Called before each phase.

    Returns
    -------
    LearnedNetwork[Dag]
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
    require("learn_chow_liu", SCORE, score)
    known = bind_in_order(knowledge, score.schema, order)
    refuse_two_parents(known)
    trace = TraceBuilder()
    tell(progress, "pairs")
    with trace.phase("pairs") as tallies:
        gains = score.pair_gains()
        tallies["scores"] = gains.size
    tell(progress, "tree")
    with trace.phase("tree"):
        dag = best_tree(score, gains, known)
    dag = known.settled(dag, equivalent=score.is_score_equivalent)
    return LearnedNetwork(dag, trace.build(), score=score.score(dag), notes=notes_on(score))


def best_tree(score: LocalScore, gains: Gains, known: BoundKnowledge) -> Dag:
    """The best of the trees that obey, from what each variable as only parent adds to each other."""
    if score.is_score_equivalent and known.is_symmetric:
        weights = np.where(known.allowed, without_noise(gains, score), -np.inf)
        dag = rooted(find_maximum_spanning_forest(score.schema, weights, threshold=0.0))
    else:
        dag = obedient_branching(gains, known)
    known.check(dag)
    return dag


def without_noise(gains: npt.NDArray[np.float64], score: LocalScore) -> npt.NDArray[np.float64]:
    """The same gains both ways, where they differ in the last digits; what differs by more is left as it is.

    Sums of real weights do, and scores of one's own that are not rounded.
    """
    step = 1e-6 + 8 * float(getattr(score, "resolution", 0.0))
    return (gains + gains.T) / 2 if np.allclose(gains, gains.T, rtol=1e-9, atol=step) else gains


def rooted(forest: UndirectedGraph, roots: Sequence[int] | None = None) -> Dag:
    """Direct the edges of a forest away from the root of each tree: its first in `roots`, else by name."""
    schema = forest.schema
    arcs: list[tuple[int, int]] = []
    seen: set[int] = set()
    for root in schema.name_order if roots is None else roots:
        frontier = [] if root in seen else [root]
        seen.add(root)
        for parent in frontier:  # grows while it is walked
            children = [v for v in forest.neighbours(parent) if v not in seen]
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
    """The required arcs, and the best branching of allowed arcs over the parts that they join.

    A part can only be entered at a variable without parents, in a tree at its root. So parts are contracted,
    each stands under the name of its first such variable, and between two of them the best arc counts. Where
    the required arcs form trees the result is the best of all trees that obey.
    """
    schema = known.schema
    part_of, entries = required_parts(known)
    orphans, n_parts = [v for v in schema.name_order if not known.required[:, v].any()], len(entries)
    # from a part to an orphan, then from a part to a part; of equal gains the first by name stays
    shape = (n_parts, len(orphans))
    leaving, tails = np.full(shape, -np.inf), np.zeros(shape, dtype=np.intp)
    for member in schema.name_order:
        row = np.where(known.allowed[member, orphans], gains[member, orphans], -np.inf)
        better = row > leaving[part_of[member]]
        leaving[part_of[member], better] = row[better]
        tails[part_of[member], better] = member
    weights, best = np.full((n_parts, n_parts), -np.inf), np.zeros((n_parts, n_parts), dtype=np.intp)
    for place, orphan in enumerate(orphans):
        into = part_of[orphan]
        better = (leaving[:, place] > weights[:, into]) & (np.arange(n_parts) != into)
        weights[better, into] = leaving[better, place]
        best[better, into] = place
    outside = find_maximum_branching(schema.select(entries), weights)
    pairs = [(part, best[part, into]) for part, into in outside.index_edges()]
    arcs = [(int(tails[part, place]), orphans[place]) for part, place in pairs]
    return Dag(schema, [*known.required_arcs(), *arcs])


def required_parts(known: BoundKnowledge) -> tuple[dict[int, int], list[int]]:
    """For each variable the number of the part it lies in, and for each part its first orphan by name."""
    has_parents = np.asarray(known.required.any(axis=0))
    parts = UndirectedGraph(known.schema, known.required_arcs()).components()
    entry = {part: next(v for v in part if not has_parents[v]) for part in parts}  # there is one: acyclic
    ordered = sorted(parts, key=lambda part: known.schema.names[entry[part]])
    return {v: i for i, part in enumerate(ordered) for v in part}, [entry[part] for part in ordered]
