"""Every learner and every question, each a call without arguments: what the promises are tried on."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial
from itertools import combinations
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.learners import every

import treewright as tw
from treewright import learners, models
from treewright.statistics import mixed_moments

Work = Callable[[], object]
KEPT = TemporaryDirectory()  # made before memory is limited: what is tried is treewright, not tempfile


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
def small(n_rows: int = 1_000) -> tw.Table:
    """Six labels of which nothing is missing."""
    return table().select(table().schema.names[:6]).take(np.arange(n_rows))


@cache
def with_gaps() -> tw.Table:
    names = small().schema.names[:2]
    missing = {name: np.arange(small().n_rows) % 7 == i for i, name in enumerate(names)}
    return tw.Table(small().schema, small().columns, missing=missing)


@cache
def few_lines() -> tw.Table:
    return lines().select([f"x{i}" for i in range(5)]).take(np.arange(1_000))


@cache
def lines_with_gaps() -> tw.Table:
    missing = {f"x{i}": np.arange(1_000) % 7 == i for i in range(2)}
    return tw.Table(few_lines().schema, few_lines().columns, missing=missing)


@cache
def folder() -> str:
    """Rows in three files."""
    place = KEPT.name + "/rows"
    os.makedirs(place)
    for i in range(3):
        rows = small().take(np.arange(i, 300, 3)).to_dict()
        lines = [",".join(rows), *(",".join(map(str, cells)) for cells in zip(*rows.values(), strict=True))]
        with open(f"{place}/{i}.csv", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return place


@cache
def set_by_turns() -> tw.Table:
    """Rows in which the first label was set where a column says so."""
    first = small().schema.names[0]
    return tw.read_table({**small().to_dict(), "set": [first, "none"] * (small().n_rows // 2)})


def by_density(table: tw.Table) -> tw.Learned:
    return tw.learn_chow_liu(tw.BIC(tw.count(table)))


def blankets_score(table: tw.Table) -> tw.MarginalPseudoLikelihood:
    return tw.MarginalPseudoLikelihood(tw.count(table))


def widths() -> object:
    return learners.choose_width(learners.trace_widths(tw.BIC(tw.count(small())), 2))


def normal_score() -> tw.GaussianBIC:
    return tw.GaussianBIC(tw.moments(few_lines()))


def fisher() -> tw.FisherZTest:
    return tw.FisherZTest(tw.moments(few_lines()))


@cache
def small_tree() -> tw.Dag:
    return by_density(small()).structure


def grown() -> object:
    """An estimator that is given further rows."""
    halves = [small().take(np.arange(i, 1_000, 2)) for i in range(2)]
    model = tw.ChowLiuTree().fit(halves[0])
    return model.partial_fit(halves[1])


def estimated(kind: str) -> object:
    takes_y = kind == "BayesianClassifier"
    some = {"treewidth": 2} if kind == "BoundedTreewidth" else {}
    made = getattr(tw, kind)(**some)
    return made.fit(small(), small().column(0)) if takes_y else made.fit(small())


def every_pair() -> list[tw.Feature]:
    return [
        tw.Feature({u.name: u.states[0], v.name: v.states[0]}) for u, v in combinations(small().schema, 2)
    ]


ESTIMATORS = tuple(sorted(name for name in tw.__all__ if hasattr(getattr(tw, name), "get_params")))
OTHERS: dict[str, Work] = {
    "class_search": lambda: learners.class_search(tw.BIC(tw.count(small()))),
    "choose_score": lambda: learners.choose_score(tw.count(small())),
    "choose_width": widths,
    "edge_confidence": lambda: tw.edge_confidence(small(), by_density, repetitions=4, rng=chance()),
    "sample_edges": lambda: learners.sample_edges(blankets_score(small()), steps=500, rng=chance()),
    "find_separation_tree": lambda: learners.find_separation_tree(tw.GTest(tw.count(small()))),
    "find_blankets": lambda: learners.find_blankets(tw.GTest(tw.count(small()))),
    "fit_em": lambda: tw.fit_em(small_tree(), with_gaps(), iterations=3),
    "fit_weights": lambda: models.fit_weights(small().schema, every_pair(), tw.count(small())),
    "partial_fit": grown,
    "refit": lambda: feature().refit(counter()),
    "learn with gaps": lambda: tw.learn(with_gaps(), rng=chance()),
    "learn numbers with gaps": lambda: tw.learn(lines_with_gaps(), rng=chance()),
    "learn mixed and narrow": lambda: tw.learn(every.with_numbers(small()), treewidth=2, rng=chance()),
    "learn a folder": lambda: tw.learn(folder(), rng=chance()),
    "learn mixed": lambda: tw.learn(every.with_numbers(small()), rng=chance()),
    "learn experiments": lambda: tw.learn(set_by_turns(), set_by="set", rng=chance()),
    "learn_hill_climbing of numbers": lambda: tw.learn_hill_climbing(normal_score()),
    "learn_tabu of numbers": lambda: learners.learn_tabu(normal_score()),
    "learn_exact of numbers": lambda: learners.learn_exact(normal_score()),
    "learn_bounded_treewidth of numbers": lambda: tw.learn_bounded_treewidth(normal_score(), treewidth=2),
    "learn_chow_liu of numbers": lambda: tw.learn_chow_liu(normal_score()),
    "learn_pc of numbers": lambda: tw.learn_pc(fisher()),
    "learn_tpda of numbers": lambda: tw.learn_tpda(fisher()),
    **{f"{kind}.fit": partial(estimated, kind) for kind in ESTIMATORS},
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


@cache
def mixed() -> models.ConditionalGaussianNetwork:
    moments = mixed_moments(every.with_numbers(small()))
    return tw.fit(learners.learn_mixed(tw.MixedBIC(moments)).structure, moments)


@cache
def sigmoid() -> models.SigmoidNetwork:
    arcs = [(f"x{i}", f"x{i + 1}") for i in range(4)]
    return models.fit_sigmoid(tw.Dag(few_lines().schema, arcs), few_lines())


MODELS = {
    "bayesian": bayesian,
    "markov": markov,
    "feature": feature,
    "gaussian": gaussian,
    "mixed": mixed,
    "sigmoid": sigmoid,
}


def rows_of(model: models.Model) -> tw.Table:
    if isinstance(model, models.ConditionalGaussianNetwork):
        return every.with_numbers(small())
    if isinstance(model, models.SigmoidNetwork):
        return few_lines()
    if isinstance(model, tw.GaussianNetwork):
        return lines()
    return tw.load_network("alarm").sample(6_000, rng=np.random.default_rng(1)).select(model.schema.names)


def evidence(model: models.Model) -> dict[str, object]:
    last = model.schema.variables[-1]
    return {last.name: last.states[0] if last.states else 0.5}


def saved(model: models.Model) -> None:
    model.save(KEPT.name + "/m.twm")
    tw.load(KEPT.name + "/m.twm")


def asked_of(model: models.Model) -> dict[str, Work]:
    """The questions that a kind of model has an answer to."""
    first, second = model.schema.names[:2]
    given, rows = evidence(model), rows_of(model)
    if isinstance(model, models.SigmoidNetwork):
        return {
            "sample": lambda: model.sample(5_000, rng=chance()),
            "query": lambda: model.query(second, given={first: 0.5}),
            "query_by_sampling": lambda: model.query_by_sampling(first, given, n=2_000, rng=chance()),
            "score": lambda: model.score(rows),
            "save": lambda: saved(model),
        }
    few = rows.take(np.arange(200))
    questions: dict[str, Work] = {
        "query": lambda: model.query(first, given=given),
        "joint query": lambda: model.query([first, second], given=given),
        "marginals": lambda: model.marginals(given=given),
        "sample": lambda: model.sample(5_000, rng=chance()),
        "sample given": lambda: model.sample(500, given=given, rng=chance()),
        "score": lambda: model.score(rows),
        "log_probability": lambda: model.log_probability(rows),
        "log_evidence": lambda: model.log_evidence(few),
        "predict": lambda: model.predict(few, first),
        "save": lambda: saved(model),
    }
    if isinstance(model, tw.GaussianNetwork | models.ConditionalGaussianNetwork):
        questions["log_density_of"] = lambda: model.log_density_of(given)
    else:
        questions |= asked_of_states(model, few, given)
    if isinstance(model, tw.GaussianNetwork):
        questions["mpe"] = lambda: model.mpe(given=given)
        questions["covariance"] = model.covariance
        questions["sensitivity"] = lambda: list(model.sensitivity(first, given))
    if isinstance(model, tw.BayesianNetwork | tw.GaussianNetwork):
        questions |= asked_about_acting(model)
    return questions


def asked_of_states(model: Any, few: tw.Table, given: Any) -> dict[str, Work]:
    first, second = model.schema.names[:2]
    questions: dict[str, Work] = {
        "marginals_many": lambda: model.marginals_many(few.select([model.schema.names[-1]])),
        "predict_table": lambda: model.predict_table(few, first),
        "probability_of": lambda: model.probability_of(given),
        "joint": lambda: model.joint([first, second]),
        "mpe": lambda: model.mpe(given=given),
        "cost": model.cost,
    }
    if isinstance(model, tw.MarkovNetwork):
        questions["sample_gibbs"] = lambda: models.sample_gibbs(model, 200, rng=chance())
        questions["propagate_loopy_beliefs"] = lambda: models.propagate_loopy_beliefs(model)
        questions["sensitivity"] = lambda: list(model.sensitivity(first, few.schema[first].states[0], given))
    if isinstance(model, tw.FeatureNetwork):
        questions["mpe_bound"] = lambda: model.mpe_bound(given)
        questions["entropy"] = model.entropy
    if isinstance(model, tw.BayesianNetwork):
        questions |= {
            "marginal_map": lambda: model.marginal_map([first, second], given=given),
            "sensitivity": lambda: model.sensitivity(first, model.schema[first].states[0], given),
            "fit": lambda: tw.fit(model.dag, tw.count(rows_of(model))),
            "to_svg": lambda: tw.to_svg(model.dag),
            "compare": lambda: tw.compare(model.dag, model.dag),
        }
    return questions


def asked_about_acting(model: Any) -> dict[str, Work]:
    cause, outcome = min(model.dag.edges())
    variable = model.schema[cause]
    return {
        "do": lambda: model.do({cause: variable.states[0] if variable.states else 0.5}),
        "effect": lambda: model.effect(cause, outcome),
        "effects": lambda: model.effects(cause, outcome),
    }


def questions() -> dict[str, Work]:
    return {
        f"{kind}: {asked}": work for kind, made in MODELS.items() for asked, work in asked_of(made()).items()
    }
