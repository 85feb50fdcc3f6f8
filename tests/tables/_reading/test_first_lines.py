"""What stands before a table in its file, lines that are too short, names that come again."""

from contextlib import suppress
from time import process_time

import numpy as np
import pytest

from treewright.errors import FormatError, SchemaError, TreewrightError
from treewright.tables import read_table

ROWS = "a,b,c\nx,1,u\ny,2,v\n"
CELLS = {"a": ["x", "y"], "b": [1, 2], "c": ["u", "v"]}


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "rows.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("\n\n", []),
        ("# made by a tool\n", ["1 line of remarks before the names is left out: '# made by a tool'"]),
        (
            "# one\n#\n\n# two, three\n",
            ["3 lines of remarks before the names are left out: '# one' and"],
        ),
        ("sep=,\n", ["the first line says that ',' is between fields"]),
        ('"sep=,"\n# one\n', ["says that ','", "1 line of remarks"]),
    ],
)
def test_what_comes_before_the_names_is_passed_over_and_told(write, before, words, newline, mark):
    table = read_table(write(mark + (before + ROWS).replace("\n", newline)))
    assert table.to_dict() == CELLS
    notes = "\n".join(table.report.notes)
    assert [word for word in words if word not in notes] == []
    assert bool(notes) == bool(words)


def test_excel_says_its_delimiter(write):
    table = read_table(write("sep=;\na;b\n1,5;x\n2,5;y\n"), decimal=",")
    assert table.to_dict() == {"a": [1.5, 2.5], "b": ["x", "y"]}


def test_a_name_may_begin_as_a_remark_does(write):
    assert read_table(write("#chrom\tpos\n1\t2\n3\t4\n")).schema.names == ("#chrom", "pos")
    assert read_table(write("#id\nx\ny\n")).schema.names == ("#id",)
    assert read_table(write("# note\n#chrom\tpos\n1\t2\n3\t4\n")).schema.names == ("#chrom", "pos")
    below = read_table(write("a,b\n#,1\n# x,2\n"))
    assert below.to_dict() == {"a": ["#", "# x"], "b": [1, 2]}


def test_lines_before_the_names_can_be_counted(write):
    path = write("Report\nof 2024;\nby us\n" + ROWS.replace(",", ";"))
    with pytest.raises(
        FormatError,
        match=r"has 1 field in line 1 and 3 between ';' from line 4 on; if the names are there, header=3, "
        r"--skip-lines 3, reads them, and if it is one column, delimiter='\|'",
    ):
        read_table(path)
    table = read_table(path, header=3)
    assert table.to_dict() == CELLS
    assert table.report.notes == ("3 lines before the names left out, as asked",)
    assert read_table(path, delimiter="|").labels("Report").tolist()[:2] == ["of 2024;", "by us"]
    with pytest.raises(SchemaError, match="header is True, False, or the number of lines before"):
        read_table(path, header=-1)


def test_the_line_of_the_names_is_told_where_lines_differ(write):
    path = write("Report,2024\n\n" + ROWS)
    with pytest.raises(FormatError, match=r"line 3 has 3 .* where 2 .* in line 3, header=2, --skip-lines 2"):
        read_table(path)
    assert read_table(path, header=2).to_dict() == CELLS


def test_lines_are_counted_from_the_first_of_the_file(write):
    for content in ("# made\n\n" + ROWS + "z\n", "x\n\n" + ROWS.replace("\n", "\n", 1) + "z\n"):
        header = 2 if content.startswith("x") else True
        with pytest.raises(FormatError, match="line 6 has 1 field where 3 were expected; if its last cells"):
            read_table(write(content), header=header)


def test_short_lines_are_filled_by_mending_and_told(write):
    table = read_table(write(ROWS + "z\nz,2\n"), mend=True, missing="em")
    assert table.to_dict() == {"a": ["x", "y", "z", "z"], "b": [1, 2, None, 2], "c": ["u", "v", None, None]}
    assert table.report.notes == ("2 rows with too few fields miss the last ones (lines 4, 5)",)
    with pytest.raises(FormatError, match=r"line 4 has 4 .* where 3 .*; put a field that holds a ',' into"):
        read_table(write(ROWS + "z,1,u,more\n"), mend=True)


def test_names_that_come_again(write):
    path = write("a,b,a,a.2,\nx,1,u,p,7\ny,2,v,q,8\n")
    with pytest.raises(SchemaError, match="more than once: 'a'; mend=True, --mend, puts numbers to those"):
        read_table(path)
    table = read_table(path, mend=True)
    assert table.schema.names == ("a", "b", "a.3", "a.2")
    assert table.report.notes == ("names that come again have numbers: 'a.3'",)
    assert read_table(path, schema=table.schema) == table
    with pytest.raises(SchemaError, match=r"'0', '1'; if the first line holds values, use header=False$"):
        read_table(write("0,1,0,1\n1,1,0,0\n"))


def test_rows_with_names_of_their_own(write):
    table = read_table(write("x,y\nr1,1,a\nr2,2,b\n"))
    assert table.to_dict() == {"x": [1, 2], "y": ["a", "b"]}
    assert table.report.ignored == (("column 1", "it has no name"),)
    assert "one name less" in table.report.notes[0]


def test_blanks_between_fields(write):
    path = write("a  b\n x   1 \ny 2\nx 2\n")
    (note,) = read_table(path).report.notes
    assert note == "only one column is seen; if ' ' is between fields, delimiter=' ', --delimiter ' '"
    assert read_table(path, delimiter=" ").to_dict() == {"a": ["x", "y", "x"], "b": [1, 2, 2]}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_mark_says_the_encoding(write, encoding):
    table = read_table(write(ROWS.replace("u", "ü").encode(encoding)))
    assert table.labels("c").tolist() == ["ü", "v"]
    assert table.report.notes == (f"read as text in {encoding.upper()}, by the mark it begins with",)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"<!DOCTYPE html><html></html>", "a page of HTML"),
        (b'<?xml version="1.0"?><a/>', "XML"),
        (b'[{"a": 1}]', "JSON"),
        (b'{"a": [1]}', "JSON"),
        (b"\xd0\xcf\x11\xe0" + bytes(9), "an Excel workbook of the old kind"),
        (b"$FL2@(#)", "a file of SPSS"),
        (b"%PDF-1.7", "a PDF"),
        (
            "a,b\n1,2\n".encode("utf-16-le"),
            "no text in UTF-8 .encoding='utf-16-le', --encoding utf-16-le",
        ),
    ],
)
def test_files_of_another_kind_say_what_they_are(write, content, what):
    with pytest.raises(FormatError, match=f"is {what}.*; CSV .* are read; save it as one, or pass the frame"):
        read_table(write(content))


def test_columns_that_no_table_holds_are_refused_together():
    rows = {"a": ["x", "y"], "l": [[1], [2]], "n": [None, None], "m": [{1: 2}, {3: 4}]}
    with pytest.raises(SchemaError, match="columns 'l', 'm' hold values of type list and values of type "):
        read_table(rows)
    with pytest.raises(SchemaError, match="column 'n' holds no value, so what it can hold is unknown"):
        read_table(rows, columns=["a", "n"], missing="em")
    table = read_table(rows | {"k": ["p", "q"]}, mend=True, missing="em")
    assert table.schema.names == ("a", "k")
    assert "'l' left out, since it holds values of type list" in map(str, table.report.mendings)


def test_decimals_are_numbers():
    from decimal import Decimal

    table = read_table({"a": [Decimal("0.5"), None, Decimal("1.25")]}, missing="em")
    assert table.columns[0][[0, 2]].tolist() == [0.5, 1.25]


def test_times_with_a_zone_are_read_from_parquet_in_utc(tmp_path):
    import duckdb

    path = str(tmp_path / "t.parquet")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT make_timestamptz(1577847600000000) AS t, NULL AS n, 'x' AS a) TO '{path}'"
            " (FORMAT parquet)"
        )
    table = read_table(path, missing="state")
    assert table.labels("t").tolist() == ["2020-01-01 03:00:00"]
    assert np.array_equal(table.labels("n"), ["missing"])


def test_rows_that_are_dictionaries():
    table = read_table([{"a": "x", "b": 1}, {"a": "y"}], missing="em")
    assert table.to_dict() == {"a": ["x", "y"], "b": [1, None]}
    with pytest.raises(SchemaError, match="for rows in a list, use a dictionary for each, one of columns or"):
        read_table([["x", 1], ["y", 2]])


def test_an_address_is_not_fetched():
    with pytest.raises(FileNotFoundError, match=r"a.csv' is an address; rows are not fetched"):
        read_table("https://example.org/a.csv")


@pytest.mark.parametrize(
    "text", ["# " * 40_000, "#\n" * 40_000, "\n" * 80_000, "1" * 80_000 + "\r1 kg", "#,\n" * 30_000]
)
def test_long_beginnings_take_no_time(write, text):
    started = process_time()
    with suppress(TreewrightError):
        read_table(write(text), missing="em")
    assert process_time() - started < 1
