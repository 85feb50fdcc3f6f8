"""The likelihood-ratio test of conditional Gaussian models: states and numbers in one question.

Under the rule that no number is above a state, a family is a table or, in each joint state of its discrete
parents, a line with a variance of its own. Independence says that one of the two leaves this line as it is:

- a number y and states x: the lines of y on the given numbers are the same in all states of x (joint with the
  given states), against one for each; |S| + 2 parameters for each state of x beyond the first, |S| numbers
  being given;
- two numbers: the coefficient of one on the other is zero in each joint state of the given;
- two states: a G test given states. States are above numbers, so two of them that any set separates are
  separated by states; given a number they count as dependent.

Lines need rows: a joint state with fewer than five for each of its parameters has no say. A question in which
none has is answered by "independent", as other tests do where rows are few, and is not reliable.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.arguments import MIXED_MOMENTS, require
from treewright.criteria.tests.discrete_tests import GTest
from treewright.criteria.tests.independence import (
    NamedQuery,
    PluralTest,
    TestResult,
    TestResults,
    as_level,
    as_queries,
)
from treewright.ranges import in_range
from treewright.statistics.families import Query
from treewright.statistics.mixed.state_moments import MixedMoments, StateMoments
from treewright.tables.schema import Schema
from treewright.types import Flags, Floats, Names

ROWS_FOR_A_PARAMETER = 5
_FLOOR = 1e-12  # of a variance, that nothing takes away
_DEPENDENT = TestResult(float("inf"), 1.0, 0.0, reliable=False)
_UNDECIDED = TestResult(float("nan"), 0.0, 1.0, reliable=False)


class MixedTest(PluralTest):
    """Likelihood ratio of conditional Gaussian models, for tables of discrete and continuous columns.

    Parameters
    ----------
    moments
        Of the rows; shards serve as well.
    alpha
        Independent iff p > alpha.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> sky = rng.integers(2, size=400)
    >>> sun = 4 + 3 * sky + rng.normal(size=400)
    >>> rows = {"sky": np.where(sky, "clear", "grey"), "sun": sun, "heat": 6 + sun + rng.normal(size=400)}
    >>> test = tw.criteria.MixedTest(tw.statistics.mixed_moments(tw.read_table(rows)), alpha=0.01)
    >>> test.independent("sky", "heat"), test.independent("sky", "heat", ["sun"])
    (False, True)
    """

    @in_range
    def __init__(self, moments: MixedMoments, alpha: float = 0.05) -> None:
        require("MixedTest", MIXED_MOMENTS, moments)
        self.moments, self.alpha = moments, as_level(alpha)
        self._states = GTest(moments.counter, alpha=alpha) if len(moments.discrete) else None

    def __repr__(self) -> str:
        m = self.moments
        kinds = f"{len(m.discrete)} discrete and {len(m.continuous)} continuous"
        return f"MixedTest({kinds}, {m.n:g} rows, alpha={self.alpha:g})"

    def __reduce__(self) -> tuple[type[MixedTest], tuple[MixedMoments, float]]:
        return MixedTest, (self.moments, self.alpha)

    @property
    def schema(self) -> Schema:
        return self.moments.schema

    def independent_many(self, queries: Sequence[NamedQuery]) -> Flags:
        return np.asarray(self.test_many(queries).p_value > self.alpha)

    def test_many(self, queries: Sequence[NamedQuery]) -> TestResults:
        """-2 ln of each ratio, degrees of freedom, p-value, and whether some state had enough rows."""
        from scipy.special import chdtrc  # here, since importing scipy takes longer than all of treewright

        asked = as_queries(self.schema, queries)
        found = [self._compare(query) for query in asked]
        statistic = np.array([one.statistic for one in found], dtype=np.float64)
        df = np.array([one.df for one in found], dtype=np.float64)
        p_value = np.array([one.p_value for one in found], dtype=np.float64)
        lines = np.isnan(p_value)
        p_value[lines] = chdtrc(df[lines], statistic[lines])
        reliable = np.array([one.reliable for one in found], dtype=np.bool_)
        of_states = [i for i, one in enumerate(asked) if self._are_states(one)]
        if of_states:
            assert self._states is not None
            names = self.schema.names
            named = [
                (names[x], names[y], self.schema.names_of(s)) for x, y, s in (asked[i] for i in of_states)
            ]
            told = self._states.test_many(named)
            statistic[of_states], df[of_states] = told.statistic, told.df
            p_value[of_states], reliable[of_states] = told.p_value, told.reliable
        return TestResults(statistic, df, p_value, reliable)

    def _are_states(self, query: Query) -> bool:
        x, y, given = query
        return all(self.schema[v].is_discrete for v in (x, y, *given))

    def _compare(self, query: Query) -> TestResult:
        """What the rows say; the p-value of a comparison of lines is still to be looked up."""
        x, y, given = query
        if self._are_states(query):
            return _UNDECIDED  # the G test decides
        states = tuple(sorted(self.schema.names[v] for v in given if self.schema[v].is_discrete))
        numbers = tuple(sorted(self.schema.names[v] for v in given if not self.schema[v].is_discrete))
        first, second = sorted((self.schema.names[x], self.schema.names[y]))
        if self.schema[first].is_discrete and self.schema[second].is_discrete:
            return _DEPENDENT
        if not self.schema[first].is_discrete and not self.schema[second].is_discrete:
            return self._numbers(first, second, states, numbers)
        if self.schema[second].is_discrete:
            first, second = second, first
        return self._state_and_number(first, second, states, numbers)

    def _numbers(self, x: str, y: str, states: Names, numbers: Names) -> TestResult:
        """Whether the partial correlation is zero in each joint state."""
        found = self.moments.in_states(states, (x, y, *numbers))
        n_parameters = len(numbers) + 2
        kept = found.n >= ROWS_FOR_A_PARAMETER * (n_parameters + 1)
        of_both = residual_scatter(found, (x, y), numbers)[kept]
        own = _above_floor(np.diagonal(of_both, axis1=1, axis2=2), found, (x, y), kept)
        square = np.minimum(of_both[:, 0, 1] ** 2 / (own[:, 0] * own[:, 1]), 1 - _FLOOR)
        rows = found.n[kept] - n_parameters
        return _of_lines(float(-(rows * np.log1p(-square)).sum()), float(kept.sum()))

    def _state_and_number(self, x: str, y: str, states: Names, numbers: Names) -> TestResult:
        """Whether the lines of a number are the same in all states."""
        apart = self.moments.in_states(tuple(sorted((x, *states))), (y, *numbers))
        n_parameters = len(numbers) + 2
        kept = apart.n >= ROWS_FOR_A_PARAMETER * n_parameters
        apart = rows_of_states(apart, kept)
        together = without(apart, x)
        statistic = _likelihood(together, y, numbers) - _likelihood(apart, y, numbers)
        n_more = len(apart.n) - len(together.n)
        return _of_lines(max(-statistic, 0.0), float(n_more * n_parameters))


def _of_lines(statistic: float, df: float) -> TestResult:
    return TestResult(statistic, df, float("nan")) if df > 0 else _UNDECIDED


def rows_of_states(moments: StateMoments, kept: Flags) -> StateMoments:
    """The joint states that are kept."""
    return StateMoments(
        moments.discrete,
        moments.continuous,
        moments.states[kept],
        moments.n[kept],
        moments.mean[kept],
        moments.scatter[kept],
    )


def without(moments: StateMoments, name: str) -> StateMoments:
    """The moments of joint states of one column fewer: its states added up."""
    left = [k for k, one in enumerate(moments.discrete) if one != name]
    states, group = np.unique(moments.states[:, left], axis=0, return_inverse=True)
    group = group.ravel()
    n, mean = np.zeros(len(states)), np.zeros((len(states), len(moments.continuous)))
    np.add.at(n, group, moments.n)
    np.add.at(mean, group, moments.n[:, None] * moments.mean)
    mean = np.divide(mean, n[:, None], out=mean, where=n[:, None] > 0)
    off = moments.mean - mean[group]
    scatter = np.zeros((len(states), mean.shape[1], mean.shape[1]))
    np.add.at(scatter, group, moments.scatter + moments.n[:, None, None] * off[:, :, None] * off[:, None, :])
    names = tuple(moments.discrete[k] for k in left)
    return StateMoments(names, moments.continuous, states, n, mean, scatter)


def residual_scatter(moments: StateMoments, of: Names, given: Names) -> Floats:
    """What is left of the scatter of some numbers after regression on others, in each joint state."""
    at = [moments.continuous.index(name) for name in of]
    own = moments.scatter[:, at][:, :, at]
    if not given:
        return own
    on = [moments.continuous.index(name) for name in given]
    inner, across = moments.scatter[:, on][:, :, on], moments.scatter[:, on][:, :, at]
    scale = np.sqrt(np.maximum(np.diagonal(inner, axis1=1, axis2=2), np.finfo(float).tiny))
    inner = inner / (scale[:, :, None] * scale[:, None, :]) + _FLOOR * np.eye(len(on))
    across = across / scale[:, :, None]
    return np.asarray(own - np.swapaxes(across, 1, 2) @ np.linalg.solve(inner, across))


def _above_floor(left: Floats, moments: StateMoments, of: Names, kept: Flags) -> Floats:
    """What is left of variances, of which rounding alone is not to be read as dependence."""
    at = [moments.continuous.index(name) for name in of]
    whole = np.diagonal(moments.scatter[kept], axis1=1, axis2=2)[:, at]
    return np.maximum(left, np.maximum(_FLOOR * whole, np.finfo(float).tiny))


def _likelihood(moments: StateMoments, y: str, numbers: Names) -> float:
    """Twice the log-likelihood of a line in each joint state, without what all lines share."""
    left = np.diagonal(residual_scatter(moments, (y,), numbers), axis1=1, axis2=2)
    everyone = np.ones(len(moments.n), dtype=np.bool_)
    variance = _above_floor(left, moments, (y,), everyone)[:, 0] / moments.n
    return float(-(moments.n * np.log(variance)).sum())
