"""Tests of conditional independence for discrete variables, by the limit of a statistic or by shuffling.

The G and chi-square tests compare a statistic with its limit distribution, by a critical value that is
computed once for each number of degrees of freedom; a p-value is computed only when asked for. A permutation
test draws the distribution of its statistic and needs no limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import ClassVar, Literal, cast

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import COUNTS, require
from treewright.criteria.scores.score import positive
from treewright.criteria.tests.independence import (
    AskingTest,
    NamedQuery,
    PluralTest,
    TestResults,
    as_level,
    as_partners,
    as_queries,
    one_of,
)
from treewright.errors import SettingError
from treewright.ranges import in_range
from treewright.statistics.counter import Counter, OfCounter
from treewright.statistics.families import (
    NOT_INDICES,
    FromTables,
    PermutationSettings,
    Query,
    TestSettings,
    as_family_statistics,
    is_native,
)
from treewright.statistics.memory import ROWS_TO_REMEMBER, memory_of
from treewright.tables.schema import NameOrIndex
from treewright.types import Flags, Floats


class PermutationTest(OfCounter, PluralTest):
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
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> counter = JointCounts(schema, [[20, 10], [5, 25]])
    >>> PermutationTest(counter, seed=1).independent("treated", "well")
    False
    """

    @in_range
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


class LimitTest(OfCounter, AskingTest):
    """What the G and the chi-square test share: the chi-square limit, and rules for where it does not hold.

    The p-value is 1 where a rule says "independent" and 0 where a rule says "do not call it independent", so
    that *independent if and only if p > alpha* holds for every answer.
    """

    _statistic: ClassVar[Literal["g2", "x2"]]

    @in_range
    def __init__(
        self,
        counter: Counter,
        alpha: float = 0.05,
        *,
        degrees: Literal["adjusted", "full"] = "adjusted",
        df0: Literal["independent", "skip"] = "independent",
        unreliable: Literal["independent", "dependent", "permutation"] = "independent",
        reliability: float = 5.0,
        permutations: int = 200,
        seed: int = 0,
    ) -> None:
        require(type(self).__name__, COUNTS, counter)
        one_of("degrees", degrees, ("adjusted", "full"))
        one_of("df0", df0, ("independent", "skip"))
        one_of("unreliable", unreliable, ("independent", "dependent", "permutation"))
        if not reliability >= 0:
            raise SettingError(
                f"reliability must be a number of rows for each degree from 0 on; found {reliability!r}"
            )
        self.counter = counter
        self.alpha = as_level(alpha)
        self.settings = TestSettings(self._statistic, degrees)
        self.df0 = df0
        self.unreliable = unreliable
        self.reliability = float(reliability)
        self._shuffled = PermutationTest(counter, alpha, permutations=permutations, seed=seed)
        self._statistics = as_family_statistics(counter)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.schema)} variables, alpha={self.alpha:g})"

    def covers(self, scope: Iterable[NameOrIndex]) -> bool:
        """Whether some table has all of these columns; one table always does."""
        covered = getattr(self.counter, "covers", None)
        return True if covered is None else bool(covered(scope))

    def information_many(self, queries: Sequence[NamedQuery]) -> Floats:
        """The statistic as conditional mutual information in nats: divided by twice the rows."""
        known, statistic, *_ = self._ask(queries)
        return np.asarray(statistic / np.maximum(2.0 * np.asarray(self._rows(known)), 1.0))

    @in_range
    def native_answers(self, alpha: float | None = None) -> _core.TestAnswers | None:
        """The same decisions inside the core, for searches that run there; at another level if one is given.

        None when tables cannot be remembered, or some decisions need shuffling.
        """
        if self.unreliable == "permutation":
            return None
        rules = (
            self.settings.statistic,
            self.settings.degrees,
            self.alpha if alpha is None else as_level(alpha),
            self.df0 == "independent",
            self.unreliable == "independent",
            self.reliability,
        )
        packed: _core.PackedTable | None = getattr(self._statistics, "packed", None)
        source = self.counter if packed is None else cast("Counter", self._statistics)
        is_small = packed is not None and packed.n_rows < ROWS_TO_REMEMBER
        memory = None if is_small else memory_of(source)
        if memory is not None:
            return _core.CountedAnswers(memory, source, *rules)
        return None if packed is None else _core.PackedAnswers(packed, *rules)

    def _ask(self, queries: Sequence[NamedQuery]) -> tuple[Sequence[Query], Floats, Floats]:
        """The questions as indices, with their statistics and degrees of freedom."""
        known = cast("Sequence[Query]", queries)
        if is_native(self._statistics):
            with suppress(*NOT_INDICES):  # the core checks indices faster than a loop here would
                return known, *self._statistics.test_queries(self.settings, known)
        known = as_queries(self.schema, queries)
        return known, *self._statistics.test_queries(self.settings, known)

    def _ask_partners(
        self, x: NameOrIndex, given: Iterable[NameOrIndex], partners: Iterable[NameOrIndex]
    ) -> tuple[Sequence[Query], Floats, Floats]:
        first, scope, others = as_partners(self.schema, x, given, partners)
        found = self._statistics.test_partners(self.settings, first, scope, others)
        return [(first, other, scope) for other in others], *found

    def _decide(self, queries: Sequence[Query], statistic: Floats, df: Floats) -> Flags:
        independent = statistic < _core.critical_values(self.alpha, df)
        ruled, verdict = self._rules(queries, df)
        independent[ruled] = verdict[ruled]
        shuffled = self._to_shuffle(queries, df)
        if shuffled.size:
            independent[shuffled] = self._shuffled.independent_many([queries[i] for i in shuffled])
        return independent

    def _results(self, queries: Sequence[Query], statistic: Floats, df: Floats) -> TestResults:
        p_value = _core.chi_square_sf(statistic, df)
        ruled, verdict = self._rules(queries, df)
        p_value[ruled] = verdict[ruled]
        shuffled = self._to_shuffle(queries, df)
        if shuffled.size:
            p_value[shuffled] = self._shuffled.test_many([queries[i] for i in shuffled]).p_value
        says_nothing = (df == 0) & ~verdict
        return TestResults(statistic, df, p_value, ~self._unreliable(queries, df) & ~says_nothing)

    def _unreliable(self, queries: Sequence[Query], df: Floats) -> Flags:
        return np.asarray(self._rows(queries) < self.reliability * df)

    def _rows(self, queries: Sequence[Query]) -> Floats | float:
        """Rows behind each test: those of the table, or of the tables that have the columns."""
        behind = getattr(self.counter, "rows_behind", None)
        return float(self.counter.n_rows) if behind is None else behind(queries)

    def _to_shuffle(self, queries: Sequence[Query], df: Floats) -> npt.NDArray[np.intp]:
        if self.unreliable != "permutation":
            return np.empty(0, np.intp)
        return np.flatnonzero(self._unreliable(queries, df))

    def _rules(self, queries: Sequence[Query], df: Floats) -> tuple[Flags, Flags]:
        """Which tests a rule decides, and how: no degree of freedom, too few rows."""
        constant = df == 0
        verdict = np.full(len(queries), self.unreliable == "independent")
        if self.df0 == "independent":
            verdict[constant] = True
        else:
            verdict[constant] = [not queries[i][2] for i in np.flatnonzero(constant).tolist()]
        ruled = constant if self.unreliable == "permutation" else constant | self._unreliable(queries, df)
        return ruled, verdict


class GTest(LimitTest):
    """Likelihood-ratio test of conditional independence: G2 = 2 n times the mutual information in nats.

    Parameters
    ----------
    alpha
        Level: independent if and only if p > alpha.
    degrees
        ``"adjusted"`` counts only states that occur in a stratum, ``"full"`` all declared ones.
    df0
        What no degree of freedom means (one of the two is constant in every stratum): ``"independent"``, or
        ``"skip"`` when the test shall then say nothing unless `given` is empty.
    unreliable
        What is answered with fewer than `reliability` rows for each degree of freedom: ``"independent"``,
        ``"dependent"``, or the answer of a permutation test.
    reliability
        Rows that each degree of freedom needs.
    permutations, seed
        For ``unreliable="permutation"``.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name, (0, 1)) for name in "zuv"])
    >>> counter = JointCounts(schema, [[[20, 10], [10, 20]], [[30, 15], [5, 10]]])
    >>> test = GTest(counter, alpha=0.01)
    >>> test.independent("u", "v", given=["z"])
    False
    >>> result = test.test("u", "v", given=["z"])
    >>> round(result.statistic, 6), result.df, round(result.p_value, 7)
    (11.917453, 2.0, 0.0025832)
    """

    _statistic = "g2"


class ChiSquareTest(LimitTest):
    """Pearson's test of conditional independence: the sum of (observed - expected)^2 / expected.

    It has the parameters of :class:`GTest`.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> counter = JointCounts(schema, [[20, 10], [5, 25]])
    >>> round(ChiSquareTest(counter).test("treated", "well").statistic, 4)
    15.4286
    """

    _statistic = "x2"
