"""The options of `treewright learn`: one table, from which the command and what learners see are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from treewright.cli import options as opt
from treewright.cli.data import DataOptions
from treewright.cli.learning.methods import BLANKET_TREEWIDTH, DEFAULT_METHOD, METHODS
from treewright.cli.learning.task import DEFAULT_TREEWIDTH
from treewright.criteria.registry import SCORES


@dataclass(frozen=True, kw_only=True)
class LearnOptions(DataOptions):
    """The table: a field is an option of the command line; methods find what was said in `task.options`."""

    data: opt.Data
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="M.twm", help="Where to save the model.")
    ] = None
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"How to learn. In this version: {', '.join(METHODS)}.")
    ] = DEFAULT_METHOD
    score: Annotated[
        str | None,
        typer.Option(
            *("--score", "-s"),
            help=f"What to maximise: {', '.join(SCORES)}. By default what suits the method and the columns.",
        ),
    ] = None
    ess: Annotated[
        float | None, typer.Option(help="Equivalent sample size of --score bdeu; 1 by default.")
    ] = None
    treewidth: Annotated[
        int | None,
        typer.Option(
            *("--treewidth", "-k"),
            min=1,
            metavar="K",
            help=f"How wide the network may be, {DEFAULT_TREEWIDTH} by default ({BLANKET_TREEWIDTH} for bjp, "
            "ib, mpl); the width is certified.",
        ),
    ] = None
    effort: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How long to search on: for bounded any number (1 if not given), for hill-climbing and "
            "knots 0 to 3 (2; knots as the score and the size call for), for mixture tens of seconds of work "
            "(3; 0: twenty trees).",
        ),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Stop the search of bounded after so many seconds at the latest; a note says if the clock "
            "did.",
        ),
    ] = None
    alpha: Annotated[float | None, typer.Option(help="Level of the independence tests, such as 0.01.")] = None
    fast: Annotated[
        bool,
        typer.Option(
            "--fast", help="knots: look again only at pairs with a weak marginal trace, not at all of them."
        ),
    ] = False
    order: Annotated[
        str | None,
        typer.Option(
            metavar="natural|FILE",
            help="Parents come first in this order: that of the columns, or of a file with one name per "
            "line.",
        ),
    ] = None
    knowledge: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.json",
            help="Arcs that are required or forbidden, tiers, an order or fixed parents, by name.",
        ),
    ] = None
    hypergraph: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="For separation-tree: sets of variables that belong together, one per line, names between "
            "commas or blanks; variables that share no set are not joined.",
        ),
    ] = None
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="class|tests",
            help="For separation-tree: search by score (class), or by independence tests inside the nodes "
            "of a tree (tests, the default for one table of continuous columns).",
        ),
    ] = None
    bootstrap: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Learn again from N resamplings of the rows, and tell how often each edge was found.",
        ),
    ] = None
    valid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATA",
            help="Held-out rows to score the model on; lem, cutset, hidden-tree and mixture choose settings "
            "by them (without it by a tenth of DATA). Repeat for more files.",
        ),
    ] = None
    seed: opt.Seed = None
    trace: Annotated[
        str | None,
        typer.Option(metavar="FILE.json", help="Where to write the phases of the work, with times."),
    ] = None
