"""Options and arguments that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, fields, is_dataclass
from enum import StrEnum
from functools import partial, wraps
from inspect import Parameter, signature
from itertools import chain
from typing import Annotated, Any, TypeVar

import typer

from treewright import _core
from treewright.cli.answers.output import Output
from treewright.limits import set_memory_limit

# An option is named after the parameter that has it, unless a name is given.
_of_data = partial(typer.Option, rich_help_panel="Data")
_of_running = partial(typer.Option, rich_help_panel="How to run")
_of_answering = partial(typer.Option, rich_help_panel="How to answer", show_default=False)

Result = TypeVar("Result")


class Missing(StrEnum):
    """What to do about missing cells."""

    auto = "auto"
    error = "error"
    drop = "drop"
    state = "state"
    em = "em"
    available = "available"
    indicator = "indicator"


Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="CSV (plain or .gz), Parquet, a table of a DuckDB file (clinic.duckdb::visits) or of a server "
        "(postgresql://host/clinic::visits): one, several with the same columns, a quoted pattern such as "
        "'runs/*.csv', or - for standard input. For --method separation-tree several tables that share some "
        "of their columns.",
        show_default=False,
    ),
]
Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model file (.twm, .bif, .xdsl, ...), or an example network: asia, alarm, ...",
        show_default=False,
    ),
]
MissingOption = Annotated[
    Missing,
    _of_data(
        help="Rows with empty cells: refuse them, drop them, make missing a state, or learn from all by "
        "(structural) EM, with indicators of gaps, or from available cells; auto lets "
        "--method auto choose, and refuses them for every other."
    ),
]


class UnseenLabels(StrEnum):
    """What to do about labels that a model does not know."""

    error = "error"
    ignore = "ignore"
    state = "state"


UnseenOption = Annotated[
    UnseenLabels,
    _of_data(
        help="Labels that the model does not know: refuse them, take their cells as missing and sum over "
        "them, or read them as a state that `learn --unseen state` reserves."
    ),
]
States = Annotated[
    list[str] | None,
    _of_data(metavar="DATA", help="Other rows, whose labels are states too, such as those to be scored."),
]
MissingValue = Annotated[
    list[str] | None,
    _of_data(
        metavar="TEXT",
        help="A text or number that stands for an empty cell, such as NA, in all columns or in one as in "
        "weight=-999; repeat for more.",
    ),
]
Mend = Annotated[
    bool,
    _of_data(
        "--mend",
        help="Mend what is safe to mend: blanks, spellings that differ in case only, decimal commas, marks "
        "such as NA among numbers, keys; each mending is listed and kept in the model.",
        show_default=False,
    ),
]
Decimal = Annotated[
    str | None,
    _of_data(
        metavar="SIGN",
        help="What numbers are written with: a point, or a comma (--decimal ,). The other sign then sets "
        "thousands apart.",
    ),
]
Dates = Annotated[
    list[str] | None,
    _of_data(
        metavar="PARTS",
        help="Take dates apart: year,month (all columns of dates) or visit=year,month,weekday; also quarter, "
        "day, hour, days; visit=dmy,month where day and month could be either.",
    ),
]
Bins = Annotated[
    list[str] | None,
    _of_data(
        metavar="BINS",
        help="Cut numbers into intervals, all continuous columns: 4 (equal frequency), uniform:4, mdl:TARGET "
        "(cuts that tell a target apart), hartemink:3 (cuts that keep what columns say about each other); "
        "one column: age=4, age=mdl:died or age=0,18,65,120; repeat for more columns.",
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
SkipLines = Annotated[
    int,
    _of_data(
        metavar="N", min=0, help="Lines of a CSV file before the names; remarks behind # need no option."
    ),
]
Encoding = Annotated[
    str,
    _of_data(metavar="NAME", help="Of a CSV file: utf-8, latin-1, cp1252, utf-16 or any of Python's."),
]
Delimiter = Annotated[
    str | None,
    _of_data(
        metavar="CHARACTER", help="Between the fields of a CSV file; found in its first lines otherwise."
    ),
]
WeightsOf = Annotated[
    str | None, _of_data(metavar="COLUMN", help="The column that says how often each row counts.")
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
Force = Annotated[
    bool, typer.Option("--force", help="Replace the file that is there, also one of another kind.")
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
    bool, _of_answering("--quiet", "-q", help="Only the bare answer, tab-separated; no progress, no remarks.")
]


def begin(
    *, threads: Threads = None, memory: Memory = None, as_json: AsJson = False, quiet: Quiet = False
) -> Output:
    """Apply the options that commands share; what was not given is as the machine has it."""
    _core.set_threads(threads or 0)
    set_memory_limit(memory)
    return Output(as_json=as_json, quiet=quiet)


def say(help: str, letter: str | None = None, *, default: Any = None, **how: Any) -> Any:
    """A field of a table of options: what it is for, and how it is said beside its name."""
    return field(default=default, metadata={"option": (help, letter, how)})


def said_as(table: Any) -> Iterator[Parameter]:
    """The fields of a table of options, as parameters of a command."""
    written = {one.name: one.metadata["option"] for one in fields(table) if "option" in one.metadata}
    for name, parameter in signature(table, eval_str=True).parameters.items():
        if name not in written:
            yield parameter
            continue
        help, letter, how = written[name]
        names = [f"--{name.replace('_', '-')}", letter] if letter or parameter.annotation is bool else []
        option = typer.Option(*filter(None, names), help=help, **how)
        yield parameter.replace(annotation=Annotated[parameter.annotation, option])


def command(*resources: str) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Make a command of a function, which is handed how to answer and then its own options.

    A parameter whose type is a dataclass stands for its fields, each an option. `resources` are those of
    "threads" and "memory" that the command has.
    """
    shared = {
        name: signature(begin, eval_str=True).parameters[name] for name in (*resources, "as_json", "quiet")
    }

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        shape = signature(function, eval_str=True)
        own = list(shape.parameters.values())[1:]
        tables: dict[str, Any] = {one.name: one.annotation for one in own if is_dataclass(one.annotation)}
        spread = chain(*(said_as(tables[one.name]) if one.name in tables else [one] for one in own))

        @wraps(function)
        def run(**said: Any) -> Result:
            out = begin(**{name: said.pop(name) for name in shared})
            for name, table in tables.items():
                said[name] = table(**{one.name: said.pop(one.name) for one in fields(table)})
            return function(out, **said)

        run.__signature__ = shape.replace(parameters=[*spread, *shared.values()])  # type: ignore[attr-defined]
        return run

    return decorate
