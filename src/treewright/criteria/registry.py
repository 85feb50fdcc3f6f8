"""The only list of scores and tests by name.

The command line, the estimators and the learners that take names all ask here; a new score of counts is
entered in `SCORES` and in the room's `__init__`, and is known everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treewright.criteria.graph_scores.blanket_posterior import BlanketsJointPosterior, IndependenceBasedScore
from treewright.criteria.graph_scores.marginal_pseudo_likelihood import (
    MarginalPseudoLikelihood,
    StructureScore,
)
from treewright.criteria.scores.dirichlet_scores import K2, BDeu
from treewright.criteria.scores.discrete_score import AIC, BIC, QNML, LogLikelihood
from treewright.criteria.scores.edge_prior import GroupedQNML, SparseQNML
from treewright.criteria.scores.gaussian_scores import GaussianBIC, SigmoidBIC
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.discrete_tests import ChiSquareTest, GTest
from treewright.criteria.tests.independence import IndependenceTest
from treewright.criteria.tests.posterior_test import PosteriorTest
from treewright.errors import SettingError, nearest
from treewright.statistics import Counter, moments
from treewright.tables.table import Table


@dataclass(frozen=True)
class ScoreEntry:
    """A score by name."""

    kind: Callable[..., LocalScore]  # its class
    make: Callable[[Table], LocalScore] | None = None  # of continuous columns; its class makes one of counts
    has_ess: bool = False  # whether an equivalent sample size may be given
    pools: bool = True  # whether it scores several tables that share only some of their columns


@dataclass(frozen=True)
class TestEntry:
    """A test of counts by name, and whether it has a level `alpha`."""

    __test__ = False  # for pytest

    kind: Callable[..., IndependenceTest]
    has_level: bool = True


SCORES = {
    "loglik": ScoreEntry(LogLikelihood),
    "aic": ScoreEntry(AIC),
    "bic": ScoreEntry(BIC),
    "bdeu": ScoreEntry(BDeu, has_ess=True),
    "k2": ScoreEntry(K2, pools=False),
    "qnml": ScoreEntry(QNML),
    "sparse-qnml": ScoreEntry(SparseQNML),
    "grouped-qnml": ScoreEntry(GroupedQNML, pools=False),
    "gaussian-bic": ScoreEntry(GaussianBIC, lambda table: GaussianBIC(moments(table))),
    "sigmoid-bic": ScoreEntry(SigmoidBIC, SigmoidBIC, pools=False),
}
DISCRETE_SCORES = tuple(name for name, entry in SCORES.items() if entry.make is None)
CONTINUOUS_SCORES = tuple(name for name, entry in SCORES.items() if entry.make is not None)
POOLED_SCORES = tuple(name for name in DISCRETE_SCORES if SCORES[name].pools)

TESTS = {
    "g": TestEntry(GTest),
    "chi-square": TestEntry(ChiSquareTest),
    "posterior": TestEntry(PosteriorTest, has_level=False),
}
TESTS_WITH_LEVEL = tuple(name for name, entry in TESTS.items() if entry.has_level)

STRUCTURE_SCORES: dict[str, Callable[[Counter], StructureScore]] = {
    "bjp": BlanketsJointPosterior,
    "ib": IndependenceBasedScore,
    "mpl": MarginalPseudoLikelihood,
}

FROM_COUNTS = {  # the classes to write where something else was passed, see `arguments`
    "a score": [SCORES[name].kind.__name__ for name in DISCRETE_SCORES],
    "an independence test": [entry.kind.__name__ for entry in TESTS.values()],
    "a score of undirected graphs": [kind.__name__ for kind in STRUCTURE_SCORES.values()],
}


def structure_score_named(name: str, counter: Counter) -> StructureScore:
    """The score of undirected graphs of a name, on a counter.

    Examples
    --------
    >>> import treewright as tw
    >>> structure_score_named("mpl", tw.count(tw.read_table({"a": [0, 1, 1]})))
    MarginalPseudoLikelihood(1 variables, a=0.5)
    """
    if name not in STRUCTURE_SCORES:
        raise SettingError(f"score {name!r} is not known; scores are {nearest(name, STRUCTURE_SCORES)}")
    return STRUCTURE_SCORES[name](counter)


def score_named(
    name: str, counter: Counter, *, ess: float | None = None, also: Sequence[str] = ()
) -> LocalScore:
    """The score of a name, on a counter; `also` is what else might have been said.

    Examples
    --------
    >>> import treewright as tw
    >>> score_named("bdeu", tw.count(tw.read_table({"a": [0, 1, 1]})), ess=2.0)
    BDeu(1 variables, 3 rows)
    """
    if name not in DISCRETE_SCORES:
        known = nearest(name, [*also, *DISCRETE_SCORES])
        raise SettingError(f"score {name!r} is not known; scores are {known}")
    check_ess(name, ess)
    return SCORES[name].kind(counter) if ess is None else SCORES[name].kind(counter, ess=ess)


def check_ess(name: str, ess: float | None) -> None:
    """Refuse an equivalent sample size for a score that has none, before any row is read."""
    if ess is not None and not SCORES[name].has_ess:
        owners = " and ".join(other for other, entry in SCORES.items() if entry.has_ess)
        raise SettingError(f"ess belongs to the score {owners}; the score is {name}")


def continuous_score_named(name: str, table: Table) -> LocalScore:
    """The score of a name, on a table of continuous columns."""
    make = SCORES[name].make
    assert make is not None
    return make(table)


def independence_test_named(name: str, counter: Counter, *, alpha: float) -> IndependenceTest:
    """The test of a name, on a counter; "posterior" decides by the odds and has no level `alpha`.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"a": [0, 1] * 20, "b": [0, 1] * 20})
    >>> independence_test_named("g", tw.count(table), alpha=0.01).independent("a", "b")
    False
    """
    if name not in TESTS:
        raise SettingError(f"test {name!r} is not known; tests are {nearest(name, TESTS)}")
    entry = TESTS[name]
    return entry.kind(counter, alpha=alpha) if entry.has_level else entry.kind(counter)
