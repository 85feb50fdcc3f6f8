"""The list of commands."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

import treewright
from treewright.cli.errors import Command, Door

app = typer.Typer(
    name="treewright",
    cls=Door,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS = """
    examples.demo examples.networks inspect pack learn cross_validate query marginals mpe effect predict score
    sample compare verify convert explore report doctor
"""

for path in COMMANDS.split():  # each is a function of that name in a file of that name
    name = path.rpartition(".")[2]
    app.command(name.replace("_", "-"), cls=Command)(
        getattr(import_module(f"treewright.cli.commands.{path}"), name)
    )


@app.callback(
    invoke_without_command=True,
    epilog="Exit codes: 0 done, 1 something in the input, 2 refused for size, 130 interrupted. "
    'Errors go to stderr; with --json, stdout holds {"error": {"type", "message", "exit_code"}} too.',
)
def treewright_(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Say the version and leave.")] = False,
) -> None:
    """Learn probabilistic graphical models from tables, and ask them exactly.

    Example: treewright demo
    """
    if version:
        print(treewright.__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help(), end="")


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a command line."""
    command: Any = get_command(app)
    code: int = command.main(
        None if arguments is None else list(arguments), prog_name="treewright", standalone_mode=False
    )
    return code
