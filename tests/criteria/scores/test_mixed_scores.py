"""BIC of mixed families: equal to a slow twin, to counts and moments alone, and among equivalent networks."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.models.mixtures import random_mixed
from tests.statistics.mixed.test_state_moments import by_loop

import treewright as tw
from treewright.criteria import MixedBIC, make_sparse_mixed_score
from treewright.errors import ArgumentError, SchemaError, SettingError
from treewright.statistics import mixed_moments


def rows_of(seed, n=200, n_discrete=3, n_continuous=3):
    rng = np.random.default_rng(seed)
    return random_mixed(rng, n_discrete, n_continuous, density=0.6).sample(n, rng=rng)


def slow_local(table, child, parents):
    """The score of one family, as its docstring says it."""
    schema, n = table.schema, table.n_rows
    discrete = sorted(p for p in parents if schema[p].is_discrete)
    states = math.prod(schema[p].cardinality for p in discrete)
    if schema[child].is_discrete:
        counts = np.zeros((states, schema[child].cardinality))
        for row in range(n):
            at = 0
            for p in discrete:
                at = at * schema[p].cardinality + int(table.column(p)[row])
            counts[at, int(table.column(child)[row])] += 1
        likelihood = sum(c * math.log(c / counts[at].sum()) for at in range(states) for c in counts[at] if c)
        return likelihood - 0.5 * math.log(n) * states * (schema[child].cardinality - 1)
    numbers = [*sorted(p for p in parents if not schema[p].is_discrete), child]
    whole = by_loop(table, [], numbers)[()]
    every = whole[2] / n
    groups = by_loop(table, discrete, numbers)
    within = sum(scatter for _, _, scatter in groups.values()) + every
    within = within / (n - len(groups) + 1)
    likelihood = 0.0
    for rows, _, scatter in groups.values():
        covariance = every if not discrete else (scatter + within) / (rows + 1)
        covariance = covariance + 1e-12 * np.diag(np.diag(every))
        for part, sign in ((slice(None), 1), (slice(0, -1), -1)):
            inner, outer = covariance[part, part], scatter[part, part]
            if len(inner):
                _, log_det = np.linalg.slogdet(2 * math.pi * inner)
                likelihood -= sign * 0.5 * (rows * log_det + np.trace(np.linalg.solve(inner, outer)))
    return likelihood - 0.5 * math.log(n) * states * (len(numbers) + 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(12, 120))
def test_scores_equal_the_slow_twin(seed, n):
    table = rows_of(seed, n)
    score, rng = MixedBIC(mixed_moments(table)), np.random.default_rng(seed)
    parts = MixedBIC(mixed_moments(table.shards(2)))
    names = list(table.schema.names)
    for child in names:
        parents = [
            p
            for p in names
            if p != child
            and rng.random() < 0.5
            and (table.schema[p].is_discrete or not table.schema[child].is_discrete)
        ]
        found = score.local(child, parents)
        assert math.isclose(found, slow_local(table, child, parents), rel_tol=1e-8, abs_tol=1e-5)
        assert math.isclose(found, parts.local(child, parents), rel_tol=1e-9, abs_tol=1e-6)
        assert found == score.local(child, parents[::-1])
        assert found % score.resolution == 0


def test_with_numbers_alone_or_states_alone_it_is_what_it_was():
    rng = np.random.default_rng(1)
    x = rng.normal(size=100)
    lines = tw.read_table({"x": x, "y": x + rng.normal(size=100)})
    mixed, plain = MixedBIC(mixed_moments(lines)), tw.GaussianBIC(tw.moments(lines))
    assert mixed.local("y", ["x"]) == pytest.approx(plain.local("y", ["x"]), abs=1e-6)
    asia = tw.load_network("asia").sample(200, rng=rng)
    assert MixedBIC(mixed_moments(asia)).local("dysp", ["smoke"]) == tw.BIC(tw.count(asia)).local(
        "dysp", ["smoke"]
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(30, 200))
def test_the_score_is_the_likelihood_of_the_fitted_model_less_its_price(seed, n):
    table = rows_of(seed, n)
    model = random_mixed(np.random.default_rng(seed), 3, 3, density=0.6)
    dag = tw.Dag(table.schema, model.dag.edges())
    moments = mixed_moments(table)
    fitted = tw.fit(dag, moments, prior=None)
    price = 0.5 * math.log(n) * fitted.n_parameters
    expected = float(fitted.log_probability(table).sum()) - price
    assert MixedBIC(moments).score(dag) == pytest.approx(expected, rel=1e-7)


def test_equivalent_networks_tie_exactly():
    table = rows_of(5)
    score = MixedBIC(mixed_moments(table))
    a, b = [v.name for v in table.schema if v.is_discrete][:2]
    x, y = [v.name for v in table.schema if not v.is_discrete][:2]
    for one, other in (
        ([(a, x), (a, y), (x, y)], [(a, x), (a, y), (y, x)]),
        ([(a, b)], [(b, a)]),
        ([(x, y)], [(y, x)]),
    ):
        assert score.score(tw.Dag(table.schema, one)) == score.score(tw.Dag(table.schema, other))


def test_states_of_one_row_pay_for_themselves():
    """As many states as rows: a perfect fit of each row is worth nothing."""
    rng = np.random.default_rng(0)
    schema = tw.Schema([tw.Variable("id", tuple(range(100))), tw.Variable("x"), tw.Variable("y")])
    table = tw.Table(schema, [np.arange(100), rng.normal(size=100), rng.normal(size=100)])
    score = MixedBIC(mixed_moments(table))
    assert score.local("x", ["id"]) < score.local("x")
    assert score.local("x", ["id", "y"]) < score.local("x")


def test_prices_refusals_and_copies():
    moments = mixed_moments(rows_of(2))
    score = MixedBIC(moments)
    x = next(v.name for v in score.schema if not v.is_discrete)
    a = next(v.name for v in score.schema if v.is_discrete)
    sparse = make_sparse_mixed_score(moments)
    assert sparse.local(x, [a]) == pytest.approx(score.local(x, [a]) - math.log(6))
    assert sparse.local(a, []) == tw.SparseQNML(moments.counter).local(a, [])
    assert pickle.loads(pickle.dumps(sparse)).local(x, [a]) == sparse.local(x, [a])
    assert score.pair_gains()[score.schema.index(x), score.schema.index(a)] == -math.inf
    assert pickle.loads(pickle.dumps(score)).local(x, [a]) == score.local(x, [a])
    assert repr(score) == "MixedBIC(3 discrete and 3 continuous, 200 rows)"
    with pytest.raises(SchemaError, match="discrete variables have discrete parents here"):
        score.local(a, [x])
    with pytest.raises(ArgumentError, match=r"tw.statistics.mixed_moments\(table\)"):
        MixedBIC(moments.tables[0])
    with pytest.raises(SettingError, match="price of an edge"):
        MixedBIC(moments, edge_price=-1.0)


def test_each_edge_has_its_price():
    table = rows_of(3)
    plain, dear = (MixedBIC(mixed_moments(table), edge_price=price) for price in (0.0, 2.5))
    child, *others = [v.name for v in table.schema if not v.is_discrete]
    labels = [v.name for v in table.schema if v.is_discrete]
    for parents in ([], others[:1], [*others, labels[0]]):
        gone = plain.local(child, parents) - dear.local(child, parents)
        assert gone == pytest.approx(2.5 * len(parents), abs=1e-6)


def test_gains_of_pairs_are_those_of_single_parents():
    """A number is no parent of states."""
    table = rows_of(4)
    score = MixedBIC(mixed_moments(table))
    gains = score.pair_gains()
    for p, parent in enumerate(table.schema):
        for c, child in enumerate(table.schema):
            if p == c:
                assert gains[p, c] == 0.0
            elif child.is_discrete and not parent.is_discrete:
                assert gains[p, c] == -math.inf
            else:
                assert gains[p, c] == pytest.approx(score.local(c, [p]) - score.local(c), abs=1e-6)


def test_the_sparse_score_asks_ln_n_for_an_edge():
    moments = mixed_moments(rows_of(5))
    assert make_sparse_mixed_score(moments).edge_price == pytest.approx(math.log(6), abs=1e-6)
    rng = np.random.default_rng(0)
    lone = mixed_moments(tw.read_table({"x": rng.normal(size=20)}))
    assert make_sparse_mixed_score(lone).edge_price == 0.0
