"""`treewright verify`: an independent check of a model and of the proof of its width."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.answers.output import Lines, Output, figures, heading, listing, say_how_many_more
from treewright.cli.errors import DONE, WRONG_INPUT
from treewright.cli.model_files import open_model
from treewright.cli.options import Model, command
from treewright.tables.exports import counted
from treewright.verification import VerifyReport
from treewright.verification import verify as check

_SHOWN_VIOLATIONS = 50
_ORIGINS = {"stored": "the file", "computed": "the library", "given": "the caller"}

Bound = Annotated[
    int | None,
    typer.Option(
        "--treewidth", metavar="K", min=0, help="A bound to check, instead of the one that the file claims."
    ),
]


@command()
def verify(out: Output, model: Model, *, treewidth: Bound = None) -> int:
    """Check a model file and its width certificate, with code that shares nothing with the learners.

    Checksum, tables, acyclicity, and that clusters in a tree hold every family with running intersection.
    Where a file has no certificate, one is computed and then checked. The exit code is 1 if anything is
    violated.

    Example: treewright verify survey.twm
    """
    source: object = open_model(model) if not Path(model).exists() else model
    report = check(source, treewidth=treewidth)
    out.answer(
        report.to_dict,
        shown=lambda: shown(model, report),
        bare=lambda: (
            [("valid", report.width)] if report.valid else [(v.check, v.message) for v in report.violations]
        ),
    )
    return DONE if report.valid else WRONG_INPUT


def shown(name: str, report: VerifyReport) -> Lines:
    if report.valid:
        yield heading(f"{name} is valid, and its treewidth is at most {report.width}")
    else:
        yield heading(f"{name} is not valid: {counted(len(report.violations), 'violation')}")
    pairs = [("kind", report.kind or "unknown"), ("variables", f"{report.n_variables:,}")]
    if report.certificate is not None:
        pairs.append(("clusters", f"{report.n_clusters:,}, from {_ORIGINS[report.certificate]}"))
    if report.bound is not None:
        pairs.append(("bound", str(report.bound)))
    yield figures(*pairs, ("checked", ", ".join(report.checks)))
    if report.violations:
        rows = ((one.check, one.message) for one in report.violations[:_SHOWN_VIOLATIONS])
        yield listing("check", "violation", rows=rows)
    yield from say_how_many_more(len(report.violations), _SHOWN_VIOLATIONS)
