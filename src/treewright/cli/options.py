"""Options and arguments that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from inspect import signature
from typing import Annotated, Any, TypeVar

import typer

from treewright import _core
from treewright.limits import set_memory_limit

_DATA = "Data"
_RUN = "How to run"
_ANSWER = "How to answer"

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
    typer.Option(
        "--missing",
        help="Rows with empty cells: refuse them, drop them, make missing a state, or fit by EM.",
        rich_help_panel=_DATA,
    ),
]
MissingValue = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-value",
        metavar="TEXT",
        help="A text or number that stands for an empty cell, such as NA; repeat for more.",
        rich_help_panel=_DATA,
    ),
]
Bins = Annotated[
    list[str] | None,
    typer.Option(
        "--bins",
        metavar="BINS",
        help="Cut numbers into intervals: 4 (all continuous columns, equal frequency), age=4, "
        "age=uniform:4 or age=0,18,65,120; repeat for more columns.",
        rich_help_panel=_DATA,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", metavar="NAME", help="Leave a column out; repeat for more.", rich_help_panel=_DATA
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line of a CSV file holds values; columns are x0, x1, ...",
        rich_help_panel=_DATA,
        show_default=False,
    ),
]
SchemaOf = Annotated[
    str | None,
    typer.Option(
        "--schema",
        metavar="MODEL",
        help="Read the columns and states that this model has.",
        rich_help_panel=_DATA,
    ),
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
Seed = Annotated[
    int | None, typer.Option("--seed", min=0, help="Where chance starts: the same seed, the same result.")
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", min=1, help="Threads to use; all cores by default.", rich_help_panel=_RUN),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="The most that one table may take, such as 4GiB; larger ones are refused.",
        rich_help_panel=_RUN,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="One JSON document on stdout, nothing else.",
        rich_help_panel=_ANSWER,
        show_default=False,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Only the bare answer, tab-separated; no progress, no remarks.",
        rich_help_panel=_ANSWER,
        show_default=False,
    ),
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
