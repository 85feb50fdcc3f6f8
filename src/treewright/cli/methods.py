"""The methods and scores that `learn` knows by name: a new learner is one more line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import treewright
from treewright.cli.incomplete import complete_rows, fit_all_rows
from treewright.criteria import (
    AIC,
    BIC,
    K2,
    QNML,
    BDeu,
    GaussianBIC,
    LocalScore,
    LogLikelihood,
    SigmoidBIC,
    SparseQNML,
)
from treewright.errors import SettingError, nearest
from treewright.graphs import Dag, Knowledge
from treewright.learners import Learned, learn_aggressive, learn_chow_liu, learn_hill_climbing, learn_tabu
from treewright.learners.chow_liu import with_order
from treewright.models import fit, fit_sigmoid
from treewright.models.model import AnyModel
from treewright.statistics import Counter, count, moments
from treewright.tables.table import Table


@dataclass(frozen=True)
class Ground:
    """What is learned from: a score of the rows, and what puts parameters on a structure (with remarks)."""

    score: LocalScore
    fit: Callable[[Dag], tuple[AnyModel, list[str]]]
    counter: Counter | None = None


@dataclass(frozen=True)
class Task:
    """What a method gets to work with."""

    ground: Ground
    order: Sequence[str] | None
    rng: np.random.Generator
    knowledge: Knowledge | None = None

    def known(self) -> Knowledge | None:
        """What is known, the order included."""
        return with_order(self.knowledge, self.score.schema, self.order)

    @property
    def score(self) -> LocalScore:
        return self.ground.score

    @property
    def counter(self) -> Counter:
        if self.ground.counter is None:
            raise SettingError(
                "this method counts the states of discrete columns; cut continuous ones with --bins 4, or "
                "use --method chow-liu"
            )
        return self.ground.counter


METHODS: dict[str, Callable[[Task], Learned[Any]]] = {
    "chow-liu": lambda task: learn_chow_liu(task.score, knowledge=task.known()),
    "hill-climbing": lambda task: learn_hill_climbing(task.score, knowledge=task.known()),
    "tabu": lambda task: learn_tabu(task.score, knowledge=task.known()),
    "aggressive": lambda task: learn_aggressive(task.score, knowledge=task.known(), rng=task.rng),
}
DEFAULT_METHOD = "chow-liu"

SCORES: dict[str, Callable[[Counter], LocalScore]] = {
    "loglik": LogLikelihood,
    "aic": AIC,
    "bic": BIC,
    "bdeu": BDeu,
    "k2": K2,
    "qnml": QNML,
    "sparse-qnml": SparseQNML,
}
CONTINUOUS_SCORES = ("gaussian-bic", "sigmoid-bic")
ALL_SCORES = (*SCORES, *CONTINUOUS_SCORES)


def method_named(name: str) -> Callable[[Task], Learned[Any]]:
    if name not in METHODS:
        raise SettingError(
            f"--method {name!r} is not in treewright {treewright.__version__}; "
            f"available: {nearest(name, METHODS)}"
        )
    return METHODS[name]


def check_score(name: str, ess: float | None) -> None:
    if name not in ALL_SCORES:
        raise SettingError(f"--score {name!r} is not known; scores are {nearest(name, ALL_SCORES)}")
    if ess is not None and name != "bdeu":
        raise SettingError(f"--ess belongs to --score bdeu; the score is {name}")


def ground_of(table: Table, score: str, ess: float | None) -> Ground:
    """The rows as a score sees them."""
    if score == "gaussian-bic":
        found = moments(table)
        return Ground(GaussianBIC(found), lambda dag: (fit(dag, found), []))
    if score == "sigmoid-bic":
        return Ground(SigmoidBIC(table), lambda dag: (fit_sigmoid(dag, table), []))
    counter = count(complete_rows(table))
    criterion = BDeu(counter, ess=ess) if score == "bdeu" and ess is not None else SCORES[score](counter)
    return Ground(criterion, lambda dag: fit_all_rows(dag, table, counter), counter)
