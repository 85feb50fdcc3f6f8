"""Random Markov networks: structure, determinism, and rows that follow the model."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SchemaError


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(5))
def test_the_structure_is_the_graph(seed):
    graph = tw.networks.random_graph(12, n_edges=16, rng=rng(seed))
    model = tw.networks.random_markov_network(graph, rng=rng(seed), states=3)
    assert model.structure.edges() == graph.edges()
    assert set(model.schema.cardinalities) == {3}
    assert model == tw.networks.random_markov_network(graph, rng=rng(seed), states=3)
    assert model != tw.networks.random_markov_network(graph, rng=rng(seed + 1), states=3)


def test_values_are_drawn_clique_by_clique_in_sorted_order():
    graph = tw.networks.load_graph("six_split")
    model = tw.networks.random_markov_network(graph, rng=rng(7))
    assert [f.scope for f in model.factors] == [(0, 1, 2), (0, 1, 3), (0, 1, 4), (0, 1, 5)]
    draws = rng(7)
    assert all(np.array_equal(f.table, draws.random((2, 2, 2))) for f in model.factors)


def test_vertices_alone_have_factors_of_their_own():
    schema = tw.Schema([tw.Variable("a"), tw.Variable("b", ("x", "y", "z"))])
    model = tw.networks.random_markov_network(tw.UndirectedGraph(schema), rng=rng(1))
    assert [f.table.shape for f in model.factors] == [(2,), (3,)]
    assert model.schema["a"].states == ("s0", "s1")


@pytest.mark.parametrize("how", ["exact", "gibbs"])
def test_rows_follow_the_model(how):
    """Marginals of the cliques within four standard errors of the exact ones."""
    model = tw.networks.random_markov_network(tw.networks.load_graph("six_split"), rng=rng(3))
    n = 4_000
    if how == "exact":
        table = model.sample(n, rng=rng(4))
    else:  # one chain for each row
        table = tw.models.sample_gibbs(model, 1, rng=rng(4), chains=n, burn_in=100).table
    counter = tw.count(table)
    for factor in model.factors:
        wanted, found = model.joint(factor.scope), counter.counts(factor.scope) / n
        error = np.sqrt(wanted * (1 - wanted) / n)
        assert (np.abs(found - wanted) <= 4 * error).all()


def test_no_states_are_refused():
    with pytest.raises(SchemaError, match="a variable has at least one state; asked for states=0"):
        tw.networks.random_markov_network(tw.networks.load_graph("six_star"), states=0, rng=rng())
