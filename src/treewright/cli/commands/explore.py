"""`treewright explore`: a page to look at a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli import options as opt
from treewright.cli.answers.output import Output
from treewright.cli.files import check_output, write_text
from treewright.cli.model_files import open_with_given, provenance_of
from treewright.learners import EdgeConfidence
from treewright.reports import to_html
from treewright.reports.legend import kept_gains
from treewright.tables.schema import Schema

PageOut = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="page.html", help="Where to write the page; MODEL.html by default."
    ),
]
Title = Annotated[
    str | None, typer.Option("--title", help="Heading of the page; the model's name by default.")
]


@opt.command("memory")
def explore(
    out: Output,
    model: opt.Model,
    more_given: opt.MoreGiven = None,
    *,
    output: PageOut = None,
    given: opt.Given = None,
    title: Title = None,
    force: opt.Force = False,
) -> None:
    """Draw a model with its distributions, as one HTML page that needs nothing else.

    An edge that the rows cannot direct has no arrow. Lines are the stronger the more an edge explains; of a
    model from `learn --bootstrap N`, the more resamplings found it.

    Example: treewright explore asia --given smoke=yes -o asia.html
    """
    name = Path(model).stem
    target = output or f"{name}.html"
    check_output(out, target, "page", inputs=[model], force=force)
    network, known = open_with_given(model, given, more_given)
    origin = provenance_of(model)
    sure = kept_confidence(origin, network.schema)
    with out.progress("drawing"):
        page = to_html(network, title=title or name, given=known, confidence=sure, gains=kept_gains(origin))
    write_text(target, page)
    edges = network.structure.edges()
    found: dict[str, Any] = {"output": target, "variables": len(network.schema), "edges": len(edges)}
    drawn, told = f"{len(network.schema)} variables and {len(edges)} edges", ""
    pattern = getattr(network.structure, "pattern", None)
    if pattern is not None:
        found["undirected_edges"] = [list(edge) for edge in pattern.undirected_edges()]
        drawn += f" ({len(found['undirected_edges'])} without direction)"
    if sure is not None:
        found["resamplings"] = sure.repetitions
        told = f"; the stronger a line, the more of {sure.repetitions:,} resamplings found the edge"
    out.answer(
        lambda: found,
        shown=lambda: [f"{drawn} drawn in {target}{told}"],
    )


def kept_confidence(origin: Mapping[str, Any], schema: Schema) -> EdgeConfidence | None:
    """How sure each edge is, where `learn --bootstrap` left it in the file."""
    kept = origin.get("confidence")
    return None if kept is None else EdgeConfidence.from_dict(schema, kept)
