"""Rows in files of our own: packed ones, damaged as they are or behind sums that fit, and checkpoints."""

from __future__ import annotations

import atexit
import json
import random
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
from tests.fuzz.mutation import damage, disturb

import treewright as tw
from treewright.errors import TreewrightError
from treewright.statistics import KeptCounter
from treewright.tables.packed_file import MAGIC

FOLDER = tempfile.TemporaryDirectory()
atexit.register(FOLDER.cleanup)
PACKED = tw.read_table({"a": [0, 1, 1, 0, 2], "b": ["x", "y", "x", "x", "y"], "c": [0.5, 1, -2, 3, 1e9]})


def packed_file() -> bytes:
    path = Path(FOLDER.name) / "seed.twp"
    tw.pack(PACKED, path)
    return path.read_bytes()


def make_packed_rows(rng: random.Random) -> bytes:
    """Bytes that are damaged, or a header that says something else and has the sum of what it says."""
    if rng.random() < 0.5:
        return damage(SEED_OF_ROWS, rng)
    start = len(MAGIC) + 8
    length = int.from_bytes(SEED_OF_ROWS[len(MAGIC) : start], "little")
    header = disturb(json.loads(SEED_OF_ROWS[start : start + length]), rng)
    try:
        text = json.dumps(header).encode().ljust(length)
    except UnicodeEncodeError:
        text = b"{}".ljust(length)
    size, told = len(text).to_bytes(8, "little"), zlib.crc32(text).to_bytes(4, "little")
    return MAGIC + size + text + told + SEED_OF_ROWS[start + length + 4 :]


def feed_packed_rows(data: bytes) -> None:
    """Rows that are opened are counted as they stand there, and named again by their digest."""
    path = Path(FOLDER.name) / "rows.twp"
    path.unlink(missing_ok=True)  # what is mapped stays as it is
    path.write_bytes(data)
    with suppress(TreewrightError):
        table = tw.open_table(path)
        table.file.check()
        scopes = [(v.name,) for v in table.schema if v.is_discrete]
        for (name,), counts in zip(scopes, tw.count(table).counts_many(scopes), strict=True):
            codes = np.asarray(table.columns[table.schema.index(name)])
            assert (np.bincount(codes, minlength=len(counts)) == counts).all()


def checkpoint_file() -> bytes:
    path = Path(FOLDER.name) / "seed.twc"
    with KeptCounter(tw.count(PACKED), path) as kept:
        kept.counts_many([("a",), ("b",), ("a", "b")])
    return path.read_bytes()


def feed_checkpoint(data: bytes) -> None:
    """A checkpoint gives the counts of the rows, or is refused."""
    path = Path(FOLDER.name) / "run.twc"
    for beside in (path, Path(f"{path}-wal"), Path(f"{path}-shm"), Path(f"{path}-journal")):
        beside.unlink(missing_ok=True)
    path.write_bytes(data)
    with suppress(TreewrightError), KeptCounter(tw.count(PACKED), path) as kept:
        for scope in (("a",), ("b", "a")):
            assert (kept.counts(scope) == tw.count(PACKED).counts(scope)).all()


SEED_OF_ROWS = packed_file()
