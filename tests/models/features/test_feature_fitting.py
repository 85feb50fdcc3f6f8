"""Parameters of feature graphs: closed form, weights, priors, expectation maximisation, edge cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.features.random_features import DETERMINISTIC, random_features
from tests.models.features.test_feature_network import worked_graph, worked_rows

import treewright as tw
from treewright.errors import GraphError, SettingError

seeds = st.integers(0, 10**6)


def rows_of(model, n, seed):
    return model.sample(n, rng=np.random.default_rng(seed))


def total(model):
    """Sum of the probabilities of all rows."""
    shape = model.schema.cardinalities
    columns = [a.ravel().astype(np.uint8) for a in np.indices(shape)]
    return float(np.exp(model.log_probability(tw.Table(model.schema, columns))).sum())


@pytest.mark.slow
@settings(max_examples=60)
@given(seeds, st.sampled_from([0.0, 0.5, 1.0]))
def test_refitted_parameters_are_likelier_and_sum_to_one(seed, alpha):
    model = tw.FeatureNetwork(random_features(seed, DETERMINISTIC))
    rows = rows_of(model, 60, seed)
    fitted = model.refit(tw.count(rows), alpha)
    assert total(fitted) == pytest.approx(1, abs=1e-12)
    if alpha == 0:
        assert fitted.score(rows) >= model.score(rows) - 1e-12
    else:
        assert np.isfinite(fitted.score(rows))


@settings(max_examples=30)
@given(seeds)
def test_weighted_rows_are_repeated_rows(seed):
    model = tw.FeatureNetwork(random_features(seed, DETERMINISTIC))
    rows = rows_of(model, 40, seed)
    times = np.random.default_rng(seed).integers(0, 4, 40)
    repeated = rows.take(np.repeat(np.arange(40, dtype=np.uint32), times))
    weighted = tw.Table(rows.schema, rows.columns, weights=times)
    one = model.refit(tw.count(weighted))
    assert one == model.refit(tw.count(repeated))
    real = tw.Table(rows.schema, rows.columns, weights=times.astype(np.float64))
    assert model.refit(tw.count(real)) == one
    half = tw.ShardedCounter(
        [
            tw.count(repeated.take(part))
            for part in np.array_split(np.arange(repeated.n_rows, dtype=np.uint32), 3)
        ]
    )
    assert model.refit(half) == one


def test_what_a_false_feature_forbids_stays_at_zero():
    """Smoothing gives nothing to cells in which a feature known to be false would hold."""
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abc"])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    rest = builder.table(["a", "b"], [[1.0, 0.0], [0.0, 0.0]])  # zeros by chance, and one by force
    c = builder.table("c", [0.5, 0.5])
    either = builder.product([rest, c])
    graph = builder.graph(builder.feature({"a": 1, "b": 1}, 0.5, c, either))
    rows = tw.Table(schema, [np.array(x, np.uint8) for x in ([0, 1, 1], [0, 1, 0], [0, 1, 1])])
    model = tw.fit(graph, tw.count(rows), prior=tw.Dirichlet(3.0))
    assert total(model) == pytest.approx(1, abs=1e-12)
    # of three rows one has a=b=1; three imagined rows go half to each side
    assert model.probability_of({"a": 1, "b": 1}) == pytest.approx((1 + 1.5) / 6)
    # below, two rows and three imagined ones on the three cells that may be
    for a, b, n in ((0, 0, 1), (1, 0, 1), (0, 1, 0)):
        assert model.probability_of({"a": a, "b": b}) == pytest.approx((2 + 1.5) / 6 * (n + 1) / 5)


def test_nothing_seen_is_uniform():
    graph = worked_graph()
    empty = tw.count(worked_rows().take(np.zeros(0, dtype=np.uint32)))
    for alpha in (0.0, 1.0):
        model = tw.FeatureNetwork(graph).refit(empty, alpha)
        assert model.probability_of(dict.fromkeys(graph.schema.names, 0)) == pytest.approx(1 / 64)


def test_constant_single_and_repeated_columns():
    schema = tw.Schema([tw.Variable("k", ("only",)), tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1))])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    pair = builder.tree({"a": ([], [0.5, 0.5]), "b": (["a"], [[0.5, 0.5], [0.5, 0.5]])})
    graph = builder.graph(builder.product([builder.table("k", [1.0]), pair]))
    column = np.array([0, 1, 1, 1], np.uint8)
    rows = tw.Table(schema, [np.zeros(4, np.uint8), column, column])
    model = tw.fit(graph, tw.count(rows), prior=None)
    assert model.query("b", given={"a": 1})[1] == 1
    assert model.query("k")["only"] == 1
    one = tw.fit(graph, tw.count(rows.take(np.array([1], dtype=np.uint32))), prior=None)
    assert one.probability_of({"a": 1, "b": 1}) == 1


@pytest.mark.slow
@settings(max_examples=25)
@given(seeds)
def test_no_round_of_em_lowers_its_objective(seed):
    graph = random_features(seed, n=4)
    rows = rows_of(tw.FeatureNetwork(graph), 50, seed)
    rng = np.random.default_rng(seed)
    holes = {v: rng.random(50) < 0.3 for v in range(4)}
    table = tw.Table(rows.schema, rows.columns, missing=holes)
    for prior in (None, tw.Dirichlet(1.0)):
        fitted = tw.fit_em(graph, table, prior=prior, iterations=30, tolerance=0.0)
        objective = np.array(fitted.trace.objective)
        assert (np.diff(objective) >= -1e-9 * np.abs(objective[:-1])).all()
        assert total(fitted.model) == pytest.approx(1, abs=1e-12)


def test_em_on_complete_rows_is_the_closed_form():
    graph, rows = worked_graph(), worked_rows()
    fitted = tw.fit_em(graph, rows)
    expected = tw.fit(graph, tw.count(rows))
    np.testing.assert_allclose(fitted.model.graph.numbers, expected.graph.numbers, atol=1e-12)
    assert fitted.trace.converged
    assert fitted.model.provenance["fitted_by"] == "expectation maximisation"


def test_em_finds_two_clusters_of_hidden_states():
    schema = tw.Schema([tw.Variable(f"x{v}", (0, 1)) for v in range(4)])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    rng = np.random.default_rng(1)

    def block(p):
        return builder.product([builder.table(f"x{v}", [1 - p, p]) for v in range(4)])

    truth = tw.FeatureNetwork(builder.graph(builder.mixture([block(0.1), block(0.85)], [0.3, 0.7])))
    rows = truth.sample(4000, rng=rng)
    start = builder.graph(builder.mixture([block(0.4), block(0.6)], [0.5, 0.5]))
    model = tw.fit(start, tw.count(rows), prior=None)
    assert model.score(rows) >= truth.score(rows)
    assert model.score(rows) > tw.FeatureNetwork(start).score(rows) + 0.2
    fitted = tw.fit_em(start, rows, starts=2, rng=rng)
    assert len(fitted.trace.objectives) == 3
    weights = sorted(np.exp(model.graph.numbers_of(model.graph.root)).tolist())
    assert weights == pytest.approx([0.3, 0.7], abs=0.05)


def test_em_fills_missing_cells():
    graph = worked_graph()
    rows = worked_rows()
    rng = np.random.default_rng(4)
    table = tw.Table(rows.schema, rows.columns, missing={v: rng.random(64) < 0.2 for v in range(6)})
    fitted = tw.fit_em(graph, table)
    start = tw.FeatureNetwork(graph)
    assert tw.models.score_observed(fitted.model, table) > tw.models.score_observed(start, table)
    assert fitted.model.score(rows) > start.score(rows)


class Database:
    schema = worked_graph().schema


def test_refusals():
    model = tw.FeatureNetwork(worked_graph())
    with pytest.raises(
        SettingError, match="refitting a feature graph needs rows, and a Database only counts"
    ):
        model.refit(Database())
    with pytest.raises(SettingError, match="a number of rows from 0 on; found alpha=-1"):
        model.refit(tw.count(worked_rows()), -1)
    with pytest.raises(SettingError, match="fitted by counting or by EM alone; found keep_counts=True"):
        tw.fit(model.graph, tw.count(worked_rows()), keep_counts=True)
    with pytest.raises(SettingError, match="EM takes at least one round"):
        tw.fit_em(model.graph, worked_rows(), iterations=0)
    builder = tw.graphs.FeatureGraphBuilder(tw.Schema([tw.Variable("a", (0, 1, 2))]))
    partial = builder.graph(builder.split("a", {0: (0.5, builder.one()), 2: (0.5, builder.one())}))
    rows = tw.Table(partial.schema, [np.array([0, 1, 1], np.uint8)])
    with pytest.raises(GraphError, match="2 rows have a state for which the graph has no child"):
        tw.fit(partial, tw.count(rows))
