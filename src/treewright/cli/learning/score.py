"""What `treewright learn` maximised: its name, and what the model is worth by it."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from treewright.cli.learning.methods import network_of
from treewright.cli.learning.task import Task
from treewright.graphs import Dag, FeatureGraph
from treewright.learners import Learned, LearnedKnots


def maximised(learned: Learned[Any], criterion: str, task: Task) -> str:
    """The name of the score: the one that was asked for, unless the method chose another for these rows."""
    return learned.report.score if chose_score(learned, task) else criterion


def score_of(learned: Learned[Any], task: Task, log_likelihood: float | None) -> float | None:
    """What the method maximised; of a feature graph the log-likelihood of all rows.

    None where no table has the columns of a family.
    """
    if isinstance(learned.structure, FeatureGraph):
        return None if log_likelihood is None else log_likelihood * task.rows.source.n_rows
    if chose_score(learned, task):
        return learned.score
    network = network_of(learned)
    if not isinstance(network, Dag):
        return learned.score
    found = task.score.score(network)
    return found if np.isfinite(found) else None


def chose_score(learned: Learned[Any], task: Task) -> TypeGuard[LearnedKnots]:
    return isinstance(learned, LearnedKnots) and task.options.score is None
