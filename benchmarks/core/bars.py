"""Figures beside their bars: shown as they are found, written into a page, an error where one is missed."""

from __future__ import annotations

import platform
import re
import sys
from pathlib import Path

from treewright import _core

PAGE = Path(__file__).resolve().parents[2] / "docs" / "measured" / "scale.md"
END = "<!-- end -->"


class Figures:
    """What one benchmark found.

    Parameters
    ----------
    command
        The command that repeats it, without ``--write``.
    page
        What ``--write`` fills.
    """

    def __init__(self, command: str, page: Path = PAGE) -> None:
        self.command, self.page = command, page
        self.lines: list[tuple[str, str, str]] = []
        self.missed: list[str] = []

    def add(
        self, what: str, found: float, unit: str, bar: float | None = None, *, least: bool = False
    ) -> None:
        """A figure, and the most (or with `least` the least) that it may be."""
        said = f"{digits(found)} {unit}"
        holds = bar is None or (found >= bar if least else found <= bar)
        asked = "" if bar is None else f"{'at least ' if least else ''}{digits(bar)} {unit}"
        self.tell(what, said, asked, holds=holds)

    def tell(self, what: str, said: str, asked: str = "", *, holds: bool = True) -> None:
        """A figure in words."""
        if not holds:
            self.missed.append(what)
            asked += " (missed)"
        self.lines.append((what, said, asked))
        print(f"{what}: {said}{f' (bar {asked})' if asked else ''}", flush=True)

    def finish(self, *, write: bool) -> None:
        """Write the section of this command if that is asked for; exit with 1 where a bar is missed."""
        if write:
            replace_section(self.page, self.command.split()[1], self.section())
        if self.missed:
            sys.exit(f"missed: {', '.join(self.missed)}")

    def section(self) -> str:
        about = f"`{self.command}`, {processor()}:"
        rows = [f"| {what} | {said} | {asked} |" for what, said, asked in self.lines]
        return "\n".join([about, "", "| what | found | bar |", "|---|---|---|", *rows])


def replace_section(page: Path, script: str, made: str) -> None:
    """Put what was made between the marks of a benchmark."""
    begin = f"<!-- made by {script} -->"
    before, after = page.read_text(encoding="utf-8").split(begin)
    page.write_text(f"{before}{begin}\n{made}\n{END}{after.split(END, 1)[1]}", encoding="utf-8")


def digits(number: float) -> str:
    """Three digits are as many as a shared machine is good for."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def processor() -> str:
    """What the figures were found on."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return f"{found[1].strip() if found else platform.machine()}, {_core.simd_levels()[-1]}"
