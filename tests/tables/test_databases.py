"""Several tables with overlapping columns, aligned."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import hostile

import treewright as tw
from treewright.errors import (
    AccessError,
    FormatError,
    MissingValuesError,
    SchemaError,
    SettingError,
    UnknownNameError,
)
from treewright.tables.overlaps import intersections, reduced_sets


@pytest.fixture
def clinic(tmp_path):
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            'CREATE TABLE "odd ""visits" AS '
            """SELECT i % 2 AS "a b", substr('abc', (i % 3 + 1)::INT, 1) AS c FROM range(12) t(i)"""
        )
        connection.execute("CREATE SCHEMA north; CREATE TABLE north.t AS SELECT 1 AS x")
    return path


def test_tables_and_queries_of_a_duckdb_file(clinic):
    table = tw.read_table(tw.tables.SqlTable(clinic, 'odd "visits'))
    assert table.schema.names == ("a b", "c")
    assert table.schema["c"].states == ("a", "b", "c")
    assert table.n_rows == 12
    some = tw.read_table(tw.tables.SqlTable(clinic, query='SELECT c FROM "odd ""visits" WHERE "a b" = 1;'))
    assert some.n_rows == 6
    assert tw.read_table(tw.tables.SqlTable(clinic, "t", schema="north")).schema["x"].states == (1,)
    assert tw.read_table(tw.tables.SqlTable(clinic, 'odd "visits'), names=["x", "y"]).schema.names == (
        "x",
        "y",
    )


def test_a_duckdb_file_is_never_written_to(clinic):
    before = clinic.read_bytes()
    with pytest.raises(AccessError, match=r"'odd visits' of .* there is no such table; .* did you mean 'odd"):
        tw.read_table(tw.tables.SqlTable(clinic, "odd visits"))
    with pytest.raises(FormatError, match="cannot be read"):
        tw.read_table(tw.tables.SqlTable(clinic, query="1; DROP TABLE north.t"))
    tw.read_table(tw.tables.SqlTable(clinic, 'odd "visits'))
    assert clinic.read_bytes() == before


def test_a_sql_table_is_one_thing():
    with pytest.raises(SettingError, match="a table or a query of a database; found neither"):
        tw.tables.SqlTable("x.duckdb")
    with pytest.raises(SettingError, match="found both"):
        tw.tables.SqlTable("x.duckdb", "t", query="SELECT 1")
    with pytest.raises(SettingError, match="schema= goes with the name of a table"):
        tw.tables.SqlTable("x.duckdb", query="SELECT 1", schema="s")


def test_any_mix_of_sources(clinic, tmp_path):
    (tmp_path / "one.csv").write_text("c,d\na,yes\nb,no\n")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 'no' AS d, 1 AS e) TO '{tmp_path}/two.parquet'")
    frame = pytest.importorskip("pandas").DataFrame({"e": [0, 1], "f": ["x", "y"]})
    sources = [
        tmp_path / "one.csv",
        str(tmp_path / "two.parquet"),
        frame,
        {"f": ["y", "z"]},
        tw.tables.SqlTable(clinic, 'odd "visits'),
        tw.read_table({"g": [True, False]}),
    ]
    found = tw.read_databases(sources)
    assert found.schema.names == ("a b", "c", "d", "e", "f", "g")
    assert found.schema["f"].states == ("x", "y", "z")
    assert found.names[0].endswith("one.csv")
    assert found.names[3:] == ("table 4", f'{clinic}: odd "visits', "table 6")
    assert found.rows(("c",)) == 14


@given(st.permutations(range(3)), st.randoms())
@settings(max_examples=20, deadline=None)
def test_alignment_does_not_depend_on_the_order(order, random):
    declared = tw.Schema([tw.Variable("x", ("low", "high")), tw.Variable("y", (0, 1))])
    tables = [
        tw.Table(declared, [[0, 1], [0, 1]]),
        tw.read_table({"x": ["high", "medium"], "z": [1, 2]}),
        tw.read_table({"z": [2, 3], "x": ["odd", "low"]}),
    ]
    first = tw.tables.Databases(tables)
    columns = [list(t.schema.names) for t in tables]
    for names in columns:
        random.shuffle(names)
    again = tw.tables.Databases([tables[i].select(columns[i]) for i in order])
    assert again.schema == first.schema
    assert again.hyperedges == first.hyperedges
    everybody = (0, 1, 2)
    assert again.pool(everybody) == first.pool(everybody)


def test_type_clashes_are_refused_by_name():
    a, b = tw.read_table({"age": [1, 2]}), tw.read_table({"age": ["old", "young"]})
    with pytest.raises(
        SchemaError, match=r"column 'age' is of different types.*numbers in north, texts in south; convert it"
    ):
        tw.tables.Databases([a, b], names=["north", "south"])
    with pytest.raises(SchemaError, match="continuous in table 2, numbers in table 1"):
        tw.tables.Databases([a, tw.read_table({"age": [1.5, 2.5]})])
    with pytest.raises(SchemaError, match="discrete or all continuous; continuous are 'b'"):
        tw.read_databases([{"a": [0, 1], "b": [0.5, 1.5]}])


def test_other_refusals():
    with pytest.raises(SchemaError, match="no tables to learn from"):
        tw.tables.Databases([])
    with pytest.raises(SchemaError, match="made of tables; found a dict: read_databases reads"):
        tw.tables.Databases([{"a": [1]}])
    with pytest.raises(MissingValuesError, match="table 2: "):
        tw.read_databases([{"a": [1, 2]}, {"a": [1, None]}])
    with pytest.raises(MissingValuesError, match="table 1 misses values in 'a'"):
        tw.tables.Databases([tw.read_table({"a": [1, None]}, missing="em")])
    with pytest.raises(SchemaError, match="2 tables need 2 names; found 1"):
        tw.read_databases([{"a": [1]}, {"b": [1]}], names=["one"])
    with pytest.raises(SchemaError, match="missing='em' keeps gaps"):
        tw.read_databases([{"a": [1]}], missing="em")
    with pytest.raises(SchemaError, match="a list of them; for one, write"):
        tw.learn_from_databases({"a": [1]})
    twice = np.zeros((2, 2), dtype=int)
    with pytest.raises(SchemaError, match="column names must differ; found more than once: 'a'"):
        tw.read_databases([tw.read_table(twice, names=["a", "a"])])


def test_numbers_are_cut_at_the_same_edges_in_all_tables():
    low, high = {"x": [0.5, 1.5, 2.5]}, {"x": [10.5, 11.5, 12.5], "k": ["a", "b", "a"]}
    found = tw.read_databases([low, high], bins=2)
    states = found.schema["x"].states
    assert len(states) == 2
    assert [t.column("x").tolist() for t in found.tables] == [[0, 0, 0], [1, 1, 1]]
    whole = tw.read_databases([{"x": [1, 2, 3]}, {"x": [0.5, 2.5]}], bins={"x": [0, 2, 4]})
    assert whole.schema["x"].states == ("[0, 2)", "[2, 4]")
    with pytest.raises(UnknownNameError, match="bins= names 'y', but there is no such column"):
        tw.read_databases([{"x": [1.5]}], bins={"y": 2})
    with pytest.raises(SchemaError, match="'k', which is not a column of numbers"):
        tw.read_databases([{"k": ["a"]}], bins={"k": 2})


def test_a_schema_holds_for_all_tables():
    schema = tw.Schema([tw.Variable("a", ("1", "2", "3")), tw.Variable("b", ("x", "y"))])
    found = tw.read_databases([{"a": ["1", "2"]}, {"b": ["y"], "a": ["3"], "other": [5]}], schema=schema)
    assert found.schema == schema
    with pytest.raises(UnknownNameError, match="table 2: column 'a' holds '9'"):
        tw.read_databases([{"a": ["1"]}, {"a": ["9"]}], schema=schema)


def test_who_covers_what():
    tables = [{"a": [0, 1], "b": [0, 1]}, {"b": [0, 1, 1], "c": [0, 1, 0]}, {"a": [1], "b": [0]}]
    found = tw.read_databases(tables)
    assert found.covering(("a", "b")) == (0, 2)
    assert found.covering(("b",)) == (0, 1, 2)
    assert found.rows(("a", "b")) == 3
    assert found.effective_rows(("a", "b", "c")) == 3
    assert found.effective_rows(("a", "c")) == 3
    assert found.never_together() == [("a", "c")]
    assert found.hyperedges == (("a", "b"), ("b", "c"))


def test_overlaps():
    sets = [(0, 1, 2), (1, 2, 3), (2, 3, 4), (2,)]
    assert reduced_sets(sets) == [(0, 1, 2), (1, 2, 3), (2, 3, 4)]
    assert intersections(reduced_sets(sets)) == [(2,), (1, 2), (2, 3)]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize("kind", hostile.LABELS)
def test_hostile_names_and_labels_of_a_database(kind, tmp_path):
    """Of a table, of its schema, of columns and of values; what else is in the file stays there."""
    label, path = hostile.LABELS[kind], tmp_path / "d.duckdb"
    rows = {label + "x": [label, "b", label], label + "y": ["a", "b", "a"]}
    with duckdb.connect(str(path)) as database:
        place = f"{quoted(label)}.{quoted(label)}"
        columns = ", ".join(f"{quoted(name)} TEXT" for name in rows)
        database.execute(f"CREATE TABLE rows (a INT); CREATE SCHEMA {quoted(label)}")
        database.execute(f"CREATE TABLE {place} ({columns})")
        values = [list(row) for row in zip(*rows.values(), strict=True)]
        database.executemany(f"INSERT INTO {place} VALUES (?, ?)", values)
    before = path.read_bytes()
    source = tw.tables.SqlTable(path, label, schema=label)
    assert tw.read_table(source).to_dict() == rows
    assert tw.read_table(source, columns=[label + "y"]).to_dict() == {label + "y": rows[label + "y"]}
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", hostile.LABELS)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_hostile_names_and_labels_of_a_file(kind, ending, tmp_path):
    label = hostile.LABELS[kind]
    frame = pd.DataFrame({label + "x": [label, "b", label], label + "y": ["a", "b", "a"]})
    path = tmp_path / f"rows.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    assert tw.read_table(path).to_dict() == frame.to_dict(orient="list")
