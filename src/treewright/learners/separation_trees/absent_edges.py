"""Why a network that was found by a score has no edge between two variables.

A search by score removes nothing and so keeps no separators. Still it can answer: what an edge would do to
the score, which set separates the two in the network that was found, and what a test says about that set.
"""

from __future__ import annotations

import math

from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import LocalScore
from treewright.errors import GraphError
from treewright.graphs import BoundKnowledge, Dag, DSeparationTree, is_d_separated
from treewright.learners.independence.answers import GradedTest
from treewright.learners.separation_trees.learned_tree import Absence, Separation
from treewright.tables.schema import NameOrIndex
from treewright.types import Names, Scope


def explain_absent_edge(
    dag: Dag,
    u: NameOrIndex,
    v: NameOrIndex,
    *,
    score: LocalScore,
    test: IndependenceTest,
    tree: DSeparationTree | None = None,
    known: BoundKnowledge | None = None,
) -> Absence:
    """Why a network of high score does not join two variables.

    The test is asked for the p-value of a separator. Of variables that share no node of a `tree`, that of the
    hypergraph that the search was held to, the tree has the last word.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> counter = tw.count(tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0)))
    >>> score, dag = tw.BIC(counter), tw.load_network("asia").dag
    >>> print(explain_absent_edge(dag, "lung", "xray", score=score, test=tw.GTest(counter)))
    an edge between lung and xray would lower the score by 8.26; the network separates them by {either}
    (p = 0.47)
    """
    schema = dag.schema
    a, b = sorted((schema.names[schema.index(u)], schema.names[schema.index(v)]))
    if a == b:
        raise GraphError(f"an edge joins two variables; found {a!r} twice")
    if dag.adjacent(a, b):
        raise GraphError(f"there is an edge between {a!r} and {b!r}")
    if known is not None and not known.allowed_pairs[schema.index(a), schema.index(b)]:
        return Absence((a, b), knowledge=True)
    path = () if tree is None else tree.path_separators(a, b)
    if path:
        return Absence((a, b), path=path)
    separator = find_separator(dag, a, b)
    return Absence((a, b), measured(test, a, b, separator), loss=least_loss(dag, score, a, b))


def find_separator(dag: Dag, u: NameOrIndex, v: NameOrIndex) -> Names:
    """A smallest one of the parents of either that separates two variables of a network that are not joined.

    Examples
    --------
    >>> from treewright import load_network
    >>> find_separator(load_network("asia").dag, "smoke", "either")
    ('lung',)
    """
    found = [minimal(dag, a, b) for a, b in ((u, v), (v, u)) if not dag.reachable(a, b)]
    return min(found, key=lambda names: (len(names), names))


def minimal(dag: Dag, u: NameOrIndex, v: NameOrIndex) -> Names:
    """What is needed of the parents of `u` to separate it from `v`, which is none of its descendants."""
    kept = sorted(dag.schema.names_of(dag.parents(u)))
    for name in tuple(kept):
        fewer = [other for other in kept if other != name]
        if is_d_separated(dag, [u], [v], fewer):
            kept = fewer
    return tuple(kept)


def measured(test: IndependenceTest, u: str, v: str, separator: Names) -> tuple[Separation, ...]:
    """The separator with its p-value; nothing where no table can tell."""
    schema = test.schema
    query = (schema.index(u), schema.index(v), schema.scope(separator))
    if not isinstance(test, GradedTest):
        return (Separation(separator, float(test.independent(*query)), None),)
    result = test.test_many([query])
    if math.isinf(result.statistic[0]):
        return ()
    return (Separation(separator, float(result.p_value[0]), None),)


def least_loss(dag: Dag, score: LocalScore, u: str, v: str) -> float:
    """What the better of the two arcs between variables that are not joined takes from the score."""
    losses = []
    for tail, head in ((u, v), (v, u)):
        if not dag.reachable(head, tail):  # else the arc would close a cycle
            child, parents = score.schema.index(head), _parents(dag, score, head)
            more = tuple(sorted((*parents, score.schema.index(tail))))
            losses.append(score.local(child, parents) - score.local(child, more))
    return min(losses)


def _parents(dag: Dag, score: LocalScore, head: str) -> Scope:
    return tuple(sorted(score.schema.scope(dag.schema.names_of(dag.parents(head)))))
