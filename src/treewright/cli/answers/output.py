"""Three ways to answer: for people, bare for scripts (`--quiet`), and as JSON (`--json`).

Answers go to stdout, progress and errors to stderr. Progress is drawn on a terminal only.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TextIO, TypeAlias

import numpy as np

from treewright.tables._reading.paths import watch_reading
from treewright.text import visible
from treewright.types import Step

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table as RichTable

Line: TypeAlias = "RenderableType"
Lines: TypeAlias = Iterator["RenderableType"]

_PIPE_WIDTH = 10_000  # nobody wraps lines for a pipe


class Update(Protocol):
    """Tells a progress bar how much is done, and what is being done now."""

    def __call__(self, done: float, doing: str | None = None) -> None: ...


class Output:
    """How one command answers.

    Parameters
    ----------
    as_json
        Print exactly one JSON document on stdout.
    quiet
        Print the bare answer, tab-separated, and draw no progress; JSON goes first.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self.written: set[str] = set()  # files that are about to be written
        self.replaced: list[tuple[str, str]] = []  # those that were there, with what they held

    def answer(
        self,
        document: Callable[[], Any],
        *,
        shown: Callable[[], Iterable[RenderableType]],
        bare: Callable[[], Iterable[Sequence[object]]] = tuple,
    ) -> None:
        """Print the answer in the way that was asked for; the other ways are not even computed."""
        if self.as_json:
            told = {"replaced": [path for path, _ in self.replaced]} if self.replaced else {}
            print_json(document() | told if told else document())
        elif self.quiet:
            show = visible if sys.stdout.isatty() else str
            sys.stdout.writelines("\t".join(show(str(cell)) for cell in row) + "\n" for row in bare())
        else:
            replaced = (remark(f"  replaced {path}, which held {what}") for path, what in self.replaced)
            self.say(*shown(), *replaced)

    def say(self, *lines: RenderableType) -> None:
        """Print for people only."""
        if self.as_json or self.quiet:
            return
        console = console_for(sys.stdout)
        if sys.stdout.isatty():
            console.print(*lines, sep="\n")
            return
        with console.capture() as captured:  # in a pipe, no spaces to fill a line
            console.print(*lines, sep="\n")
        sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())

    @contextmanager
    def progress(self, doing: str, total: float | None = None) -> Iterator[Update]:
        """A bar (or a spinner, without a total) that vanishes when the work is done."""
        if self.as_json or self.quiet or not sys.stderr.isatty():
            yield _no_update
            return
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = [SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()]
        if total is not None:
            columns.insert(2, BarColumn(bar_width=30))
        with Progress(*columns, console=error_console(), transient=True) as bar:
            task = bar.add_task(doing, total=total)

            def update(done: float, doing: str | None = None) -> None:
                bar.update(task, completed=done, description=doing)

            def read(step: Step) -> None:
                share = f"{step.done / step.of:.0%} of {step.of / 1e6:,.1f} MB" if step.of else ""
                bar.update(task, description=f"reading {share}")

            with watch_reading(read):
                yield update


def _no_update(done: float, doing: str | None = None) -> None:
    return None


def speak_any_language() -> None:
    """Print what a terminal's encoding has no letters for as escapes, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def console_for(stream: TextIO) -> Console:
    """A console that takes text as it stands: a name like [red] is no markup, none steers the screen."""
    from rich.console import Console
    from rich.segment import Segment

    class PlainConsole(Console):
        def render(self, *args: Any, **options: Any) -> Iterator[Segment]:
            for text, style, control in super().render(*args, **options):
                yield Segment(text if control else visible(text), style, control)

    width = None if stream.isatty() else _PIPE_WIDTH
    return PlainConsole(file=stream, markup=False, highlight=False, emoji=False, width=width)


def error_console() -> Console:
    return console_for(sys.stderr)


def print_json(document: Any) -> None:
    """One document; indented for people, on one line in a pipe."""
    text = json.dumps(plain(document), allow_nan=False, indent=2 if sys.stdout.isatty() else None)
    sys.stdout.write(text + "\n")


def plain(value: Any) -> Any:
    """A value of dictionaries, lists, texts and numbers; what is not finite is null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def heading(text: str, style: str = "bold") -> RenderableType:
    from rich.text import Text

    return Text(text, style=style)


def remark(text: str) -> RenderableType:
    return heading(text, "dim")


def say_how_many_more(n: int, shown: int) -> Lines:
    """A remark below the first of many rows."""
    if n > shown:
        yield remark(f"  and {n - shown:,} more; --json lists them all")


def figures(*pairs: tuple[str, str]) -> RichTable:
    """Names and values side by side."""
    from rich.table import Table as RichTable

    grid = RichTable.grid(padding=(0, 2), pad_edge=True)
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(name, value)
    return grid


def listing(*columns: str, rows: Iterable[Iterable[str]] = (), numeric: Iterable[str] = ()) -> RichTable:
    """A table with a header; numbers stand to the right."""
    from rich import box
    from rich.table import Table as RichTable

    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=True, header_style="bold")
    for name in columns:
        table.add_column(name, justify="right" if name in set(numeric) else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def bar(share: float, length: int = 24) -> str:
    """A share of one as a bar, where the terminal has the letters for it."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    return ("█" if encoding.startswith("utf") else "#") * round(share * length)
