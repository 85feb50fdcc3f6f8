"""Edge confidence: weights are resampled rows, threads change nothing, averages are acyclic."""

import json
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.classes.test_dag_climbing import random_table

from treewright import (
    BIC,
    Dag,
    GaussianBIC,
    Table,
    UndirectedGraph,
    _core,
    count,
    edge_confidence,
    learn_chow_liu,
    load_network,
    moments,
    pack,
)
from treewright.errors import FormatError, GraphError, SchemaError, SettingError, WeightError
from treewright.graphs import Pdag
from treewright.learners import EdgeConfidence, learn_dag_climbing
from treewright.learners.classes import bootstrap
from treewright.learners.classes.bootstrap import resampled_weights
from treewright.tables import Schema, Variable
from treewright.tables.mapped_table import MappedTable


def climbed(table):
    return learn_dag_climbing(BIC(count(table)))


def seeded(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_the_rows_drawn(seed):
    """Counting with weights equals counting a table in which the drawn rows stand side by side."""
    table = random_table(seed, [2, 3, 2, 2], 60)
    weights = resampled_weights(table, seeded(seed))
    assert weights.sum() == 60
    weighted = table.with_weights(weights)
    drawn = table.take(np.repeat(np.arange(60), weights))
    scope = tuple(range(4))
    np.testing.assert_array_equal(count(weighted).counts(scope), count(drawn).counts(scope))
    assert climbed(weighted).structure == climbed(drawn).structure
    assert all(
        a is b or a.base is b or np.shares_memory(a, b)
        for a, b in zip(table.columns, weighted.columns, strict=True)
    )


def test_a_table_of_distinct_rows_is_resampled_by_its_weights():
    table = random_table(1, [2, 2], 500)
    rows, weights = np.unique(np.stack(table.columns, axis=1), axis=0, return_counts=True)
    distinct = Table(table.schema, list(rows.T), weights=weights)
    drawn = np.array([resampled_weights(distinct, seeded(seed)) for seed in range(300)])
    assert (drawn.sum(axis=1) == 500).all()
    np.testing.assert_allclose(drawn.mean(axis=0), weights, atol=2.5)
    np.testing.assert_allclose(drawn.var(axis=0), weights * (1 - weights / 500), rtol=0.3)


def test_the_number_of_threads_changes_nothing():
    table = load_network("asia").sample(300, rng=seeded(3))
    one, two, many = (
        edge_confidence(table, climbed, repetitions=12, rng=seeded(4), threads=threads)
        for threads in (1, 2, 5)
    )
    np.testing.assert_array_equal(one.counts, two.counts)
    np.testing.assert_array_equal(one.counts, many.counts)
    other = edge_confidence(table, climbed, repetitions=12, rng=seeded(5))
    assert not np.array_equal(one.counts, other.counts)


def test_every_repetition_is_learned_from_its_own_weights():
    table = random_table(0, [2, 3, 2], 50)
    seen, lock = [], threading.Lock()

    def learn(rows):
        with lock:
            seen.append(tuple(rows.weights))
        return climbed(rows)

    before = _core.threads()
    edge_confidence(table, learn, repetitions=6, rng=seeded(), threads=2)
    assert len(set(seen)) == 6
    assert _core.threads() == before


def test_directions_of_classes_and_of_dags():
    table = load_network("asia").sample(400, rng=seeded(3))
    by_class = edge_confidence(table, lambda t: learn_chow_liu(BIC(count(t))), repetitions=5, rng=seeded())
    as_drawn = edge_confidence(
        table, lambda t: learn_chow_liu(BIC(count(t))), repetitions=5, rng=seeded(), by_class=False
    )
    np.testing.assert_array_equal(by_class.counts, by_class.counts.T)  # a tree has no compelled arc
    np.testing.assert_array_equal(as_drawn.counts + as_drawn.counts.T, by_class.counts + by_class.counts.T)
    assert not np.array_equal(as_drawn.counts, as_drawn.counts.T)


def test_graphs_of_every_kind_are_counted():
    schema = Schema(Variable(name, (0, 1)) for name in "abc")
    table = Table(schema, [np.zeros(4, np.uint8)] * 3)
    turned = Schema(schema.variables[::-1])
    for graph, expected in (
        (Pdag(turned, [("a", "b")], [("b", "c")]), [("a", "b", 1.0, 1.0), ("b", "c", 1.0, 0.5)]),
        (UndirectedGraph(turned, [("c", "a")]), [("a", "c", 1.0, 0.5)]),
        (Dag(turned, [("b", "a"), ("c", "a")]), [("b", "a", 1.0, 1.0), ("c", "a", 1.0, 1.0)]),
    ):
        found = edge_confidence(table, lambda _, graph=graph: graph, repetitions=3, rng=seeded())
        assert found.edges() == expected
    with pytest.raises(GraphError, match="a learner gives a graph, or a Learned one; found 3"):
        edge_confidence(table, lambda _: 3, rng=seeded())
    small = Dag.empty(Schema(schema.variables[:2]))
    with pytest.raises(SchemaError, match="the learned graph and the table must have the same variables"):
        edge_confidence(table, lambda _: small, rng=seeded())


def test_continuous_rows():
    rng = seeded(1)
    a = rng.normal(size=80)
    table = Table(Schema(Variable(n) for n in "ab"), [a, a + rng.normal(size=80)])
    found = edge_confidence(
        table, lambda t: learn_dag_climbing(GaussianBIC(moments(t))), repetitions=5, rng=seeded()
    )
    assert found.strength("a", "b") == 1.0


def test_strong_edges_of_asia_are_sure():
    table = load_network("asia").sample(2_000, rng=seeded(0))
    found = edge_confidence(table, climbed, repetitions=20, rng=seeded(1))
    average = found.averaged_network()
    for u, v in (("bronc", "dysp"), ("smoke", "bronc"), ("either", "xray")):
        assert found.strength(u, v) == found.strength(v, u) == 1.0
        assert average.adjacent(u, v)
    assert found.averaged_network(threshold=1.0).n_edges <= average.n_edges
    assert found.averaged_network(threshold=0.0).n_edges == len(found.edges())
    frame = found.to_frame()
    assert list(frame.columns) == ["from", "to", "strength", "direction"]
    assert [tuple(row) for row in frame.itertuples(index=False)] == found.edges()
    assert repr(found) == f"EdgeConfidence(8 variables, {len(found.edges())} edges in 20 repetitions)"


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 9))
def test_averages_are_acyclic_keep_every_strong_edge_and_go_by_name(seed, n, repetitions):
    rng = seeded(seed)
    counts = np.triu(rng.multinomial(repetitions, [0.3, 0.3, 0.4], size=(n, n))[..., 0], 1).astype(float)
    counts += np.triu(np.minimum(rng.integers(0, repetitions + 1, (n, n)), repetitions - counts), 1).T
    schema = Schema(Variable(f"v{i}") for i in range(n))
    confidence = EdgeConfidence(schema, repetitions, counts.copy())
    average = confidence.averaged_network()  # a Dag: acyclic by its type
    kept = {(u, v) for u, v, strength, _ in confidence.edges() if strength > 0.5}
    assert {frozenset(e) for e in average.edges()} == {frozenset(e) for e in kept}
    order = rng.permutation(n)
    turned = EdgeConfidence(
        Schema(schema.variables[v] for v in order), repetitions, counts[np.ix_(order, order)].copy()
    )
    assert turned.averaged_network() == average


def test_the_optimal_threshold_is_the_nearest_step_function():
    """By the definition: minimise the L1 distance over all levels, on a fine grid."""
    rng = seeded(7)
    for repetitions in (5, 10, 21):
        strengths = rng.integers(0, repetitions + 1, 40) / repetitions
        x = (np.arange(20_000) + 0.5) / 20_000
        distribution = (strengths[None, :] <= x[:, None]).mean(axis=1)
        levels = np.unique(distribution)
        distance = np.array([np.abs(distribution - level).mean() for level in levels])
        noise = levels[np.flatnonzero(distance <= distance.min() + 1e-9)[-1]]  # of equal ones the stricter
        cut = x[np.flatnonzero(distribution >= noise)[0]]
        schema = Schema([Variable("a"), Variable("b")])
        least = EdgeConfidence(schema, repetitions, np.zeros((2, 2))).optimal_threshold()
        assert ((strengths > cut) == (strengths >= least)).all()


def test_an_edge_that_would_close_a_cycle_is_turned():
    schema = Schema(Variable(name) for name in "abc")
    counts = np.array([[0, 10.0, 1], [0, 0, 9], [7, 0, 0]])
    confidence = EdgeConfidence(schema, 10, counts)
    assert confidence.averaged_network().edges() == [("a", "b"), ("a", "c"), ("b", "c")]


def test_what_cannot_be_resampled_is_refused():
    table = random_table(0, [2, 2], 10)
    with pytest.raises(WeightError, match="rows with real weights cannot be resampled; give whole numbers"):
        edge_confidence(table.with_weights(np.full(10, 0.5)), climbed, rng=seeded())
    with pytest.raises(SettingError, match="repetitions must be 1 or more; found 0"):
        edge_confidence(table, climbed, repetitions=0, rng=seeded())
    with pytest.raises(SettingError, match="threads must be 1 or more; found 0"):
        edge_confidence(table, climbed, rng=seeded(), threads=0)
    confidence = edge_confidence(table, climbed, repetitions=1, rng=seeded())
    with pytest.raises(SettingError, match="a threshold is a share from 0 to 1; found 2"):
        confidence.averaged_network(threshold=2)


def test_confidence_goes_through_json_and_back():
    table = load_network("asia").sample(300, rng=seeded())
    confidence = edge_confidence(table, climbed, repetitions=7, rng=seeded(1))
    plain = json.loads(json.dumps(confidence.to_dict()))
    again = EdgeConfidence.from_dict(table.schema, plain)
    assert again.repetitions == 7
    assert np.array_equal(again.counts, confidence.counts)


@pytest.mark.parametrize(
    "plain",
    [
        {"edges": []},
        {"repetitions": 0, "edges": []},
        {"repetitions": 2, "edges": [["asia", "tub", 2, 1]]},
        {"repetitions": 2, "edges": [["asia", "tub", -1, 1]]},
        {"repetitions": 2, "edges": [["asia", "nobody", 1, 0]]},
        {"repetitions": 2, "edges": [["asia", "tub"]]},
        {"repetitions": 2, "edges": 5},
    ],
)
def test_what_is_no_confidence_is_refused(plain):
    with pytest.raises(FormatError, match="how sure edges are cannot be read"):
        EdgeConfidence.from_dict(load_network("asia").schema, plain)


@pytest.mark.parametrize("limit", [None, "4KiB"])
def test_many_rows_are_drawn_in_blocks(monkeypatch, limit):
    """The same draws as at once, in memory and in a file."""
    at_once = bootstrap._times_drawn(1000, np.random.default_rng(5))
    monkeypatch.setattr(bootstrap, "BLOCK_ROWS", 64)
    monkeypatch.setenv("TREEWRIGHT_MEMORY", limit or "1GiB")
    in_blocks = bootstrap._times_drawn(1000, np.random.default_rng(5))
    np.testing.assert_array_equal(in_blocks, at_once)
    assert in_blocks.sum() == 1000
    assert (in_blocks.base is not None) == (limit is not None)


def test_resampled_packed_rows_stay_in_their_file(tmp_path):
    rows = load_network("asia").sample(2000, rng=np.random.default_rng(1))
    packed = pack(rows, tmp_path / "rows.twp")

    def learn(table):
        return learn_chow_liu(BIC(count(table)))

    one, other = (
        edge_confidence(table, learn, repetitions=4, rng=np.random.default_rng(2)) for table in (rows, packed)
    )
    np.testing.assert_array_equal(one.counts, other.counts)
    drawn = bootstrap.resampled(packed, np.random.default_rng(3))
    assert isinstance(drawn, MappedTable)
    assert drawn.part.can_share_bits
