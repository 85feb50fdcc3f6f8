"""The methods and scores that `learn` knows by name: a new learner is one more line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import treewright
from treewright.criteria import AIC, BIC, K2, QNML, BDeu, LocalScore, LogLikelihood, SparseQNML
from treewright.errors import SettingError, nearest
from treewright.learners import Learned, learn_chow_liu, learn_hill_climbing
from treewright.statistics import Counter


@dataclass(frozen=True)
class Task:
    """What a method gets to work with."""

    counter: Counter
    score: LocalScore
    order: Sequence[str] | None
    rng: np.random.Generator


METHODS: dict[str, Callable[[Task], Learned[Any]]] = {
    "chow-liu": lambda task: learn_chow_liu(task.score, order=task.order),
    "hill-climbing": lambda task: learn_hill_climbing(_unordered(task).score),
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


def _unordered(task: Task) -> Task:
    if task.order is not None:
        raise SettingError("--order belongs to --method chow-liu; a search over classes has no order to obey")
    return task


def method_named(name: str) -> Callable[[Task], Learned[Any]]:
    if name not in METHODS:
        raise SettingError(
            f"--method {name!r} is not in treewright {treewright.__version__}; "
            f"available: {nearest(name, METHODS)}"
        )
    return METHODS[name]


def check_score(name: str, ess: float | None) -> None:
    if name not in SCORES:
        raise SettingError(f"--score {name!r} is not known; scores are {nearest(name, SCORES)}")
    if ess is not None and name != "bdeu":
        raise SettingError(f"--ess belongs to --score bdeu; the score is {name}")


def score_named(name: str, counter: Counter, ess: float | None) -> LocalScore:
    if name == "bdeu" and ess is not None:
        return BDeu(counter, ess=ess)
    return SCORES[name](counter)
