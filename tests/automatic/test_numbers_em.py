"""Gaussian networks from rows with gaps: laws of EM and of structural EM, and the doors that lead to them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import _core
from treewright.automatic.gap_prices import likelihood_of, price_shown, price_whole
from treewright.automatic.numbers_em import RoundsOfNumbers
from treewright.automatic.structural_em import fill
from treewright.criteria import GaussianBIC
from treewright.errors import MissingValuesError
from treewright.models import score_observed
from treewright.models.fitting.em_lines import covariance_of, fit_lines_em
from treewright.statistics.gaps.expected_moments import NumbersWithGaps, empty_columns
from treewright.tables import Table

ARCS = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")]


def full_rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(5, n))
    a = noise[0] + 4
    b, c = 2 * a + noise[1], -a + noise[2]
    d = b + c + noise[3]
    return tw.read_table(dict(zip("abcde", (a, b, c, d, d - 2 + noise[4]), strict=True)))


def gapped(full, share=0.2, seed=0):
    gaps = np.random.default_rng(seed + 1).random((len(full.schema), full.n_rows)) < share
    columns = [np.where(gap, np.nan, column) for column, gap in zip(full.columns, gaps, strict=True)]
    return Table(full.schema, columns, weights=full.weights)


def climbed(found):
    return tw.learn_hill_climbing(GaussianBIC(found), effort=0)


@given(st.integers(0, 10_000), st.sampled_from([6, 30, 150]), st.sampled_from([0.1, 0.4]))
@settings(max_examples=25, deadline=None)
def test_no_round_of_em_lowers_what_the_rows_say(seed, n, share):
    table = gapped(full_rows(n, seed), share, seed)
    assume(not empty_columns(table))
    fitted = fit_lines_em(tw.Dag(table.schema, ARCS), NumbersWithGaps(table))
    logs = fitted.trace.log_likelihood
    assert all(b >= a for a, b in pairwise(logs))
    assert score_observed(fitted.model, table) * n == pytest.approx(logs[-1])


def test_at_the_end_no_step_aside_explains_more():
    """The end of EM is a maximum of the observed likelihood, as moving each number shows."""
    table = gapped(full_rows(120), 0.2)
    dag = tw.Dag(table.schema, ARCS)
    settings_ = tw.models.fitting.em.EmSettings(tolerance=1e-12)
    model = fit_lines_em(dag, NumbersWithGaps(table), settings_).model
    best = score_observed(model, table)
    slopes = {name: model.coefficients(name) for name in "abcde"}
    for step in (1e-3, -1e-3):
        for name in "abcde":
            moved = model.variances.copy()
            moved[table.schema.index(name)] *= 1 + step
            assert score_observed(tw.GaussianNetwork(dag, model.intercepts, slopes, moved), table) < best
        for parent, child in ARCS:
            other = {**slopes, child: {**slopes[child], parent: slopes[child][parent] + step}}
            assert (
                score_observed(tw.GaussianNetwork(dag, model.intercepts, other, model.variances), table)
                < best
            )


def test_without_gaps_em_is_the_fit():
    full = full_rows()
    dag = tw.Dag(full.schema, ARCS)
    fitted = fit_lines_em(dag, NumbersWithGaps(full))
    assert fitted.moments == tw.moments(full)
    assert fitted.model == tw.fit(dag, tw.moments(full))
    assert score_observed(fitted.model, full) == pytest.approx(fitted.model.score(full))
    assert likelihood_of(dag, fitted.moments) == pytest.approx(fitted.trace.log_likelihood[-1])
    np.testing.assert_allclose(covariance_of(fitted.model), fitted.model.covariance(), rtol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=8, deadline=None)
def test_no_round_lowers_the_score(seed):
    table = gapped(full_rows(100, seed), 0.3, seed)
    gaps = RoundsOfNumbers(table)

    def adopt(learned, moments):
        return replace(learned, score=GaussianBIC(moments).score(learned.dag))

    found = fill(gaps, climbed, GaussianBIC, quick=climbed, adopt=adopt)
    assert all(b > a for a, b in pairwise(found.scores))
    price = price_shown(found.learned.dag, GaussianBIC(found.counter), found.counter, gaps.shown)
    at_end = price + found.log_likelihood
    assert at_end == pytest.approx(found.scores[-1])
    price = price_whole(found.learned.dag, GaussianBIC(found.counter), found.counter)
    assert found.score == pytest.approx(price + found.log_likelihood)  # as the search scores


def test_without_gaps_it_is_the_plain_learner():
    full = full_rows()
    plain = tw.learn(full)
    for missing in ("em", "available", "indicator"):
        other = tw.learn(full, missing=missing)
        assert (plain.model, plain.score, plain.notes) == (other.model, other.score, other.notes)


def test_all_rows_find_more_than_complete_ones():
    full = full_rows(150)
    truth = tw.Dag(full.schema, ARCS)
    table = gapped(full, 0.3)
    found, rest = tw.learn(table, missing="em"), tw.learn(table.take(~np.isnan(table.columns).any(axis=0)))
    assert tw.shd(truth, found.cpdag) <= tw.shd(truth, rest.cpdag)
    assert found.model.score(full_rows(2_000, 9)) > rest.model.score(full_rows(2_000, 9))
    assert "structure and lines from all 150 rows" in found.notes[-1]
    assert "by structural EM from" in found.notes[-1]
    assert found.score < 150 * score_observed(found.model, table)


def test_orders_and_threads_do_not_show():
    table = gapped(full_rows(400), 0.2)
    rng = np.random.default_rng(5)
    other = table.take(rng.permutation(400)).select(list(rng.permutation(table.schema.names)))
    threads = _core.threads()
    try:
        _core.set_threads(1)
        one = tw.learn(table, missing="em")
        _core.set_threads(2)
        two = tw.learn(other, missing="em")
        again = tw.learn(table, missing="em")
    finally:
        _core.set_threads(threads)
    assert sorted(one.cpdag.edges()) == sorted(two.cpdag.edges())
    assert one.score == pytest.approx(two.score, abs=1e-6)
    assert (again.model, again.score) == (one.model, one.score)


def test_constant_columns_collinear_columns_and_rows_of_nothing():
    full = full_rows(200)
    columns = [*full.columns, np.full(200, 0.1), 2 * full.columns[0]]
    schema = tw.Schema([*full.schema, tw.Variable("still"), tw.Variable("twice")])
    table = gapped(Table(schema, columns), 0.2)
    table = Table(schema, [np.where(np.arange(200) < 5, np.nan, column) for column in table.columns])
    found = tw.learn(table, missing="em")
    assert not any("still" in arc for arc in found.dag.edges())
    assert found.model.intercept("still") == 0.1
    assert frozenset(("a", "twice")) in {frozenset(arc) for arc in found.dag.edges()}
    assert np.isfinite(found.score)
    assert found.model.query("a", given={"twice": 9.0}).mean == pytest.approx(4.5, abs=1e-6)


def test_knowledge_and_bounds_are_obeyed():
    table = gapped(full_rows(), 0.2)
    known = tw.Knowledge(forbidden_edges=[("a", "b")], required=[("e", "d")])
    found = tw.learn(table, missing="em", treewidth=1, knowledge=known)
    assert found.width == 1
    assert ("e", "d") in found.dag.edges()
    assert not {("a", "b"), ("b", "a")} & set(found.dag.edges())


def test_some_rows_lead_to_a_structure_and_all_to_lines():
    found = tw.learn(gapped(full_rows(), 0.1), missing="em", rows=100)
    assert "lines from all rows by EM" in found.notes[-1]


def test_what_no_row_shows_is_summed_out_of_a_score_and_refused_in_learning():
    full = full_rows(40)
    model = tw.fit(tw.Dag(full.schema, ARCS), tw.moments(full))
    gone = [np.full(40, np.nan) if name == "c" else c for name, c in zip("abcde", full.columns, strict=True)]
    table = Table(full.schema, gone)
    rest = ["a", "b", "d", "e"]
    logs = [model.log_density_of({name: float(full.column(name)[i]) for name in rest}) for i in range(40)]
    assert score_observed(model, table) == pytest.approx(np.mean(logs))
    with pytest.raises(MissingValuesError, match="'c' misses every cell"):
        NumbersWithGaps(table)
    weights = np.arange(40) % 2
    some = [
        np.where(weights > 0, np.nan, c) if name == "c" else c
        for name, c in zip("abcde", full.columns, strict=True)
    ]
    with pytest.raises(MissingValuesError, match="'c' misses every cell"):
        NumbersWithGaps(Table(full.schema, some, weights=weights))


@pytest.mark.parametrize("missing", ["available", "indicator"])
def test_what_is_for_labels_names_the_way_out(missing):
    with pytest.raises(MissingValuesError, match=f"missing='{missing}' is for labels.*missing='em' learns"):
        tw.learn(gapped(full_rows(50)), missing=missing)


def test_too_few_complete_rows_name_the_way_out():
    with pytest.raises(MissingValuesError, match="or learn from all rows with missing='em'"):
        tw.learn(gapped(full_rows(50), 0.4))


def test_what_rows_show_is_told_of_the_last_round():
    table = gapped(full_rows())
    dag = tw.Dag(table.schema, ARCS)
    trace = fit_lines_em(dag, NumbersWithGaps(table)).trace
    assert len(set(trace.log_likelihood[-2:])) == 2
    assert RoundsOfNumbers(table).explain(dag).log_likelihood == trace.log_likelihood[-1]


def test_the_likelihood_of_lines_is_their_own():
    table = full_rows()
    dag = tw.Dag(table.schema, ARCS)
    part = tw.moments(table)
    model = tw.fit(dag, part)
    assert likelihood_of(dag, part) == pytest.approx(model.log_probability(table).sum(), rel=1e-9)
