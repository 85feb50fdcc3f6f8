"""EM: by hand, against complete counts, and what no round may break."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.test_expectation import random_model, rows_of, with_holes
from tests.reference.models.em import expected_counts

import treewright as tw
from treewright.errors import GraphError, SchemaError, SettingError
from treewright.models.fitting.em import EmSettings, _start, climb_best

# two variables, a -> b: ten complete rows, two that hide b, three that hide a
ROWS = {
    "a": ["x"] * 6 + ["y"] * 4 + ["x"] * 2 + [None] * 3,
    "b": ["p"] * 4 + ["q"] * 2 + ["p"] + ["q"] * 3 + [None] * 2 + ["q"] * 3,
}
TABLE = tw.read_table(ROWS, missing="em")
PAIR = tw.Dag(TABLE.schema, [("a", "b")])


def test_one_round_by_hand():
    fitted = tw.fit_em(PAIR, TABLE, prior=None, iterations=1)
    # the start has one imagined row beside the rows that show a family: 12 show a, 10 show both
    start_a = np.array([8.5, 4.5]) / 13
    start_b = np.array([[4.25 / 6.5, 2.25 / 6.5], [1.25 / 4.5, 3.25 / 4.5]])
    share = start_a * start_b[:, 1]
    x = 3 * share[0] / share.sum()
    counts_a = np.array([8 + x, 4 + 3 - x])
    counts_b = np.array([[4 + 2 * start_b[0, 0], 2 + x + 2 * start_b[0, 1]], [1, 3 + 3 - x]])
    np.testing.assert_allclose(fitted.counts.table("a"), counts_a)
    np.testing.assert_allclose(fitted.counts.table("b"), counts_b)
    np.testing.assert_allclose(fitted.model.table("b"), counts_b / counts_b.sum(axis=1, keepdims=True))
    start = 4 * np.log(start_b[0, 0]) + 2 * np.log(start_b[0, 1]) + np.log(start_b[1, 0])
    start += 3 * np.log(start_b[1, 1]) + 8 * np.log(start_a[0]) + 4 * np.log(start_a[1])
    np.testing.assert_allclose(fitted.trace.log_likelihood[0], start + 3 * np.log(share.sum()))
    assert (fitted.trace.n_rounds, fitted.trace.converged) == (1, False)


def test_it_converges_to_a_fixed_point():
    fitted = tw.fit_em(PAIR, TABLE, prior=None, tolerance=0.0, iterations=5_000)
    assert fitted.trace.converged
    # at the maximum the share of x among the rows that hide a is what the tables themselves say
    a, b = fitted.model.tables
    x = 3 * a[0] * b[0, 1] / (a @ b[:, 1])
    np.testing.assert_allclose(a[0], (8 + x) / 15, atol=1e-6)
    np.testing.assert_allclose(b[0, 0], (4 + 2 * b[0, 0]) / (8 + x), atol=1e-6)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.sampled_from([None, tw.Dirichlet(1.0), tw.Dirichlet(20.0)]))
def test_no_round_loses(seed, prior):
    rng = np.random.default_rng(seed)
    model = random_model(rng, most=5)
    table = with_holes(model.sample(30, rng=rng), rng, 0.4)
    if any(mask.all() for mask in table.missing.values()):
        return
    fitted = tw.fit_em(model.dag, table, prior=prior, iterations=12, tolerance=0.0)
    gains = np.diff(fitted.trace.objective)
    assert (gains >= -1e-9).all()
    if prior is None:
        assert fitted.trace.objective == fitted.trace.log_likelihood
    _, log_likelihood = expected_counts(fitted.model, rows_of(table))
    np.testing.assert_allclose(fitted.trace.log_likelihood[-1], log_likelihood, rtol=1e-10)


@pytest.mark.parametrize("prior", [None, tw.Dirichlet(2.0)])
def test_complete_rows_give_what_fit_gives(prior):
    asia = tw.load_network("asia")
    rows = asia.sample(1_000, rng=np.random.default_rng(2))
    fitted = tw.fit_em(asia.dag, rows, prior=prior)
    assert fitted.model == tw.fit(asia.dag, tw.count(rows), prior=prior)
    assert fitted.model.unseen == tw.fit(asia.dag, tw.count(rows), prior=prior).unseen
    assert fitted.trace.converged


def test_weights_are_repetitions():
    rng = np.random.default_rng(4)
    asia = tw.load_network("asia")
    rows = with_holes(asia.sample(100, rng=rng), rng, 0.3)
    weights = rng.integers(0, 4, 100)
    repeated = rows.take(np.repeat(np.arange(100), weights))
    first, second = tw.fit_em(asia.dag, rows.with_weights(weights)), tw.fit_em(asia.dag, repeated)
    assert first.model == second.model
    assert first.trace == second.trace
    scaled = tw.fit_em(asia.dag, rows.with_weights(weights * 0.001), prior=None)
    whole = tw.fit_em(asia.dag, rows.with_weights(weights), prior=None, iterations=scaled.trace.n_rounds)
    for a, b in zip(scaled.counts.tables, whole.counts.tables, strict=True):
        np.testing.assert_allclose(
            a, b * 0.001, rtol=0.2, atol=1e-4
        )  # other starts: 1 imagined row weighs more


def test_the_order_of_columns_and_rows_does_not_matter():
    rng = np.random.default_rng(5)
    asia = tw.load_network("asia")
    rows = with_holes(asia.sample(300, rng=rng), rng, 0.2)
    turned = rows.reordered(rows.schema.names[::-1]).take(rng.permutation(300))
    dag = tw.Dag(turned.schema, asia.dag.edges())
    first = tw.fit_em(asia.dag, rows, starts=2, rng=np.random.default_rng(1))
    second = tw.fit_em(dag, turned, starts=2, rng=np.random.default_rng(1))
    assert first.trace.log_likelihood == second.trace.log_likelihood
    for name in ("asia", "smoke", "xray"):
        assert np.array_equal(first.model.table(name), second.model.table(name))


def test_missing_cells_cost_little_accuracy():
    rng = np.random.default_rng(6)
    asia = tw.load_network("asia")
    complete = asia.sample(5_000, rng=rng)
    fresh = asia.sample(5_000, rng=rng)
    holes = with_holes(complete, rng, 0.3)
    fitted = tw.fit_em(asia.dag, holes)
    kept = np.logical_and.reduce([~mask for mask in holes.missing.values()])
    only_complete = tw.fit(asia.dag, tw.count(complete.take(kept)))
    assert fitted.model.score(fresh) > only_complete.score(fresh)
    assert fitted.model.score(fresh) > asia.score(fresh) - 0.01


def test_a_hidden_class_is_found():
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in ("class", "u", "v", "w")])
    dag = tw.Dag(schema, [("class", name) for name in "uvw"])
    truth = tw.BayesianNetwork(dag, [[0.4, 0.6], *([[0.9, 0.1], [0.15, 0.85]] for _ in "uvw")])
    rows = truth.sample(4_000, rng=np.random.default_rng(8)).select(["u", "v", "w"])
    fitted = tw.fit_em(dag, rows, starts=4, rng=np.random.default_rng(3), tolerance=1e-8)
    assert fitted.trace.start >= 1
    assert len(fitted.trace.objectives) == 4
    assert fitted.trace.objective[-1] == max(fitted.trace.objectives)
    shares = sorted(fitted.model.table("class").tolist())
    np.testing.assert_allclose(shares, [0.4, 0.6], atol=0.05)
    # better than supposing that the three have nothing in common
    apart = tw.fit(tw.Dag(rows.schema), tw.count(rows)).score(rows)
    assert fitted.trace.log_likelihood[-1] / rows.n_rows > apart + 0.05


def test_random_starts_end_no_worse():
    rng = np.random.default_rng(9)
    asia = tw.load_network("asia")
    rows = with_holes(asia.sample(200, rng=rng), rng, 0.5)
    alone = tw.fit_em(asia.dag, rows)
    several = tw.fit_em(asia.dag, rows, starts=3, rng=np.random.default_rng(1))
    assert several.trace.objective[-1] >= alone.trace.objective[-1]
    assert several.trace.objectives[0] == alone.trace.objective[-1]
    again = tw.fit_em(asia.dag, rows, starts=3, rng=np.random.default_rng(1))
    assert again.model == several.model


def test_an_equivalence_class_is_directed_and_says_so(tmp_path):
    fitted = tw.fit_em(tw.Cpdag.of(PAIR), TABLE)
    assert fitted.model == tw.fit_em(PAIR, TABLE).model
    fitted.model.save(tmp_path / "m.twm")
    told = tw.load(tmp_path / "m.twm").provenance
    assert told["fitted_by"] == "expectation maximisation"
    assert told["undirected_edges"] == [["a", "b"]]
    assert told["log_likelihood"] == fitted.trace.log_likelihood[-1]


def test_no_rows_at_all():
    fitted = tw.fit_em(PAIR, TABLE.take(slice(0, 0)))
    assert fitted.model.table("a").tolist() == [0.5, 0.5]
    assert fitted.trace.log_likelihood[-1] == 0


def test_refusals():
    hidden = tw.Dag(tw.Schema([*TABLE.schema, tw.Variable("h", (0, 1))]), [("h", "a")])
    with pytest.raises(SettingError, match=r"no row shows 'h', so .* starts=10, rng="):
        tw.fit_em(hidden, TABLE)
    with pytest.raises(SettingError, match=r"random starts need rng=, a numpy Generator .*; found None"):
        tw.fit_em(PAIR, TABLE, starts=2)
    with pytest.raises(SettingError, match="nats per row from 0 on; found -1"):
        tw.fit_em(PAIR, TABLE, tolerance=-1)
    with pytest.raises(SettingError, match="at least one round; found iterations=0"):
        tw.fit_em(PAIR, TABLE, iterations=0)
    with pytest.raises(SettingError, match="no fewer than 0 random starts; found starts=-1"):
        tw.fit_em(PAIR, TABLE, starts=-1)
    with pytest.raises(SchemaError, match="'t' is continuous"):
        tw.fit_em(tw.Dag(tw.Schema([tw.Variable("t")])), TABLE)
    with pytest.raises(GraphError, match="fit_em puts tables on a Dag; found list"):
        tw.fit_em([], TABLE)


def test_random_starts_do_not_depend_on_the_order_of_columns():
    # three parents of two states each: draws whose axes were exchanged would fit as well as any
    rng = np.random.default_rng(3)
    rows = with_holes(tw.load_network("asia").sample(200, rng=rng), rng, 0.3)
    names = ["smoke", "lung", "bronc", "dysp"]
    arcs = [("smoke", "dysp"), ("lung", "dysp"), ("bronc", "dysp"), ("smoke", "lung")]
    found = []
    for order in (names, names[::-1], ["lung", "dysp", "smoke", "bronc"]):
        table = rows.select(order)
        fitted = tw.fit_em(
            tw.Dag(table.schema, arcs), table, starts=2, iterations=2, rng=np.random.default_rng(5)
        )
        shown = {name: fitted.model.table(name) for name in names}
        found.append((shown, fitted.trace))
    for shown, trace in found[1:]:
        assert trace.objectives == pytest.approx(found[0][1].objectives, rel=1e-12)
        for name in names:
            first, other = found[0][0][name], shown[name]
            axes = [*(other.parents.index(parent) for parent in first.parents), len(first.parents)]
            np.testing.assert_allclose(np.asarray(other).transpose(axes), np.asarray(first), rtol=1e-9)


def test_the_objective_has_the_imagined_rows_in_it():
    fitted = tw.fit_em(PAIR, TABLE, prior=tw.Dirichlet(8.0), iterations=3, tolerance=0.0)
    added = [o - log for o, log in zip(fitted.trace.objective, fitted.trace.log_likelihood, strict=True)]
    a, b = fitted.model.tables  # of the last round: four rows for each cell of a, two for each of b
    assert added[-1] == pytest.approx(4 * np.log(a).sum() + 2 * np.log(b).sum())
    start_a, start_b = np.array([8.5, 4.5]) / 13, np.array([[4.25, 2.25], [1.25, 3.25]])
    start_b /= start_b.sum(axis=1, keepdims=True)
    assert added[0] == pytest.approx(4 * np.log(start_a).sum() + 2 * np.log(start_b).sum())
    assert fitted.trace.objectives == (fitted.trace.objective[-1],)


def test_a_hidden_variable_is_named_and_a_single_state_is_none():
    schema = tw.Schema([tw.Variable("z", (0, 1)), tw.Variable("y", (0, 1)), *TABLE.schema.variables])
    with pytest.raises(SettingError, match="no row shows 'y', so its states would stay alike"):
        tw.fit_em(tw.Dag(schema, [("z", "a"), ("y", "a")]), TABLE)
    single = tw.Schema([tw.Variable("one", (0,)), *TABLE.schema.variables])
    ends = {"prior": None, "iterations": 2_000, "tolerance": 0.0}
    fitted = tw.fit_em(tw.Dag(single, [("one", "a"), ("a", "b")]), TABLE, **ends)
    expected = tw.fit_em(PAIR, TABLE, **ends)
    np.testing.assert_allclose(fitted.model.table("b"), expected.model.table("b"), atol=1e-4)


def test_only_tables_that_miss_cells_are_drawn():
    rows = tw.read_table({"a": ["x", "y", "x", "y"], "b": ["p", "q", None, "p"]}, missing="em")
    arcs = tw.Dag(rows.schema, [("a", "b")])
    tables = [np.array([2.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0]])]
    drawn = _start(arcs, tables, [False, True], np.random.default_rng(0))
    np.testing.assert_allclose(drawn[0], [0.5, 0.5])
    np.testing.assert_allclose(drawn[1].sum(axis=-1), 1)
    assert not np.allclose(drawn[1], _start(arcs, tables, [False, True], None)[1])


def test_the_best_is_the_one_that_ends_best():
    """Not the one that leads after a round."""
    path = {"quick": [0.0, 5.0, 5.0], "slow": [0.0, 1.0, 9.0, 9.0]}

    def expect(at):
        name, step = at
        return at, path[name][min(step, len(path[name]) - 1)]

    found, _, trace = climb_best(
        [(0, ("quick", 0)), (1, ("slow", 0))],
        expect=expect,
        maximise=lambda at: (at[0], at[1] + 1),
        log_prior=lambda _: 0.0,
        settings=EmSettings(tolerance=0.0),
        n_rows=1.0,
    )
    assert found[0] == "slow"
    assert (trace.start, trace.objectives) == (1, (5.0, 9.0))


def test_families_that_every_row_shows_begin_at_their_counts(monkeypatch):
    """By chance begin only those that some row hides something of."""
    begun = []

    def noted(dag, observed, incomplete, rng):
        begun.append((list(incomplete), rng is not None, _start(dag, observed, incomplete, rng)))
        return begun[-1][-1]

    monkeypatch.setattr("treewright.models.fitting.em._start", noted)
    rows = tw.read_table({"a": [0, 1, 1, 0], "b": [0, 1, None, 1], "c": [1, 1, 0, 0]}, missing="em")
    dag = tw.Dag(rows.schema, [("a", "b"), ("b", "c")])
    tw.fit_em(dag, rows, starts=2, rng=np.random.default_rng(1))
    assert [incomplete for incomplete, *_ in begun] == [[False, True, True]] * 3
    first, *others = (tables for *_, tables in begun)
    assert sum(by_chance for _, by_chance, _ in begun) == 2
    for tables in others:
        assert np.array_equal(tables[0], first[0])
        assert not np.array_equal(tables[1], first[1])
