"""`treewright compare`: how far a model's structure is from the true one."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli.answers.output import Lines, Output, figures, heading, listing, remark
from treewright.cli.model_files import open_model
from treewright.cli.options import Model, command
from treewright.graphs.compare import Comparison
from treewright.graphs.compare import compare as compare_shapes
from treewright.tables.exports import counted

_SHOWN_PAIRS = 20

Truth = Annotated[
    str,
    typer.Argument(
        metavar="TRUTH", help="The true model: a .twm file, or an example network.", show_default=False
    ),
]


@command()
def compare(out: Output, truth: Truth, model: Model) -> None:
    """Compare the structure of a model with the true one; variables meet by name.

    Example: treewright compare alarm learned.twm
    """
    found = compare_shapes(open_model(truth), open_model(model))
    out.answer(
        lambda: {**found.to_dict(), "treewidths": list(found.treewidths)},
        shown=lambda: shown(found),
        bare=lambda: [("shd", found.shd), ("hamming", found.hamming), *found.skeleton.to_dict().items()],
    )


def shown(found: Comparison) -> Lines:
    skeleton = found.skeleton
    yield heading(f"structural Hamming distance {found.shd}")
    dag = [] if found.shd_dag is None else [("between the DAGs", str(found.shd_dag))]
    yield figures(
        *dag,
        ("edges", f"{skeleton.tp} found, {skeleton.fn} missed, {skeleton.fp} extra"),
        *((name, f"{getattr(skeleton, name.lower()):.3f}") for name in ("precision", "recall", "F1", "dist")),
        ("hamming", str(found.hamming)),
        ("treewidth", "{} in truth, {} learned".format(*found.treewidths)),
    )
    kinds = {"missed": found.missing, "extra": found.extra, "direction differs": found.misoriented}
    differences = [(what, *pair) for what, pairs in kinds.items() for pair in pairs]
    if differences:
        yield listing("difference", "between", "and", rows=differences[:_SHOWN_PAIRS])
    if len(differences) > _SHOWN_PAIRS:
        left = counted(len(differences) - _SHOWN_PAIRS, "more difference")
        yield remark(f"  and {left}; --json lists them all")
