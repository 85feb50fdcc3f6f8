"""The options of `treewright learn`: one table, from which the command and what learners see are made."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from treewright.cli import options as opt
from treewright.cli.data import DataOptions
from treewright.cli.learning.methods import BLANKET_TREEWIDTH, DEFAULT_METHOD, METHODS
from treewright.cli.learning.task import DEFAULT_TREEWIDTH
from treewright.cli.options import say
from treewright.criteria.registry import SCORES
from treewright.origins import described


@dataclass(frozen=True, kw_only=True)
class LearnOptions(DataOptions):
    """The table: a field is an option of the command line; methods find what was said in `task.options`."""

    data: opt.Data
    missing: opt.MissingOption = opt.Missing.auto
    output: str | None = say("Where to save the model.", "-o", metavar="M.twm")
    method: str = say(
        f"How to learn; auto looks at the table. In this version: {', '.join(METHODS)}.",
        "-m",
        default=DEFAULT_METHOD,
    )
    score: str | None = say(
        f"What to maximise: {', '.join(SCORES)}. By default what suits the method and the columns.", "-s"
    )
    ess: float | None = say("Equivalent sample size of --score bdeu; 1 by default.")
    treewidth: int | None = say(
        "How wide the network may be: by default what exact answers allow (auto), "
        f"{DEFAULT_TREEWIDTH} (bounded, chains, thin-junction-tree), {BLANKET_TREEWIDTH} (bjp, ib, mpl) "
        "or without bound (mixed, where numbers are eliminated first); the width is certified.",
        "-k",
        min=1,
        metavar="K",
    )
    effort: int | None = say(
        "How long to search on: for bounded any number (if not given, as long as it pays), for hill-climbing "
        "and knots 0 to 3 (2; knots as the score and the size call for), for mixture tens of seconds of work "
        "(3; 0: twenty trees).",
        min=0,
    )
    seconds: float | None = say(
        "Stop the search of auto and of bounded after so many seconds; a note says if the clock did.",
        metavar="S",
    )
    alpha: float | None = say("Level of the independence tests, such as 0.01.")
    fast: bool = say(
        "knots: look again only at pairs with a weak marginal trace, not at all of them.", default=False
    )
    order: str | None = say(
        "Parents come first in this order: that of the columns, or of a file with one name per line.",
        metavar="natural|FILE",
    )
    knowledge: str | None = say(
        "Arcs that are required or forbidden, tiers, an order or fixed parents, by name.", metavar="FILE.json"
    )
    set_by: str | None = say(
        "The column that names which variables were set in each row, joined by +, none or nothing where none "
        "was: rows from experiments. Rows with other gaps are left out, and a note says how many.",
        metavar="COLUMN",
    )
    hypergraph: str | None = say(
        "For separation-tree: sets of variables that belong together, one per line, names between commas or "
        "blanks; variables that share no set are not joined.",
        metavar="FILE",
    )
    engine: str | None = say(
        "For separation-tree: search by score (class), or by independence tests inside the nodes of a tree "
        "(tests, the default for one table of continuous columns).",
        metavar="class|tests",
    )
    bootstrap: int | None = say(
        "Learn again from N resamplings of the rows, and tell how often each edge was found.",
        min=1,
        metavar="N",
    )
    valid: list[str] | None = say(  # noqa: RUF009
        "Held-out rows to score the model on; lem, cutset, hidden-tree and mixture choose settings by them "
        "(without it by a tenth of DATA). Repeat for more files.",
        metavar="DATA",
    )
    seed: opt.Seed = None
    mode: str | None = say(
        "For a table of a database: rows reads them once (the default), counts leaves them there and has the "
        "database count.",
        metavar="rows|counts",
    )
    trace: str | None = say("Where to write the phases of the work, with times.", metavar="FILE.json")
    checkpoint: str | None = say(
        "Keep what was counted in this file: after a crash or Ctrl-C the same command goes on from there and "
        "finds the same model.",
        metavar="FILE.twc",
    )
    rows: int | None = say(
        "Learn the structure from about N rows, evenly taken in 64 runs of neighbours; parameters come from "
        "all rows.",
        min=1,
        metavar="N",
    )
    certify: bool = say("Then search on with all rows from what --rows found.", default=False)
    dask: str | None = say(
        "Have the workers of a Dask cluster count; the address of its scheduler. DATA are files that the "
        "workers see.",
        metavar="ADDRESS",
    )
    keep_on_interrupt: bool = say(
        "After Ctrl-C go on with the best that the search has found so far: fit it, save it, tell it. The "
        "exit code is 130 all the same.",
        default=False,
    )
    force: opt.Force = False

    def said(self) -> dict[str, Any]:
        """What decides about the model: every option, as it was said or by default."""
        silent = {"output", "trace", "force", "keep_on_interrupt", "checkpoint", "dask"}
        silent |= {"quiet", "as_json", "threads", "memory"}
        kept = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in silent}
        return {name: described(value) for name, value in kept.items()}

    @property
    def files_read(self) -> list[str | None]:
        """Everything that is read, as it was said."""
        rows = [*self.data, *(self.valid or ()), *(self.states or ())]
        return [*rows, self.schema, self.knowledge, self.order, self.hypergraph]
