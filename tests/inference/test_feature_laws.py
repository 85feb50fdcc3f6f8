"""Laws of hidden trees and stored rows: special cases that are something simpler."""

import numpy as np
import pytest

import treewright as tw
from treewright.inference import FeatureGraphEngine

N = 6
SCHEMA = tw.Schema([tw.Variable(f"x{v}", (0, 1)) for v in range(N)])
PARENTS = {v: None if v == 0 else (v - 1) // 2 for v in range(N)}
ROWS = [np.ascontiguousarray(a.ravel(), dtype=np.uint8) for a in np.indices((2,) * N)]


def shares(rng, *shape):
    draws = rng.standard_exponential(shape)
    return draws / draws.sum(axis=-1, keepdims=True)


def emissions_of(rng, h, autoregressive):
    return [shares(rng, *([2] if autoregressive and p is not None else []), h, 2) for p in PARENTS.values()]


def logs(graph):
    return FeatureGraphEngine(graph).log_probability(ROWS, 2**N)


def hidden(transitions, emissions, *, autoregressive=False):
    builder = tw.graphs.FeatureGraphBuilder(SCHEMA)
    return builder.graph(builder.hidden(PARENTS, transitions, emissions, autoregressive=autoregressive))


@pytest.mark.parametrize("h", [2, 4, 16])
@pytest.mark.parametrize("autoregressive", [False, True])
def test_all_rows_sum_to_one(h, autoregressive):
    rng = np.random.default_rng(h)
    transitions = [shares(rng, h) if p is None else shares(rng, h, h) for p in PARENTS.values()]
    graph = hidden(transitions, emissions_of(rng, h, autoregressive), autoregressive=autoregressive)
    assert np.exp(logs(graph)).sum() == pytest.approx(1, abs=1e-12)


def test_one_hidden_state_is_independence():
    rng = np.random.default_rng(1)
    emissions = emissions_of(rng, 1, False)
    graph = hidden([[1.0] if p is None else [[1.0]] for p in PARENTS.values()], emissions)
    builder = tw.graphs.FeatureGraphBuilder(SCHEMA)
    flat = builder.graph(builder.product([builder.table(v, e[0]) for v, e in enumerate(emissions)]))
    assert graph.is_deterministic
    np.testing.assert_allclose(logs(graph), logs(flat), atol=1e-12)


@pytest.mark.parametrize("autoregressive", [False, True])
def test_hidden_states_that_copy_themselves_are_a_mixture(autoregressive):
    """Of products; with emissions that see the parent, of trees that share their structure."""
    rng, h = np.random.default_rng(2), 3
    weights, emissions = shares(rng, h), emissions_of(rng, h, autoregressive)
    transitions = [weights if p is None else np.eye(h) for p in PARENTS.values()]
    graph = hidden(transitions, emissions, autoregressive=autoregressive)
    builder, parts = tw.graphs.FeatureGraphBuilder(SCHEMA), []
    for z in range(h):
        families = {
            v: ([], e[z]) if p is None or not autoregressive else ([p], e[:, z])
            for (v, p), e in zip(PARENTS.items(), emissions, strict=True)
        }
        parts.append(builder.tree(families))
    np.testing.assert_allclose(logs(graph), logs(builder.graph(builder.mixture(parts, weights))), atol=1e-12)


@pytest.mark.parametrize("autoregressive", [False, True])
def test_names_of_hidden_states_do_not_matter(autoregressive):
    rng, h = np.random.default_rng(3), 4
    transitions = [shares(rng, h) if p is None else shares(rng, h, h) for p in PARENTS.values()]
    emissions = emissions_of(rng, h, autoregressive)
    order = rng.permutation(h)
    turned = [t[order] if t.ndim == 1 else t[order][:, order] for t in transitions]
    moved = [np.take(e, order, axis=-2) for e in emissions]
    one = hidden(transitions, emissions, autoregressive=autoregressive)
    other = hidden(turned, moved, autoregressive=autoregressive)
    np.testing.assert_allclose(logs(one), logs(other), atol=1e-12)


def test_stored_rows_have_weighted_frequencies():
    rng = np.random.default_rng(4)
    codes = np.unique(rng.integers(0, 2, (30, N)), axis=0)
    weights = shares(rng, len(codes))
    builder = tw.graphs.FeatureGraphBuilder(SCHEMA)
    model = tw.FeatureNetwork(builder.graph(builder.rows(list(range(N)), codes, weights)))
    assert np.exp(logs(model.graph)).sum() == pytest.approx(1, abs=1e-12)
    for v, name in enumerate(SCHEMA.names):
        assert model.query(name)[1] == pytest.approx(weights[codes[:, v] == 1].sum(), abs=1e-12)
    assert model.probability_of({"x0": 1, "x5": 0}) == pytest.approx(
        weights[(codes[:, 0] == 1) & (codes[:, 5] == 0)].sum(), abs=1e-12
    )
