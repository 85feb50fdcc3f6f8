"""What is in a file, so that nothing takes the place of something else."""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path
from typing import Literal, NoReturn

from treewright.arguments import require_path
from treewright.errors import SettingError

Kind = Literal["model", "page", "rows", "packed", "trace", "checkpoint", "text", "other"]

IN_WORDS = {
    "model": "a model",
    "page": "a page",
    "rows": "rows",
    "packed": "packed rows",
    "trace": "a trace",
    "checkpoint": "a checkpoint",
    "text": "text of another kind",
    "other": "something else",
}
_GZIP = b"\x1f\x8b"
_START = 4096
_DELIMITERS = (b",", b";", b"\t", b"|")
_OF_ROWS = (".csv", ".tsv", ".tab", ".data", ".dat")
# how a file starts, after comments, and what it is then
_SIGNS: tuple[tuple[bytes, Kind], ...] = (
    (rb'\{\s*"format":\s*"treewright model"', "model"),
    (rb'\{\s*"method":.*"phases":', "trace"),
    (rb"(?i:<!doctype html|<html)", "page"),
    (rb"(?i:(<\?xml.*?\?>\s*)?(<!--.*?-->\s*)*(<!doctype bif|<bif|<smile))", "model"),
    (rb"(network|net|class|node)\b[^\n,;{]*\s*\{", "model"),
    (rb"(BAYES|MARKOV)\s+\d+\s", "model"),
    (rb"TWPACK", "packed"),
    (rb"PAR1|.{8}DUCK", "rows"),
    (rb"SQLite format 3\0", "checkpoint"),
)
_COMMENTS = rb"(?s)\A(?:\xef\xbb\xbf)?(?:\s|//[^\n]*\n|/\*.*?\*/|%[^\n]*\n)*(?:"


def refuse_other_kind(path: str | os.PathLike[str], kind: Kind, *, replace: bool = False) -> None:
    """Refuse to write over a file of another kind, unless it may be replaced; a pipe or device will do."""
    require_path("a writer", path)
    if replace or not os.path.isfile(path) or os.path.getsize(path) == 0:
        return
    there = kind_of(path)
    if there != kind:
        refuse_to_replace(path, IN_WORDS[there], IN_WORDS[kind])


def refuse_to_replace(path: str | os.PathLike[str], there: str, wanted: str) -> NoReturn:
    raise SettingError(
        f"cannot write {os.fspath(path)!r}: it holds {there}, and {wanted} would take its place; choose "
        "another name, or replace it with replace=True"
    )


def kind_of(path: str | os.PathLike[str]) -> Kind:
    """What is in a file, by how it starts; rows in plain text are known by the ending."""
    with open(path, "rb") as file:
        start = file.read(_START)
    name = Path(path)
    if start.startswith(_GZIP):
        start, name = _unpacked(start), name.with_suffix("") if name.suffix.lower() == ".gz" else name
    for sign, kind in _SIGNS:
        if re.match(_COMMENTS + sign + rb")", start):
            return kind
    if b"\0" in start:
        return "other"
    ending = name.suffix.lower()
    in_columns = ending in ("", ".txt") and any(mark in start.partition(b"\n")[0] for mark in _DELIMITERS)
    return "rows" if ending in _OF_ROWS or in_columns else "text"


def _unpacked(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(start)[:_START]
    except zlib.error:
        return b"\0"
