import gzip
import io
import sys

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given
from tests.learners.interrupts import needs_a_timer, seconds_to_stop
from tests.reference.tables.fields import REAL, WHOLE, column_of, rows_of

from treewright import _core
from treewright.errors import FormatError, SettingError, TableTooLarge
from treewright.limits import set_memory_limit
from treewright.tables import SqlTable, read_table
from treewright.tables._reading.csv_files import refuse_hopeless
from treewright.tables._reading.paths import watch_reading

FIELDS = st.text(st.sampled_from('ab01-+.eE,;" \n\r\0é'), max_size=6)


def read_with_core(
    data, n_fields, *, block=1 << 20, missing=(), keeps=None, delimiter=",", header=True, fills=False
):
    """Every column as its kind and its cells."""
    reader = _core.CsvReader([False] * n_fields if keeps is None else keeps, list(missing))
    reader.open(list(range(n_fields)), delimiter, header, 1, fills)
    for at in range(0, len(data), block):
        reader.feed(data[at : at + block])
    reader.close()
    assert reader.nbytes > 0
    return [None if i in reader.spoilt else cells_of(*reader.finish(i)) for i in range(n_fields)]


def cells_of(kind, values, codes, missing):
    if codes is not None:
        listed = values if isinstance(values, list) else values.tolist()
        assert listed == sorted(listed)
        assert not listed or set(codes.tolist()) | {0} == set(range(len(listed))) | {0}
        cells = [listed[code] if listed else None for code in codes.tolist()]
    else:
        cells = [None if value != value else value for value in values.tolist()]
    if missing is not None:
        cells = [None if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]
    return kind, cells


def answer(function, *arguments, **options):
    try:
        return function(*arguments, **options)
    except ValueError as error:
        return str(error)


def read_with_twin(data, n_fields, missing, keeps, delimiter, header, fills=False):
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    rows = rows_of(text, delimiter, n_fields, header, fills)
    columns = zip(*rows, strict=True) if rows else [[]] * n_fields
    return [column_of(list(texts), set(missing), k) for texts, k in zip(columns, keeps, strict=True)]


def quoted(field, always):
    escaped = field.replace('"', '""')
    return f'"{escaped}"' if always or any(mark in field for mark in ',;"\n\r') else field


@given(
    st.integers(1, 4),
    st.lists(st.lists(FIELDS, min_size=4, max_size=4), max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 9),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.sampled_from([(), ("a",), ("0", "-1.0")]),
    st.booleans(),
)
def test_fields_come_back_as_they_were_written(n, rows, newline, block, flags, missing, mark):
    rows = [row[:n] for row in rows]
    lines = [",".join(quoted(field, flags[i]) for i, field in enumerate(row)) for row in rows]
    text = ("\ufeff" if mark else "") + newline.join(["name" + ",name" * (n - 1), *lines, ""])
    columns = zip(*rows, strict=True) if rows else [[]] * n
    expected = [column_of(list(texts), set(missing), k) for texts, k in zip(columns, flags[:n], strict=True)]
    data = text.encode("utf-8")
    assert read_with_core(data, n, block=block, missing=missing, keeps=flags[:n]) == expected
    for threads in (1, 2):
        _core.set_threads(threads)
        assert read_with_core(data, n, missing=missing, keeps=flags[:n]) == expected
    _core.set_threads(0)


@given(
    st.text(st.sampled_from('a1.,;"\n\r '), max_size=40),
    st.integers(1, 3),
    st.integers(1, 50),
    st.booleans(),
    st.sampled_from([", ", "  ", ",f", " f"]),
)
@example('a\n"b\n""c"x', 1, 3, True, ", ")
@example('a,b\n1,2,\n"",\n\n"\n",2', 2, 1, True, ",f")
@example(' a  "b" \n 1\n\n  \n1 2 ', 2, 1, True, " f")
def test_any_text_is_read_or_refused_like_the_twin_does(text, n_fields, block, header, how):
    data = text.encode()
    keeps, delimiter, fills = [False] * n_fields, how[0], how[1] == "f"
    found = answer(
        read_with_core, data, n_fields, block=block, header=header, delimiter=delimiter, fills=fills
    )
    assert found == answer(read_with_twin, data, n_fields, (), keeps, delimiter, header, fills)


@given(st.text(st.sampled_from("0123456789+-.eEinfatyNA "), max_size=12))
@example("-0")
@example("1" * 18)
@example("1" * 19)
@example("-Infinity")
@example("+.5e-07")
@example(".")
def test_numbers_look_like_numbers(text):
    kind = 1 if WHOLE.fullmatch(text) else 2 if REAL.fullmatch(text) else 3
    assert _core.testing.kind_of_field(text.encode()) == kind


@pytest.mark.parametrize("last", ["7", "0.5", "", "NA", "word"])
@pytest.mark.parametrize("first", ["-3", "2.5"])
@pytest.mark.parametrize("block", [1 << 9, 1 << 20])
def test_very_many_numbers(first, last, block):
    texts = [first, *map(str, np.random.default_rng(0).permutation(3000)), "", "5", last, "17"]
    data = ("n\n" + "\n".join(texts)).encode()
    expected = column_of(texts, {"NA"}, False)
    (found,) = read_with_core(data, 1, block=block, missing=("NA",))
    assert found == (None if last == "word" else expected)
    (kept,) = read_with_core(data, 1, block=block, missing=("NA",), keeps=[True])
    assert kept == column_of(texts, {"NA"}, True)


def test_a_text_after_very_many_numbers(tmp_path):
    texts = [f"{i}.5" for i in range(2000)]
    (tmp_path / "t.csv").write_text("k,n\n" + "".join(f"x,{text}\n" for text in [*texts, "late"]))
    table = read_table(tmp_path / "t.csv")
    assert table.labels("n").tolist() == [*texts, "late"]
    assert table.labels("k").tolist() == ["x"] * 2001


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "shift_jis"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_encodings(tmp_path, encoding, pack):
    word = "表" if encoding == "shift_jis" else "café"
    text = f"größe,b\n{word},1\nx,2\n" if encoding != "shift_jis" else f"{word},b\n{word},1\nx,2\n"
    (tmp_path / "t.csv").write_bytes(pack(text.encode(encoding)))
    table = read_table(tmp_path / "t.csv", encoding=encoding)
    assert table.to_dict() == {text.split(",", maxsplit=1)[0]: [word, "x"], "b": [1, 2]}


def test_refused_encodings(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a\ncafé\n".encode("latin-1"))
    for unknown in ("klingon", "base64"):
        with pytest.raises(SettingError, match=f"there is no encoding '{unknown}'; utf-8, latin-1"):
            read_table(path, encoding=unknown)
    with pytest.raises(FormatError, match=r"is not text in ascii, as .* shows; say what it is with"):
        read_table(path, encoding="ascii")
    path.write_bytes("\ufeffa\n1\n".encode("utf-16-le"))
    assert read_table(path).to_dict() == {"a": [1]}
    assert read_table(path).report.notes == ("read as text in UTF-16, by the mark it begins with",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"weight, kg";"height, cm"\n1,5;2\n', ["weight, kg", "height, cm"]),
        ("weight, kg;height, cm;n\n1,5;2;3\n", ["weight, kg", "height, cm", "n"]),
        ('"a;b"\t"c"\n1\t2\n', ["a;b", "c"]),
        ('"two\nlines"|"say ""a,b"""\n1|2\n', ["two\nlines", 'say "a,b"']),
        ("a b\n1,5\n", ["a b"]),
    ],
)
def test_delimiters_are_guessed(tmp_path, text, names):
    (tmp_path / "t.csv").write_text(text, newline="")
    assert list(read_table(tmp_path / "t.csv").schema.names) == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,b\n1,2\n"x"y,4\n', "line 3 goes on behind a closing quote; a quote in a quoted field is doubled"),
        (
            'a,b\n"1\n2",3\n\n4\n',
            "line 5 has 1 field where 2 were expected; if its last cells are missing, mend=True, --mend, "
            "reads it so; else complete the line",
        ),
        ('a,b\n1,2\n3,"4\n5,6\n', "line 3 opens a quote that never ends"),
        (
            "a,b\n1,2,3\n",
            "line 2 has 3 fields where 2 were expected; put a field that holds a ',' into quotes, or take "
            "out what is too much in that line",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(FormatError, match=f"t.csv' cannot be read: {message}$"):
        read_table(tmp_path / "t.csv")


def test_standard_input(monkeypatch):
    class Pipe:
        buffer = io.BytesIO(b"a;b\nx;1\ny;2\n")

    monkeypatch.setattr(sys, "stdin", Pipe())
    table = read_table("-")
    assert table.to_dict() == {"a": ["x", "y"], "b": [1, 2]}
    assert read_table("-", columns=["b"]).to_dict() == {"b": [1, 2]}  # read once, kept for a second look


def test_progress_has_a_total(tmp_path):
    (tmp_path / "1.csv").write_text("a\n" + "x\n" * 700_000)
    (tmp_path / "2.csv").write_bytes(gzip.compress(b"a\n" + b"x\n" * 10))
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    steps = []
    with watch_reading(steps.append):
        read_table(str(tmp_path / "*.csv"))
    assert len(steps) >= 3
    assert {step.of for step in steps} == {size}
    assert {step.phase for step in steps} == {"read"}
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert done[-1] == size


def test_rows_beyond_the_limit_are_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i},x{i}\n" for i in range(200_000)))
    set_memory_limit("1MiB")
    try:
        with pytest.raises(TableTooLarge, match=r"t.csv' take more than the limit of 1.0 MiB; pack the"):
            read_table(tmp_path / "t.csv")
    finally:
        set_memory_limit(None)


def test_rows_that_cannot_fit_are_refused_by_a_sample(tmp_path):
    """Long before the end, unless what is seen could still fit."""
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i}.5,{i}.25\n" for i in range(600_000)))
    set_memory_limit("8MiB")
    read = []
    words = (
        r"the rows of '.*t.csv' would take about \S+ MiB, by its first 4.0 MiB of \S+ MiB; the limit is "
        r"8.0 MiB: "
        r"pack the rows into a file that is learned from like any \(tw.pack, treewright pack\), "
        r"read fewer columns, or raise the limit with set_memory_limit, --memory or TREEWRIGHT_MEMORY"
    )
    try:
        with watch_reading(read.append), pytest.raises(TableTooLarge, match=words):
            read_table(tmp_path / "t.csv")
    finally:
        set_memory_limit(None)
    assert read[-1].done < read[-1].of / 2
    refuse_hopeless("t.csv", (1 << 20, 1 << 18), (1 << 22, 1 << 20), 1 << 23)  # half of it takes little


def test_room_taken_in_advance_is_not_what_all_rows_take(tmp_path):
    """Many columns with few labels take room at once and little more then; they were refused once."""
    line = ",".join(f"a label that is long number {i % 2}" for i in range(60)) + "\n"
    n = 24_000_000 // len(line)
    (tmp_path / "t.csv").write_text(",".join(f"c{i}" for i in range(60)) + "\n" + line * n)
    set_memory_limit("8MiB")
    try:
        assert read_table(tmp_path / "t.csv").n_rows == n
    finally:
        set_memory_limit(None)


@pytest.mark.parametrize("kind", ["parquet", "duckdb"])
def test_tables_that_cannot_fit_are_refused_before_their_rows_are_read(tmp_path, kind):
    import duckdb

    rows = "SELECT range / 2.0 AS x, range % 3 AS y, 'a' AS z FROM range(300_000)"
    if kind == "parquet":
        source = tmp_path / "t.parquet"
        duckdb.sql(f"COPY ({rows}) TO '{source}' (FORMAT parquet)")
    else:
        with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
            connection.execute(f"CREATE TABLE t AS {rows}")
        source = SqlTable(tmp_path / "t.duckdb", table="t")
    set_memory_limit("2MiB")
    try:
        with pytest.raises(
            TableTooLarge, match=r"300,000 rows of 3 columns in .* take at least 2.8 MiB; the"
        ):
            read_table(source)
        assert read_table(source, columns=["y", "z"]).n_rows == 300_000
    finally:
        set_memory_limit(None)


@needs_a_timer
def test_an_interrupt_stops_reading(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"x{i},{i}.5\n" for i in range(200_000)))
    assert seconds_to_stop(lambda: read_table([path] * 100)) < 0.5
    assert read_table(path).n_rows == 200_000
