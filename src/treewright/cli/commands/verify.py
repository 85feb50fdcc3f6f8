"""`treewright verify`: an independent check of a model and of the proof of its width."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.answers.output import Output, figures, heading, listing, remark
from treewright.cli.errors import DONE, WRONG_INPUT
from treewright.cli.model_files import open_model
from treewright.cli.options import AsJson, Model, Quiet
from treewright.tables.exports import counted
from treewright.verification import VerifyReport
from treewright.verification import verify as check

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN_VIOLATIONS = 50
_ORIGINS = {"stored": "the file", "computed": "the library", "given": "the caller"}

Bound = Annotated[
    int | None,
    typer.Option(
        "--treewidth", metavar="K", min=0, help="A bound to check, instead of the one that the file claims."
    ),
]


def verify(model: Model, *, treewidth: Bound = None, as_json: AsJson = False, quiet: Quiet = False) -> int:
    """Check a model file and its width certificate, with code that shares nothing with the learners.

    Checksum, tables, acyclicity, and that clusters in a tree hold every family with running intersection.
    Where a file has no certificate, one is computed and then checked. The exit code is 1 if anything is
    violated.

    Example: treewright verify survey.twm
    """
    out = Output(as_json=as_json, quiet=quiet)
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


def shown(name: str, report: VerifyReport) -> Iterator[RenderableType]:
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
        table = listing("check", "violation")
        for violation in report.violations[:_SHOWN_VIOLATIONS]:
            table.add_row(violation.check, violation.message)
        yield table
    if len(report.violations) > _SHOWN_VIOLATIONS:
        left = len(report.violations) - _SHOWN_VIOLATIONS
        yield remark(f"  and {left:,} more; --json lists them all")
