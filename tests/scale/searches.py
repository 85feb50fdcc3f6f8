"""What is learned from a counter, by every learner: a structure, its parameters and its score, to compare."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from tests.scale.sources import FIRST

import treewright as tw
from treewright import learners
from treewright.criteria import BlanketsJointPosterior, IndependenceBasedScore, MarginalPseudoLikelihood
from treewright.models import BestFitting, IterativeFitting, fit_sigmoid
from treewright.statistics import Experiments, mixed_moments

Search = Callable[[Any], Any]
TRIED: set[str] = set()  # the learners among those below


def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def told(learned: Any, counter: Any) -> dict[str, Any]:
    """Edges, parameters and score of what was learned."""
    if isinstance(learned, dict):
        return learned
    if not hasattr(learned, "structure"):
        return {"told": json.dumps(learned.to_dict(), sort_keys=True)}
    graph = learned.dag if hasattr(learned, "dag") else learned.structure
    how = {} if isinstance(graph, tw.Dag) else {"estimator": IterativeFitting(sweeps=20)}
    model = tw.fit(graph, counter, **how)
    tables = model.tables if isinstance(graph, tw.Dag) else [factor.table for factor in model.factors]
    return {
        "edges": sorted(map(list, graph.edges())),
        "score": hexed(learned.score),
        "tables": digest(tables),
    }


def hexed(score: float | None) -> str | None:
    return None if score is None else float(score).hex()


def digest(arrays: Any) -> str:
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def fresh(options: dict[str, Any]) -> dict[str, Any]:
    """Options with a generator that nobody has drawn from."""
    return {name: value() if value is rng else value for name, value in options.items()}


def tries(learn: Callable[..., Any]) -> Callable[[Search], Search]:
    """Mark a search as one by this learner."""
    TRIED.add(learn.__name__)
    return lambda search: search


def by_score(learn: Callable[..., Any], score: Any = tw.BIC, **options: Any) -> Search:
    TRIED.add(learn.__name__)
    return lambda counter: learn(score(counter), **fresh(options))


def by_test(learn: Callable[..., Any], **options: Any) -> Search:
    TRIED.add(learn.__name__)
    return lambda counter: learn(tw.GTest(counter, alpha=0.05), **options)


def by_counts(learn: Callable[..., Any], **options: Any) -> Search:
    TRIED.add(learn.__name__)
    return lambda counter: learn(counter, **fresh(options))


def by_rows(learn: Callable[..., Any], given: Callable[[tw.Table], Any], **options: Any) -> Search:
    """What learns from a table, or from what is made of one."""
    TRIED.add(learn.__name__)

    def search(table: tw.Table) -> dict[str, Any]:
        learned = learn(given(table), **fresh(options))
        return {"edges": sorted(map(list, learned.dag.edges())), "score": hexed(learned.score)}

    return search


def by_default(**options: Any) -> Search:
    TRIED.add("learn")

    def search(table: tw.Table) -> dict[str, Any]:
        found = tw.learn(table, **options)
        return {**judged(found.model, table), "score": hexed(found.score), "notes": found.notes}

    return search


def judged(model: Any, table: tw.Table) -> dict[str, Any]:
    """A model with its parameters, by what it says of the rows."""
    judge = model.log_evidence if table.has_missing else model.log_probability
    return {"edges": sorted(map(list, model.dag.edges())), "rows": digest([judge(table)])}


@tries(tw.learn_hybrid)
def hybrid(counter: Any) -> Any:
    return tw.learn_hybrid(tw.BIC(counter), tw.GTest(counter))


@tries(learners.learn_in_hypergraph)
def in_hypergraph(counter: Any) -> Any:
    names = counter.schema.names
    windows = [names[i : i + 4] for i in range(0, len(names) - 2, 2)]
    return learners.learn_in_hypergraph(tw.BIC(counter), windows)


@tries(learners.learn_feature_induction)
def induction(counter: Any) -> dict[str, Any]:
    learned = learners.learn_feature_induction(counter, counter, most_features=1)
    weights = [weight.hex() for weight in map(float, learned.weights)]
    return {"edges": learned.structure.edges(), "features": repr(learned.features), "weights": weights}


def one_blanket(counter: Any) -> dict[str, Any]:
    return {"blanket": learners.interleaved(tw.GTest(counter, alpha=0.05), FIRST)}


@tries(tw.learn_by_separation_tree)
def separation_tree(counter: Any) -> Any:
    test = tw.GTest(counter, alpha=0.01)
    return tw.learn_by_separation_tree(learners.find_separation_tree(test), test)


def features(learn: Callable[..., Any], **options: Any) -> Search:
    """A density, whose parameters are in its graph."""
    TRIED.add(learn.__name__)

    def search(counter: Any) -> dict[str, Any]:
        graph = learn(counter, rng=rng(), **options).structure
        rows = tw.statistics.distinct_rows(counter)
        table = tw.Table(rows.schema, list(rows.codes))
        return {"graph": repr(graph), "density": digest([tw.FeatureNetwork(graph).log_probability(table)])}

    return search


def held_out_fit(counter: Any) -> dict[str, Any]:
    n = len(counter.schema)  # a ring, which no single table fits
    graph = tw.UndirectedGraph(counter.schema, [(v, (v + 1) % n) for v in range(n)])
    model = tw.fit(graph, counter, estimator=BestFitting())
    return {"tables": digest([factor.table for factor in model.factors])}


def low_information(counter: Any) -> dict[str, Any]:
    return {"blocks": learners.find_low_information_blocks(counter, delta="gtest")}


def feature_fit(counter: Any) -> dict[str, Any]:
    """Parameters for the graph of a cutset network, from rows."""
    graph = tw.learn_cutset_network(counter, rng=rng()).structure
    rows = tw.statistics.distinct_rows(counter)
    table = tw.Table(rows.schema, list(rows.codes))
    return {"density": digest([tw.fit(graph, counter).log_probability(table)])}


def two_tables(table: tw.Table) -> list[tw.Table]:
    names = table.schema.names
    return [table.select(names[:6]), table.select(names[3:])]


def settings(table: tw.Table) -> Experiments:
    return Experiments(table, "set")


def mixed_score(table: tw.Table) -> Any:
    return tw.MixedBIC(mixed_moments(table))


def numbers(table: tw.Table) -> tw.Table:
    return table.select([variable.name for variable in table.schema if not variable.is_discrete])


def sigmoids(table: tw.Table) -> dict[str, Any]:
    score = tw.SigmoidBIC(numbers(table))
    families = [(v, tuple(range(v))) for v in range(len(score.schema))]
    return {"scores": [hexed(one) for one in score.local_many(families)]}


def sigmoid_fit(table: tw.Table) -> dict[str, Any]:
    rows = numbers(table)
    names = rows.schema.names
    return judged(fit_sigmoid(tw.Dag(rows.schema, [(names[0], one) for one in names[1:]]), rows), rows)


def confidence(table: tw.Table) -> dict[str, Any]:
    found = tw.edge_confidence(table, tree_of, repetitions=4, rng=rng())
    return {"found": found.counts.tolist()}


def tree_of(table: tw.Table) -> Any:
    return tw.learn_chow_liu(tw.BIC(tw.count(table)))


def expected_fit(table: tw.Table) -> dict[str, Any]:
    """Parameters of a chain from rows with gaps."""
    names = table.schema.names
    chain = tw.Dag(table.schema, pairwise(names))
    return judged(tw.fit_em(chain, table, starts=1, rng=rng()).model, table)


def expected_features(table: tw.Table) -> dict[str, Any]:
    """Those of a graph of features."""
    complete = ~np.logical_or.reduce(list(table.missing.values()))
    graph = tw.learn_cutset_network(tw.count(table.take(complete)), rng=rng()).structure
    return {"rows": digest([tw.fit_em(graph, table, iterations=5).model.log_evidence(table)])}


# every learner that judges from tables
SEARCHES: dict[str, Search] = {
    "chow-liu": by_score(tw.learn_chow_liu),
    "graphical lasso": by_counts(learners.learn_graphical_lasso),
    "clusters": by_counts(learners.find_clusters),
    "hill climbing": by_score(tw.learn_hill_climbing, tw.SparseQNML),
    "dag climbing": by_score(learners.learn_dag_climbing),
    "tabu": by_score(learners.learn_tabu),
    "thin junction tree": by_score(tw.learn_thin_junction_tree, treewidth=3),
    "bounded": by_score(tw.learn_bounded_treewidth, treewidth=3, rng=rng),
    "chains": by_score(tw.learn_treewidth_chains, treewidth=3),
    "pc": by_test(tw.learn_pc),
    "separation tree": separation_tree,
    "independence graph": by_test(learners.estimate_independence_graph),
    "knots": by_counts(tw.learn_knots),
    "paper knots": by_counts(learners.learn_paper_knots, rng=rng),
    "blocks": by_counts(tw.learn_blocks, rng=rng),
    "mpl": by_score(tw.learn_blankets, MarginalPseudoLikelihood),
    "bjp": by_score(tw.learn_blankets, BlanketsJointPosterior),
    "independence-based score": by_score(tw.learn_blankets, IndependenceBasedScore),
    "tpda": by_test(tw.learn_tpda),
    "pac junction tree": by_counts(learners.learn_pac_junction_tree, treewidth=1),
    "sampled steps": by_score(learners.sample_edges, MarginalPseudoLikelihood, steps=200, rng=rng),
    "Markov blankets": by_test(learners.find_blankets),
    "grow-shrink": by_test(learners.learn_grow_shrink_network),
    "one blanket": one_blanket,
    "aggressive": by_score(tw.learn_aggressive, rng=rng, perturbations=2),
    "exact": by_score(learners.learn_exact, tw.BDeu),
    "hybrid": hybrid,
    "hypergraph": in_hypergraph,
    "naive Bayes": by_counts(learners.learn_naive_bayes, target=FIRST),
    "tree-augmented": by_counts(learners.learn_tree_augmented, target=FIRST),
    "k-dependence": by_counts(learners.learn_k_dependence, target=FIRST),
    "L1": by_counts(learners.learn_l1_neighbourhoods, n_penalties=4),
    "feature induction": induction,
}
# those of them that judge from the joint table of all variables, and take rows for it where there are any
OF_ALL_VARIABLES = {"L1", "feature induction"}
# and those that walk rows, with what is to be the same
ROW_SEARCHES: dict[str, Search] = {
    "lem": features(tw.learn_efficient_markov),
    "cutset": features(tw.learn_cutset_network),
    "cutset bag": features(learners.learn_cutset_bag, n_networks=3),
    "hidden tree": features(tw.learn_hidden_tree, states=3, epochs=3),
    "mixture": features(tw.learn_mixture, components=3, steps=3),
    "low information blocks": low_information,
    "best fitting": held_out_fit,
    "feature fit": feature_fit,
}
# and those of whole tables: the kind of rows (sources.KINDS) and what is to be the same
TABLE_SEARCHES: dict[str, tuple[str, Search]] = {
    "default": ("labels", by_default()),
    "default, some rows first": ("labels", by_default(rows=300, certify=True)),
    "default, settings": ("settings", by_default(set_by="set")),
    "default, numbers": ("numbers", by_default()),
    "structural EM": ("gaps", by_default(missing="em")),
    "available cells": ("gaps", by_default(missing="available")),
    "class blanket": ("labels", by_rows(learners.learn_class_blanket, lambda table: table, target=FIRST)),
    "several tables": ("labels", by_rows(tw.learn_from_databases, two_tables)),
    "experiments": ("settings", by_rows(learners.learn_from_experiments, settings)),
    "mixed": ("numbers", by_rows(tw.learn_mixed, mixed_score)),
    "bounded mixed": ("numbers", by_rows(learners.learn_bounded_mixed, mixed_score, treewidth=2)),
    "sigmoids": ("numbers", sigmoids),
    "sigmoid fit": ("numbers", sigmoid_fit),
    "confidence": ("labels", confidence),
    "EM": ("gaps", expected_fit),
    "EM of features": ("gaps", expected_features),
}
