"""Every counting kernel against the slow counter, on sizes where words, blocks and planes begin and end."""

import itertools
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting.counting import SlowCounter, plain_schema

from treewright import _core

ROWS = [0, 1, 7, 63, 64, 65, 255, 256, 257, 8191, 32767, 32768, 32769, 65537]
CARDINALITIES = {
    "mixed": [1, 2, 3, 4, 15, 16],
    "binary": [2] * 70,
    "around wide": [63, 64, 65, 2, 3, 255],
    "wider than a byte": [300, 17, 2, 1, 4, 256],
    "planes of 256": [2] * 255 + [3],
    "planes of 257": [2] * 257,
}
KERNELS = ["masks", "grouped", "histogram"]
WEIGHTS = ["none", "integer"]


def columns_of(rng, cardinalities, n_rows, skew=0.3):
    columns = []
    for r in cardinalities:
        codes = rng.choice(r, n_rows, p=rng.dirichlet(np.full(r, skew)))
        columns.append(codes.astype(np.uint8 if r <= 256 else np.uint16))
    return columns


def weights_of(rng, kind, n_rows):
    return {
        "none": None,
        "integer": rng.integers(0, 1000, n_rows),
        "real": rng.random(n_rows),
    }[kind]


def packed(columns, cardinalities, weights=None):
    n_rows = len(columns[0]) if columns else 0
    real = weights is not None and weights.dtype.kind == "f"
    return _core.pack(columns, cardinalities, n_rows, None if real else weights, weights if real else None)


@pytest.fixture(params=_core.simd_levels())
def level(request):
    before = _core.simd_level()
    _core.set_simd_level(request.param)
    yield request.param
    _core.set_simd_level(before)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", ROWS)
@pytest.mark.parametrize("cardinalities", CARDINALITIES.values(), ids=CARDINALITIES)
def test_all_kernels_and_levels_agree_with_the_slow_counter(level, n_rows, cardinalities):
    rng = np.random.default_rng(n_rows)
    columns = columns_of(rng, cardinalities, n_rows)
    last = len(cardinalities) - 1
    scopes = [(0,), (last,), (1, 0), (last, 1), (1, 2, 3), (3, last, 1)]
    for kind in WEIGHTS:
        weights = weights_of(rng, kind, n_rows)
        slow = SlowCounter(plain_schema(cardinalities), columns, weights)
        table = packed(columns, cardinalities, weights)
        for scope in scopes:
            expected = slow.counts(scope)
            for kernel in KERNELS:
                np.testing.assert_array_equal(_core.testing.counts_by(table, scope, kernel), expected)
            np.testing.assert_array_equal(_core.counts(table, [scope], 1e12)[0], expected)
            codes, counts = _core.sparse_counts(table, scope)
            np.testing.assert_array_equal(expected.ravel()[codes], counts)
            assert (counts > 0).all()
            assert counts.sum() == expected.sum()


@pytest.mark.slow
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("cardinalities", [CARDINALITIES["mixed"], CARDINALITIES["around wide"]])
def test_one_context_against_all_partners(level, kind, cardinalities):
    rng = np.random.default_rng(3)
    for n_rows in (0, 1, 65, 3000, 33000):
        columns = columns_of(rng, cardinalities, n_rows)
        weights = weights_of(rng, kind, n_rows)
        slow = SlowCounter(plain_schema(cardinalities), columns, weights)
        table = packed(columns, cardinalities, weights)
        for context in [(), (1,), (3, 1), (2, 0, 4)]:
            partners = [v for v in range(len(cardinalities)) if v not in context]
            configurations, cells = _core.count_partners(table, context, partners)
            ends = np.cumsum([0] + [cardinalities[v] for v in partners])
            for k, y in enumerate(partners):
                expected = slow.counts((*context, y))
                part = cells[:, ends[k] : ends[k + 1]]
                assert part.sum() == expected.sum()
                for configuration, row in zip(configurations, part, strict=True):
                    np.testing.assert_array_equal(expected[tuple(configuration)], row)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_all_pairs(level, kind):
    rng = np.random.default_rng(4)
    for cardinalities in ([2, 3, 1, 4, 2], [2] * 9, [65, 2, 300, 3]):
        for n_rows in (0, 1, 64, 1000, 70000):
            columns = columns_of(rng, cardinalities, n_rows)
            weights = weights_of(rng, kind, n_rows)
            slow = SlowCounter(plain_schema(cardinalities), columns, weights)
            table = packed(columns, cardinalities, weights)
            scopes = itertools.combinations(range(len(cardinalities)), 2)
            expected = np.concatenate([slow.counts(scope).ravel() for scope in scopes])
            alone = _core.testing.pair_counts(table, range(len(cardinalities)))
            np.testing.assert_array_equal(alone, expected)
            _core.score_pairs(table, "bic", 1.0, range(len(cardinalities)))  # from here on they are kept
            kept = _core.testing.pair_counts(table, range(len(cardinalities)))
            np.testing.assert_array_equal(kept, expected)


@pytest.mark.parametrize("weight", [0, 1, 2, 2**20, 2**31 - 1])
def test_weights_of_every_size(weight):
    columns = [np.array([0, 1, 1, 0, 1], np.uint8), np.array([2, 0, 1, 2, 0], np.uint8)]
    weights = np.array([weight, 1, 0, weight, 3])
    slow = SlowCounter(plain_schema([2, 3]), columns, weights)
    table = packed(columns, [2, 3], weights)
    for kernel in KERNELS:
        np.testing.assert_array_equal(_core.testing.counts_by(table, (0, 1), kernel), slow.counts((0, 1)))


def test_real_weights():
    rng = np.random.default_rng(5)
    columns = columns_of(rng, [3, 2, 300], 9000)
    weights = rng.random(9000)
    slow = SlowCounter(plain_schema([3, 2, 300]), columns, weights)
    table = packed(columns, [3, 2, 300], weights)
    for scope in [(), (0,), (1, 0), (2, 1), (0, 1, 2)]:
        np.testing.assert_allclose(_core.counts(table, [scope], 1e12)[0], slow.counts(scope), rtol=1e-12)


@pytest.mark.parametrize("shape", ["one group", "all different", "empty first and last"])
def test_groups_of_extreme_sizes(level, shape):
    n_rows, rng = 5000, np.random.default_rng(6)
    context = {
        "one group": np.full(n_rows, 3),
        "all different": np.arange(n_rows) % 300,
        "empty first and last": rng.integers(1, 299, n_rows),
    }[shape].astype(np.uint16)
    columns = [context, *columns_of(rng, [2, 3, 4], n_rows)]
    slow = SlowCounter(plain_schema([300, 2, 3, 4]), columns)
    configurations, cells = _core.count_partners(packed(columns, [300, 2, 3, 4]), (0,), (1, 2, 3))
    expected = np.concatenate([slow.counts((0, y)) for y in (1, 2, 3)], axis=1)
    np.testing.assert_array_equal(cells, expected[configurations[:, 0]])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_masks_groups_and_histograms_are_one(data):
    cardinalities = data.draw(st.lists(st.integers(1, 6), min_size=2, max_size=7))
    n_rows = data.draw(st.integers(0, 200))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    columns = columns_of(rng, cardinalities, n_rows)
    scope = data.draw(st.permutations(range(len(cardinalities))))[: data.draw(st.integers(1, 5))]
    weights = weights_of(rng, data.draw(st.sampled_from(WEIGHTS)), n_rows)
    table = packed(columns, cardinalities, weights)
    expected = SlowCounter(plain_schema(cardinalities), columns, weights).counts(scope)
    for kernel in KERNELS:
        np.testing.assert_array_equal(_core.testing.counts_by(table, scope, kernel), expected)


@pytest.mark.parametrize("n_rows", [2**18 - 1, 2**18, 2**18 + 1, 2**19 + 65])
def test_masks_of_many_rows_are_counted_in_blocks(level, n_rows):
    cardinalities, rng = [2, 3, 1, 5], np.random.default_rng(n_rows)
    columns = columns_of(rng, cardinalities, n_rows)
    columns[1][: 2**18] = 0  # states that a whole block does not have
    table = packed(columns, cardinalities)
    for scope in [(1,), (0, 1), (3, 1), (1, 0, 3), (3, 2, 1, 0)]:
        shape = [cardinalities[v] for v in scope]
        codes = np.ravel_multi_index([columns[v] for v in scope], shape)
        expected = np.bincount(codes, minlength=np.prod(shape)).reshape(shape)
        np.testing.assert_array_equal(_core.testing.counts_by(table, scope, "masks"), expected)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_a_pair_is_the_same_once_all_are_known(kind):
    cardinalities, rng = [2, 3, 65, 1, 4], np.random.default_rng(8)
    columns = columns_of(rng, cardinalities, 3000)
    weights = weights_of(rng, kind, 3000)
    slow = SlowCounter(plain_schema(cardinalities), columns, weights)
    table = packed(columns, cardinalities, weights)
    _core.score_pairs(table, "bic", 1.0, range(len(cardinalities)))  # from here on they are kept
    for scope in itertools.permutations(range(len(cardinalities)), 2):
        np.testing.assert_array_equal(_core.counts(table, [scope], 1e12)[0], slow.counts(scope))


@pytest.mark.slow
def test_ten_million_rows_count_exactly():
    n_rows = 10_000_000
    columns = [(np.arange(n_rows) % 2).astype(np.uint8), (np.arange(n_rows) % 3).astype(np.uint8)]
    table = packed(columns, [2, 3])
    for kernel in KERNELS:
        counts = _core.testing.counts_by(table, (0, 1), kernel)
        assert counts.sum() == n_rows
        assert counts.max() - counts.min() <= 1
    statistic, degrees = _core.test_queries(table, "x2", "adjusted", [(0, 1, [])])
    assert degrees[0] == 2
    assert 0 <= statistic[0] < 1e-6


def test_a_code_beyond_its_cardinality_is_refused():
    with pytest.raises(ValueError, match="code 2 is not below its cardinality 2"):
        packed([np.array([0, 2], np.uint8)], [2])


@pytest.mark.parametrize("scope", [(0, 0), (5,)])
def test_scopes_that_are_not_there_are_refused(scope):
    table = packed([np.array([0, 1], np.uint8)], [2])
    with pytest.raises((ValueError, IndexError)):
        _core.counts(table, [scope], 1e12)


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match="no vector level 'mmx'"):
        _core.set_simd_level("mmx")


@given(st.binary(max_size=1000), st.integers(0, 7), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_sums_of_bytes_are_those_of_zlib(data, begin, before):
    bytes_ = np.frombuffer(data, dtype=np.uint8)[begin:]
    known = _core.simd_level()
    for level in _core.simd_levels():
        _core.set_simd_level(level)
        assert _core.crc32(bytes_, before) == zlib.crc32(bytes_.tobytes(), before)
    _core.set_simd_level(known)
