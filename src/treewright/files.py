"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any, BinaryIO

from treewright.arguments import require_path

_STREAM = re.compile(r"/dev/(stdout|stderr|fd/(\d{1,9}))")


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file that appears when everything is in it; what is no plain file (a pipe) is written as it comes."""
    require_path("a writer", path)
    stream = _own_stream(path)
    target = Path(os.path.realpath(path))
    if stream is not None or (os.path.exists(path) and not target.is_file()):
        with open(path if stream is None else os.dup(stream), "wb") as file:
            yield file
        return
    # of its own for each thread, since several may write to one place; the last of them wins
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{get_ident()}")
    try:
        with open(temporary, "wb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        if error.filename in (None, os.fspath(temporary)):  # what was asked for is what is to be told
            error.filename = os.fspath(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def placed_whole(path: str) -> Iterator[Any]:
    """A large file, written anywhere in it, that takes its place when everything is safely in it.

    It has no name until then, so that it goes with this process however that ends; where the file system
    knows no such files it lies beside its place.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    beside = target.with_name(f"{target.name}.{os.getpid()}-{get_ident()}.part")
    nameless = _nameless(beside)
    try:
        with open(beside if nameless is None else nameless, "w+b", buffering=0) as file:
            yield file
            os.fsync(file.fileno())
            if nameless is not None:
                _name(nameless, beside)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _nameless(beside: Path) -> int | None:
    """A file without a name where another one lies, if it can be given one later."""
    opened: list[int] = []
    with suppress(AttributeError, OSError):
        opened = [os.open(beside.parent, os.O_TMPFILE | os.O_RDWR, 0o666) for _ in range(2)]
        _name(opened[0], beside)
        beside.unlink()
        os.close(opened[0])
        return opened[1]
    for one in opened:
        os.close(one)
    return None


def _name(file: int, path: Path) -> None:
    os.link(f"/proc/self/fd/{file}", path, src_dir_fd=file)  # which has links followed, and is not looked at


def _own_stream(path: str | os.PathLike[str]) -> int | None:
    """The open stream of this process that a path such as /dev/stdout names, ready to be written to.

    Opened by its path it would begin anew, over what was printed before when it leads to a plain file.
    """
    match = _STREAM.fullmatch(os.fspath(path))
    if match is None or os.name != "posix":
        return None
    sys.stdout.flush()
    return {"stdout": 1, "stderr": 2}.get(match[1]) or int(match[2])
