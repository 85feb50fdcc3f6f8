"""Undirected independence graphs from data: what has to stay together when variables are split into nodes.

In such a graph a missing edge between two variables means that they are independent given all others. Any
graph that contains the moral graph of the truth will do; an edge too many costs time, a missing one may cost
the result, so the level is generous.

Counts have no power for "given all others". There every variable gets a Markov blanket instead, grown by the
strongest partner and then shrunk, and is joined to it. Linear relations need one inversion for all pairs: the
partial correlations are in the inverse of the correlations.

With more rows than columns the inverse of the correlations has them, and Fisher's z judges each. With too few
rows the correlations are pulled towards zero first; then z has no known variance, so the spread of the many
pairs that have nothing to do with each other is taken for it (as Schäfer & Strimmer 2005 do for genes).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

import numpy as np

from treewright import _core
from treewright.arguments import TEST, require
from treewright.criteria import IndependenceTest, at_level
from treewright.criteria.tests.independence import as_level, one_of
from treewright.errors import SettingError
from treewright.graphs import Edge, UndirectedGraph, edge
from treewright.learners.independence.answers import GradedTest, answers_of
from treewright.learners.learned import Learned, TraceBuilder, tell
from treewright.learners.separation_trees.settings import GRAPH_METHODS, GraphMethod
from treewright.ranges import in_range
from treewright.statistics.moments import Moments
from treewright.tables.schema import NameOrIndex
from treewright.types import Floats, Progress, Scope

# The own share of a column's variance below which it is a linear function of the others.
_SINGULAR = 1e-12


def has_rows_enough(moments: Moments, width: int) -> bool:
    """Whether the plain inverse has power: below four rows for each column it loses more than it finds."""
    return bool(moments.n > 4 * width + 3)


def partial_p_values(moments: Moments, scope: Scope) -> Floats:
    """The p-value of every pair given all others of the scope: a symmetric matrix, 1 in the diagonal.

    Columns that never move are independent of everything.

    Examples
    --------
    >>> from treewright import Schema, Variable
    >>> r = [[1, 0.5, 0.4], [0.5, 1, 0.5], [0.4, 0.5, 1]]
    >>> moments = Moments(Schema([Variable(name) for name in "xyz"]), 100, [0, 0, 0], r)
    >>> partial_p_values(moments, (0, 1, 2)).round(6)[0].tolist()
    [1.0, 9.8e-05, 0.046993]
    """
    p_values = np.ones((len(scope), len(scope)))
    moving = [i for i, v in enumerate(scope) if moments.scatter[v, v] > 0]
    if len(moving) < 2:
        return p_values
    # columns in the order of names: the last digits of an inverse follow the order of its rows
    moving.sort(key=lambda i: moments.schema.names[scope[i]])
    chosen = moments.select([scope[i] for i in moving])
    p_values[np.ix_(moving, moving)] = _p_values(chosen)
    return p_values


def _p_values(moments: Moments) -> Floats:
    from scipy.special import erfc  # here, since importing scipy takes longer than all of treewright

    width = len(moments.schema)
    enough = has_rows_enough(moments, width)
    partial = partial_correlations(moments.correlation()) if enough else None
    if partial is not None:
        deviation = 1 / np.sqrt(moments.n - width - 1)
    else:
        partial = partial_correlations(moments.shrunk_correlation())
        assert partial is not None, "shrinking makes any matrix of correlations regular"
        deviation = null_deviation(np.arctanh(partial[np.triu_indices(width, 1)]))
    p_values: Floats = erfc(np.abs(np.arctanh(partial)) / (deviation * np.sqrt(2.0)))
    np.fill_diagonal(p_values, 1.0)
    return p_values


def partial_correlations(correlation: Floats) -> Floats | None:
    """Of every pair given all others, 0 in the diagonal; None where a column is a function of the others."""
    try:
        inverse = np.linalg.inv(correlation)
    except np.linalg.LinAlgError:
        return None
    own = np.diag(inverse)
    if not np.isfinite(inverse).all() or (own < 1 - 1e-6).any() or (own > 1 / _SINGULAR).any():
        return None
    scale = np.sqrt(own)
    partial: Floats = np.clip(-inverse / np.outer(scale, scale), -1 + 1e-12, 1 - 1e-12)
    np.fill_diagonal(partial, 0.0)
    return (partial + partial.T) / 2


def null_deviation(z: Floats) -> float:
    """The standard deviation of the pairs that are independent, if they are the majority: from the median."""
    return max(float(np.median(np.abs(z))) / 0.6744897501960817, 1e-12)


_NO_LIMIT = 2**32 - 1


class IndependenceGraphs(Protocol):
    """The graphs that one set of answers gives, by level."""

    @property
    def n_tests(self) -> int: ...

    def at(self, alpha: float) -> UndirectedGraph:
        """The graph at a level, at most the first one asked for."""
        ...


@in_range
def estimate_independence_graph(
    test: IndependenceTest,
    *,
    within: Iterable[Iterable[NameOrIndex]] | None = None,
    alpha: float = 0.05,
    method: GraphMethod = "auto",
    largest: int | Literal["auto"] | None = "auto",
    progress: Progress | None = None,
) -> Learned[UndirectedGraph]:
    """Estimate an undirected independence graph.

    Parameters
    ----------
    test
        Decides independence. One without a level, such as an oracle, decides as it is.
    within
        Sets of variables, such as the nodes of a tree: a graph is estimated inside each, and their union is
        returned (Theorem 3 of [1]_). By default one set of all variables.
    alpha
        Level at which two variables are taken as independent.
    method
        ``"blankets"``: grow a Markov blanket of each variable, shrink it, and join the variable with it.
        ``"inverse-covariance"``: test all partial correlations at once, which needs a test of moments.
        With fewer than four rows for each column the correlations are shrunk first. ``"auto"``: the latter
        where the test has moments of more rows than that, since with few rows blankets lose less.
    largest
        A blanket stops growing at this many members; ``"auto"``: 6 for data, no bound for exact answers.
    progress
        Called with a step where the work begins.

    References
    ----------
    .. [1] Xie, Geng & Zhao (2006). Decomposition of structural learning about directed acyclic graphs.
       Artificial Intelligence 170, 422-439.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    >>> truth = tw.Dag(schema, [("a", "c"), ("b", "c"), ("c", "d")])
    >>> tw.learners.estimate_independence_graph(tw.DSeparationOracle(truth)).structure.edges()
    [('a', 'b'), ('a', 'c'), ('b', 'c'), ('c', 'd')]
    """
    require("estimate_independence_graph", TEST, test)
    everybody = tuple(range(len(test.schema)))
    sets = [everybody] if within is None else [test.schema.scope(tuple(one)) for one in within]
    trace = TraceBuilder()
    tell(progress, "independence graph")
    with trace.phase("independence graph") as tallies:
        graphs = independence_graphs(test, sets, alpha, method=method, largest=largest)
        graph = graphs.at(alpha)
        tallies.update(tests=graphs.n_tests, edges=graph.n_edges)
    return Learned(graph, trace.build())


def independence_graphs(
    test: IndependenceTest,
    sets: Sequence[Scope],
    alpha: float,
    *,
    method: GraphMethod = "auto",
    largest: int | Literal["auto"] | None = "auto",
) -> IndependenceGraphs:
    """What is needed for graphs at the level `alpha` and below, computed once."""
    one_of("method", method, GRAPH_METHODS)
    level = as_level(alpha)
    moments = getattr(test, "moments", None)
    if method == "inverse-covariance" and not isinstance(moments, Moments):
        raise SettingError(
            f"an inverse covariance needs a test of moments, such as FisherZTest; found {test!r}: "
            "use method='blankets'"
        )
    largest_set = max(map(len, sets), default=0)
    if isinstance(moments, Moments) and (
        method == "inverse-covariance" or (method == "auto" and has_rows_enough(moments, largest_set))
    ):
        return PartialCorrelationGraphs(moments, sets)
    return BlanketGraphs(test, sets, level, largest_blanket(test, largest))


def largest_blanket(test: IndependenceTest, largest: int | Literal["auto"] | None) -> int:
    if largest == "auto":
        return 6 if isinstance(test, GradedTest) else _NO_LIMIT
    if largest is None:
        return _NO_LIMIT
    if isinstance(largest, bool) or not isinstance(largest, int) or largest < 1:
        raise SettingError(
            f"largest must be a number of members from 1 on, 'auto', or None for no bound; found {largest!r}"
        )
    return largest


class BlanketGraphs:
    """Every variable of a set joined to its blanket in that set; whoever is in the other's blanket is joined.

    At each step of growing the strongest joins, whatever the level: a stricter level stops earlier. So
    blankets are grown once.
    """

    def __init__(self, test: IndependenceTest, sets: Sequence[Scope], alpha: float, largest: int) -> None:
        self.test = test
        by_name = [test.schema.by_name(one) for one in sets]
        self._targets = [(x, [y for y in one if y != x]) for one in by_name for x in one]
        answers = answers_of(at_level(test, alpha))
        self._grown, self.n_tests = _core.grow_blankets(self._targets, largest, answers)

    def at(self, alpha: float) -> UndirectedGraph:
        grown = [
            (x, self.test.schema.by_name(stopped(members, p_values, alpha)))
            for (x, _), (members, p_values) in zip(self._targets, self._grown, strict=True)
        ]
        answers = answers_of(at_level(self.test, alpha))
        blankets, n_tests = _core.shrink_blankets(grown, answers)
        self.n_tests += n_tests
        joined = {edge(x, y) for (x, _), blanket in zip(grown, blankets, strict=True) for y in blanket}
        return UndirectedGraph(self.test.schema, joined)


def stopped(members: list[int], p_values: list[float], alpha: float) -> list[int]:
    """The members that had joined when the first p-value exceeded the level."""
    over = next((i for i, p in enumerate(p_values) if p > alpha), len(members))
    return members[:over]


class PartialCorrelationGraphs:
    """Pairs of a set joined when their correlation given all others of the set is not zero."""

    def __init__(self, moments: Moments, sets: Sequence[Scope]) -> None:
        self.schema = moments.schema
        self.n_tests = 0  # no single test is asked
        self._p_values = [(one, partial_p_values(moments, one)) for one in sets]

    def at(self, alpha: float) -> UndirectedGraph:
        joined: set[Edge] = set()
        for scope, p_values in self._p_values:
            u, v = np.nonzero(np.triu(p_values <= alpha, 1))
            joined.update(edge(scope[i], scope[j]) for i, j in zip(u.tolist(), v.tolist(), strict=True))
        return UndirectedGraph(self.schema, joined)
