"""Moments in joint states: they add, whatever the shards, and equal those of a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import ArgumentError, MissingValuesError, SchemaError
from treewright.statistics import MixedMoments, mixed_moments
from treewright.statistics.mixed import state_moments


def table_of(rng, n, *, weights=False):
    schema = tw.Schema(
        [tw.Variable("z"), tw.Variable("b", (0, 1, 2)), tw.Variable("x"), tw.Variable("a", ("no", "yes"))]
    )
    columns = [1e6 + rng.normal(size=n), rng.integers(3, size=n), rng.normal(size=n), rng.integers(2, size=n)]
    weigh = rng.integers(0, 4, size=n) if weights else None
    return tw.Table(schema, columns, weights=weigh)


def by_loop(table, discrete, continuous):
    """The same, a row at a time."""
    found = {}
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    for row in range(table.n_rows):
        key = tuple(int(table.column(name)[row]) for name in discrete)
        point = np.array([table.column(name)[row] for name in continuous])
        found.setdefault(key, []).append((float(weights[row]), point))
    answer = {}
    for key, rows in sorted(found.items()):
        n = sum(w for w, _ in rows)
        mean = sum(w * x for w, x in rows) / n if n else np.zeros(len(continuous))
        scatter = sum(w * np.outer(x - mean, x - mean) for w, x in rows)
        answer[key] = n, mean, scatter
    return answer


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 300),
    st.integers(1, 5),
    st.booleans(),
    st.sets(st.sampled_from("ab")),
    st.sets(st.sampled_from("xz")),
)
def test_moments_add_over_shards_and_equal_a_loop(seed, n, n_shards, weights, discrete, continuous):
    table = table_of(np.random.default_rng(seed), n, weights=weights)
    whole = mixed_moments(table).in_states(discrete, continuous)
    parts = mixed_moments(table.shards(min(n, n_shards))).in_states(discrete, continuous)
    twin = by_loop(table, sorted(discrete), sorted(continuous))
    assert [tuple(state) for state in whole.states.tolist()] == list(twin)
    for one in (whole, parts):
        assert one.states.tolist() == whole.states.tolist()
        for k, (weight, mean, scatter) in enumerate(twin.values()):
            assert one.n[k] == weight
            np.testing.assert_allclose(one.mean[k], mean, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(one.scatter[k], scatter, rtol=1e-9, atol=1e-7)


def test_states_beyond_sixty_four_bits_are_told_apart():
    rng = np.random.default_rng(0)
    names = [f"a{i:02}" for i in range(70)]
    columns = {name: rng.integers(2, size=40).astype(bool) for name in names}
    table = tw.read_table({**columns, "x": rng.normal(size=40)})
    found = mixed_moments(table).in_states(names, ["x"])
    assert len(found.n) == len(np.unique(np.stack(list(columns.values())), axis=1).T)
    assert found.states.tolist() == sorted(found.states.tolist())


def test_refusals():
    table = table_of(np.random.default_rng(0), 5)
    source = mixed_moments(table)
    with pytest.raises(SchemaError, match="'x' is continuous, on the wrong side"):
        source.in_states(["x"], [])
    with pytest.raises(SchemaError, match="nothing to take moments of"):
        MixedMoments([])
    with pytest.raises(MissingValuesError, match="cells are missing in 'x'"):
        mixed_moments(tw.read_table({"a": ["u", "v"], "x": [0.5, None]}, missing="em"))
    with pytest.raises(SchemaError, match="too large to be squared in 'x'"):
        mixed_moments(tw.read_table({"a": ["u", "v"], "x": [0.5, 1e200]}))
    with pytest.raises(SchemaError, match="different columns do not add"):
        source.in_states(["a"], []) + source.in_states(["b"], [])
    for wrong in (3, "rows.csv", [1]):
        with pytest.raises(ArgumentError, match="mixed_moments takes a table"):
            mixed_moments(wrong)


def test_moments_of_other_columns_do_not_add():
    source = mixed_moments(table_of(np.random.default_rng(0), 50))
    one = source.in_states(["a"], ["x"])
    for other in (
        source.in_states(["b"], ["x"]),
        source.in_states(["a"], ["z"]),
        source.in_states([], ["x"]),
    ):
        with pytest.raises(SchemaError, match="moments of different columns do not add"):
            one + other


def test_columns_may_be_asked_for_in_any_order():
    source = mixed_moments(table_of(np.random.default_rng(0), 50))
    one, other = source.in_states(["a", "b"], ["x", "z"]), source.in_states(["b", "a"], ["z", "x"])
    assert (one.discrete, one.continuous) == (other.discrete, other.continuous) == (("a", "b"), ("x", "z"))
    assert np.array_equal(one.scatter, other.scatter)


def test_what_is_kept_for_later_has_an_end(monkeypatch):
    table = table_of(np.random.default_rng(0), 50)
    whole = mixed_moments(table).in_states(["a", "b"], ["x", "z"])
    assert whole.nbytes == sum(part.nbytes for part in (whole.states, whole.n, whole.mean, whole.scatter))
    for limit, kept in ((10**9, 3), (whole.nbytes, 1), (0, 1)):
        monkeypatch.setattr(state_moments, "_REMEMBERED", limit)
        source = mixed_moments(table)
        for scope in (["a"], ["b"], ["a", "b"]):
            source.in_states(scope, ["x", "z"])
        assert len(source._known) == kept
        assert source._bytes == sum(one.nbytes for one in source._known.values())


@pytest.mark.parametrize("most", [3, 5, 6, 100])
def test_more_joint_states_than_numbers(monkeypatch, most):
    """States are numbered anew where there are more than a number can hold."""
    table = table_of(np.random.default_rng(3), 60)
    expected = mixed_moments(table).in_states(["a", "b"], ["x"])
    monkeypatch.setattr(state_moments, "_MOST_POSITIONS", most)
    found = mixed_moments(table).in_states(["a", "b"], ["x"])
    assert np.array_equal(found.states, expected.states)
    assert np.array_equal(found.mean, expected.mean)


def test_counts_of_one_table_and_of_several():
    table = table_of(np.random.default_rng(0), 50)
    halves = [table.take(np.arange(i, 50, 2)) for i in range(2)]
    counters = [mixed_moments(one).counter for one in (table, halves)]
    for counter in counters:
        assert (counter.counts(("a", "b")) == tw.count(table.select(["a", "b"])).counts(("a", "b"))).all()
