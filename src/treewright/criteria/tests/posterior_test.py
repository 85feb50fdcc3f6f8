"""A Bayesian test of conditional independence that answers with a probability.

In every slice (configuration of the conditioning set) one joint Dirichlet-multinomial competes with the
product of two. Independence means that all slices are independent; its prior is the same whatever the
conditioning set, so a slice among K is independent a priori with probability ``prior ** (1 / K)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from treewright.arguments import COUNTS, require
from treewright.criteria.scores.score import positive
from treewright.criteria.tests.independence import (
    AskingTest,
    NamedQuery,
    TestResults,
    as_partners,
    as_queries,
    one_of,
)
from treewright.errors import SettingError
from treewright.ranges import in_range
from treewright.statistics.counter import Counter, OfCounter
from treewright.statistics.families import PosteriorSettings, as_family_statistics
from treewright.tables.schema import NameOrIndex
from treewright.types import Flags, Floats


class PosteriorTest(OfCounter, AskingTest):
    """Posterior probability of conditional independence, in log space.

    Parameters
    ----------
    prior
        Probability of independence before the data, whatever is conditioned on.
    alpha, beta, gamma
        Dirichlet parameters of x, of y and of their joint table.
    slices
        ``"all"``: K counts every declared configuration of the conditioning set; ``"observed"``: those that
        occur.

    References
    ----------
    .. [1] Margaritis & Bromberg (2009). Efficient Markov network discovery using particle filters.
       Computational Intelligence 25.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("a", (0, 1)), Variable("b", (0, 1))])
    >>> test = PosteriorTest(JointCounts(schema, [[48, 16], [16, 48]]))
    >>> log_independent, log_dependent = test.log_posterior("a", "b")
    >>> round(log_independent, 6)
    -15.333088
    """

    @in_range
    def __init__(
        self,
        counter: Counter,
        prior: float = 0.5,
        *,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 1.0,
        slices: Literal["all", "observed"] = "all",
    ) -> None:
        require("PosteriorTest", COUNTS, counter)
        if not 0 < prior < 1:
            raise SettingError(
                f"the prior of independence must lie between 0 and 1, both excluded; found {prior!r}"
            )
        one_of("slices", slices, ("all", "observed"))
        self.counter = counter
        self.settings = PosteriorSettings(
            float(prior), positive("alpha", alpha), positive("beta", beta), positive("gamma", gamma), slices
        )
        self._statistics = as_family_statistics(counter)

    def __repr__(self) -> str:
        return f"PosteriorTest({len(self.schema)} variables, prior={self.settings.prior:g})"

    def log_posterior(
        self, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()
    ) -> tuple[float, float]:
        """Logarithms of P(independent) and of P(dependent)."""
        independent, dependent = self.log_posterior_many([(x, y, given)])
        return float(independent[0]), float(dependent[0])

    def log_posterior_many(self, queries: Sequence[NamedQuery]) -> tuple[Floats, Floats]:
        """The two logarithms of many (x, y, given), in the order asked."""
        return self._statistics.test_queries(self.settings, as_queries(self.schema, queries))

    def log_posterior_partners(
        self, x: NameOrIndex, given: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
    ) -> tuple[Floats, Floats]:
        """The two logarithms for x against each partner, given one set."""
        first, scope, others = as_partners(self.schema, x, given, partners)
        return self._statistics.test_partners(self.settings, first, scope, others)

    _ask, _ask_partners = log_posterior_many, log_posterior_partners

    def _decide(self, independent: Floats, dependent: Floats) -> Flags:
        return independent > dependent

    def _results(self, independent: Floats, dependent: Floats) -> TestResults:
        """The log odds of dependence as statistic, the probability of independence in place of a p-value."""
        nothing, sure = np.zeros(len(independent)), np.ones(len(independent), dtype=bool)
        return TestResults(dependent - independent, nothing, np.exp(independent), sure)
