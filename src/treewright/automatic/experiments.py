"""The default for rows of which some were made: what was set enters the score and directs edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.automatic.clock import Clock
from treewright.automatic.rows import complete_rows
from treewright.automatic.search import LearnedAutomatically, narrow_enough
from treewright.criteria import ExperimentScore
from treewright.errors import SettingError
from treewright.learners import learn_from_experiments
from treewright.models import BayesianNetwork, fit
from treewright.statistics import Experiments, count
from treewright.tables import Table
from treewright.tables.exports import counted


def learn_made(
    table: Table, set_by: str, options: dict[str, Any]
) -> tuple[LearnedAutomatically, BayesianNetwork, list[str]]:
    """A network of labels from rows in which the variables that a column names were set."""
    where = table.schema.index(set_by)
    if any(not variable.is_discrete for variable in table.schema):
        raise SettingError(
            "set_by= is for columns of labels, and all that are there are numbers; cut them with bins="
        )
    marked = {v: mask for v, mask in table.missing.items() if v != where}
    if marked:  # a gap in the column of what was set says that nothing was
        shown = ~np.logical_or.reduce(list(marked.values()))
        left_out = int((~shown).sum())
        table = table.take(shown) if shown.any() else complete_rows(table)
    experiments = Experiments(table, set_by)
    score, clock = ExperimentScore(experiments, "bic"), Clock(options["seconds"])
    common = {"knowledge": options["knowledge"], "progress": options["progress"]}
    learned = learn_from_experiments(experiments, "bic", **common)
    found = narrow_enough(
        count(experiments.table),
        [learned],
        score,
        options["treewidth"],
        clock=clock,
        rng=options["rng"],
        **common,
    )
    said = [f"{counted(left_out, 'row')} with gaps left out"] if marked else []
    return found, fit(found.structure, experiments), said
