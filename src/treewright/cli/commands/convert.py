"""`treewright convert`: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.answers.output import Output
from treewright.cli.files import check_output
from treewright.cli.model_files import open_model
from treewright.cli.options import Force, Model, command
from treewright.models.formats import FORMATS, convert_model, write_model

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help=f"Where to write; the ending says the format ({', '.join(FORMATS)}; .gz too).",
        show_default=False,
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Refuse what the format cannot say, instead of renaming it.")
]


@command()
def convert(
    out: Output, model: Model, target: Target, *, strict: Strict = False, force: Force = False
) -> None:
    """Write a model in the format of another program.

    Example: treewright convert asia asia.bif
    """
    check_output(out, target, "model", inputs=[model], force=force)
    # an example network has no file to report on
    report: object = (
        convert_model(model, target, strict, replace=True)
        if Path(model).exists()
        else write_model(open_model(model), target, strict, replace=True)
    )
    said = str(report)
    out.answer(lambda: {"output": target, "report": said.splitlines()}, shown=lambda: [said])
