"""Files that commands write: refused early, never left half-written, never in the place of something else.

A command says :func:`check_output` of each file before any work is done. An input is never written over, nor
a file of another kind (rows by a model, a model by a page); with `--force` what is there is replaced, an
input only by its own kind. What was replaced is said in the answer. A file is written beside the old one and
then takes its place, so a command that fails or is interrupted leaves the old one as it was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from treewright.cli.answers.output import Output, plain
from treewright.errors import FileMissingError, FormatError, SettingError
from treewright.files import written_whole
from treewright.kinds import IN_WORDS, Kind, kind_of
from treewright.tables._reading.paths import find_one

__all__ = ["Kind", "check_output", "check_writable", "kind_of", "write_json", "write_text", "written_whole"]

_OTHER_FORMATS = (".parquet", ".gz", ".zip", ".xlsx", ".json", ".feather", ".arrow", ".twm", ".twp", ".npy")


def check_output(
    out: Output, path: str | None, kind: Kind, *, inputs: Iterable[str | None] = (), force: bool = False
) -> None:
    """Refuse a file that cannot or must not be written, before any work is done; tell `out` what it replaces.

    Parameters
    ----------
    out
        How the command answers; its answer says what was replaced.
    path, kind
        The file, or None for none; and what will be in it.
    inputs
        Everything that the command reads, as it was said: files, patterns, tables of databases, names of
        example networks. They may be None.
    force
        Whether `--force` was said.
    """
    check_writable(path)
    if path is None or path.startswith("/dev/"):
        return
    if os.path.realpath(path) in out.written:
        raise SettingError(f"cannot write {path!r} twice; give each output a name of its own")
    out.written.add(os.path.realpath(path))
    if not os.path.isfile(path) or os.path.getsize(path) == 0:
        return
    there = kind_of(path)
    said = _input_that_is(path, inputs)
    way = "; choose another name, or replace it with --force"
    if said is not None and not (force and there == kind):
        by_another_name = "" if said == path else f", {said!r}"
        way = way if there == kind != "checkpoint" else "; choose another name"
        raise SettingError(f"cannot write {path!r}: it is one of the inputs{by_another_name}{way}")
    if there != kind and not (force and kind != "checkpoint"):
        way = way if kind != "checkpoint" else "; choose another name"
        raise SettingError(
            f"cannot write {path!r}: it holds {IN_WORDS[there]}, and {IN_WORDS[kind]} would take its "
            f"place{way}"
        )
    if kind != "checkpoint":  # which goes on where it was
        out.replaced.append((path, IN_WORDS[there]))


def refuse_other_formats(path: str | None) -> None:
    """Refuse a name for rows that says another format than CSV."""
    if path is not None and Path(path).suffix.lower() in _OTHER_FORMATS:
        raise SettingError(f"rows are written as CSV; {path!r} is named like something else")


def check_writable(path: str | None) -> None:
    """Refuse a path that cannot be written; a pipe or a device will do."""
    if path is None:
        return
    target = Path(path)
    folder = target.parent
    if target.is_dir():
        raise SettingError(f"cannot write {path!r}: it is a folder; add the name of a file")
    if not folder.is_dir():
        raise SettingError(f"cannot write {path!r}: there is no folder {os.fspath(folder)!r}")
    beside = (
        [folder] if target.is_file() or not target.exists() else []
    )  # where it is made, to take its place
    if not all(os.access(one, os.W_OK) for one in [*beside, *([target] if target.exists() else [])]):
        raise SettingError(f"cannot write {path!r}: permission denied")


def _input_that_is(path: str, inputs: Iterable[str | None]) -> str | None:
    """The input that leads to the same file, by whatever path, link or pattern."""
    for said in inputs:
        file = (said or "").partition("::")[0] if not os.path.exists(said or "") else said
        try:
            found = find_one(file) if file else []
        except (FileMissingError, FormatError):  # an example network, or for the reader to refuse
            continue
        if any(os.path.exists(one) and os.path.samefile(path, one) for one in found):  # "-" is no file
            return said
    return None


def write_text(path: str, text: str) -> None:
    with written_whole(path) as file:
        file.write(text.encode())


def write_json(path: str, document: Any) -> None:
    write_text(path, json.dumps(plain(document), indent=2, allow_nan=False) + "\n")
