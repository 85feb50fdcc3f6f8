import os
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.statistics.cluster.pools import HerePool

import treewright as tw
from treewright.errors import MissingValuesError, SchemaError, SettingError, SourceChanged, WeightError
from treewright.statistics import cluster
from treewright.statistics.cluster import ClusterCounter, Piece, cut_into_pieces, pieces
from treewright.tables._reading.paths import RowRange

ROWS = tw.load_network("asia").sample(900, rng=np.random.default_rng(0))


@pytest.fixture
def parquet(tmp_path):
    frame = ROWS.to_pandas()
    for i in range(3):
        frame.iloc[300 * i : 300 * i + 300].to_parquet(tmp_path / f"part-{i}.parquet", row_group_size=100)
    return str(tmp_path / "part-*.parquet")


def opened(source, tmp_path, *workers, **reading):
    return tw.open_source(source, client=HerePool(*workers), cache=tmp_path / "cache", **reading)


def same_counts(one, other):
    assert one.schema == other.schema
    scopes = [(), (0,), (1, 0), (2, 4, 1), (7, 3, 5, 6)]
    scopes = [scope for scope in scopes if max(scope, default=0) < len(one.schema)]
    for mine, theirs in zip(one.counts_many(scopes), other.counts_many(scopes), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(one.sparse_counts_many(scopes), other.sparse_counts_many(scopes), strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_array_equal(mine.codes, theirs.codes)
        np.testing.assert_array_equal(mine.counts, theirs.counts)


def test_a_range_of_rows_is_read_alone(parquet, tmp_path):
    path = parquet.replace("*", "0")
    whole = tw.read_table(path)
    for begin, end in ((0, 300), (0, 1), (99, 201), (250, 300), (120, 120)):
        part = tw.read_table(RowRange(path, begin, end), schema=whole.schema)
        assert part == whole.take(slice(begin, end))


def test_small_files_are_one_piece_and_large_ones_are_cut(parquet, monkeypatch):
    assert [len(piece.files) for piece in cut_into_pieces(parquet)] == [3]
    monkeypatch.setattr(pieces, "PIECE_ROWS", 128)
    cut = cut_into_pieces(parquet)
    assert [(piece.begin, piece.end) for piece in cut] == 3 * [(0, 128), (128, 256), (256, 300)]


@pytest.mark.parametrize("most", [1 << 22, 300, 128])
def test_workers_read_what_read_table_reads(parquet, tmp_path, monkeypatch, most):
    monkeypatch.setattr(pieces, "PIECE_ROWS", most)
    counter = opened(parquet, tmp_path)
    same_counts(counter, tw.count(tw.read_table(parquet)))
    assert counter.n_rows == 900
    made = sorted(os.listdir(tmp_path / "cache"))
    again = opened(parquet, tmp_path, "others")
    assert (sorted(os.listdir(tmp_path / "cache")), again.digest) == (made, counter.digest)


def test_texts_in_files_are_read_too(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\nlow,1\nhigh,2\n")
    (tmp_path / "b.csv").write_text("x,y\nmedium,2\n,3\n")
    source = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    for missing in ("drop", "state"):
        counter = opened(source, tmp_path, missing=missing)
        same_counts(counter, tw.count(tw.read_table(source, missing=missing)))
        assert len(counter.pieces) == 2


LABELS = st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=6)


@given(st.lists(LABELS, min_size=1, max_size=4).filter(lambda parts: all(any(part) for part in parts)))
@settings(max_examples=25, deadline=None)
def test_labels_are_united_as_if_read_at_once(tmp_path_factory, parts):
    folder = tmp_path_factory.mktemp("united")
    paths = []
    for i, cells in enumerate(parts):
        paths.append(str(folder / f"{i}.csv"))
        (folder / f"{i}.csv").write_text("x,y\n" + "".join(f"{cell or ''},1\n" for cell in cells))
    same_counts(opened(paths, folder, missing="state"), tw.count(tw.read_table(paths, missing="state")))


def test_packed_files_are_pieces(tmp_path):
    for i, shard in enumerate(ROWS.shards(4)):
        tw.pack(shard, tmp_path / f"{i}.twp")
    counter = opened(str(tmp_path / "*.twp"), tmp_path)
    same_counts(counter, tw.count(ROWS))
    assert not (tmp_path / "cache").exists()
    digests = [tw.open_table(tmp_path / f"{i}.twp").digest for i in range(4)]
    assert counter.digest == tw.statistics.rows.joined_digest(digests)
    turned = ClusterCounter(counter.pieces[::-1], HerePool())
    assert turned.digest == counter.digest
    assert sum(block.table.n_rows for block in counter.row_blocks()) == 900


def test_packed_files_of_other_states_are_united(tmp_path):
    tw.pack({"x": ["a", "b"], "y": [1, 2]}, tmp_path / "0.twp")
    tw.pack({"x": ["c", "a"], "y": [2, 2]}, tmp_path / "1.twp")
    counter = opened(str(tmp_path / "*.twp"), tmp_path)
    assert counter.schema["x"].states == ("a", "b", "c")
    assert counter.counts(("x", "y")).tolist() == [[1, 1], [0, 1], [0, 1]]


def test_weights_count(tmp_path):
    table = ROWS.with_weights(np.arange(900) % 4)
    tw.pack(table, tmp_path / "rows.twp")
    counter = opened(tmp_path / "rows.twp", tmp_path)
    same_counts(counter, tw.count(table))
    tw.pack(ROWS.with_weights(np.full(900, 0.5)), tmp_path / "rows.twp")
    with pytest.raises(WeightError, match="a cluster adds up whole counts"):
        opened(tmp_path / "rows.twp", tmp_path)


def test_some_rows_of_every_piece(tmp_path, parquet, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_ROWS", 300)
    some = opened(parquet, tmp_path, rows=150)
    assert (some.n_rows, [piece.n_rows for piece in some.pieces]) == (150, [50, 50, 50])
    assert opened(parquet, tmp_path, "x", rows=150).digest == some.digest
    whole = opened(parquet, tmp_path)
    assert whole.sampled(10_000) is whole
    with pytest.raises(SettingError, match="at least one row"):
        whole.sampled(0)


def test_rows_that_change_are_told(tmp_path):
    tw.pack(ROWS, tmp_path / "rows.twp")
    counter = opened(tmp_path / "rows.twp", tmp_path)
    pieces._opened.cache_clear()
    tw.pack(ROWS.take(slice(0, 800)), tmp_path / "rows.twp")
    with pytest.raises(SourceChanged, match="does not hold the rows that it held before"):
        counter.counts((0,))


def test_a_counter_goes_to_workers_as_paths(tmp_path):
    for i, shard in enumerate(ROWS.shards(2)):
        tw.pack(shard, tmp_path / f"{i}.twp")
    counter = opened(str(tmp_path / "*.twp"), tmp_path)
    sent = pickle.dumps(tw.BIC(counter))
    assert len(sent) < 5_000
    assert pickle.loads(sent).local("lung", ("smoke",)) == tw.BIC(tw.count(ROWS)).local("lung", ("smoke",))


@pytest.mark.parametrize(
    ("source", "reading", "said"),
    [
        ({"a": [1]}, {}, "workers are told where rows are, not sent any"),
        ("csv", {"bins": 4}, r"bins= looks at all rows, and workers see some each: pack the files first"),
        ("csv", {"bins": {"y": ("mdl", "x")}}, "bins= looks at all rows"),
        ("csv", {"mend": True, "dates": ("year",)}, "mend=, dates= looks at all rows"),
        ("csv", {"weights": [1, 2]}, "weights= looks at all rows"),
        ("twp", {"missing": "drop"}, r"is packed already; options of reading \(missing\)"),
    ],
)
def test_what_workers_cannot_do_is_refused(tmp_path, source, reading, said):
    if source == "csv":
        source = tmp_path / "a.csv"
        source.write_text("x,y\na,1.5\nb,2.5\n")
    elif source == "twp":
        source = tmp_path / "a.twp"
        tw.pack({"x": ["a", "b"]}, source)
    with pytest.raises(SettingError, match=said):
        opened(source, tmp_path, **reading)


def test_edges_that_are_given_cut_alike_everywhere(tmp_path):
    for i in range(2):
        (tmp_path / f"{i}.csv").write_text("x\n1.5\n2.5\n" + f"{i}.25\n")
    source = str(tmp_path / "*.csv")
    reading = {"bins": {"x": [0, 1, 2, 3]}}
    same_counts(opened(source, tmp_path, **reading), tw.count(tw.read_table(source, **reading)))


def test_columns_that_differ_are_refused(tmp_path):
    (tmp_path / "0.csv").write_text("x,y\na,1\n")
    (tmp_path / "1.csv").write_text("x,z\na,1\n")
    with pytest.raises(SchemaError, match="pieces need the same columns; not in all of them: 'y', 'z'"):
        opened(str(tmp_path / "*.csv"), tmp_path)
    for i in range(2):
        (tmp_path / f"{i}.csv").write_text("x\n" + "".join(f"{20 * i + k}\n" for k in range(15)))
    with pytest.raises(SchemaError, match="'x' has 30 distinct whole numbers in all pieces"):
        opened(str(tmp_path / "*.csv"), tmp_path)
    (tmp_path / "0.csv").write_text("x\n\n\n")
    with pytest.raises(MissingValuesError, match=r"0\.csv: every row misses a cell"):
        opened(str(tmp_path / "*.csv"), tmp_path, missing="drop")
    (tmp_path / "0.csv").write_text("x,y\nmissing,1\n")
    (tmp_path / "1.csv").write_text("x,y\n,1\nb,2\n")
    with pytest.raises(SchemaError, match="'missing' is a label in some pieces"):
        opened(str(tmp_path / "*.csv"), tmp_path, missing="state")


def test_settings_are_checked(tmp_path):
    with pytest.raises(SchemaError, match="at least one piece"):
        ClusterCounter([], HerePool())
    with pytest.raises(SettingError, match="timeout= is positive"):
        ClusterCounter([Piece(("a",))], HerePool(), timeout=0)
    with pytest.raises(tw.errors.ArgumentError, match=r"client= is a distributed.Client, the address"):
        cluster.as_pool(3)
    with pytest.raises(SettingError, match="a pool has at least one worker"):
        cluster.LocalPool(0)
    assert cluster.as_pool(pool := HerePool()) is pool


def test_continuous_columns_are_not_counted(tmp_path):
    tw.pack({"x": [0.5, 1.5], "y": ["a", "b"]}, tmp_path / "rows.twp")
    counter = opened(tmp_path / "rows.twp", tmp_path)
    assert counter.counts(("y",)).tolist() == [1, 1]
    with pytest.raises(SchemaError, match="'x' is continuous and cannot be counted"):
        counter.counts(("x",))
    assert counter.counts_many([]) == counter.sparse_counts_many([]) == []
