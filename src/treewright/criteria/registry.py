"""Scores and tests by the names that the command line and the estimators call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treewright.criteria.graph_scores.blankets_joint_posterior import BlanketsJointPosterior
from treewright.criteria.graph_scores.independence_based_score import IndependenceBasedScore
from treewright.criteria.graph_scores.marginal_pseudo_likelihood import MarginalPseudoLikelihood
from treewright.criteria.graph_scores.structure_score import StructureScore
from treewright.criteria.scores.dirichlet_scores import K2, BDeu
from treewright.criteria.scores.edge_prior import SparseQNML
from treewright.criteria.scores.grouped_score import GroupedQNML
from treewright.criteria.scores.likelihood_scores import AIC, BIC, QNML, LogLikelihood
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.discrete_tests import ChiSquareTest, GTest
from treewright.criteria.tests.independence import IndependenceTest
from treewright.criteria.tests.posterior_test import PosteriorTest
from treewright.errors import SettingError, nearest
from treewright.statistics import Counter

SCORES: dict[str, Callable[[Counter], LocalScore]] = {
    "loglik": LogLikelihood,
    "aic": AIC,
    "bic": BIC,
    "bdeu": BDeu,
    "k2": K2,
    "qnml": QNML,
    "sparse-qnml": SparseQNML,
    "grouped-qnml": GroupedQNML,
}

TESTS: dict[str, Callable[[Counter, float], IndependenceTest]] = {
    "g": lambda counter, alpha: GTest(counter, alpha=alpha),
    "chi-square": lambda counter, alpha: ChiSquareTest(counter, alpha=alpha),
    "posterior": lambda counter, _: PosteriorTest(counter),
}


STRUCTURE_SCORES: dict[str, Callable[[Counter], StructureScore]] = {
    "bjp": BlanketsJointPosterior,
    "ib": IndependenceBasedScore,
    "mpl": MarginalPseudoLikelihood,
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
    """The score of a name, on a counter; `ess` belongs to "bdeu", `also` is what else might have been said.

    Examples
    --------
    >>> import treewright as tw
    >>> score_named("bdeu", tw.count(tw.read_table({"a": [0, 1, 1]})), ess=2.0)
    BDeu(1 variables, 3 rows)
    """
    check_score_name(name, ess=ess, also=also)
    return BDeu(counter, ess=ess) if ess is not None else SCORES[name](counter)


def check_score_name(name: str, *, ess: float | None = None, also: Sequence[str] = ()) -> None:
    """Refuse what :func:`score_named` would, before any row is read."""
    if name not in SCORES:
        raise SettingError(f"score {name!r} is not known; scores are {nearest(name, [*also, *SCORES])}")
    if ess is not None and name != "bdeu":
        raise SettingError(f"ess belongs to the score bdeu; the score is {name}")


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
    return TESTS[name](counter, alpha)
