"""Files that commands write: refused early when they cannot be written, and never left half-written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from treewright.cli.output import plain
from treewright.errors import SettingError


def check_writable(path: str | None, *, special: bool = True) -> None:
    """Refuse a path that cannot be written before any work is done; `special`: a pipe or device will do."""
    if path is None:
        return
    target = Path(path)
    folder = target.parent
    if target.is_dir():
        raise SettingError(f"cannot write {path!r}: it is a folder; add the name of a file")
    if target.exists() and not target.is_file() and not special:
        raise SettingError(f"cannot write {path!r}: it is no plain file")
    if not folder.is_dir():
        raise SettingError(f"cannot write {path!r}: there is no folder {os.fspath(folder)!r}")
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise SettingError(f"cannot write {path!r}: permission denied")


@contextmanager
def written_whole(path: str) -> Iterator[BinaryIO]:
    """A file that appears when everything is in it; what is no plain file (a pipe) is written as it comes."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with open(target, "wb") as file:
            yield file
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            yield file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str, text: str) -> None:
    with written_whole(path) as file:
        file.write(text.encode())


def write_json(path: str, document: Any) -> None:
    write_text(path, json.dumps(plain(document), indent=2, allow_nan=False) + "\n")
