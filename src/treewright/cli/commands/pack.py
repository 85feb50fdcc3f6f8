"""`treewright pack`: rows read once, into a file that learning maps instead of reading."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from treewright.cli import options as opt
from treewright.cli.answers.output import Output
from treewright.cli.data import DataOptions
from treewright.cli.files import check_output
from treewright.limits import format_bytes
from treewright.tables.exports import counted
from treewright.tables.table import Table

PackedOut = Annotated[
    str, typer.Option("--output", "-o", metavar="rows.twp", help="The packed file.", show_default=False)
]
Rows = Annotated[
    int | None,
    typer.Option("--rows", min=1, help="Keep about so many rows only, evenly taken.", show_default=False),
]


@dataclass(frozen=True, kw_only=True)
class PackOptions(DataOptions):
    """What `pack` takes beside how to read."""

    data: opt.Data


@opt.command("threads", "memory")
def pack(
    out: Output, options: PackOptions, *, output: PackedOut, rows: Rows = None, force: opt.Force = False
) -> None:
    """Read rows once into a packed file, from which more rows than memory holds are learned from.

    Example: treewright pack 'runs/*.parquet' -o runs.twp
    """
    check_output(out, output, "packed", inputs=options.data, force=force)
    with out.progress("packing"):
        table = options.pack(options.data, output, rows)
    size = os.path.getsize(output)
    n_rows, n_columns = counted(table.n_rows, "row"), counted(len(table.schema), "column")
    said = f"{n_rows} of {n_columns} in {output}, {format_bytes(size)}"
    out.answer(
        lambda: document(table, output, size),
        shown=lambda: [said, f"  next: treewright learn {output} -o model.twm"],
    )


def document(table: Table, output: str, size: int) -> dict[str, Any]:
    return {
        "rows": table.n_rows,
        "columns": list(table.schema.names),
        "output": output,
        "bytes": size,
        "report": None if table.report is None else table.report.to_dict(),
    }
