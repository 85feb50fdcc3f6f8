import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs.treewidth import elimination_width, moral_neighbours, treewidth

from treewright.errors import GraphError, SchemaError, TreewidthError
from treewright.networks import random_dag, random_network


def rng(seed=0):
    return np.random.default_rng(seed)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 10), st.integers(0, 5), st.integers(0, 5), st.integers(0, 1000))
def test_the_width_is_a_bound(n, width, max_parents, seed):
    model = random_network(n, width, max_parents=max_parents, exact=False, rng=rng(seed))
    assert treewidth(moral_neighbours(model.dag)) <= width
    assert all(len(model.dag.parents(v)) <= min(width, max_parents) for v in range(n))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("n", "width", "max_parents"), [(6, 1, 1), (9, 2, 2), (10, 3, None), (11, 4, 2), (8, 5, 5)]
)
def test_the_width_is_reached_when_asked(n, width, max_parents, seed):
    model = random_network(n, width, max_parents=max_parents, states=(2, 3), rng=rng(seed))
    assert treewidth(moral_neighbours(model.dag)) == width


@pytest.mark.slow
def test_large_sparse_networks_are_quick():
    start = time.process_time()
    model = random_network(2000, 8, rng=rng())
    assert time.process_time() - start < 10  # a fraction of a second on an idle machine
    assert elimination_width(moral_neighbours(model.dag)) >= 8
    assert max(len(model.dag.parents(v)) for v in range(2000)) == 3
    assert set(model.schema.cardinalities) == {2, 3, 4}


def test_equal_generators_give_equal_networks():
    assert random_network(30, 3, rng=rng(5)) == random_network(30, 3, rng=rng(5))
    assert random_network(30, 3, rng=rng(5)) != random_network(30, 3, rng=rng(6))


def test_concentration_shapes_the_rows():
    sharp = random_network(20, 2, states=(2, 2), concentration=0.01, rng=rng(1))
    flat = random_network(20, 2, states=(2, 2), concentration=1000.0, rng=rng(1))
    assert np.mean([table.max(axis=-1).mean() for table in sharp.tables]) > 0.95
    assert np.mean([table.max(axis=-1).mean() for table in flat.tables]) < 0.55


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((0, 0), {}, SchemaError, "at least one variable; asked for 0"),
        ((3, 3), {}, TreewidthError, "3 variables have treewidth at most 2; asked for 3"),
        ((9, 3), {"max_parents": 1}, TreewidthError, "with at most 1 parents the treewidth cannot be 3"),
        (
            (6, 5),
            {"max_parents": 2},
            TreewidthError,
            "did not reach treewidth 5; ask for more variables or parents",
        ),
        ((5, -1), {}, TreewidthError, "not negative; found -1"),
        ((5, 2), {"states": (3, 2)}, SchemaError, "the fewest and the most"),
        ((5, 2), {"concentration": 0.0}, SchemaError, "positive number; found 0.0"),
    ],
)
def test_refusals(arguments, options, error, message):
    with pytest.raises(error) as found:
        random_network(*arguments, **options, rng=rng())
    assert message in str(found.value)


@given(st.integers(0, 12), st.floats(0, 1), st.integers(0, 1000))
def test_random_dags_have_the_arcs_asked_for(n, density, seed):
    dag = random_dag(n, density=density, rng=rng(seed))
    assert len(dag.edges()) == round(density * n * (n - 1) / 2)
    assert len(set(dag.edges())) == len(dag.edges())


def test_random_dags_reach_every_pair():
    seen = {edge for seed in range(60) for edge in random_dag(4, n_arcs=2, rng=rng(seed)).edges()}
    assert len(seen) == 12


@pytest.mark.parametrize("options", [{}, {"n_arcs": 1, "density": 0.5}, {"n_arcs": 7}, {"density": 1.5}])
def test_random_dag_refusals(options):
    with pytest.raises(GraphError):
        random_dag(4, **options, rng=rng())
