"""Scores of rows of which some were made: a family is scored where its child was not set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.criteria.registry import score_named
from treewright.criteria.scores.score import LocalScore, NamedFamily, PluralScore, as_families, floats
from treewright.statistics.experiments import Experiments
from treewright.tables.schema import Schema
from treewright.types import Floats


class ExperimentScore(PluralScore):
    """A decomposable score in which every family leaves out the rows in which its child was set.

    Two networks with the same independences may differ in it: where a cause was set its effect follows, where
    an effect was set its cause does not. A variable that was set in every row has no parents: with some it
    scores minus infinity.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 1] * 40, "b": [0, 1] * 20 + [0, 0, 1, 1] * 10, "set": ["none"] * 40 + ["b"] * 40}
    >>> score = ExperimentScore(tw.statistics.Experiments(tw.read_table(rows), "set"))
    >>> round(score.local("b", ["a"]) - score.local("b")), round(score.local("a", ["b"]) - score.local("a"))
    (26, 8)
    """

    is_score_equivalent = False

    def __init__(self, experiments: Experiments, score: str = "bic", *, ess: float | None = None) -> None:
        self.experiments, self._name, self._ess = experiments, score, ess
        self._scores: dict[int, LocalScore] = {}

    def __repr__(self) -> str:
        return f"ExperimentScore({self._name})"

    @property
    def schema(self) -> Schema:
        return self.experiments.schema

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        known = as_families(self.schema, families)
        scores = np.zeros(len(known))
        children = np.array([child for child, _ in known])
        for child in dict.fromkeys(children.tolist()):
            asked = np.flatnonzero(children == child)
            if self.experiments.rows_of(child) == 0:
                scores[asked] = [-np.inf if known[i][1] else 0.0 for i in asked]
            else:
                scores[asked] = self._score_of(child).local_many([known[i] for i in asked])
        return floats(scores)

    def _score_of(self, child: int) -> LocalScore:
        counter = self.experiments.counter_of(child)
        if id(counter) not in self._scores:  # counters live as long as the experiments do
            self._scores[id(counter)] = score_named(self._name, counter, ess=self._ess)
        return self._scores[id(counter)]
