import csv
import gzip
import os

import numpy as np
import pytest

from treewright import count, open_table, pack, set_memory_limit
from treewright.errors import FormatError, SchemaError, TableTooLarge, TreewrightError, UnknownNameError
from treewright.tables import Schema, SqlTable, Variable, read_table
from treewright.tables._reading.duck_files import explained
from treewright.tables._reading.duck_types import top_level_names
from treewright.tables.mapped_table import MappedTable

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def write(tmp_path):
    def write(text, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def write_parquet(path, query):
    duckdb.sql(query).write_parquet(str(path))
    return path


def test_csv_columns_are_what_every_row_says(write):
    lines = ["whole,real,late,zip,truth,shout,plus,long"]
    lines += ["1,0.5,1,0123,True,TRUE,+1,12345678901234567890"] * 300
    lines += ["2, 1e-3,x,9999,False,FALSE,-1,12345678901234567891"]
    table = read_table(write("\n".join(lines)))
    assert [v.states for v in table.schema] == [
        (1, 2),
        None,
        ("1", "x"),  # the one text is in the last row
        ("0123", "9999"),
        (False, True),
        ("FALSE", "TRUE"),
        ("+1", "-1"),
        ("12345678901234567890", "12345678901234567891"),
    ]
    assert table.column("real")[-1] == 1e-3


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_read_off_the_header(write, delimiter):
    path = write(
        f"a{delimiter}b,x{delimiter}c\n1{delimiter}u{delimiter}v\n"
        if delimiter != ","
        else "a,b;x,c\n1,u,v\n"
    )
    assert read_table(path).n_rows == 1
    assert len(read_table(path).schema) == 3


def test_delimiter_can_be_given(write):
    assert read_table(write("a:b\n1:2\n"), delimiter=":").schema.names == ("a", "b")


def test_no_header(write):
    table = read_table(write("0,1\n1,1\n"), header=False)
    assert table.to_dict() == {"x0": [0, 1], "x1": [1, 1]}
    assert read_table(write("0,1\n1,1\n"), header=False, names=["a", "b"]).schema.names == ("a", "b")
    with pytest.raises(SchemaError, match="'0'; if the first line holds values, use header=False"):
        read_table(write("0,0\n1,1\n"))


def test_a_header_of_numbers_is_pointed_out(write):
    assert "use header=False" in read_table(write("0,1\n1,1\n")).report.notes[0]
    assert read_table(write("0,b\n1,1\n")).report.notes == ()


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n"])
def test_refused_delimiters(write, delimiter):
    with pytest.raises(FormatError, match="a delimiter is one character"):
        read_table(write("a\n1\n"), delimiter=delimiter)


def test_empty_fields_are_missing(write):
    path = write('a,b\nx,1\n,2\n"",\n')
    table = read_table(path, missing="em")
    assert table.to_dict() == {"a": ["x", None, None], "b": [1, 2, None]}
    assert read_table(write("a\nx\n\ny\n"), missing="drop").report.n_dropped == 1


def test_words_for_missing(write):
    path = write("a,k\nNA,1\nx,?\n")
    assert read_table(path).schema["k"].states == ("1", "?")
    table = read_table(path, missing_values=("NA", "?"), missing="em")
    assert table.to_dict() == {"a": [None, "x"], "k": [1, None]}


def test_not_a_number_and_infinity(write):
    assert read_table(write("t\n0.5\nnan\n"), missing="em").has_missing
    with pytest.raises(SchemaError, match=r"infinite values in 't' \(1\)"):
        read_table(write("t\n0.5\n-Inf\n"))


def test_gzip_whatever_the_name(write):
    packed = gzip.compress(b"a,b\nx,1\ny,2\n")
    assert read_table(write(packed, "a.csv.gz")) == read_table(write(packed, "b.dat"))
    assert read_table(write(packed, "a.csv.gz")).to_dict() == {"a": ["x", "y"], "b": [1, 2]}


def test_byte_order_mark_and_carriage_returns(write):
    assert read_table(write(b"\xef\xbb\xbfa,b\r\nx,1\r\ny,2\r\n")).to_dict() == {"a": ["x", "y"], "b": [1, 2]}


def test_old_line_ends(write):
    assert read_table(write(b"a,b\rx,1\ry,2\r")).to_dict() == {"a": ["x", "y"], "b": [1, 2]}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_quotes_newlines_and_names_that_sql_would_trip_over(tmp_path, newline):
    names = ["a'b", 'c"d', "A", "a", "select", "x\ny", "c0", " "]
    cells = ["it's", '"', "two\nlines", "a,b", "'; DROP TABLE x; --", "\u202eabc", "\U0001f600", "nul\0byte"]
    path = tmp_path / 'it\'s; "quoted" [1]*?.csv'
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator=newline).writerows([names, cells, cells])
    table = read_table(path)
    assert list(table.schema.names) == names
    assert [table.labels(name)[0] for name in names] == cells


def test_columns_that_are_not_asked_for(write):
    path = write("a,b,c\nx,1,\ny,2,\n")
    table = read_table(path, columns=["b", "a"])
    assert table.schema.names == ("b", "a")
    assert table.report.ignored == (("c", "not asked for"),)
    with pytest.raises(UnknownNameError, match="there is no column 'd'; there are 'a', 'b', 'c'"):
        read_table(path, columns=["d"])


def test_a_column_without_a_name_is_ignored(write):
    table = read_table(write(",a\n0,x\n1,y\n"))
    assert table.schema.names == ("a",)
    assert table.report.ignored == (("column 1", "it has no name"),)


def test_a_schema_reads_texts_as_they_stand(write):
    path = write("k,p\n1,1.50\n0,0.50\n")
    schema = Schema([Variable("p", ("0.50", "1.50")), Variable("k", ("0", "1"))])
    assert read_table(path, schema=schema).to_dict() == {"p": ["1.50", "0.50"], "k": ["1", "0"]}
    assert read_table(path, schema=Schema([Variable("k", (0, 1))])).to_dict() == {"k": [1, 0]}


def test_weights_from_a_column(write):
    table = read_table(write("a,n\nx,3\ny,0\n"), weights="n")
    assert table.weights.tolist() == [3, 0]
    assert table.schema.names == ("a",)
    assert table.report.ignored == (("n", "taken as the weights of the rows"),)


def test_several_files_are_one_table(write, tmp_path):
    write("a,k\nx,1\ny,2\n", "1.csv")
    write("k;a\n3;z\n", "2.csv")
    write("a,k\nx,5\n", "3.csv")
    table = read_table(str(tmp_path / "?.csv"))
    assert table.to_dict() == {"a": ["x", "y", "z", "x"], "k": [1, 2, 3, 5]}
    assert table.schema["a"].states == ("x", "y", "z")
    assert read_table([tmp_path / "1.csv", str(tmp_path / "[23].csv")]) == table
    write("a,k\nx,one\n", "3.csv")
    assert read_table(str(tmp_path / "*.csv")).schema["k"].states == ("1", "2", "3", "one")


def test_rows_keep_their_order(tmp_path):
    numbers = np.random.default_rng(0).integers(0, 1000, 60_000)
    parts = np.array_split(numbers, 3)
    for i, part in enumerate(parts):
        (tmp_path / f"{i}.csv").write_text("t,s\n" + "".join(f"{x}.5,s{x}\n" for x in part))
    table = read_table(str(tmp_path / "*.csv"))
    assert (table.column("t") == numbers + 0.5).all()
    assert table.labels("s").tolist() == [f"s{x}" for x in numbers]


def test_files_have_to_agree(write, tmp_path):
    write("a,b\nx,1\n", "1.csv")
    write("a,c\nx,1\n", "2.csv")
    with pytest.raises(SchemaError, match="the same columns; not in all: 'b', 'c'"):
        read_table(str(tmp_path / "*.csv"))
    common = read_table(str(tmp_path / "*.csv"), columns=["a"])
    assert common.to_dict() == {"a": ["x", "x"]}
    assert dict(common.report.ignored) == {"b": "not asked for", "c": "not asked for"}
    write_parquet(tmp_path / "3.parquet", "SELECT 1 AS a, 2 AS b")
    with pytest.raises(FormatError, match="1 of 2 files are Parquet and the others CSV"):
        read_table([tmp_path / "1.csv", tmp_path / "3.parquet"])


def test_parquet_types(tmp_path):
    path = write_parquet(
        tmp_path / "t.parquet",
        """SELECT i::TINYINT AS i, b, s, f::FLOAT AS f, d::DECIMAL(4, 1) AS d, e::ENUM('w', 'u') AS e
           FROM (VALUES (1, true, 'b', 0.5, 1.5, 'u'),
                        (NULL, NULL, NULL, NULL, NULL, NULL),
                        (3, false, 'a', 1.5, 2.5, 'w')) AS t(i, b, s, f, d, e)""",
    )
    table = read_table(path, missing="em")
    assert table.to_dict() == {
        "i": [1, None, 3],
        "b": [True, None, False],
        "s": ["b", None, "a"],
        "f": [0.5, None, 1.5],
        "d": [1.5, None, 2.5],
        "e": ["u", None, "w"],
    }


def test_parquet_names_that_differ_in_case(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": [1], "n": [{"x": 1, "y": [2]}], "A": [2]}), tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", columns=["a", "A"]).to_dict() == {"a": [1], "A": [2]}
    with pytest.raises(SchemaError, match="column 'n' holds values of type STRUCT"):
        read_table(tmp_path / "t.parquet")


def test_top_level_names():
    assert top_level_names([("root", 2), ("a", None), ("s", 2), ("x", None), ("y", None)]) == ("a", "s")


def test_parquet_files_of_different_types(tmp_path):
    write_parquet(tmp_path / "1.parquet", "SELECT 1 AS a, 1 AS b")
    write_parquet(tmp_path / "2.parquet", "SELECT 0.5 AS a, 2::BIGINT AS b")
    assert read_table(str(tmp_path / "*.parquet")).to_dict() == {"a": [1.0, 0.5], "b": [1, 2]}
    write_parquet(tmp_path / "3.parquet", "SELECT 'x' AS a, 1 AS b")
    with pytest.raises(
        SchemaError, match="column 'a' is of different types in different files: real, text, whole"
    ):
        read_table(str(tmp_path / "*.parquet"))


def test_dates_are_read_and_lists_are_refused(tmp_path):
    path = write_parquet(
        tmp_path / "t.parquet",
        "SELECT DATE '2020-01-01' AS d, TIMESTAMP '2020-01-01 10:30:00' AS t, [1] AS l",
    )
    assert read_table(path, columns=["d"]).schema["d"].states == ("2020-01-01",)
    assert read_table(path, columns=["t"], dates=("hour",)).labels("t.hour").tolist() == [10]
    with pytest.raises(SchemaError, match=r"column 'l' holds values of type INTEGER\[\]"):
        read_table(path, columns=["l"])


def test_many_labels(tmp_path):
    texts = [f"user {i}" for i in range(70_000)]
    (tmp_path / "t.csv").write_text("id\n" + "\n".join(reversed(texts)) + "\n")
    table = read_table(tmp_path / "t.csv")
    assert table.labels("id").tolist() == texts[::-1]
    assert table.schema["id"].states == tuple(sorted(texts))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; a CSV file starts with a line of column names"),
        (b"\n", "is empty; a CSV file starts with a line of column names"),
        (b"a,b\n1,2\n3\n", "cannot be read: line 3 has 1 field where 2 were expected"),
        (b"a\n\xe9\n", r"is not text in UTF-8, as b'\\xe9' in column 'a' shows; .* --encoding"),
        (b"a\n" + 20_000 * b"xyz\n" + b"\xe9\n", "is not text in UTF-8, as .* in column 'a' shows"),
        (b"\xe9\n1\n", "is not text in UTF-8"),
        (b"PK\x03\x04abcd", "is a zip archive or an Excel workbook; CSV"),
        (b"PAR1", "cannot be read"),
        (b"\x1f\x8bjunk", "cannot be read as CSV"),
        (b"\x1f\x8b", "cannot be read as CSV"),
    ],
)
def test_files_that_are_not_tables(write, content, message):
    with pytest.raises(FormatError, match=message):
        read_table(write(content))


def test_header_without_rows(write):
    path = write("a,b\n")
    with pytest.raises(SchemaError, match="columns 'a', 'b' have no rows, so what they can hold is unknown"):
        read_table(path)
    schema = Schema([Variable("a", ("x", "y")), Variable("b")])
    assert read_table(path, schema=schema).n_rows == 0


def test_paths_that_lead_nowhere(tmp_path, write):
    write("a\n1\n")
    with pytest.raises(FileNotFoundError, match=r"there is no file .*; did you mean 'data.csv'\?"):
        read_table(tmp_path / "dat.csv")
    with pytest.raises(TreewrightError, match="there is no folder"):
        read_table(tmp_path / "no" / "data.csv")
    with pytest.raises(FileNotFoundError, match="no file matches the pattern"):
        read_table(str(tmp_path / "*.parquet"))
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "_SUCCESS").write_text("")
    (empty / "notes.md").write_text("no rows")
    with pytest.raises(FormatError, match=r"is a folder, and it has no files of rows; .*such as '.*\*\.csv'"):
        read_table(empty)


def test_a_folder_is_the_files_of_one_kind_in_it(tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    for name, cells in (("b.csv", "x,y\n1,u\n"), ("a.csv", "x,y\n0,v\n0,u\n")):
        (folder / name).write_text(cells)
    (folder / ".hidden.csv").write_text("z\n1\n")
    (folder / "README.md").write_text("what the rows are")
    wanted = read_table([folder / "a.csv", folder / "b.csv"])
    assert read_table(folder) == wanted
    assert read_table([folder]) == wanted
    (folder / "c.parquet").write_text("")
    with pytest.raises(FormatError, match=r"it has files of \.csv and \.parquet; for some of the files"):
        read_table(folder)


@pytest.mark.parametrize(
    ("put", "found"),
    [
        (lambda path: path.symlink_to(path), "'b.csv' in it is no file"),
        (lambda path: path.symlink_to("gone"), "'b.csv' in it is no file"),
        (os.mkfifo, "'b.csv' in it is no file"),
        (lambda path: path.mkdir(), "'b.csv' in it is no file"),
        (
            lambda path: (path.with_name("2020").mkdir(), path.with_name("2020").joinpath("c.csv").touch()),
            "the folder '2020' in it has files of rows",
        ),
    ],
    ids=["a link to itself", "a link to nothing", "a pipe", "a folder", "rows below"],
)
def test_nothing_in_a_folder_is_left_out_silently(tmp_path, put, found):
    (tmp_path / "a.csv").write_text("x\n0\n1\n")
    put(tmp_path / "b.csv")
    with pytest.raises(FormatError, match=found):
        read_table(tmp_path)
    assert read_table(str(tmp_path / "a*.csv")).n_rows == 2


def test_folders_without_rows_are_no_matter(tmp_path):
    (tmp_path / "a.csv").write_text("x\n0\n1\n")
    for name in ("pictures", ".git", "_temporary"):
        (tmp_path / name).mkdir()
    (tmp_path / "pictures" / "a.png").touch()
    (tmp_path / ".git" / "a.csv").touch()
    assert read_table(tmp_path).n_rows == 2


def test_a_folder_of_packed_files_is_one_table(tmp_path):
    folder = tmp_path / "packed"
    folder.mkdir()
    first, second = {"x": ["a", "b", "a"]}, {"x": ["c", "b", "c"]}
    pack(first, folder / "1.twp")
    assert isinstance(read_table(folder), MappedTable)
    pack(second, folder / "2.twp")
    table = read_table(folder)
    assert table.labels("x").tolist() == ["a", "b", "a", "c", "b", "c"]
    assert read_table([folder / "1.twp", folder / "2.twp"]) == table
    set_memory_limit(5)
    try:
        with pytest.raises(TableTooLarge, match=r"the rows of 2 packed files take 6 bytes as one"):
            read_table(folder)
    finally:
        set_memory_limit(None)
    one, other = (count(open_table(folder / name)) for name in ("1.twp", "1.twp"))
    assert (one + other).counts(("x",)).tolist() == [4, 2]


def test_a_database_without_a_table(tmp_path):
    path = str(tmp_path / "clinic.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE visits (age INTEGER)")
    with pytest.raises(FormatError, match=r"is a DuckDB file.*: ask for .*clinic\.duckdb::table"):
        read_table(path)


def test_parquet_rows_keep_their_order_in_many_groups(tmp_path, monkeypatch):
    monkeypatch.setattr("treewright.tables._reading.duck_files.CELLS_AT_ONCE", 100_000)
    n = 60_000
    query = f"""SELECT i, 's' || (i * 7919 % 1000) AS s, CASE WHEN i % 3 = 0 THEN NULL ELSE i / 2 END AS r,
                i % 2 = 0 AS b, i::UBIGINT + 9223372036854775807 AS u, CASE i WHEN 5 THEN '' END AS e
                FROM range({n}) AS t(i) ORDER BY i"""
    duckdb.sql(query).write_parquet(str(tmp_path / "t.parquet"), row_group_size=5000)
    table = read_table(tmp_path / "t.parquet", missing="em")
    assert table.column("i").tolist() == list(range(n))
    assert table.labels("s").tolist() == [f"s{i * 7919 % 1000}" for i in range(n)]
    assert np.flatnonzero(table.missing[2]).tolist() == list(range(0, n, 3))
    assert table.column("r")[1] == 0.5
    assert table.labels("b").tolist() == [i % 2 == 0 for i in range(n)]
    assert table.column("u")[0] == 2.0**63
    assert table.schema["e"].states == ("",)  # an empty text is one, in a file that knows null
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS {query}")
    assert read_table(SqlTable(tmp_path / "d.duckdb", "t"), missing="em") == table


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_thousand_columns_of_texts(tmp_path, kind):
    cells = np.random.default_rng(0).integers(0, 4, (50, 1200))
    lines = [",".join(f"v{i}" for i in range(1200)), *(",".join(f"s{x}" for x in row) for row in cells)]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    if kind == "parquet":
        columns = "all_varchar=true, header=true, max_line_size=100000"
        write_parquet(tmp_path / "t.parquet", f"SELECT * FROM read_csv('{tmp_path}/t.csv', {columns})")
    table = read_table(tmp_path / f"t.{kind}")
    assert [int(label[1:]) for label in table.labels("v7")] == cells[:, 7].tolist()
    assert len(table.schema) == 1200


def test_a_query_that_is_interrupted():
    with pytest.raises(KeyboardInterrupt), explained(["d.duckdb"]):
        raise RuntimeError("Query interrupted")  # what DuckDB makes of Ctrl-C
