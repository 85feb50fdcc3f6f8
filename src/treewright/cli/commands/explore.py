"""`treewright explore`: a page to look at a model and to ask it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli import options as opt
from treewright.cli.answers.output import Output
from treewright.cli.files import check_output, write_text
from treewright.cli.model_files import open_model, open_with_given, provenance_of
from treewright.errors import SettingError
from treewright.graphs.compare import compare
from treewright.learners import EdgeConfidence
from treewright.reports import draw_comparison_page, to_html
from treewright.reports.comparison_picture import comparison_words
from treewright.reports.explorer.page_data import n_stored_rows
from treewright.reports.legend import kept_gains
from treewright.reports.render import to_static_html
from treewright.tables.exports import counted
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
Beside = Annotated[
    str | None,
    typer.Option(
        "--beside", metavar="OTHER", help="Draw both models in one picture: edges added, missing and turned."
    ),
]
Static = Annotated[bool, typer.Option("--static", help="A picture instead of a page that answers.")]


@opt.command("memory")
def explore(
    out: Output,
    model: opt.Model,
    more_given: opt.MoreGiven = None,
    *,
    output: PageOut = None,
    given: opt.Given = None,
    title: Title = None,
    static: Static = False,
    beside: Beside = None,
    force: opt.Force = False,
) -> None:
    """Write one HTML page in which a click says what is known and every belief follows, exactly.

    The page needs nothing else, asks the network for nothing and can be sent to anybody. --given is what is
    known when it opens. An edge that the rows cannot direct has no arrow; of a model from
    `learn --bootstrap N`, edges are the paler the fewer resamplings found them.

    With --beside OTHER it is a picture of both structures: edges in both, added, missing and turned.

    Example: treewright explore asia --given smoke=yes -o asia.html
    """
    name = Path(model).stem
    target = output or f"{name}.html"
    check_output(out, target, "page", inputs=[model, *([beside] if beside else [])], force=force)
    if beside:
        refuse_together({"--given": given, "a NAME=STATE": more_given, "--static": static})
        return compare_in_page(out, (model, beside), target, title)
    network, known = open_with_given(model, given, more_given)
    origin = provenance_of(model)
    sure = kept_confidence(origin, network.schema)
    with out.progress("drawing"):
        told: dict[str, Any] = {"given": known, "confidence": sure, "gains": kept_gains(origin)}
        if static:
            page = to_static_html(network, title=title or name, **told)
        else:
            page = to_html(network, title=title or name, file=Path(model).name, **told)
    write_text(target, page)
    edges = network.structure.edges()
    found: dict[str, Any] = {"output": target, "variables": len(network.schema), "edges": len(edges)}
    drawn = f"{counted(len(network.schema), 'variable')} and {counted(len(edges), 'edge')}"
    more = ""
    pattern = getattr(network.structure, "pattern", None)
    if pattern is not None:
        found["undirected_edges"] = [list(edge) for edge in pattern.undirected_edges()]
        drawn += f" ({len(found['undirected_edges'])} without direction)"
    if sure is not None:
        found["resamplings"] = sure.repetitions
        more = f"; the stronger a line, the more of {sure.repetitions:,} resamplings found the edge"
    if not static and (rows := n_stored_rows(network)):
        found["stored_rows"] = rows
        more += f"; the page holds {rows:,} rows of the training data as they were"
    out.answer(
        lambda: found,
        shown=lambda: [f"{drawn} drawn in {target}{more}"],
    )


def refuse_together(others: Mapping[str, Any]) -> None:
    """Options that mean nothing for a picture of two structures."""
    for name, value in others.items():
        if value:
            raise SettingError(f"--beside draws two structures, where {name} means nothing; leave one out")


def compare_in_page(out: Output, models: tuple[str, str], target: str, title: str | None) -> None:
    """Both structures in one picture, and what differs listed below it."""
    first, second = (Path(model).name for model in models)
    networks = [open_model(model) for model in models]
    found = compare(*networks)
    with out.progress("drawing"):
        page = draw_comparison_page(*networks, title=title or f"{first} and {second}", names=(first, second))
    write_text(target, page)
    figures = {"output": target, "variables": len(networks[0].schema)}
    out.answer(
        lambda: figures | found.to_dict(),
        shown=lambda: [f"{comparison_words(found)}; drawn in {target}"],
    )


def kept_confidence(origin: Mapping[str, Any], schema: Schema) -> EdgeConfidence | None:
    """How sure each edge is, where `learn --bootstrap` left it in the file."""
    kept = origin.get("confidence")
    return None if kept is None else EdgeConfidence.from_dict(schema, kept)
