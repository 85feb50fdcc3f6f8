"""`treewright report`: a model and its rows on one page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli import options as opt
from treewright.cli.answers.output import Output
from treewright.cli.data import LaterRows
from treewright.cli.files import check_output, write_text
from treewright.cli.model_files import open_model, provenance_of
from treewright.models.model import in_missing_states
from treewright.reports.links import links_of
from treewright.reports.model_report import to_report
from treewright.tables.exports import counted
from treewright.tables.inspection.whole import inspect_table

PageOut = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="report.html", help="Where to write it; MODEL-report.html by default."
    ),
]
Title = Annotated[
    str | None, typer.Option("--title", help="Heading of the page; the model's name by default.")
]


@opt.command("threads", "memory")
def report(
    out: Output,
    model: opt.Model,
    data: opt.Data,
    *,
    output: PageOut = None,
    title: Title = None,
    written: LaterRows,
    force: opt.Force = False,
) -> None:
    """Write one HTML page about a model and rows: data, picture, edges, scores, cost, where it came from.

    The page needs nothing else, has no scripts, and prints. Empty cells are summed over in scoring.

    Example: treewright report survey.twm survey.csv -o report.html
    """
    name = Path(model).stem
    target = output or f"{name}-report.html"
    check_output(out, target, "page", inputs=[model, *data], force=force)
    network, origin = open_model(model), provenance_of(model)
    options = written.options(missing=opt.Missing.em)
    with out.progress("reading", total=3) as update:
        rows = in_missing_states(options.read_like(data, network.schema))
        seen, _ = replace(options, unseen=opt.UnseenLabels.error).read_what_holds(data)
        update(1, "writing")
        page = to_report(network, rows, title=title or name, as_read=seen, provenance=origin or None)
    write_text(target, page)
    findings = inspect_table(seen)
    n_edges = len(links_of(network.structure))
    sizes = [(len(network.schema), "variable"), (n_edges, "edge"), (rows.n_rows, "row")]
    told = ", ".join(counted(n, what) for n, what in [*sizes, (len(findings), "finding")])
    out.answer(
        lambda: {
            "output": target,
            "rows": rows.n_rows,
            "variables": len(network.schema),
            "edges": n_edges,
            "findings": [str(one) for one in findings],
        },
        shown=lambda: [f"{told} described in {target}"],
    )
