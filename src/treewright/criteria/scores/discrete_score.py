"""The scores that the core computes from counts, and those of them that are made of likelihoods.

Those start from the maximised likelihood and pay for what was fitted.

With n_jk rows in which the parents are in configuration j and the child in state k, the likelihood part is
``sum n_jk ln(n_jk / n_j)``. The scores differ in the price: nothing, one nat a free parameter (AIC), half the
logarithm of the rows a parameter (BIC), or the exact regret of having fitted a multinomial (qNML).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import ClassVar, TypeGuard, cast

from treewright import _core
from treewright.criteria.scores.score import (
    LocalScore,
    NamedFamily,
    PluralScore,
    as_candidates,
    as_families,
    as_family,
)
from treewright.criteria.tests.independence import require_discrete
from treewright.statistics.counter import Counter, OfCounter
from treewright.statistics.families import (
    NOT_INDICES,
    Family,
    FromTables,
    ScoreKind,
    ScoreSettings,
    as_family_statistics,
    is_native,
)
from treewright.tables.schema import NameOrIndex
from treewright.types import Floats


@cache
def resolution_of(n_rows: float) -> float:
    """The step of scores of so many rows."""
    return _core.score_resolution(n_rows)


class DiscreteScore(OfCounter, PluralScore):
    """A score of discrete families, counted and judged in batches.

    Every local score is a multiple of :attr:`resolution`, a power of two chosen so that sums and differences
    of local scores do not round: structures that the score cannot tell apart tie exactly.
    """

    is_score_equivalent: bool = True

    def __init__(self, counter: Counter, settings: ScoreSettings) -> None:
        require_discrete(type(self).__name__, counter)
        self.counter, self.settings = counter, settings
        self._statistics = as_family_statistics(counter)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.schema)} variables, {self.counter.n_rows} rows)"

    @property
    def resolution(self) -> float:
        """The step, in nats, of which every local score is a multiple."""
        return resolution_of(float(self.counter.n_rows))

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        if is_native(self._statistics):
            with suppress(*NOT_INDICES):  # the core checks indices faster than a loop here would
                return self._statistics.score_families(self.settings, cast("Sequence[Family]", families))
        return self._statistics.score_families(self.settings, as_families(self.schema, families))

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        target, known = as_family(self.schema, child, parents)
        if is_native(self._statistics):
            with suppress(*NOT_INDICES):
                added = cast("Sequence[int]", candidates)
                return self._statistics.score_additions(self.settings, target, known, added)
        added = as_candidates(self.schema, target, known, candidates)
        return self._statistics.score_additions(self.settings, target, known, added)

    def local_deletions(self, child: NameOrIndex, parents: Sequence[NameOrIndex]) -> Floats:
        target, _ = as_family(self.schema, child, parents)
        return self._statistics.score_deletions(self.settings, target, self.schema.scope(parents))

    def pair_gains(self) -> Floats:
        return self._statistics.score_pairs(self.settings)


class CountScore(DiscreteScore):
    """A score that needs nothing but counts of discrete variables: `kind` is the core's name of it."""

    kind: ClassVar[ScoreKind]

    def __init__(self, counter: Counter) -> None:
        super().__init__(counter, ScoreSettings(self.kind))


def is_native_score(score: LocalScore) -> TypeGuard[DiscreteScore]:
    """Whether the core may judge in its place: a class that judges otherwise has a method of its own."""
    return isinstance(score, DiscreteScore) and type(score).local_many is DiscreteScore.local_many


def of_same_tables(scores: Sequence[LocalScore]) -> list[DiscreteScore]:
    """The scores, when all of them judge the tables of one counter; else none."""
    found = [score for score in scores if is_native_score(score)]
    return found if len(found) == len(scores) and len({id(score.counter) for score in found}) == 1 else []


def local_by(scores: Sequence[DiscreteScore], families: Sequence[Family]) -> list[Floats]:
    """Local scores of the same families by each score; all judge the same tables, which are counted once.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}))
    >>> bic, bdeu = local_by([tw.BIC(counter), tw.BDeu(counter)], [(0, (1,))])
    >>> bic.tolist() == [tw.BIC(counter).local(0, (1,))], bdeu.tolist() == [tw.BDeu(counter).local(0, (1,))]
    (True, True)
    """
    return FromTables(scores[0].counter).score_families_by([score.settings for score in scores], families)


class LogLikelihood(CountScore):
    """Maximised log-likelihood, without a price: it grows with every parent.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> score = LogLikelihood(JointCounts(schema, [[20, 10], [5, 25]]))
    >>> round(score.local("well", ["treated"]), 4)
    -32.6123
    """

    kind = "log_likelihood"


class AIC(CountScore):
    """Akaike's criterion: log-likelihood less the number of free parameters, (r - 1) q for each family.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"treated": [0] * 6 + [1] * 6, "well": [0] * 5 + [1] * 7}))
    >>> AIC(counter).local("well") < AIC(counter).local("well", ["treated"])
    True
    """

    kind = "aic"


class BIC(CountScore):
    """Schwarz's criterion: log-likelihood less half the logarithm of the rows for each free parameter.

    All declared configurations of the parents count, seen or not. The price of an astronomically large family
    saturates at 1e300, so that sums stay finite.

    Examples
    --------
    >>> from treewright.statistics.joint import JointCounts
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("treated", ("no", "yes")), Variable("well", ("no", "yes"))])
    >>> counter = JointCounts(schema, [[20, 10], [5, 25]])
    >>> round(BIC(counter).local("well", ["treated"]), 4)
    -36.7066
    """

    kind = "bic"


class QNML(CountScore):
    r"""Quotient normalised maximum likelihood.

    .. math:: H(P + v) - H(P) - [reg(N, |P + v|) - reg(N, |P|)]

    where H is the sum of n ln n over the cells of a set of variables, \|S\| its number of cells and
    ``reg(N, K)`` the logarithm of the multinomial normaliser, by the approximation of [2]_. Against BIC it is
    lenient with variables of many states and needs no parameter.

    References
    ----------
    .. [1] Silander, Leppä-aho, Jääsaari & Roos (2018). Quotient normalized maximum likelihood criterion for
       learning Bayesian network structures. AISTATS.
    .. [2] Szpankowski & Weinberger (2012). Minimax pointwise redundancy for memoryless models over large
       alphabets. IEEE Transactions on Information Theory 58.

    Examples
    --------
    >>> import treewright as tw
    >>> score = QNML(tw.count(tw.read_table({"a": [0] * 6 + [1] * 6, "b": [0] * 5 + [1] * 7})))
    >>> score.local("a") + score.local("b", ["a"]) == score.local("b") + score.local("a", ["b"])
    True
    """

    kind = "qnml"
