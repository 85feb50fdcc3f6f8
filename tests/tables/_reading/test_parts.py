import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import treewright as tw
from treewright.errors import FormatError, SchemaError
from treewright.tables._reading import duck_files
from treewright.tables._reading.parts import ArrowSource
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
