"""Options and arguments that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial, wraps
from inspect import signature
from typing import Annotated, Any, TypeVar

import typer

from treewright import _core
from treewright.limits import set_memory_limit

# An option is named after the parameter that has it, unless a name is given.
_of_data = partial(typer.Option, rich_help_panel="Data")
_of_running = partial(typer.Option, rich_help_panel="How to run")
_of_answering = partial(typer.Option, rich_help_panel="How to answer", show_default=False)

Table = TypeVar("Table")


class Missing(StrEnum):
    """What to do about missing cells."""

    error = "error"
    drop = "drop"
    state = "state"
    em = "em"


Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="CSV (plain or .gz), Parquet or a table of a DuckDB file (clinic.duckdb::visits): one, several "
        "with the same columns, or a quoted pattern such as 'runs/*.csv'. For --method separation-tree "
        "several tables that share some of their columns.",
        show_default=False,
    ),
]
Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model file (.twm, .bif, .xdsl, ...), or an example network: asia, alarm.",
        show_default=False,
    ),
]
MissingOption = Annotated[
    Missing,
    _of_data(help="Rows with empty cells: refuse them, drop them, make missing a state, or fit by EM."),
]
MissingValue = Annotated[
    list[str] | None,
    _of_data(
        metavar="TEXT", help="A text or number that stands for an empty cell, such as NA; repeat for more."
    ),
]
Bins = Annotated[
    list[str] | None,
    _of_data(
        metavar="BINS",
        help="Cut numbers into intervals: 4 (all continuous columns, equal frequency), age=4, "
        "age=uniform:4 or age=0,18,65,120; repeat for more columns.",
    ),
]
Ignore = Annotated[list[str] | None, _of_data(metavar="NAME", help="Leave a column out; repeat for more.")]
NoHeader = Annotated[
    bool,
    _of_data(
        "--no-header",
        help="The first line of a CSV file holds values; columns are x0, x1, ...",
        show_default=False,
    ),
]
SchemaOf = Annotated[
    str | None, _of_data(metavar="MODEL", help="Read the columns and states that this model has.")
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--given", "-g", metavar="NAME=STATE", help="What is known; repeat, or list several after it."
    ),
]
MoreGiven = Annotated[
    list[str] | None, typer.Argument(metavar="NAME=STATE", help="What is known.", show_default=False)
]
Seed = Annotated[int | None, typer.Option(min=0, help="Where chance starts: the same seed, the same result.")]
Threads = Annotated[int | None, _of_running(min=1, help="Threads to use; all cores by default.")]
Memory = Annotated[
    str | None,
    _of_running(
        metavar="SIZE", help="The most that one table may take, such as 4GiB; larger ones are refused."
    ),
]
AsJson = Annotated[bool, _of_answering("--json", help="One JSON document on stdout, nothing else.")]
Quiet = Annotated[
    bool,
    _of_answering("--quiet", "-q", help="Only the bare answer, tab-separated; no progress, no remarks."),
]


def use_resources(threads: int | None, memory: str | None) -> None:
    """Apply `--threads` and `--memory`; what was not given is as the machine has it."""
    _core.set_threads(threads or 0)
    set_memory_limit(memory)


def with_options(table: Callable[..., Table]) -> Callable[[Callable[[Table], None]], Callable[..., None]]:
    """Make a command of a function that takes a table of options: each field becomes an option."""

    def decorate(command: Callable[[Table], None]) -> Callable[..., None]:
        @wraps(command)
        def run(**said: Any) -> None:
            command(table(**said))

        run.__signature__ = signature(table, eval_str=True)  # type: ignore[attr-defined]
        return run

    return decorate
