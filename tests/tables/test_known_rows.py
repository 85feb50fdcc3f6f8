"""Rows of texts under a schema are packed as they come, and are what reading makes of them."""

from types import SimpleNamespace

import duckdb
import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.tables.test_packed_file import same

import treewright as tw
from treewright.errors import MissingValuesError, TableTooLarge, UnknownNameError
from treewright.tables import packing
from treewright.tables._reading import duck_files, parts
from treewright.tables._reading.parts import KnownRows
from treewright.tables.sql import SqlTable

STATES = {
    "a": ("no", "yes"),
    "b": ("", "it's", "{}", "é ∑", "never seen"),
    "c": ("only", "other"),
    "d": tuple(f"label {i:02}" for i in range(64)),
}
SCHEMA = tw.Schema([tw.Variable(name, states) for name, states in STATES.items()])


def frame(n, seed=0):
    rng = np.random.default_rng(seed)
    return pandas.DataFrame(
        {
            "d": rng.choice(STATES["d"], n),
            "b": rng.choice(STATES["b"][:4], n),
            "unasked": rng.normal(size=n),
            "c": ["only"] * n,
            "a": rng.choice(STATES["a"], n),
        }
    )


def write(rows, path):
    duckdb.sql(f"COPY (SELECT * FROM rows) TO '{path}'")
    return str(path)


@pytest.fixture
def written(monkeypatch):
    """What kind of rows went into packed files."""
    kinds, real = [], packing.write_packed

    def listen(rows, *others, **options):
        kinds.append(type(rows))
        real(rows, *others, **options)

    monkeypatch.setattr(packing, "write_packed", listen)
    return kinds


@pytest.mark.parametrize("n", [128, 129, 1000, 70_000])
def test_rows_that_come_are_the_rows_that_are_read(tmp_path, written, n):
    source = write(frame(n), tmp_path / "rows.parquet")
    read = tw.read_table(source, schema=SCHEMA)
    packed = tw.pack(source, tmp_path / "rows.twp", schema=SCHEMA)
    assert written == [KnownRows]
    same(packed, read)
    assert packed.report.settings | {"missing_values": ()} == read.report.settings  # JSON has lists only
    assert [one.name for one in packed.report.columns if one.is_constant] == ["c"]
    assert packed.digest == tw.pack(read, tmp_path / "other.twp").digest
    packed.file.check()


def test_files_below_each_other_whatever_the_order_of_their_columns(tmp_path, written):
    first, second = frame(300), frame(500, 1)
    sources = [write(first, tmp_path / "1.parquet"), write(second, tmp_path / "2.parquet")]
    sources.append(write(first[["a", "b", "c", "d"]], tmp_path / "3.parquet"))
    read = tw.read_table(sources, schema=SCHEMA)
    assert read.n_rows == 1100
    same(tw.pack(sources, tmp_path / "rows.twp", schema=SCHEMA), read)
    some = {"schema": SCHEMA, "columns": ["b", "a"]}
    same(tw.pack(sources, tmp_path / "rows.twp", **some), tw.read_table(sources, **some))
    assert written == [KnownRows] * 2


@pytest.mark.parametrize("streams", [True, False])
def test_blocks_and_pieces_of_any_size(tmp_path, monkeypatch, written, streams):
    """Blocks end inside batches, batches inside blocks; pieces where DuckDB makes all rows first."""
    monkeypatch.setattr(parts, "BLOCK_ROWS", 2048 + 64)
    monkeypatch.setattr(duck_files, "streams", lambda: streams)
    monkeypatch.setattr(duck_files, "FEWEST_ROWS", 1)
    monkeypatch.setattr(duck_files, "CELLS_AT_ONCE", duck_files.BLOCK_ROWS * 4 if streams else 4 * 777)
    sources = [write(frame(n, n), tmp_path / f"{n}.parquet") for n in (1, 3000, 2111, 200, 5000)]
    read = tw.read_table(sources, schema=SCHEMA)
    same(tw.pack(sources, tmp_path / "rows.twp", schema=SCHEMA), read)
    assert written == [KnownRows]


def test_tables_views_and_queries_of_a_file(tmp_path, written):
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as file:
        file.register("made", frame(3000))
        file.execute("CREATE TABLE rows AS SELECT * FROM made")
        file.execute("CREATE VIEW few AS SELECT * FROM rows WHERE a = 'yes'")
    asked = {"query": "SELECT * FROM rows WHERE d > 'label 10'"}
    for where in ({"table": "rows"}, {"table": "few"}, asked):
        source = SqlTable(tmp_path / "rows.duckdb", **where)
        read = tw.read_table(source, schema=SCHEMA)
        same(tw.pack(source, tmp_path / "rows.twp", schema=SCHEMA), read)
    assert written == [KnownRows] * 3
    assert sorted(file.name for file in tmp_path.iterdir()) == ["rows.duckdb", "rows.twp"]


def with_last(label):
    rows = frame(3000)
    rows.loc[2999, "b"] = label
    return rows


@pytest.mark.parametrize(
    ("label", "options"),
    [
        (None, {"missing": "em"}),
        (None, {"missing": "drop"}),
        ("other", {"unseen": "ignore"}),
        ("other", {"unseen": "add"}),
    ],
)
def test_a_surprise_in_the_last_row_is_read_as_always(tmp_path, written, label, options):
    source = write(with_last(label), tmp_path / "rows.parquet")
    same(
        tw.pack(source, tmp_path / "rows.twp", schema=SCHEMA, **options),
        tw.read_table(source, schema=SCHEMA, **options),
    )
    assert written == [KnownRows, tw.Table]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["rows.parquet", "rows.twp"]


@pytest.mark.parametrize(("label", "error"), [(None, MissingValuesError), ("other", UnknownNameError)])
def test_what_no_schema_tells_is_refused_as_always(tmp_path, label, error):
    source = write(with_last(label), tmp_path / "rows.parquet")
    with pytest.raises(error) as as_always:
        tw.read_table(source, schema=SCHEMA)
    with pytest.raises(error) as refused:
        tw.pack(source, tmp_path / "rows.twp", schema=SCHEMA)
    assert str(refused.value) == str(as_always.value)
    assert [file.name for file in tmp_path.iterdir()] == ["rows.parquet"]


@pytest.mark.parametrize(
    "options",
    [
        {"columns": ["a", "unasked"]},
        {"weights": "unasked"},
        {"missing_values": ["never seen"]},
        {"mend": True, "missing": "em"},
        {"rows": 100},
    ],
)
def test_whatever_else_is_asked_for_is_read_as_always(tmp_path, written, options):
    rows = frame(3000).assign(unasked=2)
    source = write(rows, tmp_path / "rows.parquet")
    schema = tw.Schema([*SCHEMA, tw.Variable("unasked", (1, 2))]) if "columns" in options else SCHEMA
    packed = tw.pack(source, tmp_path / "rows.twp", schema=schema, **options)
    assert written == [tw.Table]
    if "rows" not in options:
        same(packed, tw.read_table(source, schema=schema, **options))


LABELS = st.text(st.characters(codec="utf-8"), max_size=4)


@given(st.lists(LABELS, min_size=1, max_size=8, unique=True), st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_labels(tmp_path, labels, data):
    cells = data.draw(st.lists(st.sampled_from(labels), min_size=200, max_size=200))
    source = write(pandas.DataFrame({"x": cells}), tmp_path / "rows.parquet")
    schema = tw.Schema([tw.Variable("x", tuple(labels))])
    same(tw.pack(source, tmp_path / "rows.twp", schema=schema), tw.read_table(source, schema=schema))


def test_a_full_disk_is_told_before_a_row_is_read(tmp_path, monkeypatch):
    source = write(frame(3000), tmp_path / "rows.parquet")
    monkeypatch.setattr(KnownRows, "blocks", lambda self: pytest.fail("a row was read"))
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=10_000))
    with pytest.raises(TableTooLarge, match=r"^3,000 packed rows take .*make room, pack fewer columns="):
        tw.pack(source, tmp_path / "rows.twp", schema=SCHEMA)
    assert [file.name for file in tmp_path.iterdir()] == ["rows.parquet"]


def test_ctrl_c_leaves_nothing(tmp_path, monkeypatch):
    source = write(frame(3000), tmp_path / "rows.parquet")

    def press(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(packing.PackedWriter, "_write_block", press)
    with pytest.raises(KeyboardInterrupt):
        tw.pack(source, tmp_path / "rows.twp", schema=SCHEMA)
    assert [file.name for file in tmp_path.iterdir()] == ["rows.parquet"]


def test_steps_are_told(tmp_path):
    source, steps = write(frame(3000), tmp_path / "rows.parquet"), []
    tw.pack(source, tmp_path / "rows.twp", schema=SCHEMA, progress=steps.append)
    assert (steps[-1].done, steps[-1].of) == (3000, 3000)
