"""What a search over a d-separation tree returns: the class, and why there is no edge where there is none.

A search by score removes nothing and so keeps no separators. Still it can answer: what an edge would do to
the score, which set separates the two in the network that was found, and what a test says about that set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import LocalScore
from treewright.errors import GraphError
from treewright.graphs import BoundKnowledge, Dag, DSeparationTree, UndirectedGraph, is_d_separated
from treewright.graphs.directed.orientation import NamedCollider
from treewright.graphs.edges import NamedArc
from treewright.learners.independence.answers import GradedTest
from treewright.learners.independence.functional import Functional
from treewright.learners.learned import LearnedPattern
from treewright.learners.separation_trees.audit import SeparatorAudit
from treewright.tables.schema import NameOrIndex
from treewright.types import Names


@dataclass(frozen=True)
class Separation:
    """A set that separated two variables.

    Attributes
    ----------
    separator
        The set, by name.
    p_value
        Of the test given that set; 1 where a rule or an oracle said so.
    node
        The node of the tree that holds the two variables and the set; None for a set that was found around an
        edge after the nodes were joined.

    Examples
    --------
    >>> Separation(("b",), 0.42, ("a", "b", "c")).separator
    ('b',)
    """

    separator: Names
    p_value: float
    node: Names | None


@dataclass(frozen=True)
class Absence:
    """Why two variables are not joined; `str()` says it in a sentence.

    Attributes
    ----------
    pair
        The two variables, smaller name first.
    separations
        The sets that separated them, smallest first; none when they were never tested.
    path
        For variables that share no node: the separators of the tree between them, each of which separates
        them if the tree is right.
    knowledge
        Whether it is knowledge that keeps them apart.
    unseen
        Whether no table has both, and nothing could be asked about them.
    score
        Whether no set separated them, and the score left the edge out.
    loss
        In a network of high score: what the score loses by the better of the two arcs that would join them;
        infinite when no table has the family that such an arc makes. The separator is then one of the network
        that was found, and its p-value says what the rows think of it.

    Examples
    --------
    >>> print(Absence(("a", "c"), (Separation(("b",), 0.42, ("a", "b", "c")),)))
    a and c are independent given {b} (p = 0.42, in the node {a, b, c})
    >>> print(Absence(("a", "c"), (Separation(("b",), 0.42, None),), loss=3.25))
    an edge between a and c would lower the score by 3.25; the network separates them by {b} (p = 0.42)
    """

    pair: tuple[str, str]
    separations: tuple[Separation, ...] = ()
    path: tuple[Names, ...] = ()
    knowledge: bool = False
    score: bool = False
    unseen: bool = False
    loss: float | None = None

    def __str__(self) -> str:
        u, v = self.pair
        if self.loss is not None:
            return self._by_score(self.loss)
        if self.separations:
            best = self.separations[0]
            where = "around them" if best.node is None else f"in the node {_braced(best.node)}"
            given, p_value = _braced(best.separator), f"{best.p_value:.3g}"
            return f"{u} and {v} are independent given {given} (p = {p_value}, {where})"
        if self.unseen:
            return f"no table has both {u} and {v}, so that no edge is assumed"
        if self.score:
            return f"no set separated {u} and {v}; the score is better without their edge"
        if self.knowledge:
            return f"{u} and {v} may not be joined, by what is known"
        smallest = min(self.path, key=len)
        return f"{u} and {v} share no node; the tree separates them by {_braced(smallest)}"

    def _by_score(self, loss: float) -> str:
        u, v = self.pair
        said = f"an edge between {u} and {v} would lower the score by {loss:.3g}"
        if math.isinf(loss):
            said = f"no table has {u} and {v} together with the parents that an edge between them needs"
        if not self.separations:
            return said
        found = self.separations[0]
        return f"{said}; the network separates them by {_braced(found.separator)} (p = {found.p_value:.3g})"


@dataclass(frozen=True)
class LearnedSeparationTree(LearnedPattern):
    """What was learned over a d-separation tree; everything by name.

    Attributes
    ----------
    structure
        A :class:`~treewright.graphs.Cpdag`; with directed knowledge the :class:`~treewright.graphs.Pdag` that
        has the known directions and what follows from them.
    dag
        A member of the class that obeys the knowledge: what a model can be fitted to.
    skeleton
        The pairs that share a node and that no node separated; with a score the structure may have fewer.
    tree
        The tree whose nodes were searched.
    separations
        For every pair that was separated, smaller name first, all sets that did it.
    dropped, added, skipped, ambiguous
        Conflicts and how they were settled, as in :class:`~treewright.learners.LearnedPc`.
    unobeyed
        Edges left out since the knowledge directs them, with stronger ones, round a cycle.
    functional
        Columns that a separator determines, with that set: their edges may be lost, whatever the level.
    audit
        What the data say about the separators of the tree, where they were asked.
    levels
        The levels at which independence graphs were estimated, the last one that of the tree; more than one
        when nodes were too large.
    n_asked, n_evaluated
        Tests inside nodes: questions, and different ones among them.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    >>> truth = tw.Dag(schema, [("a", "b"), ("b", "c"), ("c", "d")])
    >>> tree = tw.separation_tree_from_hypergraph(schema, ["abc", "cd"])
    >>> learned = tw.learn_by_separation_tree(tree, tw.DSeparationOracle(truth))
    >>> learned.separators
    {('a', 'c'): ('b',)}
    >>> print(learned.why_not("c", "a"))
    a and c are independent given {b} (p = 1, in the node {a, b, c})
    >>> print(learned.why_not("a", "d"))
    a and d share no node; the tree separates them by {c}
    """

    skeleton: UndirectedGraph
    tree: DSeparationTree
    separations: Mapping[tuple[str, str], tuple[Separation, ...]]
    dropped: tuple[NamedCollider, ...] = ()
    added: tuple[NamedCollider, ...] = ()
    skipped: tuple[NamedArc, ...] = ()
    ambiguous: tuple[NamedCollider, ...] = ()
    unobeyed: tuple[NamedArc, ...] = ()
    functional: tuple[Functional, ...] = ()
    audit: SeparatorAudit | None = None
    levels: tuple[float, ...] = ()
    n_asked: int = 0
    n_evaluated: int = 0
    _barred: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)
    _unseen: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)

    @property
    def separators(self) -> dict[tuple[str, str], Names]:
        """For every pair that was separated, smaller name first, the smallest set that did it."""
        return {pair: found[0].separator for pair, found in self.separations.items()}

    @property
    def conflicts(self) -> tuple[NamedCollider, ...]:
        """Triples in which the answers contradicted each other: those dropped, added or left open."""
        return (*self.dropped, *self.added, *self.ambiguous)

    def why_not(self, u: NameOrIndex, v: NameOrIndex) -> Absence:
        """Why there is no edge between two variables."""
        schema = self.tree.schema
        a, b = sorted((schema.names[schema.index(u)], schema.names[schema.index(v)]))
        if a == b:
            raise GraphError(f"an edge joins two variables; found {a!r} twice")
        if self.dag.adjacent(a, b):
            raise GraphError(f"there is an edge between {a!r} and {b!r}: no set separated them")
        pair = (a, b)
        if pair in self._unseen:
            return Absence(pair, unseen=True)
        if self.skeleton.adjacent(a, b):
            return Absence(pair, score=True)
        barred = pair in self._barred or pair in self.unobeyed or pair[::-1] in self.unobeyed
        found, path = self.separations.get(pair, ()), self.tree.path_separators(a, b)
        return Absence(pair, found, path, knowledge=barred)


def _braced(names: Names) -> str:
    return "{" + ", ".join(names) + "}"


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
    kept = sorted(dag.parents(dag.schema[u].name))
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
            parents = dag.schema.names_of(dag.parents(head))
            losses.append(score.local(head, parents) - score.local(head, (*parents, tail)))
    return min(losses)
