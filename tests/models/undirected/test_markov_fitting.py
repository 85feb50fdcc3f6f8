"""Fitting factors: worked numbers, twins on the full table, and equality with directed fits."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.fitting.test_fit import FullCounter
from tests.reference.models.enumeration import summed_to
from tests.reference.models.markov import distribution, fit_full_table

import treewright as tw
from treewright.errors import GraphError, SettingError, TableTooLarge
from treewright.graphs import find_maximal_cliques, is_chordal
from treewright.models import Fitting
from treewright.networks import random_network

SQUARE = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
CYCLE = tw.UndirectedGraph(SQUARE, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
METHOD = "iterative proportional fitting"


def ising_counts():
    """A factor (3, 1, 1, 3) on every edge of the square, shaken by what no edge can see."""
    counts = np.zeros((2, 2, 2, 2), dtype=np.int64)
    for cell in itertools.product((0, 1), repeat=4):
        agreeing = sum(cell[i] == cell[(i + 1) % 4] for i in range(4))
        counts[cell] = 3**agreeing + (3 if sum(cell) % 2 == 0 else -3)
    return counts


def random_case(seed):
    """A random graph with counts of a random joint table, many of them zero."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    cardinalities = [int(r) for r in rng.integers(1, 4, size=n)]
    schema = tw.Schema(tw.Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(cardinalities))
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.6]
    counts = rng.integers(0, 5, size=cardinalities) * (rng.random(cardinalities) < 0.7)
    return tw.UndirectedGraph(schema, pairs), FullCounter(schema, counts)


def smoothed(counter, ess):
    cells = counter.cells + ess / counter.cells.size
    return cells / cells.sum() if cells.sum() else np.full(cells.shape, 1 / cells.size)


def test_the_square_by_hand():
    # tanh of the coupling is 1/2: neighbours correlate by (t + t^3) / (1 + t^4) = 10/17, opposite corners by
    # 2 t^2 / (1 + t^4) = 8/17
    model = tw.fit(CYCLE, FullCounter(SQUARE, ising_counts()), prior=None)
    for pair in CYCLE.edges():
        np.testing.assert_allclose(model.query(pair)[0, 0], (1 + 10 / 17) / 4, atol=1e-9)
    for pair in (("a", "c"), ("b", "d")):
        np.testing.assert_allclose(model.query(pair)[0, 0], (1 + 8 / 17) / 4, atol=1e-9)
    assert model.fitting.method == METHOD
    assert model.fitting.converged
    assert model.fitting.residual <= 1e-10
    assert model.structure == CYCLE


@pytest.mark.slow
@settings(max_examples=80)
@given(st.integers(0, 10**6), st.sampled_from([None, 0.5]))
def test_clique_marginals_are_those_of_the_data(seed, ess):
    graph, counter = random_case(seed)
    prior = None if ess is None else tw.Dirichlet(ess)
    wanted = smoothed(counter, ess or 0.0)
    estimator = tw.models.IterativeFitting(tolerance=1e-9, sweeps=3000)
    for model in (
        tw.fit(graph, counter, prior=prior, estimator=estimator),
        tw.fit(graph, counter, prior=prior),
    ):
        if model.fitting.converged:
            joint = distribution(model)
            for clique in find_maximal_cliques(graph):
                np.testing.assert_allclose(summed_to(joint, clique), summed_to(wanted, clique), atol=1e-8)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_fitting_on_the_tree_is_fitting_on_the_full_table(seed):
    graph, counter = random_case(seed)
    cliques = find_maximal_cliques(graph)
    targets = [summed_to(smoothed(counter, 1.0), clique) for clique in cliques]
    slow = fit_full_table(graph.schema.cardinalities, cliques, targets, sweeps=200)
    fast = tw.fit(graph, counter, estimator=tw.models.IterativeFitting(tolerance=0.0, sweeps=200))
    np.testing.assert_allclose(distribution(fast), slow, atol=1e-7)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_the_closed_form_is_the_directed_maximum_likelihood(seed):
    graph, counter = random_case(seed)
    chordal = tw.graphs.triangulate(graph).graph
    model = tw.fit(chordal, counter, prior=None)
    assert model.fitting == Fitting("closed form")
    directed = tw.fit(model.to_bayesian_network().dag, counter, prior=None)
    table = rows_of(counter)
    if table.n_rows:
        assert model.score(table) == pytest.approx(directed.score(table), abs=1e-9)
        assert abs(model.log_partition) < 1e-9
    np.testing.assert_allclose(distribution(model).sum(), 1)


def rows_of(counter):
    cells = counter.cells
    which = np.repeat(np.arange(cells.size), cells.ravel().astype(int))
    columns = [c.astype(np.uint8) for c in np.unravel_index(which, cells.shape)]
    return tw.Table(counter.schema, columns)


def test_iterations_agree_with_the_closed_form_on_chordal_graphs():
    truth = random_network(10, 2, rng=np.random.default_rng(8))
    counter = tw.count(truth.sample(2_000, rng=np.random.default_rng(2)))
    graph = tw.graphs.triangulate(truth.dag.moral_graph()).graph
    closed = tw.fit(graph, counter)
    iterated = tw.fit(graph, counter, estimator=tw.models.IterativeFitting())
    assert iterated.fitting.sweeps <= 3
    np.testing.assert_allclose(iterated.marginals().cells, closed.marginals().cells, atol=1e-9)


def test_a_cover_fits_no_worse_and_says_so():
    counter = FullCounter(SQUARE, ising_counts())
    cover = tw.fit(CYCLE, counter, prior=None, estimator=tw.models.DecomposableCover())
    exact = tw.fit(CYCLE, counter, prior=None)
    assert cover.fitting == Fitting("decomposable cover")
    assert is_chordal(cover.structure)
    assert CYCLE.is_subgraph_of(cover.structure)
    table = rows_of(counter)
    assert cover.score(table) >= exact.score(table) - 1e-12
    assert cover.n_parameters > exact.n_parameters == 8


def test_the_likelihood_has_its_maximum_there():
    counter = FullCounter(SQUARE, ising_counts())
    model, table = tw.fit(CYCLE, counter, prior=None), rows_of(counter)
    best = model.score(table)
    rng = np.random.default_rng(4)
    for _ in range(5):
        shaken = [(f.scope, f.table * np.exp(0.05 * rng.normal(size=f.table.shape))) for f in model.factors]
        assert tw.MarkovNetwork(SQUARE, shaken).score(table) < best


def test_the_order_of_columns_does_not_matter():
    turned = tw.Schema(reversed(SQUARE.variables))
    there = tw.fit(CYCLE, FullCounter(SQUARE, ising_counts()))
    back = tw.fit(tw.UndirectedGraph(turned, CYCLE.edges()), FullCounter(SQUARE, ising_counts()))
    for name in "abcd":
        np.testing.assert_allclose(back.marginals().array(name), there.marginals().array(name), atol=1e-14)
    assert back.fitting.sweeps == there.fitting.sweeps


def test_no_rows_and_no_prior_leave_everything_uniform():
    nothing = FullCounter(SQUARE, np.zeros((2, 2, 2, 2), dtype=np.int64))
    for estimator in (None, tw.models.DecomposableCover()):
        model = tw.fit(CYCLE, nothing, prior=None, estimator=estimator)
        np.testing.assert_allclose(distribution(model), 1 / 16, atol=1e-12)


def test_states_that_never_occur_have_no_probability():
    counts = ising_counts()
    counts[1] = 0
    model = tw.fit(CYCLE, FullCounter(SQUARE, counts), prior=None)
    assert model.probability_of({"a": 1}) == 0
    assert model.fitting.converged


def test_few_sweeps_are_reported():
    model = tw.fit(CYCLE, FullCounter(SQUARE, ising_counts()), estimator=tw.models.IterativeFitting(sweeps=1))
    assert (model.fitting.sweeps, model.fitting.converged) == (1, False)


def test_refusals(monkeypatch):
    counter = FullCounter(SQUARE, ising_counts())
    with pytest.raises(SettingError, match="tolerance= of IterativeFitting is a finite number; found nan"):
        tw.models.IterativeFitting(tolerance=float("nan"))
    with pytest.raises(SettingError, match="at least one sweep; found sweeps=0"):
        tw.models.IterativeFitting(sweeps=0)
    with pytest.raises(SettingError, match="IterativeFitting or DecomposableCover; found 'ipf'"):
        tw.fit(CYCLE, counter, estimator="ipf")
    with pytest.raises(SettingError, match="arcs are fitted by counting alone"):
        tw.fit(tw.Dag(SQUARE, []), counter, estimator=tw.models.DecomposableCover())
    with pytest.raises(GraphError, match="UndirectedGraph; found NoneType"):
        tw.fit(None, counter)
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "100")
    with pytest.raises(TableTooLarge) as error:
        tw.fit(CYCLE, counter)
    assert str(error.value).startswith(
        "the junction tree of this graph takes 128 bytes, above the memory limit of 100 bytes; its largest "
        "clique is 'a', 'b', 'd': use a graph with fewer edges"
    )
    with pytest.raises(
        TableTooLarge, match=r"the factors take 128 bytes.* the largest is that over 'a', 'b'"
    ):
        tw.fit(CYCLE, counter, estimator=tw.models.DecomposableCover())


def test_a_large_graph_is_refused_before_anything_is_counted():
    class Nobody:
        schema = tw.Schema([tw.Variable(f"v{i:03}", (0, 1)) for i in range(900)])

        def counts_many(self, scopes):
            raise AssertionError("nothing should be counted")

    pairs = [(i, i + 1) for i in range(899) if i % 30 < 29] + [(i, i + 30) for i in range(870)]
    with pytest.raises(TableTooLarge, match="the junction tree of this graph takes"):
        tw.fit(tw.UndirectedGraph(Nobody.schema, pairs), Nobody())
