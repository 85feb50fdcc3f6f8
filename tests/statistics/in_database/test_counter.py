"""Counts of tables that stay in their database equal counts of the same rows here."""

import threading
from itertools import combinations, count

import duckdb
import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hostile import LABELS
from tests.postgres_server import PASSWORD, READER, STRANGER

import treewright as tw
from treewright.errors import (
    AccessError,
    ConnectionLost,
    MissingValuesError,
    SchemaError,
    SettingError,
    SourceChanged,
    TableTooLarge,
)
from treewright.statistics import DatabaseCounter
from treewright.statistics.in_database import counter as in_database
from treewright.statistics.in_database.covers import merged
from treewright.statistics.in_database.engines import Engine
from treewright.tables import SqlTable

RNG = np.random.default_rng(8)
N = 300


def columns():
    """Every kind that can be counted, with gaps in two of them."""
    codes = RNG.integers(0, 4, (6, N))
    return {
        "text": ["abcd"[c] if c else None for c in codes[0]],
        "truth": [bool(c % 2) for c in codes[1]],
        "whole": [int(c) - 2 for c in codes[2]],
        "real": [None if c == 1 else float(c) for c in codes[3]],
        "hostile": [list(LABELS.values())[c * 5 + d] for c, d in zip(codes[4], codes[5], strict=True)],
        "many": [f"{i % 90}" for i in range(N)],
    }


ROWS = columns()
NUMBERS = count()


@pytest.fixture(params=["duckdb", "postgres"])
def database(request, tmp_path):
    """A function that puts rows into a database and names them."""

    def put(name, rows, types=None):
        name = f"{name} {next(NUMBERS)}"  # a counter holds on to its table as long as it lives
        if request.param == "postgres":
            server = request.getfixturevalue("postgres")
            server.put(name, rows, types)
            return SqlTable(server.url(), name)
        path = tmp_path / "rows.duckdb"
        with duckdb.connect(str(path)) as file:
            told = {key: pandas.array(values, dtype=None) for key, values in rows.items()}
            file.register("rows_here", pandas.DataFrame(told))
            file.execute(f'CREATE TABLE "{name}" AS SELECT * FROM rows_here')
        return SqlTable(path, name)

    return put


@pytest.mark.parametrize("missing", ["drop", "state"])
def test_counts_and_columns_are_those_of_rows_that_were_read(database, missing):
    source = database("rows", ROWS)
    table = tw.read_table(source, missing=missing)
    here, there = tw.count(table), tw.open_source(source, mode="counts", missing=missing)
    assert isinstance(there, DatabaseCounter)
    assert there.schema == here.schema
    assert there.n_rows == here.n_rows
    assert there.report.columns == table.report.columns
    assert (there.report.n_rows_read, there.report.n_dropped) == (N, table.report.n_dropped)
    scopes = [*combinations(range(6), 2), (), (3,), (5, 0, 2), (4, 3, 2, 1, 0)]
    for one, other in zip(here.counts_many(scopes), there.counts_many(scopes), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.shape == other.shape
    for scope in scopes:
        one, other = here.sparse_counts(scope), there.sparse_counts(scope)
        assert one.shape == other.shape
        np.testing.assert_array_equal(one.codes, other.codes)
        np.testing.assert_array_equal(one.counts, other.counts)


def test_gaps_are_refused_unless_told_otherwise(database):
    source = database("rows", ROWS)
    with pytest.raises(MissingValuesError, match=r"missing cells in 'text' \(\d+\), 'real' \(\d+\); pass"):
        DatabaseCounter(source)
    with pytest.raises(SettingError, match="missing='em' keeps gaps"):
        DatabaseCounter(source, missing="em")
    assert DatabaseCounter(source, columns=["truth", "many"]).n_rows == N


def test_a_schema_says_what_the_columns_are(database):
    source = database("rows", {"a": ["1", "2", "2"], "b": ["x", "y", "z"], "c": [0.5, 1.0, 2.0]})
    schema = tw.Schema([tw.Variable("b", ("z", "y", "x", "w")), tw.Variable("a", (1, 2, 3))])
    there = DatabaseCounter(source, schema=schema)
    here = tw.count(tw.read_table(source, schema=schema))
    assert there.schema == schema
    np.testing.assert_array_equal(there.counts((0, 1)), here.counts((0, 1)))
    assert there.report.ignored == (("c", "not in the schema"),)
    with pytest.raises(SchemaError, match="'z'"):
        DatabaseCounter(source, schema=tw.Schema([tw.Variable("b", ("x", "y"))]))
    with pytest.raises(SchemaError, match="'c' is continuous and cannot be counted; leave it out"):
        DatabaseCounter(source)


def test_tables_share_statements_and_are_added_up(database):
    rows = {f"v{i}": [str(x) for x in RNG.integers(0, 3, 50)] for i in range(20)}
    there, here = DatabaseCounter(database("wide", rows)), tw.count(tw.read_table(rows))
    before = there._engine.n_statements
    pairs = list(combinations(range(20), 2))
    for one, other in zip(there.counts_many(pairs), here.counts_many(pairs), strict=True):
        np.testing.assert_array_equal(one, other)
    n_statements = there._engine.n_statements - before
    assert n_statements == len(merged(map(frozenset, pairs), 16)) <= 8
    there.counts_many([(3,), (4, 2), (0, 1)])
    assert there._engine.n_statements - before == n_statements
    assert "193 tables were asked for" in there.report.notes[0]
    assert "use mode='rows' where they may leave" in there.report.notes[1]
    np.testing.assert_array_equal(there.sparse_counts(range(20)).counts, here.sparse_counts(range(20)).counts)


def test_little_is_asked_without_advice(database):
    there = DatabaseCounter(database("small", {"a": ["x", "y"]}))
    there.counts_many([(0,)] * 19)
    assert len(there.report.notes) == 1
    there.counts((0,))
    assert len(there.report.notes) == 2


def test_what_is_kept_has_its_share_of_memory(database):
    rows = {f"v{i}": [str(x) for x in RNG.integers(0, 3, 50)] for i in range(6)}
    there = DatabaseCounter(database("kept", rows), most_columns=2)
    tw.set_memory_limit(4_000)
    try:
        there.counts_many(list(combinations(range(6), 2)))
        assert sum(cover.nbytes for cover in there._covers) <= 500
    finally:
        tw.set_memory_limit(None)


def test_numbers_of_cells_that_do_not_fit_are_refused(database):
    rows = {f"v{i}": [f"{x}" for x in range(70)] for i in range(11)}
    there = DatabaseCounter(database("large", rows))
    with pytest.raises(TableTooLarge, match="more cells than 64-bit positions can number"):
        there.sparse_counts(range(11))
    with pytest.raises(TableTooLarge):
        there.counts(range(11))


@settings(max_examples=40)
@given(
    sets=st.lists(st.frozensets(st.integers(0, 12), min_size=1, max_size=5), max_size=12),
    most=st.integers(1, 9),
)
def test_every_set_lies_in_a_cover(sets, most):
    covers = merged(sets, most)
    assert all(any(one <= cover for cover in covers) for one in sets)
    assert all(len(cover) <= max([most, *map(len, sets)]) for cover in covers)
    assert set().union(*covers) == set().union(*sets)
    assert covers == merged(list(reversed(sets)), most)


def test_the_same_tree_is_learned_from_counts(database):
    table = tw.load_network("asia").sample(500, rng=np.random.default_rng(3))
    there = tw.open_source(database("asia", table.to_dict()), mode="counts")
    one, other = (tw.learn_chow_liu(tw.BIC(c)) for c in (tw.count(table), there))
    assert one.structure == other.structure
    assert one.score == other.score
    with pytest.raises(SettingError, match="looks at rows, and a DatabaseCounter has none to show"):
        tw.learn_efficient_markov(there)


def test_a_mode_is_for_databases(tmp_path):
    with pytest.raises(
        SettingError, match=r"mode='counts' is for tables of databases \(SqlTable\); found dict"
    ):
        tw.open_source({"a": [1]}, mode="counts")
    with pytest.raises(SettingError, match="mode= is 'rows' or 'counts'; found 'all'"):
        tw.open_source({"a": [1]}, mode="all")
    with pytest.raises(SettingError, match="bins= means nothing to mode='counts'"):
        tw.open_source(SqlTable("a.duckdb", "t"), mode="counts", bins=3)


@pytest.fixture
def quick(monkeypatch):
    """Nobody waits for a connection."""
    waited = []
    monkeypatch.setattr(in_database.time, "sleep", waited.append)
    return waited


def lose(server, table):
    """End the connections that read a table; other tests share the server."""
    assert server.run(f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = '{table}'::regclass")


def test_a_lost_connection_is_made_anew(postgres, quick):
    postgres.put("lost", ROWS)
    there = DatabaseCounter(SqlTable(postgres.url(), "lost"), missing="state")
    here = tw.count(tw.read_table(SqlTable(postgres.url(), "lost"), missing="state"))
    lose(postgres, "lost")
    np.testing.assert_array_equal(there.counts((0, 1)), here.counts((0, 1)))
    assert quick == [1.0]
    lose(postgres, "lost")
    postgres.run("DELETE FROM lost WHERE whole = 1")
    with pytest.raises(
        SourceChanged, match=r"'lost' of .* had 300 rows before the connection was lost, and has"
    ):
        there.counts((2, 3))


def test_values_that_were_not_there_before_are_noticed(postgres, quick):
    postgres.put("changed", {"a": ["x", "y"], "b": ["u", "v"]})
    there = DatabaseCounter(SqlTable(postgres.url(), "changed"))
    lose(postgres, "changed")
    postgres.run("UPDATE changed SET a = 'z' WHERE a = 'y'")
    with pytest.raises(
        SourceChanged, match=r"'changed' of .* has values in 'a' that it had not before; begin"
    ):
        there.counts((0, 1))


def test_a_server_that_stays_away_is_given_up(postgres, quick):
    postgres.put("away", {"a": ["x", "y"]})
    address = postgres.url(STRANGER)
    postgres.run(f"GRANT SELECT ON away TO {STRANGER}")
    there = DatabaseCounter(SqlTable(address, "away"))
    postgres.run(f"ALTER ROLE {STRANGER} CONNECTION LIMIT 0")
    try:
        lose(postgres, "away")
        with pytest.raises(ConnectionLost, match="it was tried 3 times more") as error:
            there.counts((0,))
    finally:
        postgres.run(f"ALTER ROLE {STRANGER} CONNECTION LIMIT -1")
    assert quick == [1.0, 2.0, 4.0]
    assert "s3cret" not in str(error.value)
    assert PASSWORD not in repr(there) + there.digest + repr(there.report)


def test_a_right_that_is_taken_away_is_named(postgres, quick):
    postgres.put("taken", {"a": ["x", "y"]})
    there = DatabaseCounter(SqlTable(postgres.url(), "taken"))
    postgres.run(f"REVOKE SELECT ON taken FROM {READER}")
    lose(postgres, "taken")
    with pytest.raises(AccessError, match=r"'taken' of .* needs the right SELECT: permission denied"):
        there.counts((0,))


def test_a_connection_lost_in_the_middle_costs_time_only(postgres, monkeypatch):
    monkeypatch.setattr(in_database, "WAITS", (0.01, 0.01, 0.01))
    postgres.put("slow", {"a": ["x", "y"] * 5, "b": ["u", "v", "v", "v", "u"] * 2})
    there = DatabaseCounter(SqlTable(postgres.url(), "slow"))
    done = threading.Event()
    original, calls = there._engine.groups, []

    def groups(*asked):
        calls.append(asked)
        if len(calls) == 1:  # the server is busy with us when it is told to stop
            threading.Timer(0.2, lose, (postgres, "slow")).start()
            there._engine.ask("SELECT pg_sleep(20)")
        done.set()
        return original(*asked)

    monkeypatch.setattr(there._engine, "groups", groups)
    assert there.counts((0, 1)).tolist() == tw.count(tw.read_table(there.source)).counts((0, 1)).tolist()
    assert done.is_set()
    assert len(calls) == 2


def test_a_connection_lost_while_columns_are_looked_at_is_made_anew(postgres, quick, monkeypatch):
    postgres.put("begun", {"a": ["x", "y", "x"], "b": ["u", "v", "v"]})
    original, calls = Engine.keys, []

    def keys(*asked):
        calls.append(asked)
        if len(calls) == 2:
            lose(postgres, "begun")
        return original(*asked)

    monkeypatch.setattr(Engine, "keys", keys)
    there = DatabaseCounter(SqlTable(postgres.url(), "begun"))
    assert quick == [1.0]
    assert there.counts((0, 1)).tolist() == [[1, 1], [0, 1]]


def test_only_tables_of_databases_are_counted_there():
    with pytest.raises(tw.errors.ArgumentError, match=r"takes a table of a database; found a Table: write"):
        DatabaseCounter(tw.read_table({"a": [0, 1]}))
