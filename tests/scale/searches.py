"""What is learned from a counter, by every learner: a structure, its parameters and its score, to compare."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np

import treewright as tw
from treewright import learners
from treewright.criteria import BlanketsJointPosterior, IndependenceBasedScore, MarginalPseudoLikelihood
from treewright.models import BestFitting, IterativeFitting

Search = Callable[[Any], Any]


def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def told(learned: Any, counter: Any) -> dict[str, Any]:
    """Edges, parameters and score of what was learned."""
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


def by_score(learn: Callable[..., Any], score: Any = tw.BIC, **options: Any) -> Search:
    return lambda counter: learn(score(counter), **fresh(options))


def by_test(learn: Callable[..., Any], **options: Any) -> Search:
    return lambda counter: learn(tw.GTest(counter, alpha=0.05), **options)


def by_counts(learn: Callable[..., Any], **options: Any) -> Search:
    return lambda counter: learn(counter, **fresh(options))


def separation_tree(counter: Any) -> Any:
    test = tw.GTest(counter, alpha=0.01)
    return tw.learn_by_separation_tree(learners.find_separation_tree(test), test)


def features(learn: Callable[..., Any], **options: Any) -> Search:
    """A density, whose parameters are in its graph."""

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
    return {"blocks": learners.low_information_blocks(counter, delta="gtest")}


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
    "Markov blankets": by_test(learners.markov_blankets),
    "grow-shrink": by_test(learners.learn_grow_shrink_network),
}
# and those that walk rows, with what is to be the same
ROW_SEARCHES: dict[str, Search] = {
    "lem": features(tw.learn_efficient_markov),
    "cutset": features(tw.learn_cutset_network),
    "cutset bag": features(learners.learn_cutset_bag, n_networks=3),
    "hidden tree": features(tw.learn_hidden_tree, states=3, epochs=3),
    "mixture": features(tw.learn_mixture, components=3, steps=3),
    "low information blocks": low_information,
    "best fitting": held_out_fit,
}
