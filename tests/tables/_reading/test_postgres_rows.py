"""Rows of a PostgreSQL server: `read_table` makes of them what it makes of the same rows in a file."""

import datetime
import json
import socket
import threading
import traceback
from dataclasses import replace

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from tests.hostile import LABELS
from tests.postgres_server import PASSWORD, READER, STRANGER

import treewright as tw
from treewright.errors import AccessError, ConnectionLost, SchemaError, SettingError, SourceError
from treewright.tables import SqlTable
from treewright.tables._reading.duck_files import SEEN_FIRST

RNG = np.random.default_rng(5)
KINDS = {
    "text": ["a", "", None, "b", "Ä", "a"],
    "truth": [True, None, False, True, True, False],
    "whole": [3, -1, None, 3, 2, 2],
    "large": [2**63 - 1, None, -(2**63), 0, 1, 5],
    "real": [1.5, float("nan"), None, 1e300, -0.0, 0.1],
    "whole reals": [1.0, 2.0, None, 3.0, 1.0, 2.0],
    "gaps": [None] * 6,
    "date": [datetime.date(2024, 1, d) for d in range(1, 6)] + [None],
    "time": [datetime.datetime(2024, 1, d, 3, 4, 5, 60_000) for d in range(1, 7)],
}
TYPES = {"gaps": "text", "date": "date", "time": "timestamp"}


def same_rows(server, name, columns, tmp_path, types=None, arrow=None, **reading):
    """The rows of a server, and the same in a file."""
    server.put(name, columns, types)
    path = tmp_path / "same.parquet"
    arrays = {key: pyarrow.array(values, type=(arrow or {}).get(key)) for key, values in columns.items()}
    pyarrow.parquet.write_table(pyarrow.table(arrays), path)
    return tw.read_table(SqlTable(server.url(), name), **reading), tw.read_table(path, **reading)


def assert_equal(one, other):
    assert one.schema == other.schema
    for a, b in zip(one.columns, other.columns, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    assert one.missing.keys() == other.missing.keys()
    for v, mask in one.missing.items():
        np.testing.assert_array_equal(mask, other.missing[v])
    assert one.report == other.report


@pytest.mark.parametrize("missing", ["em", "state", "drop"])
def test_every_kind_of_column_is_that_of_a_file(postgres, tmp_path, missing):
    left_out = {
        "em": ["gaps"],
        "state": ["large", "real"],
        "drop": ["gaps", "date", "large", "real", "truth"],
    }
    columns = {key: values for key, values in KINDS.items() if key not in left_out[missing]}
    arrow = {"gaps": pyarrow.string()}
    assert_equal(*same_rows(postgres, "kinds", columns, tmp_path, TYPES, arrow, missing=missing))


def test_options_mean_the_same_as_for_a_file(postgres, tmp_path):
    columns = {"y": ["no", "yes", "NA", "no"] * 20, "x": list(map(float, range(80))), "w": [1, 2, 0, 1] * 20}
    options = {"bins": {"x": 3}, "weights": "w", "missing_values": "NA", "missing": "drop"}
    one, other = same_rows(postgres, "options", columns, tmp_path, **options)
    assert_equal(one, other)
    np.testing.assert_array_equal(one.weights, other.weights)
    schema = tw.read_table({"y": ["yes", "no", "never"]}).schema
    narrow = tw.read_table(SqlTable(postgres.url(), "options"), schema=schema, unseen="ignore", missing="em")
    assert narrow.schema == schema
    with pytest.raises(SchemaError, match="the schema has columns that the source has not: 'z'"):
        tw.read_table(SqlTable(postgres.url(), "options"), schema=tw.read_table({"z": ["a"]}).schema)


def many_rows(n=2 * SEEN_FIRST + 77):
    """More than a first look sees, of every kind, with labels that come late."""
    places = RNG.integers(0, 5, n)
    late = np.where(np.arange(n) == n - 5, 9, places)
    return {
        "few": [None if p == 4 else f"label {p}" for p in places],
        "late": [f"'{p}\\" for p in late],
        "many": [f"{p}" for p in RNG.integers(0, 300, n)],
        "truth": [bool(p > 2) for p in places],
        "whole": [int(p) - 2 for p in places],
        "late whole": [int(p) for p in late],
        "key": list(range(2**62, 2**62 + n)),
        "real": [None if p == 3 else float(p) / 7 for p in places],
        "only gaps at first": [None if i < 2 * SEEN_FIRST else "x" for i in range(n)],
    }


def test_letters_and_fields_give_what_a_file_gives(postgres, tmp_path):
    assert_equal(*same_rows(postgres, "many rows", many_rows(), tmp_path, missing="em"))


def test_a_view_and_a_query_are_asked_once(postgres, tmp_path):
    """Their rows may come in another order the next time."""
    columns = {key: values[:500] for key, values in many_rows().items() if key != "only gaps at first"}
    stored, file = same_rows(postgres, "seen", columns, tmp_path, missing="em")
    assert_equal(stored, file)
    postgres.run("CREATE OR REPLACE VIEW view_of_seen AS SELECT * FROM seen")
    postgres.run(f"GRANT SELECT ON view_of_seen TO {READER}")
    assert_equal(tw.read_table(SqlTable(postgres.url(), "view_of_seen"), missing="em"), file)
    query = SqlTable(postgres.url(), query="SELECT * FROM seen -- all of them ; ")
    with pytest.raises(SourceError):
        tw.read_table(query, missing="em")  # a comment swallows what follows, and nothing else happens
    query = SqlTable(postgres.url(), query="SELECT few AS a, few AS a FROM seen;")
    with pytest.raises(SchemaError, match="column names must differ"):
        tw.read_table(query, missing="em")
    query = SqlTable(postgres.url(), query="SELECT key, many FROM seen WHERE truth;")
    table = tw.read_table(query)
    assert table.n_rows == sum(columns["truth"])
    assert table.schema.names == ("key", "many")


def test_hostile_labels_and_names_stay_what_they_are(postgres, tmp_path):
    labels = [*LABELS.values(), "\\.", "\\N", "", "NULL", '"', "'"]
    usable = [label for label in labels if "\0" not in label]
    n = SEEN_FIRST + 10
    rows = {"plain": [usable[i % len(usable)] for i in range(n)]}
    postgres.put("hostile", {**rows, "row": list(range(n))})  # a server may keep rows in another order
    pyarrow.parquet.write_table(pyarrow.table(rows), tmp_path / "same.parquet")
    in_order = SqlTable(postgres.url(), query="SELECT plain FROM hostile ORDER BY row")
    assert_equal(tw.read_table(in_order), tw.read_table(tmp_path / "same.parquet"))
    for kind, label in LABELS.items():
        name = label.encode()[:60].decode(errors="ignore")  # PostgreSQL keeps 63 bytes of a name
        postgres.put(name, {name: ["x", "y"], "other": [label, "-"]})
        table = tw.read_table(SqlTable(postgres.url(), name))
        assert table.schema.names == (name, "other"), kind
        assert set(table.schema["other"].states) == {label, "-"}, kind
    assert postgres.run("SELECT count(*) FROM hostile") == [(n,)]


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, SEEN_FIRST - 1, SEEN_FIRST, SEEN_FIRST + 1])
def test_packed_rows_of_a_server_equal_those_of_a_file(postgres, tmp_path, n):
    rows = {"a": [f"{i % 3}" for i in range(n)], "b": [i % 5 == 0 for i in range(n)]}
    schema = tw.Schema([tw.Variable("a", ("0", "1", "2")), tw.Variable("b", (False, True))])
    types, arrow = {"a": "text", "b": "bool"}, {"a": pyarrow.string(), "b": pyarrow.bool_()}
    read, file = same_rows(postgres, "packed", rows, tmp_path, types, arrow, schema=schema)
    assert_equal(read, file)
    packed = tw.pack(SqlTable(postgres.url(), "packed"), tmp_path / "rows.twp", schema=schema)
    assert packed.schema == file.schema
    np.testing.assert_array_equal(packed.column("a"), file.column("a"))
    assert packed.report == file.report
    told = packed.file.header["source"]
    assert told["table"] == "packed"
    assert told["dbname"] == postgres.database
    assert READER not in json.dumps(told)


def test_a_server_is_opened_like_any_source(postgres, tmp_path):
    rows = {"a": ["x", "y", "y"], "b": ["u", "u", "v"]}
    postgres.put("opened", rows)
    counter = tw.open_source(f"{postgres.url()}::opened")
    np.testing.assert_array_equal(
        counter.counts(("a", "b")), tw.count(tw.read_table(rows)).counts(("a", "b"))
    )
    postgres.put("opened", {name: cells * 1000 for name, cells in rows.items()})
    postgres.run("ANALYZE opened")
    tw.set_memory_limit(5_000)  # what takes more than half goes to a packed file, which is made anew
    try:
        first = tw.tables.packing.open_rows(f"{postgres.url()}::opened", tmp_path)
        postgres.run("INSERT INTO opened VALUES ('x', 'v')")
        second = tw.tables.packing.open_rows(f"{postgres.url()}::opened", tmp_path)
    finally:
        tw.set_memory_limit(None)
    assert (first.n_rows, second.n_rows) == (3_000, 3_001)
    assert len(list(tmp_path.glob("*.twp"))) == 1


def test_nothing_is_written_and_rows_are_those_of_one_moment(postgres):
    from treewright.tables.postgres import Server

    postgres.put("moment", {"a": ["x"]}, readers=None)
    server = Server(SqlTable(postgres.url("owner"), "moment"))
    assert server.execute("SELECT count(*) FROM moment") == [(1,)]
    postgres.run("INSERT INTO moment VALUES ('y')")
    assert server.execute("SELECT count(*) FROM moment") == [(1,)]
    with pytest.raises(SourceError, match="cannot execute DELETE in a read-only transaction"):
        server.execute("DELETE FROM moment RETURNING 1")
    server.connect()
    assert server.execute("SELECT count(*) FROM moment") == [(2,)]
    ((isolation, timeout),) = server.execute(
        "SELECT current_setting('transaction_isolation'), current_setting('statement_timeout')"
    )
    assert (isolation, timeout) == ("repeatable read", "10min")
    server.close()


def test_a_statement_comes_to_an_end(postgres):
    slow = SqlTable(postgres.url(), query="SELECT pg_sleep(30)::text AS a", timeout=0.2)
    with pytest.raises(SourceError, match=r"a statement took longer than 0\.2 s .* allow more with SqlTable"):
        tw.read_table(slow)
    with pytest.raises(SettingError, match="timeout= is a number of seconds above 0; found 0"):
        SqlTable(postgres.url(), "a", timeout=0)


def test_a_server_that_says_nothing_is_given_up(postgres):
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        port = deaf.getsockname()[1]
        address = f"postgresql://ada:{'x' * 8}@127.0.0.1:{port}/clinic?connect_timeout=2"
        with pytest.raises(ConnectionLost, match=r"the server cannot be reached: .*timeout") as error:
            tw.read_table(SqlTable(address, "visits"))
    assert "x" * 8 not in str(error.value)
    with pytest.raises(ConnectionLost, match=r"the server cannot be reached"):
        tw.read_table(SqlTable(f"postgresql://127.0.0.1:{port}/clinic", "visits"))


def test_missing_tables_and_rights_are_named(postgres):
    postgres.put("visits of 2024", {"a": ["x"]})
    postgres.put("secrets", {"a": ["x"], "b": ["y"]}, readers=None)
    with pytest.raises(AccessError) as error:
        tw.read_table(SqlTable(postgres.url(), "visit of 2024"))
    assert f"'visit of 2024' of 'postgresql://reader@/{postgres.database}?host=" in str(error.value)
    assert "needs the right SELECT: there is no such table" in str(error.value)
    assert "did you mean 'visits of 2024'?" in str(error.value)
    assert "secrets" not in str(error.value)
    assert isinstance(error.value, PermissionError)
    with pytest.raises(AccessError, match=r"'secrets' of .* needs the right SELECT: permission denied"):
        tw.read_table(SqlTable(postgres.url(STRANGER), "secrets"))
    with pytest.raises(AccessError, match=r"'no_such\.secrets' of .* needs the right SELECT"):
        tw.read_table(SqlTable(postgres.url(), "secrets", schema="no_such"))
    postgres.run(f"GRANT SELECT (a) ON secrets TO {STRANGER}")  # a right to one column is enough for it
    assert tw.read_table(SqlTable(postgres.url(STRANGER), "secrets"), columns=["a"]).n_rows == 1
    for address in (postgres.url(password="wrong"), postgres.url("nobody_here")):
        with pytest.raises(AccessError, match=r"cannot be opened: .*password authentication failed"):
            tw.read_table(SqlTable(address, "secrets"))
    with pytest.raises(AccessError, match=r'cannot be opened: .*database "none" does not exist'):
        tw.read_table(SqlTable(replace(postgres, database="none").url(), "secrets"))


def test_unsupported_types_are_refused_by_name(postgres):
    postgres.put("odd", {"a": ["x"], "b": ["{1,2}"]}, {"b": "int[]"})
    with pytest.raises(SchemaError, match="column 'b' holds values of type _int4; columns hold texts"):
        tw.read_table(SqlTable(postgres.url(), "odd"))
    assert tw.read_table(SqlTable(postgres.url(), "odd"), columns=["a"]).schema.names == ("a",)


def test_types_that_a_server_has_of_its_own(postgres):
    postgres.run("DROP TABLE IF EXISTS own; DROP TYPE IF EXISTS mood; DROP DOMAIN IF EXISTS grade")
    postgres.run(
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad'); CREATE DOMAIN grade AS int CHECK (value > 0)"
    )
    postgres.run(
        "CREATE COLLATION IF NOT EXISTS any_case (provider = icu, locale = 'und-u-ks-level2', "
        "deterministic = false)"
    )
    columns = {"m": ["ok", "glad", "ok"], "g": [1, 2, 1], "n": [1, 2, 1], "c": ["x ", "y", "x"], "u": "aAb"}
    types = {"m": "mood", "g": "grade", "n": "numeric(5, 2)", "c": "char(3)", "u": "text COLLATE any_case"}
    postgres.put("own", columns, types)
    table = tw.read_table(SqlTable(postgres.url(), "own"))
    states = {v.name: v.states for v in table.schema}
    assert states == {"m": ("glad", "ok"), "g": (1, 2), "n": (1, 2), "c": ("x", "y"), "u": ("A", "a", "b")}
    assert table.report["n"].reason == "2 distinct whole numbers, stored as reals"


def killed_in_the_middle(server):
    """End every connection of ours as soon as one is at work."""
    for _ in range(400):
        if any(
            server.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = "
                "'treewright' AND state = 'active' AND query ~ 'pg_sleep'"
            )
        ):
            return


def test_a_lost_connection_says_so(postgres):
    killer = threading.Thread(target=killed_in_the_middle, args=(postgres,))
    killer.start()
    try:
        with pytest.raises(ConnectionLost, match=r"the server cannot be reached: .*terminating connection"):
            tw.read_table(SqlTable(postgres.url(), query="SELECT pg_sleep(20)::text AS a"))
    finally:
        killer.join()


def test_no_password_in_any_text(postgres, tmp_path):
    """Neither whole nor in part, neither as it is nor as an address writes it."""
    postgres.put("kept secret", {"a": ["x", "y"] * 40, "b": ["u", "v"] * 40})
    url = postgres.url()
    table = SqlTable(url, "kept secret")
    read = tw.read_table(table)
    texts = [repr(table), str(table), repr(read.report), repr(vars(read.report))]
    tw.pack(table, tmp_path / "rows.twp")
    texts.append((tmp_path / "rows.twp").read_bytes().decode("latin-1"))
    texts.append(json.dumps(tw.tables.packing.identity(table)))
    texts.append(json.dumps(tw.origins.described({"source": table, "data": [f"{url}::kept secret"]})))
    texts += tw.tables.read_databases([f"{url}::kept secret", {"a": ["x"]}]).names
    wrong = [
        lambda: tw.read_table(SqlTable(url, "kept secrets")),
        lambda: tw.read_table(SqlTable(url.replace(READER, "nobody"), "kept secret")),
        lambda: tw.read_table(SqlTable(url.replace("host=", "host=%2Fnone"), "kept secret")),
        lambda: tw.read_table(SqlTable(url + "&no_such_setting=1", "kept secret")),
        lambda: tw.read_table(f"postgresql://ada:{PASSWORD}@host/db::t"),
        lambda: tw.read_table(f"postgresql://ada:{PASSWORD}@host/db"),
        lambda: tw.read_table(url),
        lambda: tw.read_table([url, "b.csv"]),
        lambda: tw.read_table(f"postgresql:///db?password={PASSWORD}&host=/none::t"),
        lambda: tw.read_table(SqlTable(url, query="SELECT 1/0 AS a")),
        lambda: tw.pack(url, tmp_path / "none.twp"),
        lambda: SqlTable(url),
    ]
    for act in wrong:
        with pytest.raises((SourceError, SettingError)) as error:
            act()
        shown = traceback.format_exception(error.value)
        texts += [line for line in shown if "tests/" not in line]
    quoted = postgres.url().split(":")[2].split("@")[0]
    parts = [PASSWORD, quoted, "s3cret", "of@ada", "of%40ada", "9zz"]
    assert [(part, text) for part in parts for text in texts if part in text] == []
