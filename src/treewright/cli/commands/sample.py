"""`treewright sample`: rows drawn from a model."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any, cast

import numpy as np
import typer

from treewright.cli import options as opt
from treewright.cli.answers.output import Output
from treewright.cli.answers.rows import write_csv
from treewright.cli.files import check_output, refuse_other_formats, written_whole
from treewright.cli.model_files import open_with_given
from treewright.tables.schema import Label
from treewright.tables.table import Table

NumberOfRows = Annotated[int, typer.Option("--rows", "-n", min=0, help="How many rows.", show_default=False)]
RowsOut = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="rows.csv", help="A CSV file; without it, rows go to stdout."),
]


@opt.command("threads", "memory")
def sample(
    out: Output,
    model: opt.Model,
    more_given: opt.MoreGiven = None,
    *,
    n: NumberOfRows,
    given: opt.Given = None,
    seed: opt.Seed = None,
    output: RowsOut = None,
    force: opt.Force = False,
) -> None:
    """Draw rows from a model, as CSV; with --given, exact draws that agree with what is known.

    Example: treewright sample asia -n 10000 --given xray=yes --seed 1 -o rows.csv
    """
    target = None if output == "-" else output
    refuse_other_formats(target)
    check_output(out, target, "rows", inputs=[model], force=force)
    network, known = open_with_given(model, given, more_given)
    with out.progress("sampling"):
        table = cast("Any", network).sample(n, known, rng=np.random.default_rng(seed))
    if target is not None:
        with out.progress("writing", total=n) as update, written_whole(target) as file:
            write_csv(table, file, tell=update)
    elif not out.as_json:
        sys.stdout.flush()
        write_csv(table, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    out.answer(
        lambda: document(table, known, seed, target),
        shown=lambda: [f"{n:,} rows of {len(table.schema)} columns in {target}"],
    )


def document(
    table: Table, known: Mapping[str, Label], seed: int | None, target: str | None
) -> dict[str, Any]:
    """What was done; without a file, the rows themselves, column by column."""
    plain = {
        "rows": table.n_rows,
        "columns": list(table.schema.names),
        "given": dict(known),
        "seed": seed,
        "output": target,
    }
    return plain if target is not None else {**plain, "data": table.to_dict()}
