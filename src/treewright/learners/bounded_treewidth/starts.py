"""Where chains and thin junction trees begin: a network, and a chordal cover of it within the bound.

The best tree has width one. Where the knowledge requires two parents of a child no tree obeys; then the
required arcs are the start, and the parts that they join hang on one another as in a tree. That costs no
width beyond theirs: an arc that enters a part at a variable without parents is a bridge of the moral graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError, TreewidthError
from treewright.graphs import BoundKnowledge, Dag, UndirectedGraph, eliminate, fits
from treewright.learners.classes.chow_liu import best_tree, obedient_branching, rooted
from treewright.learners.classes.dag_climbing import check_parents

Root = Literal["first", "hub"]


@dataclass(frozen=True)
class CoveredStart:
    """A network that obeys, and a chordal graph that contains its moral graph."""

    dag: Dag
    cover: UndirectedGraph


def bounded_starts(
    score: LocalScore,
    known: BoundKnowledge,
    treewidth: int,
    *,
    start: Dag | None = None,
    root: Root = "first",
    roots: int = 1,
    max_parents: int | None = None,
) -> list[CoveredStart]:
    """Begin at `start`, if it obeys and is narrow enough, or else at the best tree, rooted here and there."""
    if start is not None:
        if root != "first" or roots > 1:
            raise SettingError(
                "root= and roots= are about the tree to begin with; leave them out beside start="
            )
        known.check(start)
        check_parents(start, max_parents)
        cover = narrow_cover(start, treewidth)
        if cover is None:
            raise TreewidthError(
                f"treewidth={treewidth} is too narrow for the start; allow a wider network or begin at a tree"
            )
        return [CoveredStart(start, cover)]
    check_parents(known.required_dag(), max_parents)
    dags = first_networks(score, known, root, roots)
    covers = [narrow_cover(dag, treewidth) for dag in dags]
    if None in covers:
        raise TreewidthError(
            f"treewidth={treewidth} is too narrow for the arcs that the knowledge requires; allow a wider "
            "network or require fewer arcs"
        )
    return [CoveredStart(dag, cover) for dag, cover in zip(dags, covers, strict=True) if cover is not None]


def first_networks(score: LocalScore, known: BoundKnowledge, root: Root, roots: int) -> list[Dag]:
    """The best tree that obeys; where two parents are required, the required arcs joined as in a tree."""
    free = score.is_score_equivalent and known.is_symmetric
    if not free and (root == "hub" or roots > 1):
        raise SettingError(
            "root= and roots= choose among trees that the score cannot tell apart; here the score or the "
            "knowledge directs the tree"
        )
    if (known.required.sum(axis=0) > 1).any():
        return [obedient_branching(score.pair_gains(), known)]
    tree = best_tree(score, score.pair_gains(), known)
    return rootings(tree, root, roots) if free else [tree]


def rootings(tree: Dag, root: Root, n: int) -> list[Dag]:
    """The same tree directed away from other roots: the first by name unless hubs are wanted, then hubs.

    Variables of most neighbours come first; ties go by name. Every part of a forest takes its own i-th
    variable, and there are no more rootings than the largest part has variables.
    """
    skeleton = UndirectedGraph(tree.schema, tree.index_edges())
    degrees = skeleton.degrees()
    parts = []
    for part in skeleton.components():  # in the order of names
        hubs = sorted(part, key=lambda v: -int(degrees[v]))
        parts.append(hubs if root == "hub" else [part[0], *(v for v in hubs if v != part[0])])
    possible = max(map(len, parts))
    return [rooted(skeleton, [part[i % len(part)] for part in parts]) for i in range(min(n, possible))]


def narrow_cover(dag: Dag, treewidth: int) -> UndirectedGraph | None:
    """A chordal graph over the moral graph, as narrow as one is found; None beyond the bound."""
    moral = dag.moral_graph()
    if moral.n_edges == dag.n_edges and dag.n_edges + len(moral.components()) == len(dag.schema):
        return moral  # a forest
    orders = (fits(moral, width) for width in range(treewidth + 1))
    order = next((order for order in orders if order is not None), None)
    return None if order is None else eliminate(moral, order).graph
