"""Hidden trees, mixtures and other densities from rows with gaps: EM with drawn completions.

Such a learner walks whole rows. So each gap is drawn from what the present model expects of it, given what
its row shows and what was drawn of it before: by the chain rule a draw from the exact joint distribution
(stochastic EM, Celeux & Diebolt 1985). Learn from the rows so completed, draw anew, and so on. The tree by
structural EM, whose rounds are exact, draws first; rows held out tell by what they show, with their gaps
summed out, which round is kept. Draws follow from the seed and from what rows hold, not from their order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.automatic.mixed import Hashes, mean_of_rows, mix, row_hashes
from treewright.automatic.structural_em import fill_gaps
from treewright.criteria import BIC
from treewright.errors import SchemaError, SettingError
from treewright.graphs.feature_graph import FeatureGraph
from treewright.learners import Learned, learn_chow_liu
from treewright.models import BayesianNetwork, FeatureNetwork
from treewright.ranges import in_range
from treewright.tables import Table

_ROUNDS = 6
_HELD_OUT = 10  # every so many-th row

Learn = Callable[[Table, Table], Learned[FeatureGraph]]


@dataclass(frozen=True)
class DensityFilled:
    """What the rounds ended with.

    Attributes
    ----------
    learned
        What was learned in the best round.
    model
        It, to ask.
    scores
        Mean log-likelihood of what rows held out show, after each round.
    """

    learned: Learned[FeatureGraph]
    model: FeatureNetwork
    scores: tuple[float, ...]

    def about(self, table: Table) -> str:
        """What to say about it."""
        best = int(np.argmax(self.scores)) + 1
        return (
            f"learned from all {table.n_rows:,} rows, their gaps drawn from the model of the round before "
            f"(round {best} of {len(self.scores)} is the best by what rows held out show)"
        )


@in_range
def fill_density(table: Table, learn: Learn, *, valid: Table | None = None, seed: int = 0) -> DensityFilled:
    """Learn a density from rows with gaps.

    Parameters
    ----------
    table
        Rows of discrete columns, read with `missing="em"`.
    learn
        From completed rows, and others to choose by, to a graph with its parameters.
    valid
        Rows to choose by, with or without gaps; by default a tenth of the rows is held out.
    seed
        Of the draws.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"a": [0, 0, 1, 1, None] * 20, "b": [0, None, 1, 1, 0] * 20}
    >>> table = tw.read_table(rows, missing="em")
    >>> found = fill_density(
    ...     table, lambda rows, valid: tw.learn_hidden_tree(tw.count(rows), states=2, valid=valid)
    ... )
    >>> found.model.query("a", given={"b": 1})[1] > 0.8
    True
    """
    if seed < 0:
        raise SettingError(f"seed= of fill_density is a whole number from 0 on; found {seed}")
    if numbers := [one.name for one in table.schema if not one.is_discrete]:
        raise SchemaError(
            f"densities are learned from labels, and {numbers[0]!r} holds numbers; cut continuous "
            "columns into intervals with bins=4"
        )
    rows, others = (table, valid) if valid is not None else split(table, seed)
    model: BayesianNetwork | FeatureNetwork = fill_gaps(rows, lambda found: learn_chow_liu(BIC(found))).model
    best: tuple[Learned[FeatureGraph], FeatureNetwork] | None = None
    scores: list[float] = []
    for number in range(_ROUNDS):
        drawn = [draw_gaps(model, part, seed + number) for part in (rows, others)]
        learned = learn(drawn[0], drawn[1])
        model = FeatureNetwork(learned.structure)
        scores.append(mean_of_rows(model.log_evidence(others), others))
        if best is None or scores[-1] > max(scores[:-1]):
            best = learned, model
        if learned.trace.stopped_by or np.argmax(scores) < number - 1:  # two rounds without a gain
            break
    assert best is not None
    return DensityFilled(*best, tuple(scores))


def split(table: Table, seed: int) -> tuple[Table, Table]:
    """Rows to learn from and rows to choose by; the same where there are too few to spare any."""
    held_out = _keys(table, seed) % np.uint64(_HELD_OUT) == 0
    if held_out.all() or not held_out.any():
        return table, table
    return table.take(~held_out), table.take(held_out)


def draw_gaps(model: BayesianNetwork | FeatureNetwork, table: Table, seed: int) -> Table:
    """The rows with each gap drawn from what the model says of it, given what the row shows."""
    keys, columns, missing = _keys(table, seed), list(table.columns), dict(table.missing)
    for v in table.schema.name_order:
        if v not in missing:
            continue
        gaps = missing[v]
        rows = Table(table.schema, columns, missing=missing).take(gaps)
        missing = {u: mask for u, mask in missing.items() if u != v}
        if not rows.n_rows:
            continue
        below = np.cumsum(model.predict_table(rows, table.schema.names[v]).array, axis=1)
        keys = mix(keys + np.uint64(1))
        draws = (keys[gaps] >> np.uint64(11)).astype(np.float64) * 2.0**-53 * below[:, -1]
        states = np.minimum((below <= draws[:, None]).sum(axis=1), below.shape[1] - 1)
        filled: Any = np.array(columns[v])
        filled[gaps] = states
        columns[v] = filled
    return Table(table.schema, columns, weights=table.weights, missing=missing, report=table.report)


def _keys(table: Table, seed: int) -> Hashes:
    """A number for each row, by its cells, by how many rows before it hold the same, and by a seed."""
    hashes = row_hashes(table)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    starts = np.maximum.accumulate(np.where(is_first, np.arange(len(ordered)), 0))
    copies = np.empty(len(ordered), dtype=np.uint64)
    copies[order] = (np.arange(len(ordered)) - starts).astype(np.uint64)
    return mix(hashes + mix(copies + np.uint64(1)) + mix(np.full(1, seed + 1, dtype=np.uint64)))
