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
    experiments, said = made_rows(table, set_by)
    found = search_made(experiments, "bic", options)
    return found, fit(found.structure, experiments), said


def made_rows(table: Table, set_by: str) -> tuple[Experiments, list[str]]:
    """The rows that miss nothing, and a remark on how many were left out."""
    where = table.schema.index(set_by)
    if any(not variable.is_discrete for variable in table.schema):
        raise SettingError(
            "set_by= is for columns of labels, and all that are there are numbers; cut them with bins="
        )
    marked = {v: mask for v, mask in table.missing.items() if v != where}
    if not marked:  # a gap in the column of what was set says that nothing was
        return Experiments(table, set_by), []
    shown = ~np.logical_or.reduce(list(marked.values()))
    left_out = int((~shown).sum())
    table = table.take(shown) if shown.any() else complete_rows(table)
    return Experiments(table, set_by), [f"{counted(left_out, 'row')} with gaps left out"]


def search_made(
    experiments: Experiments, score: str, options: dict[str, Any], *, ess: float | None = None
) -> LearnedAutomatically:
    """The best network by a score that leaves what was set out of its own families, narrow enough to ask."""
    clock = Clock(options["seconds"])
    common = {"knowledge": options["knowledge"], "progress": options["progress"]}
    return narrow_enough(
        count(experiments.table),
        [learn_from_experiments(experiments, score, ess=ess, **common)],
        ExperimentScore(experiments, score, ess=ess),
        options["treewidth"],
        clock=clock,
        rng=options["rng"],
        **common,
    )
