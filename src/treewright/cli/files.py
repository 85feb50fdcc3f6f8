"""Files that commands write: refused early when they cannot be written, and never left half-written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from treewright.cli.answers.output import plain
from treewright.errors import SettingError
from treewright.models.formats.text import written_whole

__all__ = ["check_writable", "write_json", "write_text", "written_whole"]


def check_writable(path: str | None) -> None:
    """Refuse a path that cannot be written before any work is done; a pipe or a device will do."""
    if path is None:
        return
    target = Path(path)
    folder = target.parent
    if target.is_dir():
        raise SettingError(f"cannot write {path!r}: it is a folder; add the name of a file")
    if not folder.is_dir():
        raise SettingError(f"cannot write {path!r}: there is no folder {os.fspath(folder)!r}")
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise SettingError(f"cannot write {path!r}: permission denied")


def write_text(path: str, text: str) -> None:
    with written_whole(path) as file:
        file.write(text.encode())


def write_json(path: str, document: Any) -> None:
    write_text(path, json.dumps(plain(document), indent=2, allow_nan=False) + "\n")
