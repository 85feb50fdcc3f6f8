"""Stacking: weights that EM finds, and the promise never to be worse than the best member."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from treewright.learners.efficient_markov.mixture import score_of, select, singles, stack, weigh


def random_logs(seed, models=4, rows=40):
    rng = np.random.default_rng(seed)
    return rng.normal(-3, 1.5, (models, rows)), rng.integers(1, 5, rows).astype(float)


def test_weights_are_those_of_a_general_optimiser():
    logs, weights = random_logs(0)

    def loss(free):
        shares = np.exp(free - np.logaddexp.reduce(free))
        return -score_of(logs, weights, shares)

    expected = -minimize(loss, np.zeros(4), tol=1e-12).fun
    assert abs(score_of(logs, weights, weigh(logs, weights, 0.0)) - expected) < 1e-6


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([0.0, 0.5]))
def test_a_stack_is_never_worse_than_its_best_member(seed, models, prior):
    logs, weights = random_logs(seed, models)
    found = stack(logs, weights, prior=prior)
    assert found.score >= singles(logs, weights).max()
    assert abs(sum(found.weights) - 1) < 1e-9


def test_a_model_that_rules_rows_out_can_help_but_not_stand_alone():
    logs, weights = random_logs(1, 2)
    logs[1, :20] = -np.inf
    logs[1, 20:] = 0.0
    found = stack(logs, weights)
    assert np.isfinite(found.score)
    assert set(found.members) == {0, 1}


def test_light_models_are_dropped():
    logs, weights = random_logs(2, 3)
    logs[2] -= 50
    assert 2 not in stack(logs, weights, prior=0.0).members


def test_greedy_selection_grows_while_it_helps():
    logs, weights = random_logs(3, 6)
    scores = [select(logs, weights, size).score for size in range(1, 7)]
    assert scores[0] == singles(logs, weights).max()
    assert all(np.diff(scores) >= 0)
    assert len(select(logs, weights, 2).members) <= 2
