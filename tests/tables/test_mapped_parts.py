"""Parts of packed files: columns, runs and other weights are counted from the bytes of the whole."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import _core
from treewright.errors import MissingValuesError, UnknownNameError
from treewright.statistics.rows import digest_of_counter, distinct_rows
from treewright.tables.mapped_table import ALIGNED, MappedTable
from treewright.tables.table import Table

N_ROWS = 5 * ALIGNED + 77


@pytest.fixture(scope="module", params=[None, "whole", "real"])
def both(request, tmp_path_factory):
    """The same rows in memory and packed: few and many states, numbers, gaps in two columns."""
    rng = np.random.default_rng(7)
    states = [2, 3, 5, 300, 70, 1, 4, 2, 6, 2]
    schema = tw.Schema(
        [tw.Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(states)] + [tw.Variable("number")]
    )
    columns = [rng.integers(0, r, N_ROWS) for r in states]
    columns[1] = columns[0] + rng.integers(0, 2, N_ROWS)
    gaps = {"v8": rng.random(N_ROWS) < 0.2, "v9": np.arange(N_ROWS) == 3}
    weights = {None: None, "whole": rng.integers(0, 5, N_ROWS), "real": rng.integers(0, 5, N_ROWS) / 4}
    table = Table(schema, [*columns, rng.random(N_ROWS)], missing=gaps, weights=weights[request.param])
    packed = tw.pack(table, tmp_path_factory.mktemp("packed") / "rows.twp")
    return table, packed


@pytest.fixture(params=_core.simd_levels())
def vector_level(request):
    before = _core.simd_level()
    _core.set_simd_level(request.param)
    yield request.param
    _core.set_simd_level(before)


def check_counts(ours, theirs):
    """What is counted, from pairs to rows, is the same to the bit."""
    labels = [v.name for v in ours.schema if v.is_discrete]
    scopes = [(a,) for a in labels] + [(a, b) for a in labels for b in labels if a < b]
    scopes += [tuple(labels[:3]), tuple(labels[-3:])]
    for threads in (1, 2):
        _core.set_threads(threads)
        one, other = tw.count(ours), tw.count(theirs)
        assert other.n_rows == one.n_rows
        for a, b in zip(one.counts_many(scopes), other.counts_many(scopes), strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(one.pairwise_information(labels), other.pairwise_information(labels))
        if ours.weights is None or ours.weights.dtype.kind != "f":
            for context in (labels[:1], labels[1:3]):
                rest = [name for name in labels if name not in context]
                states, wanted = one.partners(context, rest)
                seen, cells = other.partners(context, rest)
                np.testing.assert_array_equal(seen, states)
                for a, b in zip(cells, wanted, strict=True):
                    np.testing.assert_array_equal(a, b)
    _core.set_threads(0)
    rows, others = distinct_rows(one_of(ours, labels)), distinct_rows(one_of(theirs, labels))
    np.testing.assert_array_equal(rows.codes, others.codes)
    np.testing.assert_array_equal(rows.weights, others.weights)


def one_of(table, labels):
    return tw.count(table.select(labels))


WHOLE = ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7"]  # of complete rows
PARTS = {
    "columns": lambda t: t.select(WHOLE),
    "few columns": lambda t: t.select(["v1", "v6"]),
    "columns turned": lambda t: t.select(["v7", "v0", "v3", "v2"]),
    "with numbers": lambda t: t.select(["v0", "number", "v2"]),
    "an aligned run": lambda t: t.select(WHOLE).take(slice(ALIGNED, 3 * ALIGNED)),
    "up to the end": lambda t: t.take(slice(2 * ALIGNED, None)).select(WHOLE),
    "an odd run": lambda t: t.select(WHOLE).take(slice(3, 999)),
    "a run of a run": lambda t: t.select(WHOLE).take(slice(ALIGNED, None)).take(slice(ALIGNED, 2 * ALIGNED)),
    "no rows": lambda t: t.select(WHOLE).take(slice(9, 9)),
    "weights": lambda t: t.select(WHOLE).with_weights(np.arange(t.n_rows) % 7),
    "real weights": lambda t: t.select(WHOLE).with_weights((np.arange(t.n_rows) % 7) / 8),
    "no weights": lambda t: t.select(WHOLE).with_weights(None),
    "a run of weights": lambda t: (
        t.select(WHOLE).with_weights(np.arange(t.n_rows) % 3).take(slice(ALIGNED, 4 * ALIGNED))
    ),
    "a shard": lambda t: t.select(WHOLE).take(slice(0, 1024)).shards(2)[1],
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_the_rows_that_memory_would_hold(both, part, vector_level):
    table, packed = both
    ours, theirs = PARTS[part](table), PARTS[part](packed)
    assert isinstance(theirs, MappedTable)
    assert theirs == ours
    assert theirs.missing.keys() == ours.missing.keys()
    if ours.n_rows and vector_level == _core.simd_levels()[-1]:
        again = pickle.loads(pickle.dumps(theirs))
        assert isinstance(again, MappedTable)
        assert again == ours
        assert again.digest == theirs.digest
    check_counts(ours, theirs)


def test_gaps_go_where_a_run_has_none(both):
    table, packed = both
    for run in (slice(0, ALIGNED), slice(ALIGNED, None)):
        assert packed.take(run).missing.keys() == table.take(run).missing.keys()
        assert packed.take(run) == table.take(run)
    assert list(packed.take(slice(ALIGNED, None)).select(["v9", "v0"]).missing) == []


def test_shards_begin_with_whole_words_and_are_all_rows(both):
    _, packed = both
    shards = packed.select(WHOLE).shards(2)
    assert sum(one.n_rows for one in shards) == N_ROWS
    assert all(one.part.begin % ALIGNED == 0 and one.part.can_share_bits for one in shards)
    assert max(one.n_rows for one in shards) - min(one.n_rows for one in shards) <= 2 * ALIGNED
    with_few = packed.select(WHOLE).take(slice(0, 10)).shards(10)
    assert [one.n_rows for one in with_few] == [1] * 10


def test_parts_have_digests_of_their_own(both):
    _, packed = both
    parts = [PARTS[name](packed) for name in PARTS if name != "no weights"]
    assert len({one.digest for one in [packed, *parts]}) == len(parts) + 1
    assert packed.select(packed.schema.names).digest == packed.digest
    assert digest_of_counter(tw.count(parts[0])) == parts[0].digest


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_part_counts_like_memory(both, data):
    table, packed = both
    names = data.draw(st.lists(st.sampled_from(WHOLE), min_size=2, max_size=6, unique=True))
    begin = data.draw(st.integers(0, N_ROWS))
    end = data.draw(st.one_of(st.just(N_ROWS), st.integers(0, N_ROWS), st.sampled_from([512, 1024, 2048])))
    if data.draw(st.booleans()):
        begin = begin // ALIGNED * ALIGNED
    ours, theirs = (t.select(names).take(slice(begin, end)) for t in (table, packed))
    assert theirs == ours
    check_counts(ours, theirs)


def test_a_part_takes_next_to_no_memory(both):
    """Neither planes nor row bits are built where those of the file do."""
    _, packed = both
    for part in ("columns", "an aligned run", "up to the end", "weights", "a run of weights", "few columns"):
        counter = tw.count(PARTS[part](packed))
        scope = counter.schema.names[:2]
        counter.counts_many([scope])
        if counter.table.weights is None or counter.table.weights.dtype.kind != "f":
            counter.pairwise_information()
            counter.partners(scope[:1], scope[1:])
        assert counter.packed.bytes < 8 * 200**2  # counts of pairs of planes


def test_a_few_of_many_columns_have_planes_of_their_own(tmp_path):
    rng = np.random.default_rng(1)
    wide = Table.from_codes(rng.integers(0, 2, (700, 400)), [2] * 400)
    packed = tw.pack(wide, tmp_path / "wide.twp")
    few = packed.select(["x3", "x77", "x200"])
    assert not few.part.can_share_bits
    assert packed.select([f"x{i}" for i in range(0, 400, 2)]).part.can_share_bits
    check_counts(wide.select(few.schema.names), few)


def test_equal_rows_of_chosen_columns_are_one(tmp_path):
    """Searches look at distinct rows: planes of columns that are left out must not tell them apart."""
    rng = np.random.default_rng(2)
    table = Table.from_codes(
        np.column_stack([np.arange(4000) % 2, np.arange(4000) // 2 % 2, *rng.integers(0, 2, (30, 4000))]),
        [2] * 32,
    )
    packed = tw.pack(table, tmp_path / "rows.twp").select(["x0", "x1"])
    counter = tw.count(packed)
    assert packed.part.can_share_bits
    assert _core.testing.is_compressed(counter.packed)
    plain = tw.learn_chow_liu(tw.BIC(tw.count(table.select(["x0", "x1"]))))
    assert tw.learn_chow_liu(tw.BIC(counter)).structure == plain.structure


def test_reading_some_columns_of_a_packed_file_leaves_them_in_it(tmp_path):
    cells = {
        "a": ["x", "y", None, "x"],
        "b": [1, 2, 2, 1],
        "c": ["q", "q", "r", "q"],
        "d": [1.5, 2.5, 3.5, 9],
    }
    path = tmp_path / "rows.twp"
    whole = tw.pack(cells, path, missing="em")
    found = tw.read_table(path, columns=["c", "b"])
    assert isinstance(found, MappedTable)
    in_memory = tw.read_table(whole.take([0, 1, 2, 3]), columns=["c", "b"])
    assert found == in_memory
    assert (
        found.report.ignored == in_memory.report.ignored == (("a", "not asked for"), ("d", "not asked for"))
    )
    assert [one.name for one in found.report.columns] == ["c", "b"]
    with pytest.raises(MissingValuesError):
        tw.read_table(path, columns=["a"])
    assert isinstance(tw.read_table(path, columns=["a"], missing="em"), MappedTable)
    assert tw.read_table(path, columns=["a", "b"], missing="drop").n_rows == 3
    with pytest.raises(UnknownNameError, match="there is no column 'e'"):
        tw.read_table(path, columns=["e"])
