"""Every learner and every question, each a call without arguments: what the promises are tried on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from tempfile import TemporaryDirectory

import numpy as np

import treewright as tw
from treewright import learners, models
from treewright.statistics import Experiments, mixed_moments

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


def test() -> tw.GTest:
    return tw.GTest(counter(), alpha=0.05)


def tree():
    names = table().schema.names
    sets = [names[i : i + 6] for i in range(0, 8, 2)]
    return tw.separation_tree_from_hypergraph(table().schema, [*sets, names[-6:]])


def halves() -> tuple[tw.Counter, tw.Counter]:
    few = table(2_000).select(table().schema.names[:6])
    return tw.count(few.take(np.arange(1_000))), tw.count(few.take(np.arange(1_000, 2_000)))


def parts() -> list[tw.Table]:
    names = table().schema.names
    return [table().select(names[:7]), table().select(names[5:])]


@cache
def made() -> Experiments:
    """Rows in which the first variable was set by turns."""
    names, columns = table().schema.names, table(2_000).to_dict()
    kinds = ["none", names[0]] * 1_000
    return Experiments(tw.read_table({**columns, "set": kinds}), "set")


@cache
def beside() -> tw.Table:
    """Labels beside numbers."""
    some = table(2_000).select(table().schema.names[:4])
    return tw.read_table({**some.to_dict(), **lines().take(np.arange(2_000)).to_dict()})


LEARNERS: dict[str, Work] = {
    "learn": lambda: tw.learn(table()),
    "learn_aggressive": lambda: tw.learn_aggressive(score(), rng=chance(), perturbations=2),
    "learn_blankets": lambda: tw.learn_blankets(tw.BlanketsJointPosterior(counter()), treewidth=6),
    "learn_blocks": lambda: tw.learn_blocks(counter()),
    "learn_bounded_treewidth": lambda: tw.learn_bounded_treewidth(score(), treewidth=3),
    "learn_by_separation_tree": lambda: tw.learn_by_separation_tree(tree(), test()),
    "learn_chow_liu": lambda: tw.learn_chow_liu(score()),
    "learn_class_blanket": lambda: learners.learn_class_blanket(table(2_000), 0),
    "learn_cutset_bag": lambda: learners.learn_cutset_bag(counter(), n_networks=3, rng=chance()),
    "learn_cutset_network": lambda: tw.learn_cutset_network(counter(), rng=chance()),
    "learn_dag_climbing": lambda: learners.learn_dag_climbing(score()),
    "learn_efficient_markov": lambda: tw.learn_efficient_markov(
        counter(), rng=chance(), delta=0.1, min_rows=50, smoothing=1.0
    ),
    "learn_exact": lambda: learners.learn_exact(tw.BIC(tw.count(table().select(table().schema.names[:13])))),
    "learn_feature_induction": lambda: tw.learn_feature_induction(*halves(), most_features=3),
    "learn_from_databases": lambda: tw.learn_from_databases(parts()),
    "learn_from_experiments": lambda: learners.learn_from_experiments(made()),
    "learn_graphical_lasso": lambda: learners.learn_graphical_lasso(counter()),
    "learn_grow_shrink_network": lambda: learners.learn_grow_shrink_network(test()),
    "learn_hidden_tree": lambda: tw.learn_hidden_tree(counter(), states=4, epochs=3, rng=chance()),
    "learn_hill_climbing": lambda: tw.learn_hill_climbing(score()),
    "learn_hybrid": lambda: tw.learn_hybrid(score()),
    "learn_in_hypergraph": lambda: learners.learn_in_hypergraph(score(), tree().clusters),
    "learn_k_dependence": lambda: learners.learn_k_dependence(counter(), 0),
    "learn_knots": lambda: tw.learn_knots(counter()),
    "learn_l1_neighbourhoods": lambda: tw.learn_l1_neighbourhoods(counter(), n_penalties=4),
    "learn_mixed": lambda: learners.learn_mixed(tw.MixedBIC(mixed_moments(beside()))),
    "learn_mixture": lambda: tw.learn_mixture(counter(), components=3, steps=3, rng=chance()),
    "learn_naive_bayes": lambda: learners.learn_naive_bayes(counter(), 0),
    "learn_pac_junction_tree": lambda: learners.learn_pac_junction_tree(halves()[0], treewidth=2),
    "learn_paper_knots": lambda: learners.learn_paper_knots(counter(), rng=chance()),
    "learn_pc": lambda: tw.learn_pc(test()),
    "learn_tabu": lambda: learners.learn_tabu(score()),
    "learn_thin_junction_tree": lambda: tw.learn_thin_junction_tree(score(), treewidth=3),
    "learn_tpda": lambda: tw.learn_tpda(test()),
    "learn_tree_augmented": lambda: learners.learn_tree_augmented(counter(), 0),
    "learn_treewidth_chains": lambda: tw.learn_treewidth_chains(score(), treewidth=3),
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
