import gzip
import os
import stat
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

import treewright as tw
from treewright.errors import FileMissingError, FormatError
from treewright.models.formats import text
from treewright.models.formats.text import file_limit, read_source, unpack, write_bytes


@pytest.fixture
def small_limit():
    tw.set_memory_limit("64KiB")
    yield
    tw.set_memory_limit(None)


def test_bytes_are_unpacked_by_what_they_are_not_by_name(tmp_path):
    (tmp_path / "a.bif").write_bytes(gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0")
    assert read_source(tmp_path / "a.bif").data == b"one two"
    write_bytes(tmp_path / "b.gz", b"x" * 1000)
    assert (tmp_path / "b.gz").stat().st_size < 100
    assert read_source(tmp_path / "b.gz").data == b"x" * 1000
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.bif", "b.gz"]


def test_pipes_are_written_through(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        write_bytes(pipe, b"content" * 100_000)
        assert read.result(timeout=60) == b"content" * 100_000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.slow
def test_the_standard_output_keeps_what_was_printed_around(tmp_path):
    code = (
        "import os\nfrom treewright.models.formats.text import write_bytes\n"
        "print('before')\nwrite_bytes('/dev/stdout', b'content\\n')\nprint('after', flush=True)\n"
        "write_bytes(f'/dev/fd/{os.dup(1)}', b'end\\n')"
    )
    with open(tmp_path / "out.txt", "wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out.txt").read_text() == "before\ncontent\nafter\nend\n"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert piped.stdout == b"before\ncontent\nafter\nend\n"


def test_packed_bytes_say_neither_name_nor_time(tmp_path):
    write_bytes(tmp_path / "a.gz", b"content")
    write_bytes(tmp_path / "b.gz", b"content")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert (tmp_path / "a.gz").read_bytes()[4:8] == bytes(4)


@pytest.mark.slow
def test_bombs_are_refused_before_they_burst(monkeypatch):
    monkeypatch.setattr(text, "ALWAYS_UNPACKED", 2**16)
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(2**20)) for _ in range(32)) + packer.flush()
    with pytest.raises(FormatError, match=r"m.bif: the file unpacks to more than is allowed for its size"):
        unpack("m.bif", bomb)
    with pytest.raises(FormatError, match="unpacks to more"):
        unpack("m.bif", gzip.compress(bytes(2**15)) * 10_000)


def test_large_files_are_refused(tmp_path, small_limit):
    assert file_limit() == 4096
    (tmp_path / "m.bif").write_bytes(b" " * 4097)
    with pytest.raises(
        FormatError, match=r"the file has more than 4.0 KiB, .*raise it with set_memory_limit"
    ):
        read_source(tmp_path / "m.bif")
    (tmp_path / "m.bif.gz").write_bytes(gzip.compress(b" " * 5000))
    with pytest.raises(FormatError, match="unpacks to more"):
        read_source(tmp_path / "m.bif.gz")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b"x" * 1000, mtime=0)[:-9], "the gzip data ends early"),
        (gzip.compress(b"x" * 1000, mtime=0)[:12], "the gzip data ends early"),
        (b"\x1f\x8b nonsense and more of it", "the gzip data is damaged"),
        (gzip.compress(b"abc", mtime=0)[:-8] + bytes(8), "the gzip data is damaged"),
        (gzip.compress(b"abc", mtime=0) + b"behind", "the gzip data is damaged"),
        (b"PK\x03\x04", "the file is a zip archive; plain text and .gz are read"),
        ("x".encode("utf-16"), "the file is text in UTF-16"),
    ],
    # names of their own: packed bytes hold the time, and every process must collect the same tests
    ids=["early", "very early", "nonsense", "wrong checksum", "bytes behind", "zip", "utf-16"],
)
def test_damaged_and_foreign_bytes(data, message, tmp_path):
    (tmp_path / "m.bif").write_bytes(data)
    with pytest.raises(FormatError) as error:
        read_source(tmp_path / "m.bif")
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "m.bif"))


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "asia.bif").write_text("")
    with pytest.raises(FileMissingError, match=r"did you mean 'asia\.bif'\?"):
        read_source(tmp_path / "asai.bif")
    with pytest.raises(FormatError, match="cannot be read"):
        read_source(tmp_path)


@pytest.mark.parametrize("name", ["m.bif", "m.net", "m.uai"])
def test_a_text_does_not_end_in_the_middle(tmp_path, name):
    (tmp_path / name).write_bytes(b"BAYES\n 1\0 2")
    with pytest.raises(FormatError) as refusal:
        tw.read_model(tmp_path / name)
    assert str(refusal.value).endswith(
        "line 2, column 3: this is no text: it holds the character NUL, at which other programs stop"
    )
