"""Fisher's z test of zero partial correlation.

What is left of x and y after regressing both on the given is read off a Cholesky factor of correlations. One
factor of the given serves every pair asked with it, so learners ask in batches.

The G and chi-square tests take a :class:`~treewright.statistics.PooledCounter` as they take any counter.
Partial correlations of several tables with overlapping columns come from pooled cross-products: for each test
those of all tables that have its variables, else of the completed covariance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import MOMENTS, require
from treewright.criteria.tests.independence import (
    AskingTest,
    NamedQuery,
    PluralTest,
    TestResults,
    as_level,
    as_partners,
    as_queries,
    as_query,
    one_of,
)
from treewright.errors import SingularError
from treewright.graphs.ranked import rank_matrix
from treewright.ranges import in_range
from treewright.statistics.families import Query
from treewright.statistics.moments import Moments
from treewright.statistics.several.pooled_moments import PooledMoments
from treewright.tables.databases import Cover
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Flags, Floats

Snags = npt.NDArray[np.uint8]
Answers = tuple[Floats, Floats, Floats, Snags]

# reasons for an answer that is not an ordinary one, as the core numbers them
_GIVEN_IS_SINGULAR, _X_IS_DETERMINED, _Y_IS_DETERMINED, _TOO_FEW_ROWS = 1, 2, 3, 4
_SINGULAR = 1e-12


class FisherZTest(AskingTest):
    """Fisher's z test of zero partial correlation.

    With r the partial correlation of x and y given S, z = sqrt(n - |S| - 3) atanh(r) is nearly standard
    normal when the data are Gaussian and x and y are independent given S.

    Parameters
    ----------
    moments
        Of the data; one pass over the rows serves all tests.
    alpha
        Independent iff p > alpha.
    unreliable
        Decision where n - |S| - 3 < 1, so that no test can be made: "independent" or "dependent".
    singular
        What to do where a variable of (x, S), (y, S) or S is a linear function of the others, that is where
        less than 1e-12 of its variance is its own: "error" raises :class:`SingularError` and says which;
        "independent" leaves what is redundant out of S, and calls x and y independent when S determines one
        of them.

    Notes
    -----
    |r| is capped at 1 - 1e-12: equal columns are dependent, and no statistic is infinite. A constant column
    is independent of everything; :attr:`constant` names them. Results do not depend on the order of columns,
    of the given, of x and y, or on the batch a question is asked in.

    Examples
    --------
    >>> from treewright import Schema, Variable
    >>> from treewright.statistics import Moments
    >>> schema = Schema([Variable("x"), Variable("y"), Variable("z")])
    >>> r = [[1, 0.5, 0.4], [0.5, 1, 0.5], [0.4, 0.5, 1]]
    >>> test = FisherZTest(Moments(schema, 100, [0, 0, 0], r))
    >>> round(test.partial_correlation("x", "z", ("y",)), 6)
    0.2
    >>> round(test.test("x", "z", ("y",)).p_value, 6)
    0.046993
    >>> test.independent("x", "z", ("y",))
    False
    """

    @in_range
    def __init__(
        self,
        moments: Moments,
        alpha: float = 0.05,
        *,
        unreliable: Literal["independent", "dependent"] = "independent",
        singular: Literal["error", "independent"] = "error",
    ) -> None:
        require("FisherZTest", MOMENTS, moments)
        one_of("unreliable", unreliable, ("independent", "dependent"))
        one_of("singular", singular, ("error", "independent"))
        self._moments, self._alpha = moments, as_level(alpha)
        self._unreliable, self._singular = unreliable, singular
        from statistics import NormalDist  # here, since it loads fractions and decimals

        self._critical = -NormalDist().inv_cdf(alpha / 2)
        scatter = rank_matrix(moments.schema, moments.scatter)
        self._native = _core.PartialCorrelations(scatter, float(moments.n), moments.schema.name_ranks)

    def __repr__(self) -> str:
        return f"FisherZTest({len(self.schema)} columns, {self._moments.n} rows, alpha={self._alpha})"

    def __reduce__(self) -> tuple[Callable[..., FisherZTest], tuple[Moments, float]]:
        options = {"unreliable": self._unreliable, "singular": self._singular}
        return partial(FisherZTest, **options), (self._moments, self._alpha)  # type: ignore[arg-type]

    @property
    def schema(self) -> Schema:
        return self._moments.schema

    @property
    def alpha(self) -> float:
        return self._alpha

    @property
    def moments(self) -> Moments:
        return self._moments

    @property
    def constant(self) -> tuple[str, ...]:
        """Columns that never move, by name: independent of everything."""
        return self._moments.constant

    def partial_correlation(self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()) -> float:
        """Correlation of what is left of x and y after regression on the given; NaN without enough rows."""
        correlation, _, _, snag = self._ask([(x, y, given)])
        return float("nan") if snag[0] == _TOO_FEW_ROWS else float(correlation[0])

    def information_many(self, queries: Sequence[NamedQuery]) -> Floats:
        """Conditional mutual information of normal variables in nats, -ln(1 - r^2) / 2."""
        correlation, _, _, snag = self._ask(queries)
        return np.where(snag == _TOO_FEW_ROWS, 0.0, -0.5 * np.log1p(-np.square(correlation)))

    def _ask(self, queries: Sequence[NamedQuery]) -> Answers:
        try:
            answers = self._native.ask(queries)  # type: ignore[arg-type]
        except (TypeError, ValueError, IndexError):  # names, or something to be refused by name
            queries = as_queries(self.schema, queries)
            answers = self._native.ask(queries)
        self._refuse_singular(answers[3], queries.__getitem__)
        return answers

    def _ask_partners(
        self, x: NameOrIndex, given: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
    ) -> Answers:
        others = partners if isinstance(partners, Sequence) else list(partners)
        scope = given if isinstance(given, Sequence) else tuple(given)
        try:
            answers = self._native.ask_partners(x, scope, others)  # type: ignore[arg-type]
        except (TypeError, ValueError, IndexError):  # names, or something to be refused by name
            answers = self._native.ask_partners(*as_partners(self.schema, x, scope, others))
        self._refuse_singular(answers[3], lambda i: (x, others[i], scope))
        return answers

    def _decide(self, _: Floats, statistic: Floats, freedom: Floats, snag: Snags) -> Flags:
        independent: Flags = np.abs(statistic) < self._critical
        if self._unreliable == "dependent":
            independent &= snag != _TOO_FEW_ROWS
        return independent

    def _results(self, _: Floats, statistic: Floats, freedom: Floats, snag: Snags) -> TestResults:
        """Statistic z, degrees of freedom n - |S| - 3, two-sided p-value; see `unreliable` and `singular`."""
        from scipy.special import erfc  # here, since importing scipy takes longer than all of treewright

        p_value: Floats = erfc(np.abs(statistic) / np.sqrt(2.0))
        few = snag == _TOO_FEW_ROWS
        statistic[few] = np.nan
        if self._unreliable == "dependent":
            p_value[few] = 0.0
        return TestResults(statistic, freedom, p_value, snag < _X_IS_DETERMINED)

    def _refuse_singular(self, snag: Snags, query: Callable[[int], NamedQuery]) -> None:
        if self._singular == "independent":
            return
        bad = np.flatnonzero((snag >= _GIVEN_IS_SINGULAR) & (snag <= _Y_IS_DETERMINED))
        if bad.size == 0:
            return
        x, y, given = as_query(self.schema, *query(int(bad[0])))
        given = self.schema.by_name(given)
        tested = {_X_IS_DETERMINED: (x,), _Y_IS_DETERMINED: (y,)}.get(int(snag[bad[0]]), ())
        scope = list(self.schema.by_name({*given, *tested}))
        names = self.schema.names
        raise SingularError(
            f"cannot test {names[x]!r} and {names[y]!r} given {self.schema.names_of(given)}:"
            f" {self._explain(scope)}; leave one of them out, or pass singular='independent'"
        )

    def _explain(self, scope: list[int]) -> str:
        """Say which variable is a linear function of which others, by a pivoted Cholesky factor."""
        correlation = self._moments.correlation()[np.ix_(scope, scope)]
        from scipy.linalg import solve_triangular
        from scipy.linalg.lapack import dpstrf

        factor, pivots, rank, _ = dpstrf(correlation, tol=_SINGULAR, lower=1)
        pivots = pivots - 1
        rank = min(rank, len(scope) - 1)  # the core found a variable with nothing of its own
        dependent = int(pivots[rank])
        lower = np.tril(factor)[:rank, :rank]
        weights = solve_triangular(lower, np.tril(factor)[rank, :rank], lower=True, trans="T")
        others = sorted(self.schema.names[scope[pivots[k]]] for k in np.flatnonzero(np.abs(weights) > 1e-6))
        return (
            f"{self.schema.names[scope[dependent]]!r} is a linear function of {', '.join(map(repr, others))}"
        )


class PooledFisherZTest(PluralTest):
    """Fisher's z test of zero partial correlation, on pooled moments.

    Parameters
    ----------
    alpha
        Independent iff p > alpha.
    unreliable, singular
        As for :class:`FisherZTest`.

    Attributes
    ----------
    model_based
        Questions (x, y, given) so far, as indices, that were answered from the completed covariance.
    undecided
        Questions so far that no table covers, where nothing was completed.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 500))
    >>> tables = [{"x": x, "z": x + rng.normal(size=500)}, {"x": y, "y": y + rng.normal(size=500)}]
    >>> test = PooledFisherZTest(tw.statistics.PooledMoments(tw.read_databases(tables)))
    >>> test.independent("x", "y"), test.independent("y", "z", given=("x",)), len(test.model_based)
    (False, True, 1)
    """

    @in_range
    def __init__(
        self,
        moments: PooledMoments,
        alpha: float = 0.05,
        *,
        unreliable: Literal["independent", "dependent"] = "independent",
        singular: Literal["error", "independent"] = "error",
    ) -> None:
        self.moments = moments
        self.alpha = as_level(alpha)
        self.model_based: set[Query] = set()
        self.undecided: set[Query] = set()
        self._options: dict[str, Any] = {"unreliable": unreliable, "singular": singular}
        self._tests: dict[Cover | float, FisherZTest] = {}

    def __repr__(self) -> str:
        return f"PooledFisherZTest({self.moments.databases!r}, alpha={self.alpha:g})"

    @property
    def schema(self) -> Schema:
        return self.moments.schema

    def covers(self, scope: Iterable[NameOrIndex]) -> bool:
        """Whether some table has all of these columns."""
        return self.moments.covers(scope)

    def independent_many(self, queries: Sequence[NamedQuery]) -> Flags:
        return np.asarray(self.test_many(queries).p_value > self.alpha)

    def test_many(self, queries: Sequence[NamedQuery]) -> TestResults:
        """Results for many (x, y, given), in the order asked; one batch for each set of tables."""
        asked = as_queries(self.schema, queries)
        statistic, df = np.full(len(asked), np.inf), np.ones(len(asked))
        p_value, reliable = np.zeros(len(asked)), np.zeros(len(asked), dtype=np.bool_)
        for key, positions in self._groups(asked).items():
            if key is None:
                self.undecided.update(asked[i] for i in positions)
                continue
            test = self._test(key)
            place = {name: i for i, name in enumerate(test.schema.names)}
            found = test.test_many([self._inside(place, asked[i]) for i in positions])
            statistic[positions], df[positions] = found.statistic, found.df
            p_value[positions], reliable[positions] = found.p_value, found.reliable
        return TestResults(statistic, df, p_value, reliable)

    def _groups(self, queries: Sequence[Query]) -> dict[Cover | float | None, list[int]]:
        """Positions of the questions that one test answers: by tables, or by rows of what is completed."""
        groups: dict[Cover | float | None, list[int]] = {}
        for position, (x, y, given) in enumerate(queries):
            cover = self.moments.databases.covering((x, y, *given))
            key: Cover | float | None = cover or None
            if not cover and self.moments.completed:
                self.model_based.add((x, y, given))
                key = float(self.moments.rows((x, y, *given)))
            groups.setdefault(key, []).append(position)
        return groups

    def _test(self, key: Cover | float) -> FisherZTest:
        if key not in self._tests:
            if isinstance(key, float):
                scatter = self.moments.covariance * key
                moments = Moments(self.schema, key, self.moments.mean, scatter)
            else:
                moments = self.moments.pool(key)
            self._tests[key] = FisherZTest(moments, self.alpha, **self._options)
        return self._tests[key]

    def _inside(self, place: dict[str, int], query: Query) -> Query:
        x, y, given = query
        names = self.schema.names
        return place[names[x]], place[names[y]], tuple(place[names[v]] for v in given)
