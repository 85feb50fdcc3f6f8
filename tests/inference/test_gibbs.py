"""Gibbs chains: the native kernel against its twin, starts, and threads."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.undirected.random_markov import random_markov_network
from tests.reference.models.markov import gibbs_chain

import treewright as tw
from treewright import _core
from treewright.inference import Evidence, Factor
from treewright.inference.gibbs import GibbsSampler

PAIR = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1))])


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_the_kernel_is_its_twin(seed):
    model, rng = random_markov_network(seed)
    observed = [int(v) for v in range(len(model.schema)) if rng.random() < 0.2]
    row = model.sample(1, rng=rng)
    start = [int(column[0]) for column in row.columns]
    sampler = GibbsSampler(model.schema, model.factors, Evidence(observed, [start[v] for v in observed]))
    columns, _ = sampler.run([start, start], n=6, burn_in=2, thinning=2, seed=seed)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    for chain in (0, 1):
        slow = gibbs_chain(
            model.schema.cardinalities, model.factors, sampler.order, start, 2 + 12, seed, chain
        )
        assert rows[6 * chain : 6 * chain + 6] == slow[3::2]


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_starts_are_possible_and_keep_the_evidence(seed):
    model, rng = random_markov_network(seed)
    row = [int(column[0]) for column in model.sample(1, rng=rng).columns]
    observed = [v for v in range(len(row)) if rng.random() < 0.3]
    sampler = GibbsSampler(model.schema, model.factors, Evidence(observed, [row[v] for v in observed]))
    start = sampler.find_start(seed=seed, chain=0)
    if start is not None:
        assert sampler.violated(start) is None
        assert all(start[v] == row[v] for v in observed)
    assert sampler.violated(row) is None


def test_a_needle_is_found_by_repair():
    n = 40  # all equal or nothing: two of 2^40 joint states
    schema = tw.Schema([tw.Variable(f"v{i:02}", (0, 1)) for i in range(n)])
    factors = [Factor((i, i + 1), np.eye(2)) for i in range(n - 1)]
    sampler = GibbsSampler(schema, factors, Evidence([0], [1]))
    assert sampler.find_start(seed=3, chain=0) == [1] * n


def test_what_cannot_be_is_not_found():
    sampler = GibbsSampler(PAIR, [Factor((0, 1), np.eye(2))], Evidence([0, 1], [0, 1]))
    assert sampler.find_start(seed=1, chain=0) is None
    assert sampler.violated([0, 1]) == (0, 1)


def test_threads_change_nothing():
    model, _ = random_markov_network(11)
    sampler = GibbsSampler(model.schema, model.factors, Evidence())
    starts = [sampler.find_start(seed=5, chain=c) for c in range(5)]
    results = []
    try:
        for n in (1, 2):
            _core.set_threads(n)
            results.append(sampler.run(starts, n=200, burn_in=10, thinning=1, seed=5))
    finally:
        _core.set_threads(0)
    (columns, estimates), (again, more) = results
    assert all(np.array_equal(a, b) for a, b in zip(columns, again, strict=True))
    assert np.array_equal(estimates, more)


def test_products_too_small_for_numbers_are_made_of_logarithms():
    factors = [Factor((0,), np.array([1.0, 1e-200])) for _ in range(3)]
    factors += [Factor((0,), np.array([1e-200, 1.0])) for _ in range(3)]
    sampler = GibbsSampler(PAIR, factors, Evidence())
    _, estimates = sampler.run([[0, 0]], n=10, burn_in=0, thinning=1, seed=1)
    np.testing.assert_allclose(estimates[0, :2], 0.5)


def test_soft_evidence_is_a_table_of_its_own():
    sampler = GibbsSampler(PAIR, [], Evidence(weighted=[0], likelihoods=[[1.0, 3.0]]))
    _, estimates = sampler.run([[0, 0]], n=3, burn_in=0, thinning=1, seed=1)
    np.testing.assert_allclose(estimates[0], [0.25, 0.75, 0.5, 0.5])
