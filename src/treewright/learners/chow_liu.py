"""The best tree: at most one parent for each variable.

A network in which nobody has two parents is a forest, and its score is a sum over its edges. If the score
cannot tell x -> y from y -> x, an edge has one weight and the best forest is a maximum spanning forest
(Chow & Liu 1968); with the likelihood as score the weight is the mutual information. Otherwise the two
directions weigh differently and the best forest is a maximum branching (Edmonds 1967). Both are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.criteria.score import LocalScore
from treewright.errors import SchemaError
from treewright.graphs import Dag, UndirectedGraph, maximum_branching, maximum_spanning_forest
from treewright.learners.learned import Learned, TraceBuilder
from treewright.tables.schema import NameOrIndex, Schema


def learn_chow_liu(score: LocalScore, *, order: Sequence[NameOrIndex] | None = None) -> Learned[Dag]:
    """Learn the network of best score in which each variable has at most one parent.

    Parameters
    ----------
    score
        Any decomposable score. With :class:`~treewright.criteria.BIC` and other penalised scores an edge
        that does not pay is left out, so the result may be a forest.
    order
        A total order of the variables; parents then come before their children.

    Returns
    -------
    Learned[Dag]
        Edges point away from the variable of smallest name in each tree, unless the score or `order` knows
        better.

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
    trace = TraceBuilder()
    with trace.phase("pairs") as tallies:
        gains = score.pair_gains()
        tallies["scores"] = gains.size
    with trace.phase("tree"):
        if order is not None:
            dag = best_predecessors(score.schema, gains, order)
        elif score.is_score_equivalent:
            dag = rooted(maximum_spanning_forest(score.schema, gains, threshold=0.0))
        else:
            dag = maximum_branching(score.schema, gains)
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


def best_predecessors(
    schema: Schema, gains: np.ndarray[tuple[int, int], np.dtype[np.float64]], order: Sequence[NameOrIndex]
) -> Dag:
    """Give each variable its best parent among those before it, if any gains."""
    sequence = schema.scope(order)
    if len(sequence) != len(schema):
        absent = [schema.names[v] for v in range(len(schema)) if v not in sequence]
        raise SchemaError(f"an order names every variable; it lacks {', '.join(map(repr, absent))}")
    rank = np.argsort(schema.name_order)
    arcs = []
    for position, child in enumerate(sequence[1:], start=1):
        before = np.array(sequence[:position])
        best = before[np.lexsort((rank[before], -gains[before, child]))[0]]
        if gains[best, child] > 0:
            arcs.append((int(best), child))
    return Dag(schema, arcs)
