"""What went wrong, as one message on stderr and an exit code.

0 done, 1 something in the user's input, 2 refused for size, 130 interrupted. With `--json` the message is on
stderr too, and stdout holds one document: ``{"error": {"type": ..., "message": ..., "exit_code": ...}}``.
Anything else that is raised is a fault of the program, and shows where it happened.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from treewright import errors
from treewright.cli.answers.output import error_console, print_json, speak_any_language
from treewright.errors import MissingValuesError, SchemaError, TreewrightError

_TYPES = {"<bool>": None, "<str>": "TEXT", "<int>": "N", "<int range>": "N", "<float>": "X"}
DONE, WRONG_INPUT, TOO_LARGE, INTERRUPTED = 0, 1, 2, 130

# Bad options and arguments; the class moved between the versions of typer, its child has not.
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]


class Interrupted(Exception):  # noqa: N818
    """Ctrl-C, before typer can make something else of it."""


class _Plain:
    """Help that says what to write after an option, and nothing after a switch."""

    def get_params(self, ctx: Any) -> list[Any]:
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            if hasattr(parameter, "display_type_rich"):  # as typer calls it since 0.20
                parameter.display_type_rich = partial(_said_type, parameter)
        return found


def _said_type(parameter: Any, ctx: Any) -> str | None:
    """A name for what is to be written: typer's own are those of Python."""
    said: str | None = type(parameter).display_type_rich(parameter, ctx=ctx)
    if parameter.param_type_name == "argument":
        return None  # its name is there already
    return said if said is None else _TYPES.get(said, said)


class Command(_Plain, TyperCommand):
    """One command."""


class Door(_Plain, TyperGroup):
    """The group of all commands: whatever a command raises leaves through here."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        arguments = list(sys.argv[1:] if args is None else args)
        speak_any_language()
        try:
            result = super().main(
                arguments, prog_name or "treewright", complete_var, False, windows_expand_args, **extra
            )
            code = result if isinstance(result, int) else DONE
        except (_ClickException, TreewrightError, OSError, MemoryError, Interrupted) as error:
            code = report(error, as_json="--json" in arguments)
        if standalone_mode:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except KeyboardInterrupt as error:
            if isinstance(error, errors.Interrupted):  # a search has something, and nobody asked for it
                way = "interrupted; --keep-on-interrupt goes on with the best that the search has found"
                raise Interrupted(way) from error
            raise Interrupted(str(error) or "interrupted") from error
        except BrokenPipeError:  # the reader had enough, as in `treewright sample ... | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return None


def report(error: BaseException, *, as_json: bool) -> int:
    """Say what went wrong; the exit code."""
    from rich.text import Text

    code, message = exit_code(error), describe(error)
    console = error_console()
    if isinstance(error, Interrupted):
        console.print(message)
    else:
        console.print(Text.assemble(("error: ", "bold red"), message))
        for hint in hints(error, message):
            console.print(Text(hint, style="dim"))
    if as_json:
        print_json({"error": {"type": type(error).__name__, "message": message, "exit_code": code}})
    return code


def exit_code(error: BaseException) -> int:
    if isinstance(error, Interrupted):
        return INTERRUPTED
    return TOO_LARGE if isinstance(error, MemoryError) else WRONG_INPUT


def describe(error: BaseException) -> str:
    if isinstance(error, TreewrightError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fspath(error.filename)!r}: " if error.filename else ""
        return f"{where}{error.strerror}"
    if isinstance(error, MemoryError):
        return str(error) or "there is not enough memory; use fewer rows or columns"
    format_message: Any = getattr(error, "format_message", lambda: str(error))
    return str(format_message())


def hints(error: BaseException, message: str) -> list[str]:
    """The way out, in the words of the command line where the library speaks Python."""
    found, columns = [], getattr(error, "columns", {})
    context = getattr(error, "ctx", None)
    if context is not None:
        found.append(f"usage and an example: {context.command_path} --help")
    spoken = isinstance(error, SchemaError | MissingValuesError)
    ways = {
        "missing=": isinstance(error, MissingValuesError)
        and "--missing drop, --missing state or --missing em",
        "bins=": spoken and "--bins 4, or --bins name=4",
        "no rows, so": spoken and "rows are needed; there is nothing below the names of the columns",
        "columns=[": spoken and left_out(columns),
        "header=False": "--no-header",
        "mode='rows'": "--mode rows",
        "unseen=": "--unseen ignore or, with a model of learn --unseen state, --unseen state",
        "set_memory_limit": "--memory 8GiB",
    }
    return found + [f"on the command line: {way}" for part, way in ways.items() if way and part in message]


def left_out(columns: Iterable[str]) -> str:
    """The options that leave columns out."""
    options = [f"--ignore {shlex.quote(name)}" for name in columns]
    return " ".join([*options, "(or --mend)"]) if options else "--ignore name"
