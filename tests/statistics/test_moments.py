from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.models import gaussian as slow

from treewright import Schema, Variable, _core
from treewright.errors import MissingValuesError, SchemaError, WeightError
from treewright.statistics import Moments, moments


@pytest.fixture
def rng():
    return np.random.default_rng(20240607)


def assert_exact(found: Moments, X, weights=None, rtol=4e-15):
    """Against rational arithmetic, relative to the diagonal."""
    mean, scatter = slow.exact_moments(np.asarray(X, dtype=float), weights)
    scale = np.sqrt([float(scatter[i][i]) for i in range(len(mean))])
    for i, row in enumerate(scatter):
        for j, value in enumerate(row):
            assert abs(float(found.scatter[i, j]) - float(value)) <= rtol * scale[i] * scale[j]
        apart = float(abs(mean[i] - slow.Fraction(float(found.mean[i]))))
        assert apart <= 2e-16 * abs(float(mean[i])) + 1e-15 * scale[i] / np.sqrt(len(X))


@pytest.mark.parametrize("offset", [0.0, 1e8, -3e12])
def test_a_large_offset_loses_no_digits(rng, offset):
    X = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3)) + offset
    assert_exact(Moments.of_block(slow.numbered(3), X), X)


def test_shards_with_a_large_offset_lose_no_digits(rng):
    X = rng.normal(size=(500, 2)) + 1e8
    shards = [Moments.of_block(slow.numbered(2), part) for part in np.array_split(X, 13)]
    assert_exact(Moments.merged(shards), X)
    left = shards[0]
    for shard in shards[1:]:
        left += shard
    assert_exact(left, X)


def test_an_outlier_in_the_first_row_costs_nothing(rng):
    X = rng.normal(size=(200, 2))
    X[0] = 1e9
    assert_exact(Moments.of_block(slow.numbered(2), X), X)


def test_many_blocks_agree_with_numpy(rng):
    X = rng.normal(size=(3 * 4096 + 17, 5)) + np.array([0, 1, 10, 100, 1000])
    found = Moments.of_block(slow.numbered(5), X)
    assert found.n == len(X)
    np.testing.assert_allclose(found.mean, X.mean(0), rtol=1e-13)
    np.testing.assert_allclose(found.covariance(), np.cov(X.T), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 31, 32, 33, 67])
def test_every_width_fills_its_tiles(rng, width):
    X = rng.normal(size=(50, width))
    found = Moments.of_block(slow.numbered(width), X).scatter
    np.testing.assert_allclose(found, (X - X.mean(0)).T @ (X - X.mean(0)), atol=1e-12)
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("blocks", [1, 2, 4])
@pytest.mark.parametrize("rows", [4096, 5 * 4096 + 100, 9 * 4096, 40_000])
def test_shards_of_whole_blocks_give_the_whole_bit_by_bit(rng, blocks, rows):
    X = rng.normal(size=(rows, 3)) * [1, 1e3, 1e-3] + 7
    schema, size = slow.numbered(3), blocks * 4096
    shards = [Moments.of_block(schema, X[start : start + size]) for start in range(0, rows, size)]
    assert Moments.merged(shards) == Moments.of_block(schema, X)


def test_weighted_shards_of_whole_blocks_too(rng):
    X, weights = rng.normal(size=(20_000, 2)), rng.random(20_000)
    weights[4096:8192] = 0
    schema = slow.numbered(2)
    shards = [
        Moments.of_block(schema, X[k : k + 4096], weights=weights[k : k + 4096])
        for k in range(0, 20_000, 4096)
    ]
    assert Moments.merged(shards) == Moments.of_block(schema, X, weights=weights)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=6), st.integers(0, 2**31), st.sampled_from([0.0, 1e6]))
def test_any_cut_agrees_up_to_rounding(cuts, seed, offset):
    X = np.random.default_rng(seed).normal(size=(30, 3)) + offset
    schema = slow.numbered(3)
    parts = [Moments.of_block(schema, part) for part in np.split(X, sorted(cuts))]
    whole, merged = Moments.of_block(schema, X), Moments.merged(parts)
    assert merged.n == whole.n
    scale = np.sqrt(np.outer(np.diag(whole.scatter), np.diag(whole.scatter)))
    assert np.all(np.abs(merged.scatter - whole.scatter) <= 1e-12 * scale)
    np.testing.assert_allclose(merged.mean, whole.mean, rtol=1e-12, atol=1e-14)


def test_threads_change_no_bit(rng):
    X, weights = rng.normal(size=(50_000, 9)), rng.random(50_000)
    try:
        found = []
        for n in (1, 2, 5):
            _core.set_threads(n)
            found.append(Moments.of_block(slow.numbered(9), X, weights=weights))
    finally:
        _core.set_threads(0)
    assert found[0] == found[1] == found[2]


def test_columns_do_not_see_each_other(rng):
    X = rng.normal(size=(6000, 40))
    whole, some = Moments.of_block(slow.numbered(40), X), [37, 3, 11, 4, 29]
    picked = Moments.of_block(slow.numbered(40).select(some), X[:, some])
    assert picked == whole.select(some)
    assert picked.select([2, 0]) == whole.select(["v011", "v037"])


def test_row_order_matters_only_in_the_last_digits(rng):
    X = rng.normal(size=(10_000, 3)) + 5
    a = Moments.of_block(slow.numbered(3), X)
    b = Moments.of_block(slow.numbered(3), X[rng.permutation(len(X))])
    np.testing.assert_allclose(b.scatter, a.scatter, rtol=0, atol=1e-12 * len(X))
    np.testing.assert_allclose(b.mean, a.mean, rtol=1e-14)


def test_shift_and_scale(rng):
    X = rng.normal(size=(400, 2))
    schema = slow.numbered(2)
    a, b = Moments.of_block(schema, X), Moments.of_block(schema, X * [4, -0.5] + [64, -8])
    np.testing.assert_allclose(b.mean, a.mean * [4, -0.5] + [64, -8], rtol=1e-14)
    np.testing.assert_allclose(b.scatter, a.scatter * np.outer([4, -0.5], [4, -0.5]), rtol=1e-11)
    np.testing.assert_allclose(b.correlation(), a.correlation() * [[1, -1], [-1, 1]], atol=1e-13)


def test_whole_weights_repeat_rows(rng):
    X, weights = rng.normal(size=(50, 3)) + 1e5, rng.integers(0, 5, size=50)
    weights[0] = 0
    found = Moments.of_block(slow.numbered(3), X, weights=weights)
    assert found.n == weights.sum()
    assert isinstance(found.n, int)
    assert_exact(found, X, weights)
    repeated = Moments.of_block(slow.numbered(3), np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(found.scatter, repeated.scatter, rtol=1e-10)


def test_real_weights(rng):
    X, weights = rng.normal(size=(60, 2)), rng.random(60)
    found = Moments.of_block(slow.numbered(2), X, weights=weights)
    assert isinstance(found.n, float)
    assert_exact(found, X, weights)
    np.testing.assert_allclose(found.covariance(ddof=0), np.cov(X.T, aweights=weights, ddof=0), rtol=1e-12)


def test_constant_and_equal_columns_are_exact(rng):
    x = rng.normal(size=9000) + 3
    X = np.column_stack([x, np.full(9000, 0.1), x, np.full(9000, 1e300)])
    found = Moments.of_block(slow.numbered(4), X)
    assert not found.scatter[[1, 3]].any()
    assert found.scatter[0, 0] == found.scatter[0, 2] == found.scatter[2, 2]
    assert found.constant == ("v001", "v003")
    assert found.correlation().tolist() == [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]


def test_no_row_and_one_row():
    schema = slow.numbered(2)
    none, one = Moments.of_block(schema, []), Moments.of_block(schema, [[3.0, 4.0]])
    assert none.n == 0
    assert np.isnan(none.mean).all()
    assert not one.scatter.any()
    assert one.mean.tolist() == [3, 4]
    assert none + none == none
    assert none + one == one + none == one
    assert one.correlation().tolist() == none.correlation().tolist() == np.eye(2).tolist()
    assert one.covariance(ddof=0).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(
        SchemaError, match=r"^a covariance with ddof=1 needs more than 1 rows; found 1; pass ddof=0"
    ):
        one.covariance()
    with pytest.raises(SchemaError, match=r"^a covariance with ddof=0 needs more than 0 rows; found 0$"):
        none.covariance(ddof=0)


def test_no_column():
    assert Moments.of_block(Schema([]), np.empty((5, 0))).scatter.shape == (0, 0)


def test_shrunk_correlation_is_well_conditioned(rng):
    found = Moments.of_block(slow.numbered(40), rng.normal(size=(15, 40)))
    shrunk = found.shrunk_correlation()
    assert np.linalg.matrix_rank(found.correlation()) == 14
    assert np.linalg.cond(shrunk) < 100
    assert (np.diag(shrunk) == 1).all()
    many = Moments.of_block(slow.numbered(3), rng.normal(size=(50_000, 3)) @ rng.normal(size=(3, 3)))
    np.testing.assert_allclose(many.shrunk_correlation(), many.correlation(), atol=1e-3)
    assert Moments.of_block(slow.numbered(1), [[1.0], [2.0]]).shrunk_correlation().tolist() == [[1.0]]


def test_the_verb_reads_a_table(rng):
    X, weights = rng.normal(size=(100, 3)), rng.integers(1, 4, size=100)
    assert moments(slow.table(X)) == Moments.of_block(slow.numbered(3), X)
    assert moments(slow.table(X, weights=weights)) == Moments.of_block(slow.numbered(3), X, weights=weights)


def test_strided_columns_are_read_as_they_are(rng):
    X = rng.normal(size=(100, 3))
    views = slow.Rows(slow.numbered(3), tuple(X.T))
    assert moments(views) == moments(slow.table(X))


def test_moments_are_frozen_values(rng):
    found = Moments.of_block(slow.numbered(2), rng.normal(size=(10, 2)))
    with pytest.raises(ValueError, match="read-only"):
        found.mean[0] = 1
    with pytest.raises(AttributeError):
        found.n = 3  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert not again.scatter.flags.writeable
    assert found != 3


def test_refusals():
    schema = slow.continuous("x", "y")
    mixed = Schema([Variable("x"), Variable("smoker", ("no", "yes")), Variable("y")])
    three = slow.Rows(mixed, (np.zeros(2), np.zeros(2, dtype=np.uint8), np.zeros(2)))
    with pytest.raises(
        SchemaError,
        match=r"^moments need continuous columns; discrete: 'smoker';"
        r" take the others with table\.select\(\['x', 'y'\]\)$",
    ):
        moments(three)
    with pytest.raises(SchemaError, match=r"discrete: 'smoker'; count\(table\) counts them$"):
        moments(slow.Rows(mixed.select(["smoker"]), (np.zeros(2, dtype=np.uint8),)))
    with pytest.raises(
        MissingValuesError, match=r"^moments need a number in every cell; found NaN in 'y' \(2\);"
    ):
        Moments.of_block(schema, [[1, np.nan], [1, np.nan]])
    with pytest.raises(SchemaError, match=r"^moments need finite numbers; found infinite ones in 'x' \(1\)$"):
        Moments.of_block(schema, [[np.inf, 0], [1, 2]])
    with pytest.raises(SchemaError, match=r"^numbers too large to be squared in 'x'; rescale these columns$"):
        Moments.of_block(schema, [[1e200, 0], [-1e200, 0]])
    with pytest.raises(SchemaError, match=r"matrix of that width; found shape \(2, 3\)$"):
        Moments.of_block(schema, np.zeros((2, 3)))
    with pytest.raises(WeightError, match=r"^2 rows need 2 weights; found shape \(3,\)$"):
        Moments.of_block(schema, np.zeros((2, 2)), weights=[1, 2, 3])
    with pytest.raises(WeightError, match=r"not negative; found -1.0 in row 1, counted from 0$"):
        Moments.of_block(schema, np.zeros((2, 2)), weights=[1, -1])
    with pytest.raises(WeightError, match=r"found nan in row 0"):
        Moments.of_block(schema, np.zeros((2, 2)), weights=[np.nan, 1])
    with pytest.raises(SchemaError, match=r"^there is nothing to merge"):
        Moments.merged([])
    with pytest.raises(
        SchemaError, match=r"do not add: \('x', 'y'\) and \('y', 'x'\); bring them into one order"
    ):
        _ = Moments.of_block(schema, [[1, 2]]) + Moments.of_block(slow.continuous("y", "x"), [[1, 2]])
    with pytest.raises(SchemaError, match=r"^scatter of 2 columns has shape \(2, 2\); found \(3, 3\)$"):
        Moments(schema, 3, [0, 0], np.eye(3))
    with pytest.raises(WeightError, match="not negative; found -1"):
        Moments(schema, -1, [0, 0], np.eye(2))
    with pytest.raises(TypeError):
        _ = Moments.of_block(schema, [[1, 2]]) + 3


def test_shrinkage_is_that_of_the_paper(rng):
    for n, p in ((6, 3), (12, 4), (40, 2)):
        X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
        found = Moments.of_block(Schema([Variable(f"v{i}") for i in range(p)]), X)
        S = np.corrcoef(X.T)
        square, trace = np.trace(S @ S), np.trace(S)
        share = ((1 - 2 / p) * square + trace**2) / ((n + 1 - 2 / p) * (square - trace**2 / p))  # Eq. 23
        expected = (1 - min(share, 1.0)) * S + min(share, 1.0) * np.eye(p)
        np.testing.assert_allclose(found.shrunk_correlation(), expected, rtol=1e-9, atol=1e-12)


def test_the_number_of_rows_tells_moments_apart():
    schema = Schema([Variable("x")])
    once, twice = (Moments(schema, n, np.array([1.0]), np.array([[2.0]])) for n in (5, 6))
    assert once != twice
    assert once == Moments(schema, 5, np.array([1.0]), np.array([[2.0]]))
