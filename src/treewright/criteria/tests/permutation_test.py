"""A test of conditional independence that draws the distribution of its statistic and needs no limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treewright.arguments import COUNTS, require
from treewright.criteria.scores.score import positive
from treewright.criteria.tests.independence import PluralTest, TestResults
from treewright.criteria.tests.queries import NamedQuery, as_level, as_partners, as_queries
from treewright.errors import SettingError
from treewright.statistics.counter import Counter
from treewright.statistics.families import FromTables, PermutationSettings, Query, TestSettings
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Flags, Floats


class PermutationTest(PluralTest):
    """Test that shuffles x within the strata of the conditioning set; statistic: G2.

    The p-value is (1 + shuffles at least as extreme) / (permutations + 1). Decisions stop shuffling as soon
    as they are certain. Draws follow from the seed and the names in the question alone.

    Parameters
    ----------
    counter
        Counts of discrete variables, of whole rows.
    alpha
        Level: independent if and only if p > alpha.
    permutations
        How many shuffles.
    seed
        Any whole number.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> counter = JointCounts(schema, [[20, 10], [5, 25]])
    >>> PermutationTest(counter, seed=1).independent("treated", "well")
    False
    """

    def __init__(
        self, counter: Counter, alpha: float = 0.05, *, permutations: int = 200, seed: int = 0
    ) -> None:
        require("PermutationTest", COUNTS, counter)
        if permutations < 1:
            raise SettingError(f"a permutation test needs at least one permutation; found {permutations!r}")
        self.counter = counter
        self.alpha = as_level(alpha)
        self.permutations = int(positive("permutations", permutations))
        self.seed = int(seed)
        self._statistics = FromTables(counter)

    def __repr__(self) -> str:
        return (
            f"PermutationTest({len(self.schema)} variables, alpha={self.alpha:g}, "
            f"permutations={self.permutations}, seed={self.seed})"
        )

    @property
    def schema(self) -> Schema:
        return self.counter.schema

    def independent_many(self, queries: Sequence[NamedQuery]) -> Flags:
        known = as_queries(self.schema, queries)
        return np.asarray(self._p_values(known, stop_early=True) > self.alpha)

    def independent_partners(
        self, x: NameOrIndex, given: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
    ) -> Flags:
        """Decisions about x against each partner, given one set."""
        first, scope, others = as_partners(self.schema, x, given, partners)
        return self.independent_many([(first, other, scope) for other in others])

    def test_many(self, queries: Sequence[NamedQuery]) -> TestResults:
        """G2, its adjusted degrees of freedom and the permutation p-value, for each question."""
        known = as_queries(self.schema, queries)
        statistic, df = self._statistics.test_queries(TestSettings("g2"), known)
        p_value = self._p_values(known, stop_early=False)
        return TestResults(statistic, df, p_value, np.ones(len(known), dtype=bool))

    def test_partners(
        self, x: NameOrIndex, given: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
    ) -> TestResults:
        """Results for x against each partner, given one set."""
        first, scope, others = as_partners(self.schema, x, given, partners)
        return self.test_many([(first, other, scope) for other in others])

    def information_many(self, queries: Sequence[NamedQuery]) -> Floats:
        """Conditional mutual information in nats."""
        known = as_queries(self.schema, queries)
        statistic, _ = self._statistics.test_queries(TestSettings("g2"), known)
        return statistic / max(2.0 * self.counter.n_rows, 1.0)

    def _p_values(self, queries: list[Query], *, stop_early: bool) -> Floats:
        settings = PermutationSettings(self.permutations, self.alpha, self.seed, stop_early)
        return self._statistics.permutation_queries(settings, queries)
