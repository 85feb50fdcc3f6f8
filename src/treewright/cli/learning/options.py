"""The options of `treewright learn`."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli.learning.methods import BLANKET_TREEWIDTH, DEFAULT_TREEWIDTH, METHODS
from treewright.criteria.registry import SCORES

MethodName = Annotated[
    str, typer.Option("--method", "-m", help=f"How to learn. In this version: {', '.join(METHODS)}.")
]
Score = Annotated[
    str | None,
    typer.Option(
        "--score",
        "-s",
        help=f"What to maximise: {', '.join(SCORES)}. By default what suits the method and the columns.",
        show_default=False,
    ),
]
Effort = Annotated[
    int | None,
    typer.Option(
        "--effort",
        min=0,
        help="How long to search on: for bounded any number (1 if not given), for hill-climbing and knots 0 "
        "to 3 (2; knots as the score and the size call for), for mixture tens of seconds of work (3; 0: "
        "twenty trees).",
        show_default=False,
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        metavar="S",
        help="Stop the search of bounded after so many seconds at the latest; a note says if the clock did.",
        show_default=False,
    ),
]
Fast = Annotated[
    bool,
    typer.Option(
        "--fast", help="knots: look again only at pairs with a weak marginal trace, not at all of them."
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option("--alpha", help="Level of the independence tests, such as 0.01.", show_default=False),
]
HypergraphFile = Annotated[
    str | None,
    typer.Option(
        "--hypergraph",
        metavar="FILE",
        help="For separation-tree: sets of variables that belong together, one per line, names between "
        "commas or blanks; variables that share no set are not joined.",
        show_default=False,
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="class|tests",
        help="For separation-tree: search by score (class), or by independence tests inside the nodes of a "
        "tree (tests, the default for one table of continuous columns).",
        show_default=False,
    ),
]
Treewidth = Annotated[
    int | None,
    typer.Option(
        "--treewidth",
        "-k",
        min=1,
        metavar="K",
        help=f"How wide the network may be, {DEFAULT_TREEWIDTH} by default ({BLANKET_TREEWIDTH} for bjp, ib, "
        "mpl); the width is certified.",
        show_default=False,
    ),
]
Bootstrap = Annotated[
    int | None,
    typer.Option(
        "--bootstrap",
        min=1,
        metavar="N",
        help="Learn again from N resamplings of the rows, and tell how often each edge was found.",
    ),
]
Ess = Annotated[
    float | None, typer.Option("--ess", help="Equivalent sample size of --score bdeu; 1 by default.")
]
Order = Annotated[
    str | None,
    typer.Option(
        "--order",
        metavar="natural|FILE",
        help="Parents come first in this order: that of the columns, or of a file with one name per line.",
    ),
]
KnowledgeFile = Annotated[
    str | None,
    typer.Option(
        "--knowledge",
        metavar="FILE.json",
        help="Arcs that are required or forbidden, tiers, an order or fixed parents, by name.",
    ),
]
Valid = Annotated[
    list[str] | None,
    typer.Option(
        "--valid",
        metavar="DATA",
        help="Held-out rows to score the model on; lem, cutset, hidden-tree and mixture choose settings by "
        "them (without it by a tenth of DATA). Repeat for more files.",
    ),
]
ModelOut = Annotated[
    str | None, typer.Option("--output", "-o", metavar="M.twm", help="Where to save the model.")
]
TraceOut = Annotated[
    str | None,
    typer.Option("--trace", metavar="FILE.json", help="Where to write the phases of the work, with times."),
]
