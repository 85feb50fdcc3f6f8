"""`treewright compare`: how far a model's structure is from the true one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.answers.output import Output, figures, heading, listing, remark
from treewright.cli.model_files import open_model
from treewright.cli.options import AsJson, Model, Quiet
from treewright.graphs.compare import Comparison
from treewright.graphs.compare import compare as compare_shapes
from treewright.tables.exports import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN_PAIRS = 20

Truth = Annotated[
    str,
    typer.Argument(
        metavar="TRUTH", help="The true model: a .twm file, or an example network.", show_default=False
    ),
]


def compare(truth: Truth, model: Model, *, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Compare the structure of a model with the true one; variables meet by name.

    Example: treewright compare alarm learned.twm
    """
    out = Output(as_json=as_json, quiet=quiet)
    found = compare_shapes(open_model(truth), open_model(model))
    out.answer(
        lambda: {**found.to_dict(), "treewidths": list(found.treewidths)},
        shown=lambda: shown(found),
        bare=lambda: [
            ("shd", found.shd),
            ("hamming", found.hamming),
            *(item for item in found.skeleton.to_dict().items()),
        ],
    )


def shown(found: Comparison) -> Iterator[RenderableType]:
    skeleton = found.skeleton
    yield heading(f"structural Hamming distance {found.shd}")
    dag = [] if found.shd_dag is None else [("between the DAGs", str(found.shd_dag))]
    yield figures(
        *dag,
        ("edges", f"{skeleton.tp} found, {skeleton.fn} missed, {skeleton.fp} extra"),
        ("precision", f"{skeleton.precision:.3f}"),
        ("recall", f"{skeleton.recall:.3f}"),
        ("F1", f"{skeleton.f1:.3f}"),
        ("dist", f"{skeleton.dist:.3f}"),
        ("hamming", str(found.hamming)),
        ("treewidth", "{} in truth, {} learned".format(*found.treewidths)),
    )
    differences = [
        (what, pair)
        for what, pairs in (
            ("missed", found.missing),
            ("extra", found.extra),
            ("direction differs", found.misoriented),
        )
        for pair in pairs
    ]
    if differences:
        table = listing("difference", "between", "and")
        for what, pair in differences[:_SHOWN_PAIRS]:
            table.add_row(what, *pair)
        yield table
    if len(differences) > _SHOWN_PAIRS:
        left = counted(len(differences) - _SHOWN_PAIRS, "more difference")
        yield remark(f"  and {left}; --json lists them all")
