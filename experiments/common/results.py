"""What was measured, as small JSON files: the command, the versions, and a line for each row."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_DIGITS = 8


def installed_versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("treewright", "numpy", "scipy")}
    return {"python": platform.python_version(), **packages}


@cache
def present_commit() -> str:
    """The commit that is checked out, with a plus where files differ from it; empty where there is none.

    Asked once: results that are written make files differ.
    """
    root = Path(__file__).resolve().parents[2]
    command = ["git", "-C", str(root), "describe", "--always", "--exclude=*", "--abbrev=10", "--dirty=+"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


@dataclass(frozen=True)
class Cell:
    """A row that knows what it is about before it is measured: what was measured before can be kept."""

    about: Row
    measure: Callable[[], Row]

    def row(self, before: list[Row]) -> Row:
        """The row of the same cell among earlier ones, or a new one."""
        kept = (row for row in before if all(row.get(key) == value for key, value in self.about.items()))
        return next(kept, None) or {**self.about, **self.measure()}


@dataclass(frozen=True)
class Results:
    """Rows, and what made them: the command, the versions, the commit. No date and no machine."""

    command: str
    rows: list[Row]
    versions: dict[str, str] = field(default_factory=installed_versions)
    commit: str = field(default_factory=present_commit)
    stale: tuple[str, ...] = ()  # figures that come out otherwise since then


def write_results(path: Path, results: Results) -> None:
    """Write the whole file, or leave the old one as it was."""
    rows = ",\n  ".join(json.dumps(_rounded(row), allow_nan=False) for row in results.rows)
    about: Row = {"command": results.command, "versions": results.versions, "commit": results.commit}
    about |= {"stale": results.stale} if results.stale else {}
    head = json.dumps(about)[1:-1]
    text = f'{{{head},\n "rows": [\n  {rows}\n ]}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def read_results(path: Path) -> Results:
    found = json.loads(path.read_text(encoding="utf-8"))
    stale = tuple(found.get("stale", ()))
    return Results(found["command"], found["rows"], found["versions"], found["commit"], stale)


def _rounded(value: Any) -> Any:
    """Eight digits of every number: more are noise of the last operation."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
