"""The native counter: its laws, its judgements against those made from tables, and what it refuses."""

import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting.counting import SlowCounter

from treewright import _core
from treewright.errors import MissingValuesError, SchemaError, TableTooLarge, UnknownNameError, WeightError
from treewright.limits import set_memory_limit
from treewright.statistics import ShardedCounter, count
from treewright.statistics.families import FromTables, PosteriorSettings, ScoreSettings, TestSettings
from treewright.tables import Feature, Schema, Table, Variable

SCORES = ["log_likelihood", "aic", "bic", "bdeu", "k2", "qnml"]
TESTS = [
    TestSettings(),
    TestSettings("x2"),
    TestSettings("g2", "full"),
    PosteriorSettings(),
    PosteriorSettings(slices="observed"),
]


def table_of(rng, cardinalities, n_rows, weights=None, copies=1):
    """Columns that depend on their neighbours; with `copies` every row occurs many times."""
    columns = []
    for r in cardinalities:
        codes = rng.choice(r, n_rows, p=rng.dirichlet(np.full(r, 0.7)))
        if columns:
            codes = np.where(rng.random(n_rows) < 0.5, columns[-1] % r, codes)
        columns.append(codes)
    rows = rng.integers(0, max(1, n_rows // copies), n_rows) if n_rows else np.arange(0)
    schema = Schema(Variable(f"v{i:02}", tuple(range(r))) for i, r in enumerate(cardinalities))
    width = [np.uint8 if r <= 256 else np.uint16 for r in cardinalities]
    return Table(schema, [c[rows].astype(w) for c, w in zip(columns, width, strict=True)], weights=weights)


def random_weights(rng, kind, n_rows):
    return {"none": None, "integer": rng.integers(0, 50, n_rows), "real": rng.random(n_rows) * 3}[kind]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["none", "integer", "real"])
@pytest.mark.parametrize("cardinalities", [[2, 3, 4, 2, 1, 2, 3, 5], [2] * 40, [70, 2, 3, 300, 4, 2, 2]])
@pytest.mark.parametrize(("n_rows", "copies"), [(0, 1), (1, 1), (200, 1), (3000, 1), (3000, 60)])
def test_judging_while_counting_equals_judging_tables(kind, cardinalities, n_rows, copies):
    rng = np.random.default_rng(n_rows)
    counter = count(table_of(rng, cardinalities, n_rows, random_weights(rng, kind, n_rows), copies))
    tables = FromTables(counter)
    n = len(cardinalities)
    families = [(0, ()), (1, (0,)), (2, (3, 1)), (5, (0, 1, 2)), (6, (5, 0, 2, 4))]

    def assert_same(ours, theirs):
        if kind == "real":  # sums of real weights depend on the order of rows
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
        else:
            np.testing.assert_array_equal(ours, theirs)

    for score in SCORES:
        how = ScoreSettings(score, 2.0)
        for child, parents in families:
            others = [v for v in range(n) if v != child and v not in parents]
            for few in (others, others[:2]):
                assert_same(
                    counter.score_additions(how, child, parents, few),
                    tables.score_additions(how, child, parents, few),
                )
            assert_same(
                counter.score_deletions(how, child, parents), tables.score_deletions(how, child, parents)
            )
        many = [
            (v, p)
            for v in range(7)
            for k in (0, 1, 2)
            for p in itertools.combinations([u for u in range(7) if u != v], k)
        ]
        assert_same(counter.score_families(how, many), tables.score_families(how, many))
        assert_same(counter.score_pairs(how), tables.score_pairs(how))
    for how in TESTS:
        for x, given_scope in families:
            partners = [v for v in range(n) if v != x and v not in given_scope]
            for few in (partners, partners[:2]):
                ours = counter.test_partners(how, x, given_scope, few)
                theirs = tables.test_partners(how, x, given_scope, few)
                batch = counter.test_queries(how, [(x, y, given_scope) for y in few])
                for one, two, three in zip(ours, theirs, batch, strict=True):
                    assert_same(one, two)
                    assert_same(one, three)


def test_distinct_rows_are_compressed_only_where_that_pays():
    rng = np.random.default_rng(0)
    many_copies = count(table_of(rng, [2] * 10, 20_000, copies=100))
    few_copies = count(table_of(rng, [5] * 10, 20_000))
    assert _core.testing.is_compressed(many_copies._packed)
    assert not _core.testing.is_compressed(few_copies._packed)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 300), st.integers(1, 5))
def test_shards_add_up_to_the_whole(seed, n_rows, n_shards):
    rng = np.random.default_rng(seed)
    table = table_of(
        rng, [2, 3, 1, 4, 2], n_rows, random_weights(rng, rng.choice(["none", "integer"]), n_rows)
    )
    whole = count(table)
    sharded = ShardedCounter(count(shard) for shard in table.shards(n_shards))
    assert whole.n_rows == sharded.n_rows
    scope = tuple(rng.permutation(5)[: rng.integers(0, 5)].tolist())
    np.testing.assert_array_equal(whole.counts(scope), sharded.counts(scope))
    ours, theirs = whole.sparse_counts(scope), sharded.sparse_counts(scope)
    np.testing.assert_array_equal(ours.codes, theirs.codes)
    np.testing.assert_array_equal(ours.counts, theirs.counts)
    how = ScoreSettings("bdeu")
    np.testing.assert_array_equal(whole.score_pairs(how), FromTables(sharded).score_pairs(how))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_row_order_and_threads_change_nothing(seed):
    rng = np.random.default_rng(seed)
    table = table_of(rng, [2, 3, 4, 2, 2, 3, 2, 2, 2, 5], 700)
    shuffled = table.take(rng.permutation(700))
    how = ScoreSettings("bic")
    queries = [(x, y, (z,)) for x, y, z in itertools.permutations(range(6), 3)]
    results = []
    for n_threads, rows in [(1, table), (2, table), (4, shuffled)]:
        _core.set_threads(n_threads)
        counter = count(rows)
        results.append(
            (
                counter.score_pairs(how),
                counter.score_additions(how, 0, (1, 2), range(3, 10)),
                counter.test_queries(TestSettings("x2"), queries)[0],
                counter.test_queries(TestSettings("g2"), queries)[0],
                counter.pairwise_information(),
            )
        )
    _core.set_threads(0)
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("kind", ["none", "integer", "real"])
def test_both_sides_of_a_feature(kind):
    rng = np.random.default_rng(2)
    table = table_of(rng, [2, 3, 70, 2], 500, random_weights(rng, kind, 500))
    slow = SlowCounter(table.schema, table.columns, table.weights)
    feature = Feature({"v00": 1, "v01": 0})
    for side in (feature, ~feature):
        part = count(table.where(side))
        for scope in [(), (3,), (1, 3), (2, 0)]:
            np.testing.assert_allclose(part.counts(scope), slow.given(side).counts(scope))
        assert part.n_rows == pytest.approx(slow.given(side).n_rows)
    part = count(table.where(feature).where(~Feature({"v03": 0})))
    np.testing.assert_allclose(
        part.counts((2,)), slow.given(feature).given(~Feature({"v03": 0})).counts((2,))
    )
    how = ScoreSettings("bic")
    np.testing.assert_allclose(part.score_pairs(how), FromTables(part).score_pairs(how), atol=1e-9)


def test_a_feature_that_holds_nowhere():
    table = table_of(np.random.default_rng(2), [2, 3], 50)
    nobody = count(table.where(Feature({"v00": 0}) & Feature({"v00": 1})))
    assert nobody.n_rows == 0
    np.testing.assert_array_equal(nobody.counts((0, 1)), np.zeros((2, 3)))


def test_partners_of_a_context():
    table = table_of(np.random.default_rng(3), [2, 3, 4, 2], 300)
    counter = count(table)
    configurations, counts = counter.partners(("v00", "v01"), ("v03", "v02"))
    whole = counter.counts(("v00", "v01", "v03"))
    for configuration, row in zip(configurations, counts[0], strict=True):
        np.testing.assert_array_equal(whole[tuple(configuration)], row)
    assert counts[1].shape[1] == 4


def test_names_and_indices_are_both_scopes():
    counter = count(table_of(np.random.default_rng(3), [2, 3], 30))
    np.testing.assert_array_equal(counter.counts(("v01", "v00")), counter.counts((1, 0)))
    np.testing.assert_array_equal(counter.counts(("v01", "v00")), counter.counts((0, 1)).T)
    with pytest.raises(
        UnknownNameError, match="there is no variable 'v1'; there are 'v00', 'v01'; did you mean 'v01'"
    ):
        counter.counts(("v1",))


def test_a_table_over_the_memory_limit_is_refused_before_it_is_allocated():
    counter = count(table_of(np.random.default_rng(3), [60] * 6, 30))
    with pytest.raises(
        TableTooLarge, match=r"v00 \(60 states\), v01 .* would take 347.6 GiB, more than the limit of 4.0 GiB"
    ):
        counter.counts(range(6))
    assert counter.sparse_counts(range(6)).counts.sum() == 30
    set_memory_limit("1KiB")
    try:
        with pytest.raises(TableTooLarge):
            counter.counts((0, 1))
    finally:
        set_memory_limit(None)


def test_more_cells_than_numbers_are_refused():
    counter = count(table_of(np.random.default_rng(3), [60] * 12, 30))
    with pytest.raises(TableTooLarge, match="64-bit"):
        counter.sparse_counts(range(12))
    # judging such a family needs no positions
    assert np.isfinite(
        counter.score_families(ScoreSettings("log_likelihood"), [(0, tuple(range(1, 12)))])
    ).all()


def test_missing_values_are_refused_with_the_way_out():
    schema = Schema([Variable("a", ("no", "yes"))])
    table = Table(schema, [np.array([0, 1], np.uint8)], missing={0: np.array([True, False])})
    with pytest.raises(
        MissingValuesError, match="""missing values in 'a': read the table with missing="drop\""""
    ):
        count(table)


def test_continuous_columns_are_not_counted():
    schema = Schema([Variable("a", ("no", "yes")), Variable("heat")])
    counter = count(Table(schema, [np.array([0, 1], np.uint8), np.array([0.5, 2.5])]))
    assert counter.counts(("a",)).tolist() == [1, 1]
    with pytest.raises(SchemaError, match="'heat' is continuous and cannot be counted; read it with bins="):
        counter.counts(("heat",))


def test_weights_beyond_exact_sums_are_refused():
    schema = Schema([Variable("a", ("no", "yes"))])
    table = Table(schema, [np.array([0, 1], np.uint8)], weights=np.array([2**53, 2**53]))
    with pytest.raises(WeightError, match=r"add up to 1.8e\+16; the most is 2\^53"):
        count(table)


def test_no_columns_and_no_rows():
    assert count(Table(Schema([]), [])).counts(()) == 0
    empty = count(Table(Schema([Variable("a", ("no", "yes"))]), [np.zeros(0, np.uint8)]))
    assert empty.counts(("a",)).tolist() == [0, 0]
    np.testing.assert_array_equal(empty.pairwise_information(), [[0.0]])


@pytest.mark.slow
def test_ctrl_c_stops_counting_and_the_next_call_is_right():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, 2_000_000).astype(np.uint8) for _ in range(100)]
    schema = Schema(Variable(f"v{i:03}", (0, 1)) for i in range(100))
    counter = count(Table(schema, columns))
    how = ScoreSettings("bic")
    drawn = [rng.choice(100, 6, replace=False).tolist() for _ in range(3_000)]  # none is asked twice
    families = [(v, tuple(sorted(parents))) for v, *parents in drawn]
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        counter.score_families(how, families)
    # half a second of each core: processor time, so that a busy machine is no failure
    assert time.process_time() - pressed[0] < 0.5 * _core.threads()
    assert counter.counts((0,)).sum() == 2_000_000


def test_counting_needs_little_memory_beside_the_codes():
    n_rows = 400_000
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 3, n_rows).astype(np.uint8) for _ in range(40)]
    counter = count(Table(Schema(Variable(f"v{i:02}", (0, 1, 2)) for i in range(40)), columns))
    counter.score_additions(ScoreSettings("bic"), 0, (1,), range(2, 40))
    counter.pairwise_information()
    codes = 40 * n_rows
    assert counter._packed.bytes <= 3 * codes
