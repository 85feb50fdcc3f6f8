from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import treewright as tw
from treewright.errors import FormatError, SchemaError, TableTooLarge
from treewright.tables._reading import duck_files
from treewright.tables._reading.parts import ArrowSource, ColumnParts
from treewright.tables._reading.paths import ReadOptions
from treewright.tables._reading.room import room_in


class Stream:
    """Nothing but the door."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def arrow_of_every_kind(n=50):
    rng = np.random.default_rng(0)
    texts = rng.choice(["no", "yes", "a label of many letters"], n).tolist()
    wholes = rng.integers(0, 5, n)
    columns = {
        "text": pa.array(texts),
        "large": pa.array(texts, pa.large_string()),
        "view": pa.array(texts, pa.string_view()),
        "gaps": pa.array([None if i % 7 == 0 else text for i, text in enumerate(texts)]),
        "coded": pa.array(texts).dictionary_encode(),
        "truth": pa.array((wholes > 2).tolist()),
        "float": pa.array(rng.normal(size=n).astype(np.float32)),
        "double": pa.array(rng.normal(size=n)),
    }
    kinds = (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64())
    return pa.table(columns | {str(kind): pa.array(wholes, kind) for kind in kinds})


def test_any_stream_is_read_like_the_frame_behind_it():
    frame = arrow_of_every_kind()
    for missing in ("state", "em", "drop"):
        assert tw.read_table(Stream(frame), missing=missing) == tw.read_table(frame, missing=missing)


def test_slices_have_offsets():
    frame = arrow_of_every_kind().slice(5, 23)
    assert tw.read_table(Stream(frame), missing="state") == tw.read_table(frame, missing="state")


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_blocks_are_joined(rows, tmp_path):
    frame = arrow_of_every_kind()
    parts = pa.Table.from_batches(frame.to_batches(max_chunksize=5))
    read = ArrowSource(Stream(parts), rows).read(range(len(frame.schema)), set())
    with room_in(str(tmp_path)):
        mapped = ArrowSource(Stream(parts), rows).read(range(len(frame.schema)), set())
    whole = ArrowSource(Stream(frame)).read(range(len(frame.schema)), set())
    for one, other, third in zip(read, mapped, whole, strict=True):
        shown = [cells(column) for column in (one, other, third)]
        assert shown[0] == shown[1] == shown[2]


def cells(column):
    values = [column.labels[c] for c in column.codes] if hasattr(column, "labels") else column.values.tolist()
    gone = np.zeros(len(values), bool) if column.missing is None else column.missing
    return [None if out else value for value, out in zip(values, gone, strict=True)]


def test_a_dictionary_declares_its_labels_while_it_stays_the_same():
    declared = pa.DictionaryArray.from_arrays([1, 0, 1], ["b", "a", "never"])
    table = tw.read_table(Stream(pa.table({"x": declared})))
    assert table.schema["x"].states == ("b", "a", "never")
    other = pa.DictionaryArray.from_arrays([0, 0], ["c"])
    changed = pa.table({"x": pa.chunked_array([declared, other])})
    assert tw.read_table(Stream(changed)).schema["x"].states == ("a", "b", "c")


def test_what_a_stream_cannot_be(tmp_path):
    with pytest.raises(SchemaError, match=r"columns of the Arrow format \+l are not read"):
        tw.read_table(Stream(pa.table({"x": [[1], [2]]})))

    def broken():
        yield pa.record_batch({"x": [1]})
        raise OSError("the line went dead")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64()}), broken())
    with pytest.raises(FormatError, match="the stream of rows broke off"):
        tw.read_table(Stream(reader))


def test_no_rows():
    empty = pa.table({"x": pa.array([], pa.float64())})
    assert tw.read_table(Stream(empty)).n_rows == 0


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(duck_files, "SEEN_FIRST", 20)
    monkeypatch.setattr(duck_files, "FEWEST_ROWS", 30)
    monkeypatch.setattr(duck_files, "CELLS_AT_ONCE", 1)


def mixed_rows(n):
    """Few labels, labels that come late, more labels than are looked up, gaps, quotes."""
    rng = np.random.default_rng(n)
    return {
        "few": rng.choice(["no", "it's", "{x}", ""], n).tolist(),
        "late": ["early"] * (n - 3) + ["late", None, "later"],
        "gaps": [None if i % 5 == 0 else "x" for i in range(n)],
        "many": [f"label {i % 100}" for i in range(n)],
        "whole": rng.integers(0, 4, n).tolist(),
        "real": rng.normal(size=n).tolist(),
        "truth": [None if i % 11 == 0 else bool(i % 2) for i in range(n)],
        "empty": [None] * (n - 1) + ["last"],
    }


@pytest.mark.parametrize("n", [1, 19, 20, 21, 50, 111, 300])
@pytest.mark.parametrize("files", [1, 3])
def test_parquet_in_pieces(tmp_path, small_pieces, n, files):
    n = max(n, 4)
    rows = pa.table(mixed_rows(n))
    for i in range(files):
        part = rows.slice(n * i // files, n * (i + 1) // files - n * i // files)
        pyarrow.parquet.write_table(part, tmp_path / f"{i}.parquet", row_group_size=13)
    source = str(tmp_path / "*.parquet")
    expected = tw.read_table(mixed_rows(n), missing="em")
    assert tw.read_table(source, missing="em") == expected
    assert tw.pack(source, tmp_path / "rows.twp", missing="em") == expected
    schema = expected.schema
    assert tw.read_table(source, schema=schema, missing="em") == expected


def test_tables_of_a_database_in_pieces(tmp_path, small_pieces):
    rows = pa.table(mixed_rows(150))
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.register("rows", rows)
        connection.execute("CREATE TABLE kept AS SELECT * FROM rows")
    expected = tw.read_table(mixed_rows(150), missing="em")
    table = tw.tables.SqlTable(tmp_path / "a.duckdb", "kept")
    assert tw.read_table(table, missing="em") == expected
    query = tw.tables.SqlTable(tmp_path / "a.duckdb", query="SELECT * FROM kept")
    assert tw.read_table(query, missing="em") == expected
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:  # numbers of rows have gaps
        connection.execute("DELETE FROM kept WHERE whole = 2")
    left = expected.take(np.array(expected.labels("whole")) != 2)
    read = tw.read_table(table, schema=expected.schema, missing="em")
    assert read.n_rows == left.n_rows
    np.testing.assert_array_equal(read.column("many"), left.column("many"))


def test_csv_some_columns_at_a_time(tmp_path, monkeypatch):
    lines = [f"{i % 3},{'x' if i % 2 else 'y'},{i / 7:.3f}" for i in range(200)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,c", *lines]) + "\n")
    expected = tw.read_table(path)
    monkeypatch.setattr("treewright.tables._reading.csv_files.memory_limit", lambda: 1500)
    monkeypatch.setattr("treewright.tables._reading.csv_files.refuse_too_large", lambda path, size: None)
    packed = tw.pack(path, tmp_path / "rows.twp")
    assert packed == expected
    assert packed.report == expected.report


def test_rows_that_the_disk_cannot_hold_are_refused_before_they_are_read(tmp_path, monkeypatch):
    source, target = tmp_path / "rows.parquet", tmp_path / "rows.twp"
    pyarrow.parquet.write_table(pa.table({"a": ["x", "y"] * 500, "b": [0.5, 1.5] * 500}), source)
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "4kB")
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=10_000))
    monkeypatch.setattr(duck_files.DuckSource, "_fetch_columns", lambda *_: pytest.fail("a row was read"))
    expected = r"1,000 rows of 2 columns takes at least 16.6 KiB of disk, 7.8 KiB of it in temporary files, "
    expected += "and that of .* has 9.7 KiB left; make room, pack fewer columns=, .* Nothing was read"
    with pytest.raises(TableTooLarge, match=expected):
        tw.pack(source, target)
    assert [file.name for file in tmp_path.iterdir()] == ["rows.parquet"]
    with pytest.raises(pytest.fail.Exception):  # 50 of them fit
        tw.pack(source, target, rows=50)


def test_views_are_packed_without_a_copy_in_memory(tmp_path):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.register("rows", pa.table(mixed_rows(300)))
        connection.execute("CREATE TABLE kept AS SELECT * FROM rows; CREATE VIEW seen AS SELECT * FROM kept")
    view = tw.tables.SqlTable(tmp_path / "a.duckdb", "seen")
    with room_in(str(tmp_path)) as room:
        source = duck_files.SqlSource(view, ReadOptions())
        (folder,) = tmp_path.glob("treewright-*")
        assert [file.name for file in folder.glob("*.duckdb")] == ["copy.duckdb"]
        source.read(range(len(source.names)), set())
        assert not folder.exists()
        room.make_folder()
    assert [file.name for file in tmp_path.iterdir()] == ["a.duckdb"]
    packed = tw.pack(view, tmp_path / "rows.twp", missing="em")
    assert packed == tw.read_table(mixed_rows(300), missing="em")


@pytest.mark.parametrize("limit", ["4 GiB", "1 kB"])
def test_columns_of_a_known_length_take_what_was_not_foreseen(tmp_path, monkeypatch, limit):
    """Other types, more rows than were said, and fewer."""
    monkeypatch.setenv("TREEWRIGHT_MEMORY", limit)
    small, large = np.arange(5000, dtype=np.int8) % 7, np.arange(40_000, dtype=np.int16)
    with room_in(str(tmp_path)):
        for blocks, said in (([small, large], 45_000), ([large, small, small], 45_000), ([small], 90_000)):
            column = ColumnParts("x", said)
            for block in blocks:
                column.add(("whole", block, None, None))
            np.testing.assert_array_equal(column.finish().values, np.concatenate(blocks))
