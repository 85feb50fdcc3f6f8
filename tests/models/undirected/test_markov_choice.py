"""Choosing how to fit factors: the better by held-out rows, any width, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference.counting.counting import random_counter

import treewright as tw
from treewright.graphs import UndirectedGraph
from treewright.models.undirected.markov_choice import clique_features


def ring_rows(n, rows, seed, fill=False):
    rng = np.random.default_rng(seed)
    schema = tw.Schema([tw.Variable(f"v{i}", (0, 1)) for i in range(n)])
    ring = UndirectedGraph(schema, [(i, (i + 1) % n) for i in range(n)])
    scopes = [(0, 1, 2), *((i, (i + 1) % n) for i in range(2, n))] if fill else ring.index_edges()
    factors = [(scope, rng.uniform(size=(2,) * len(scope))) for scope in scopes]
    return ring, tw.MarkovNetwork(schema, factors).sample(rows, rng=rng)


def test_the_better_by_held_out_rows():
    for seed in range(4):
        ring, rows = ring_rows(6, 1_500, seed, fill=seed % 2 == 1)
        valid, learning = (
            rows.take(np.arange(500, dtype=np.uint32)),
            rows.take(np.arange(500, 1_500, dtype=np.uint32)),
        )
        counter = tw.count(learning)
        best = tw.fit(ring, counter, estimator=tw.models.BestFitting(valid=valid))
        both = [
            tw.fit(ring, counter, estimator=e)
            for e in (tw.models.IterativeFitting(1e-8), tw.models.DecomposableCover())
        ]
        assert best.score(valid) == pytest.approx(max(m.score(valid) for m in both), abs=1e-9)
        assert best.fitting.note.startswith("held-out log-likelihood")


def test_the_winner_is_fitted_to_all_rows():
    ring, rows = ring_rows(5, 800, 1)
    best = tw.fit(ring, tw.count(rows), estimator=tw.models.BestFitting())
    how = {"decomposable cover": tw.models.DecomposableCover()}.get(
        best.fitting.method, tw.models.IterativeFitting(1e-8)
    )
    again = tw.fit(ring, tw.count(rows), estimator=how)
    assert best.score(rows) == pytest.approx(again.score(rows), abs=1e-12)


def test_a_chordal_graph_has_its_closed_form():
    slow = random_counter(0, (2, 3, 2), 50)
    chain = UndirectedGraph(slow.schema, [(0, 1), (1, 2)])
    assert tw.fit(chain, slow, estimator=tw.models.BestFitting()).fitting.method == "closed form"


def test_wide_graphs_are_fitted_by_pseudo_likelihood_and_asked_by_gibbs():
    ring, rows = ring_rows(6, 4_000, 2)
    model = tw.fit(ring, tw.count(rows), estimator=tw.models.BestFitting(max_width=1))
    assert model.fitting.method == "pseudo-likelihood"
    assert model.fitting.converged
    assert (
        "treewidth 2 is above max_width=1: fitted by pseudo-likelihood; ask with sample_gibbs"
        in model.fitting.note
    )
    exact = tw.fit(ring, tw.count(rows))
    sample = tw.models.sample_gibbs(model, 2_000, rng=np.random.default_rng(0))
    for name in ring.schema.names:
        assert sample.marginals()[name][1] == pytest.approx(exact.query(name)[1], abs=0.06)
    assert model.score(rows) == pytest.approx(exact.score(rows), abs=0.01)


def test_pseudo_likelihood_by_name_and_note_survive_saving(tmp_path):
    ring, rows = ring_rows(5, 500, 3)
    model = tw.fit(ring, tw.count(rows), estimator=tw.models.PseudoLikelihoodFitting())
    assert model.structure == ring
    best = tw.fit(ring, tw.count(rows), estimator=tw.models.BestFitting())
    best.save(tmp_path / "m.twm")
    assert tw.load(tmp_path / "m.twm").fitting == best.fitting


def test_features_of_cliques_are_complete():
    schema = tw.Schema([tw.Variable(name, tuple(range(r))) for name, r in (("a", 2), ("b", 3), ("c", 2))])
    features = clique_features(UndirectedGraph(schema, [("a", "b"), ("b", "c")]))
    assert len(features) == 1 + 2 + 1 + 2 + 2  # free parameters of the log-linear model
    assert len(set(features)) == len(features)


def test_refusals():
    slow = random_counter(0, (2, 2, 2, 2), 50)
    ring = UndirectedGraph(slow.schema, [(0, 1), (1, 2), (2, 3), (0, 3)])
    with pytest.raises(tw.errors.SettingError, match="rows can be held out where there are rows only"):
        tw.fit(ring, slow, estimator=tw.models.BestFitting())
    with pytest.raises(tw.errors.SettingError, match="share lies between 0 and 1, both excluded; found 1"):
        tw.models.BestFitting(share=1)


def test_few_rows_need_no_contest():
    ring, rows = ring_rows(4, 3, 0)
    assert tw.fit(ring, tw.count(rows), estimator=tw.models.BestFitting()).fitting.note == ""
