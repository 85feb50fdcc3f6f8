"""Loopy propagation and pseudo-log-likelihood: exact on trees, near on cycles, the twin, refusals."""

import math

import numpy as np
import pytest
from tests.models.undirected.random_markov import positive, random_markov_network
from tests.reference.models.pseudolikelihood import conditional_logs

import treewright as tw
from treewright.errors import SettingError


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(5))
def test_trees_are_exact(seed):
    graph = tw.networks.scale_free_graph(12, 1, states=3, rng=rng(seed))
    model = tw.networks.random_markov_network(graph, rng=rng(seed))
    found = tw.models.propagate_loopy_beliefs(model)
    assert found.converged
    assert found.log_partition == pytest.approx(model.log_partition, abs=1e-6)
    exact = model.marginals()
    for name in graph.schema.names:
        assert np.allclose(found.marginals().array(name), exact.array(name), atol=1e-6)


def test_variables_without_a_factor_count_their_states():
    schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1, 2))])
    model = tw.MarkovNetwork(schema, {"a": [1.0, 3.0]})
    found = tw.models.propagate_loopy_beliefs(model)
    assert found.log_partition == pytest.approx(math.log(12), abs=1e-12)
    assert np.allclose(found.marginals().array("b"), 1 / 3)


def test_weak_cycles_are_nearly_exact():
    schema = tw.Schema([tw.Variable(f"x{v}", (0, 1)) for v in range(9)])
    agree = np.exp(0.15 * np.array([[1, -1], [-1, 1]]))
    model = tw.MarkovNetwork(schema, [(e, agree) for e in tw.networks.lattice_graph(3, 3).index_edges()])
    found = tw.models.propagate_loopy_beliefs(model)
    assert found.converged
    assert found.log_partition == pytest.approx(model.log_partition, abs=0.01)
    assert found.log_partition != model.log_partition


def test_the_order_of_variables_and_factors_does_not_matter():
    model = tw.networks.random_markov_network(tw.networks.load_graph("karate"), rng=rng(4))
    names = model.schema.names[::-1]
    turned = tw.MarkovNetwork(
        model.schema.select([model.schema.index(n) for n in names]),
        [(model.schema.names_of(f.scope), f.table) for f in model.factors[::-1]],
    )
    first, second = tw.models.propagate_loopy_beliefs(model), tw.models.propagate_loopy_beliefs(turned)
    assert first.log_partition == pytest.approx(second.log_partition, abs=1e-6)


def test_what_does_not_settle_says_so():
    model = tw.networks.random_markov_network(tw.networks.load_graph("karate"), rng=rng(4))
    found = tw.models.propagate_loopy_beliefs(model, sweeps=1)
    assert (found.converged, found.sweeps) == (False, 1)
    assert found.residual > 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_the_pseudo_log_likelihood_is_that_of_the_twin(seed):
    model = positive(random_markov_network(seed)[0])
    table = model.sample(20, rng=rng(seed))
    cardinalities = model.schema.cardinalities

    def energy(row):
        return sum(math.log(f.table[tuple(row[v] for v in f.scope)]) for f in model.factors)

    rows = np.array(table.columns).T.tolist() if len(model.schema) else []
    wanted = np.mean([conditional_logs(row, cardinalities, energy) for row in rows])
    assert tw.models.pseudo_log_likelihood(model, table) == pytest.approx(wanted, abs=1e-9)


def test_weights_and_column_orders_count_as_in_scores():
    asia = tw.load_network("asia")
    table = asia.sample(300, rng=rng(1))
    turned = table.reordered(table.schema.names[::-1])
    assert tw.models.pseudo_log_likelihood(asia, table) == pytest.approx(
        tw.models.pseudo_log_likelihood(asia, turned)
    )
    times = rng(2).integers(0, 3, size=300)
    repeated = table.take(np.repeat(np.arange(300), times))
    assert tw.models.pseudo_log_likelihood(asia, table.with_weights(times)) == pytest.approx(
        tw.models.pseudo_log_likelihood(asia, repeated)
    )


def test_feature_networks_are_asked_state_by_state():
    asia = tw.load_network("asia")
    table = asia.sample(300, rng=rng(1))
    graph = tw.learn_cutset_network(tw.count(table), smoothing=1.0, shrinkage=0.0, min_rows=50).structure
    model = tw.FeatureNetwork(graph)
    same = model.to_markov_network()
    assert tw.models.pseudo_log_likelihood(model, table) == pytest.approx(
        tw.models.pseudo_log_likelihood(same, table)
    )


def test_impossible_rows_weigh_minus_infinity():
    schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1))])
    model = tw.MarkovNetwork(schema, {("a", "b"): [[1.0, 0.0], [0.0, 1.0]]})
    rows = tw.Table(schema, [[0], [1]])
    assert tw.models.pseudo_log_likelihood(model, rows) == -math.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 1.0}, "damping is a share from 0 on and below 1; found 1.0"),
        ({"sweeps": 0}, "sweeps is at least 1; found 0"),
        ({"tolerance": 0.0}, "tolerance is a positive number; found 0.0"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(SettingError) as refused:
        tw.models.propagate_loopy_beliefs(tw.load_network("asia"), **options)
    assert str(refused.value) == message
