"""Fisher's z test on several tables with overlapping continuous columns.

The G and chi-square tests take a :class:`~treewright.statistics.PooledCounter` as they take any counter.
Partial correlations come from cross-products, so here the cross-products are pooled: for each test those of
all tables that have its variables, else of the completed covariance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from treewright.criteria.tests.gaussian_tests import FisherZTest
from treewright.criteria.tests.independence import PluralTest, TestResults
from treewright.criteria.tests.queries import NamedQuery, as_level, as_queries
from treewright.statistics.families import Query
from treewright.statistics.moments import Moments
from treewright.statistics.pooled_moments import PooledMoments
from treewright.tables.databases import Cover
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Flags


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
