"""Every learner and every question, each a call without arguments: what the promises are tried on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from tempfile import TemporaryDirectory

import numpy as np
from tests.learners import every

import treewright as tw
from treewright import models

Work = Callable[[], object]


@cache
def table(n_rows: int = 6_000, n_columns: int = 14) -> tw.Table:
    drawn = tw.load_network("alarm").sample(n_rows, rng=np.random.default_rng(1))
    return drawn.select(sorted(drawn.schema.names)[:n_columns])


@cache
def lines() -> tw.Table:
    """Eight continuous columns in a chain."""
    rng = np.random.default_rng(2)
    columns: dict[str, np.ndarray] = {}
    for i in range(8):
        columns[f"x{i}"] = rng.normal(size=6_000) + (columns[f"x{i - 1}"] if i else 0.0)
    return tw.read_table(columns)


def chance() -> np.random.Generator:
    return np.random.default_rng(3)


def counter() -> tw.Counter:
    return tw.count(table())


def score() -> tw.BIC:
    return tw.BIC(counter())


def _learned(name: str) -> tw.Learned:
    return every.learned(name, table())  # made when it is asked for: no thread starts before a fork


LEARNERS: dict[str, Work] = {
    "learn": lambda: tw.learn(table()),
    **{name: partial(_learned, name) for name in every.LEARNERS},
}


@cache
def bayesian() -> tw.BayesianNetwork:
    return tw.load_network("alarm")


@cache
def markov() -> tw.MarkovNetwork:
    graph = tw.learn_chow_liu(score()).structure.moral_graph()
    return tw.fit(graph, counter())


@cache
def feature() -> tw.FeatureNetwork:
    return tw.FeatureNetwork(tw.learn_cutset_network(counter(), rng=chance()).structure)


@cache
def gaussian() -> tw.GaussianNetwork:
    moments = tw.moments(lines())
    return tw.fit(tw.learn_hill_climbing(tw.GaussianBIC(moments)).structure, moments)


MODELS = {"bayesian": bayesian, "markov": markov, "feature": feature, "gaussian": gaussian}


def rows_of(model: models.Model) -> tw.Table:
    if isinstance(model, tw.GaussianNetwork):
        return lines()
    return tw.load_network("alarm").sample(6_000, rng=np.random.default_rng(1)).select(model.schema.names)


def evidence(model: models.Model) -> dict[str, object]:
    last = model.schema.variables[-1]
    return {last.name: last.states[0] if last.states else 0.5}


KEPT = TemporaryDirectory()  # made before memory is limited: what is tried is treewright, not tempfile


def saved(model: models.Model) -> None:
    model.save(KEPT.name + "/m.twm")
    tw.load(KEPT.name + "/m.twm")


def asked_of(model: models.Model) -> dict[str, Work]:
    """The questions that a kind of model has an answer to."""
    first, second = model.schema.names[:2]
    given, rows = evidence(model), rows_of(model)
    few = rows.take(np.arange(200))
    questions: dict[str, Work] = {
        "query": lambda: model.query(first, given=given),
        "joint query": lambda: model.query([first, second], given=given),
        "marginals": lambda: model.marginals(given=given),
        "sample": lambda: model.sample(5_000, rng=chance()),
        "sample given": lambda: model.sample(500, given=given, rng=chance()),
        "score": lambda: model.score(rows),
        "log_probability": lambda: model.log_probability(rows),
        "predict": lambda: model.predict(few, first),
        "save": lambda: saved(model),
    }
    if not isinstance(model, tw.GaussianNetwork):
        questions |= {
            "marginals_many": lambda: model.marginals_many(few.select([model.schema.names[-1]])),
            "probability_of": lambda: model.probability_of(given),
            "mpe": lambda: model.mpe(given=given),
            "cost": model.cost,
        }
    if isinstance(model, tw.BayesianNetwork):
        questions |= {
            "marginal_map": lambda: model.marginal_map([first, second], given=given),
            "fit": lambda: tw.fit(model.dag, tw.count(rows)),
            "to_svg": lambda: tw.to_svg(model.dag),
            "compare": lambda: tw.compare(model.dag, model.dag),
        }
    return questions


def questions() -> dict[str, Work]:
    return {
        f"{kind}: {asked}": work for kind, made in MODELS.items() for asked, work in asked_of(made()).items()
    }
