import json
import os
import pickle
import signal
import subprocess
import sys
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import treewright as tw
from treewright import _core, files
from treewright.cli.app import app
from treewright.errors import FileMissingError, FormatError, SettingError, SourceChanged, TableTooLarge
from treewright.tables.mapped_table import MappedTable
from treewright.tables.packed_file import BLOCK_ROWS, MAGIC, PackedFile, lay_out
from treewright.tables.packing import evenly, identity


def rows_of_every_kind(n, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "text": rng.choice(["no", "yes", "é ∑"], n).tolist(),
        "truth": rng.integers(0, 2, n).astype(bool),
        "whole": rng.integers(-3, 4, n),
        "real": rng.normal(size=n),
        "one": ["same"] * n,
        "many": [f"label {i}" for i in rng.integers(0, 300, n)],
    }


def same(packed, read):
    """Everything that a table has, and what its counter counts."""
    assert packed == read
    assert packed.schema == read.schema
    assert packed.report == read.report
    assert dict(packed.missing).keys() == dict(read.missing).keys()
    for one, other in zip(packed.columns, read.columns, strict=True):
        assert one.dtype == other.dtype
        assert not one.flags.writeable
    if read.has_missing:
        return
    counters = tw.count(packed), tw.count(read)
    discrete = [v.name for v in read.schema if v.is_discrete]
    scopes = [(a, b) for a in discrete for b in discrete if a != b] + [(a,) for a in discrete] + [()]
    for one, other in zip(*(counter.counts_many(scopes) for counter in counters), strict=True):
        np.testing.assert_array_equal(one, other)
    assert counters[0].n_rows == counters[1].n_rows


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 1000])
def test_packed_rows_are_the_rows_that_were_read(tmp_path, n):
    source = rows_of_every_kind(n)
    read = tw.read_table(source)
    packed = tw.pack(source, tmp_path / "rows.twp")
    same(packed, read)
    same(tw.open_table(tmp_path / "rows.twp"), read)
    same(tw.read_table(tmp_path / "rows.twp"), read)
    assert isinstance(packed, MappedTable)


def test_no_rows(tmp_path):
    schema = tw.Schema([tw.Variable("a", ("x", "y")), tw.Variable("b")])
    empty = tw.Table(schema, [[], []])
    packed = tw.pack(empty, tmp_path / "rows.twp")
    assert packed == empty
    assert tw.count(packed).counts(("a",)).tolist() == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("n", [BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1])
def test_at_the_edge_of_a_block(tmp_path, n):
    rng = np.random.default_rng(n)
    schema = tw.Schema([tw.Variable("a", ("x", "y")), tw.Variable("b", ("u", "v", "w"))])
    table = tw.Table(schema, [rng.integers(0, 2, n, dtype=np.uint8), rng.integers(0, 3, n, dtype=np.uint8)])
    same(tw.pack(table, tmp_path / "rows.twp"), table)


@pytest.mark.parametrize("states", [64, 65, 256, 257, 70_000])
def test_wide_columns(tmp_path, states):
    rng = np.random.default_rng(states)
    table = tw.Table.from_codes(
        [rng.integers(0, states, 500), rng.integers(0, 2, 500)], [states, 2], ["wide", "narrow"]
    )
    same(tw.pack(table, tmp_path / "rows.twp"), table)


@pytest.mark.parametrize("weights", [[3, 0, 7, 1], [0.5, 1.25, 0.0, 2.0]])
def test_weights(tmp_path, weights):
    source = {"a": ["x", "y", "x", "x"], "b": [0, 1, 1, 0], "n": weights}
    read = tw.read_table(source, weights="n")
    packed = tw.pack(source, tmp_path / "rows.twp", weights="n")
    same(packed, read)
    np.testing.assert_array_equal(packed.weights, read.weights)


@pytest.mark.parametrize("missing", ["drop", "state", "em"])
def test_policies_for_missing_cells(tmp_path, missing):
    source = {"a": ["x", None, "y", "x"], "b": [0, 1, None, 0], "c": ["u", "u", "v", "v"]}
    same(tw.pack(source, tmp_path / "rows.twp", missing=missing), tw.read_table(source, missing=missing))


def test_options_of_reading(tmp_path):
    source = {"age": [31.5, 60.25, 47.5, 12.0], "sex": ["f", "m", "f", "f"], "id": ["p", "q", "r", "s"]}
    options = {"bins": {"age": 2}, "columns": ["age", "sex"]}
    same(tw.pack(source, tmp_path / "rows.twp", **options), tw.read_table(source, **options))
    schema = tw.read_table(source, **options).schema
    like = tw.pack(source, tmp_path / "rows.twp", schema=schema)
    same(like, tw.read_table(source, schema=schema))


def test_a_packed_file_is_read_again_with_options(tmp_path):
    source = rows_of_every_kind(200)
    tw.pack(source, tmp_path / "rows.twp")
    whole = tw.read_table(source)
    again = tw.read_table(tmp_path / "rows.twp", columns=["text", "truth"])
    assert again == whole.select(["text", "truth"])
    schema = whole.schema.select(["truth", "text"])
    assert tw.read_table(tmp_path / "rows.twp", schema=schema) == whole.select(["truth", "text"])


CELLS = st.one_of(st.sampled_from(["a", "b", "ä", "", "1", "a b"]), st.none())


@given(
    st.integers(1, 40).flatmap(
        lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=4)
    ),
    st.sampled_from(["state", "em"]),
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_texts(tmp_path, columns, missing):
    source = {f"c{i}": column for i, column in enumerate(columns)}
    try:
        read = tw.read_table(source, missing=missing)
    except tw.errors.TreewrightError as refused:
        with pytest.raises(type(refused)):
            tw.pack(source, tmp_path / "rows.twp", missing=missing)
        return
    same(tw.pack(source, tmp_path / "rows.twp", missing=missing), read)


def flipped(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x40
    other = path.with_suffix(".flipped")
    other.write_bytes(data)
    return other


def use_everything(path):
    table = tw.open_table(path)
    for column in table.columns:
        column.sum()
    counter = tw.count(table)
    discrete = [v for v, variable in enumerate(table.schema) if variable.is_discrete]
    counter.counts_many([(a, b) for a in discrete for b in discrete if a < b])
    counter.counts_many([(discrete[0], discrete[1], v) for v in discrete[2:]])
    _core.bits_of(counter.packed)
    table.file.check()


def test_a_flip_in_any_section_is_named(tmp_path):
    path = tmp_path / "rows.twp"
    tw.pack(rows_of_every_kind(300) | {"n": list(range(300))}, path, weights="n")
    use_everything(path)
    for section in PackedFile(path).sections:
        for at in {section.offset, section.offset + section.length // 2, section.end - 1}:
            with pytest.raises(FormatError, match=f"its section '{section.name}' are not those that were"):
                use_everything(flipped(path, at))


def test_a_flip_in_the_header_is_refused(tmp_path):
    path = tmp_path / "rows.twp"
    tw.pack({"a": ["x", "y"]}, path)
    start = PackedFile(path).sections[0].offset
    for at in [0, 5, 8, 12, 15, 16, 40, start // 2, start - 1]:
        with pytest.raises(FormatError, match=r"is not a packed file, or it is damaged|its header"):
            tw.open_table(flipped(path, at))


@pytest.mark.parametrize("cut", [3, 15, 100, 5000, -1])
def test_a_cut_file_is_refused(tmp_path, cut):
    path = tmp_path / "rows.twp"
    tw.pack({"a": ["x", "y"] * 300}, path)
    short = tmp_path / "short.twp"
    short.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(FormatError, match=r"is damaged|is not a packed file"):
        tw.open_table(short)


def test_a_file_that_is_cut_while_it_is_open_is_refused(tmp_path):
    """Bytes that are gone would end the process; a file that another took the place of is still there."""
    path = tmp_path / "rows.twp"
    table = tw.pack(rows_of_every_kind(100_000), path)
    counter, columns = tw.count(table), [v.name for v in table.schema if v.is_discrete]
    expected = counter.counts_many([("text", "many")])[0].tolist()
    path.rename(tmp_path / "old.twp")
    path.write_bytes(b"another file")
    assert tw.count(table).counts_many([("text", "many")])[0].tolist() == expected
    size = (tmp_path / "old.twp").stat().st_size
    os.truncate(tmp_path / "old.twp", 10_000)
    words = f"was cut short after it was opened: it has 10000 of {size} bytes; pack the rows again"
    questions = [
        lambda: counter.counts_many([("text", "truth")]),
        lambda: tw.count(table).counts_many([(name,) for name in columns]),
        lambda: tw.learn_chow_liu(tw.BIC(tw.count(table.select(columns)))),
        lambda: table.column("real").sum(),
        lambda: table.take([1, 2]),
        table.file.check,
    ]
    for question in questions:
        with pytest.raises(FormatError, match=words):
            question()


def with_header(data, **said):
    """A packed file whose header says something else, behind a sum that fits."""
    start = len(MAGIC) + 8
    length = int.from_bytes(data[len(MAGIC) : start], "little")
    header = {**json.loads(data[start : start + length]), **said}
    text = json.dumps({name: one for name, one in header.items() if one != "gone"}).encode().ljust(length)
    told = len(text).to_bytes(8, "little"), zlib.crc32(text).to_bytes(4, "little")
    return MAGIC + told[0] + text + told[1] + data[start + length + 4 :]


@pytest.mark.parametrize(
    "said",
    [
        {"rows": 2**40, "total": 2**40},  # before anything is made for so many
        {"rows": True},
        {"rows": "5"},
        {"rows": -1, "total": -1},
        {"total": 6},
        {"total": "gone"},
        {"total": None},
        {"total": 10**400},
        {"wide": "gone"},
        {"weights": []},
        {"weights": "pounds"},
        {"masked": [7]},
        {"masked": [True]},
        {"masked": {}},
        {"variables": []},
        {"variables": 3},
        {"sums": []},
        {"report": []},
        {"digest": ""},
    ],
)
def test_a_header_that_lies_is_refused(tmp_path, said):
    path = tmp_path / "rows.twp"
    tw.pack({"a": [0, 1, 1, 0, 2], "b": list("xyxxy")}, path)
    path.write_bytes(with_header(path.read_bytes(), **said))
    with pytest.raises(FormatError, match=r"is not one of a packed file|by another version of treewright"):
        tw.open_table(path)


def test_a_header_that_is_no_json_is_refused(tmp_path):
    path = tmp_path / "rows.twp"
    for text in (b"[" * 100_000, b"{", b"\xff", b"[]"):
        told = len(text).to_bytes(8, "little"), zlib.crc32(text).to_bytes(4, "little")
        path.write_bytes(MAGIC + told[0] + text + told[1])
        with pytest.raises(FormatError, match="its header is not one of a packed file"):
            tw.open_table(path)


@pytest.mark.parametrize(("weights", "other"), [([1, 2, 3], 7), ([0.5, 0.5, 1.5], 3.5)])
def test_a_total_that_lies_is_found_when_the_file_is_checked(tmp_path, weights, other):
    path = tmp_path / "rows.twp"
    tw.pack(tw.read_table({"a": [0, 1, 1]}, weights=weights), path)
    tw.open_table(path).file.check()
    path.write_bytes(with_header(path.read_bytes(), total=other))
    with pytest.raises(FormatError, match=f"its weights are not {other} in all"):
        tw.open_table(path).file.check()


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FileMissingError, match="there is no file"):
        tw.open_table(tmp_path / "none.twp")
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(FormatError, match="is not a packed file"):
        tw.open_table(tmp_path / "a.csv")
    tw.pack({"a": [1, 2]}, tmp_path / "rows.twp")
    with pytest.raises(FormatError, match="is a packed file, which is read by itself"):
        tw.read_table([tmp_path / "rows.twp", tmp_path / "a.csv"])


def test_a_section_is_checked_before_it_is_used_and_not_when_it_is_opened(tmp_path):
    path = tmp_path / "rows.twp"
    tw.pack({"a": ["x", "y"] * 50, "b": ["u", "v"] * 50}, path)
    codes_of_b = PackedFile(path).sections[1]
    damaged = tw.open_table(flipped(path, codes_of_b.offset))
    assert damaged.column("a").sum() == 50
    with pytest.raises(FormatError, match="codes of b"):
        damaged.column("b")


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "rows.twp"
    tw.pack({"a": ["x", "y"]}, path)
    before = path.read_bytes()

    def interrupt(step):
        if step.phase == "pack":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tw.pack({"a": ["x", "y", "z"]}, path, progress=interrupt)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["rows.twp"]
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=1000))
    with pytest.raises(TableTooLarge, match=r"3 packed rows take .*, and the disk of .* has 1000 bytes left"):
        tw.pack({"a": ["x", "y", "z"]}, path)
    assert [file.name for file in tmp_path.iterdir()] == ["rows.twp"]


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    def full(file, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("treewright.tables.packed_file.write_all", full)
    with pytest.raises(TableTooLarge, match=r"the disk of .* is full; make room"):
        tw.pack({"a": ["x", "y", "z"]}, tmp_path / "rows.twp")
    assert list(tmp_path.iterdir()) == []


def test_targets_that_cannot_be(tmp_path):
    with pytest.raises(SettingError, match="there is no folder"):
        tw.pack({"a": [1]}, tmp_path / "none" / "rows.twp")
    with pytest.raises(SettingError, match="it is a folder"):
        tw.pack({"a": [1]}, tmp_path)
    (tmp_path / "a.csv").write_text("a\n1\n2\n")
    with pytest.raises(SettingError, match="it is what is read"):
        tw.pack(tmp_path / "a.csv", tmp_path / "a.csv")


KILLED = """
import os, signal, sys
import treewright as tw
from treewright.tables import packing

packing.PackedWriter._finish = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
tw.pack({"a": ["x", "y"] * 5000}, sys.argv[1])
"""


def test_a_process_that_is_killed_leaves_nothing(tmp_path):
    if files._nameless(tmp_path / "probe") is None:
        pytest.skip("this file system knows no files without names")
    ended = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "rows.twp"], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("knows", [True, False])
def test_files_without_names_take_their_place(tmp_path, monkeypatch, knows):
    """Whether the file system knows such files or not; what is there stays until then, links stay links."""
    if not knows:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    with files.placed_whole(str(tmp_path / "link")) as file:
        file.write(b"new")
        assert (tmp_path / "link").read_bytes() == b"old"
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    with pytest.raises(ValueError, match="closed"), files.placed_whole(str(tmp_path / "other")) as file:
        file.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link", "real"]
    assert (tmp_path / "link").is_symlink()


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def refused(**_):
        raise PermissionError(13, "Permission denied", "/somewhere/treewright-abc")

    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    with pytest.raises(SettingError) as error:
        tw.pack({"a": ["x", "y"]}, tmp_path / "rows.twp")
    assert str(error.value) == f"cannot write into {str(tmp_path)!r}: Permission denied"


def test_the_size_is_known_beforehand(tmp_path):
    table = tw.pack(rows_of_every_kind(5000), tmp_path / "rows.twp")
    header = table.file.sections[0].offset
    assert os.path.getsize(tmp_path / "rows.twp") - header == table.schema.estimate_packed_bytes(5000)
    assert lay_out(table.schema, 5000).length == table.schema.estimate_packed_bytes(5000)


def test_pickling_sends_the_path(tmp_path):
    path = tmp_path / "rows.twp"
    table = tw.pack({"a": ["x", "y"] * 5000}, path)
    sent = pickle.dumps(table)
    assert len(sent) < 1000
    assert pickle.loads(sent) == table
    tw.pack({"a": ["x", "y", "z"]}, path)
    with pytest.raises(SourceChanged, match="does not hold the rows that it held before"):
        pickle.loads(sent)


def test_digests_follow_the_rows(tmp_path):
    one = tw.pack({"a": ["x", "y"]}, tmp_path / "1.twp").digest
    assert tw.pack({"a": ["x", "y"]}, tmp_path / "2.twp").digest == one
    assert tw.pack({"a": ["y", "x"]}, tmp_path / "3.twp").digest != one
    assert tw.pack({"b": ["x", "y"]}, tmp_path / "4.twp").digest != one


def test_slices_are_shared_and_rows_that_are_copied_obey_the_limit(tmp_path):
    table = tw.pack({"a": ["x", "y"] * 5000}, tmp_path / "rows.twp")
    assert np.shares_memory(table.take(slice(10, 20)).column("a"), table.column("a"))
    assert table.take([0, 2]).column("a").tolist() == [0, 0]
    tw.set_memory_limit(1000)
    try:
        with pytest.raises(TableTooLarge, match=r"5,000 rows of .* take 4.8 KiB of memory"):
            table.take(np.arange(5000))
    finally:
        tw.set_memory_limit(None)


def test_some_rows_of_many(tmp_path):
    table = tw.Table.from_codes([np.arange(10_000) % 5], [5])
    some = tw.pack(table, tmp_path / "rows.twp", rows=640)
    assert some.n_rows == 640
    assert evenly(table, 20_000) is table
    with pytest.raises(SettingError, match="at least one row"):
        evenly(table, 0)


def test_where_rows_came_from(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n2\n")
    told = identity(tmp_path / "a.csv")
    assert [one["size"] for one in told["files"]] == [6]
    table = tw.pack(tmp_path / "a.csv", tmp_path / "rows.twp", missing="drop")
    assert table.file.header["source"]["files"] == told["files"]
    assert table.file.header["options"] == {"missing": "drop"}


def test_learners_work_on_packed_rows(tmp_path):
    rows = tw.load_network("asia").sample(2000, rng=np.random.default_rng(0))
    packed = tw.pack(rows, tmp_path / "rows.twp")
    one, other = tw.BIC(tw.count(rows)), tw.BIC(tw.count(packed))
    assert tw.learn_chow_liu(one).structure == tw.learn_chow_liu(other).structure
    assert tw.learn_hill_climbing(one).structure == tw.learn_hill_climbing(other).structure
    assert tw.fit(tw.learn_hill_climbing(one).structure, tw.count(packed)) is not None


def test_sources_that_are_small_are_held_in_memory(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\nx,1\ny,2\n")
    counter = tw.open_source(tmp_path / "a.csv", cache=tmp_path / "cache")
    assert counter.counts(("a", "b")).sum() == 2
    assert not (tmp_path / "cache").exists()
    assert tw.open_source({"a": ["x", "y"]}).n_rows == 2


def test_sources_that_are_large_are_packed_once(tmp_path, monkeypatch):
    monkeypatch.setattr("treewright.tables._reading.csv_files.refuse_too_large", lambda path, size: None)
    path, cache = tmp_path / "a.csv", tmp_path / "cache"
    path.write_text("a,b\n" + "x,1\ny,2\n" * 10_000)
    tw.set_memory_limit(78_000)
    try:
        counter = tw.open_source(path, cache=cache)
        assert isinstance(counter.table, MappedTable)
        (made,) = cache.iterdir()
        again = tw.open_source(path, cache=cache)
        assert again.table.file.path == str(made)
        tw.open_source(path, cache=cache, columns=["a"])
        assert len(list(cache.iterdir())) == 2
        path.write_text("a,b\n" + "x,1\ny,2\n" * 11_000)
        assert tw.open_source(path, cache=cache).n_rows == 22_000
        tw.pack(path, tmp_path / "rows.twp")
        assert tw.open_source(tmp_path / "rows.twp", cache=cache).n_rows == 22_000
    finally:
        tw.set_memory_limit(None)


def test_learning_from_a_large_file_packs_it(tmp_path, monkeypatch):
    """Rows beyond half the memory limit are learned from through a packed file in the cache."""
    monkeypatch.setattr("treewright.tables._reading.csv_files.refuse_too_large", lambda path, size: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path, out = tmp_path / "a.csv", tmp_path / "out.twm"
    path.write_text("a,b\n" + "x,u\ny,v\nx,v\ny,u\n" * 5_000 + "x,u\n" * 300)
    wanted = tw.learn(path)
    assert not (tmp_path / "cache").exists()
    tw.set_memory_limit(78_000)
    try:
        found = tw.learn(path)
        (made,) = (tmp_path / "cache" / "treewright").iterdir()
        assert made.suffix == ".twp"
        done = CliRunner().invoke(app, ["learn", str(path), "-o", str(out)])
    finally:
        tw.set_memory_limit(None)
    assert done.exit_code == 0, done.output
    assert found.model == wanted.model
    assert tw.load(out) == wanted.model


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
def test_pipes_and_devices_stay_what_they_are(tmp_path):
    """A file that is moved over a device takes its place, for everybody who uses it."""
    pipe = tmp_path / "pipe.twp"
    os.mkfifo(pipe)
    with pytest.raises(SettingError, match="it is a pipe or a device"):
        tw.pack({"a": [1, 2]}, pipe, replace=True)
    assert pipe.is_fifo()
