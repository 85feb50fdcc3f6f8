"""Moments in joint states: they add, whatever the shards, and equal those of a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import ArgumentError, MissingValuesError, SchemaError
from treewright.statistics import MixedMoments, mixed_moments


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
