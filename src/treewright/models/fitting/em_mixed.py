"""Fitting tables and lines when states or numbers are missing: EM for mixed networks.

Each round expects the moments of all columns in all joint states that a family asks for, and fits tables and
lines to them. Few rows in a joint state lean on the others, which is no maximum of the likelihood alone:
where that lowers what the rows show by its last digits, the round ends EM and is not kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.arguments import DAG, TABLE, require
from treewright.graphs.directed.dag import Dag
from treewright.models.discrete.family_counts import ONE_ROW, Dirichlet
from treewright.models.fitting.em import EmSettings, EmTrace, climb_best
from treewright.models.fitting.em_lines import without_fall
from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
from treewright.models.mixed.expected_moments import ExpectedMixedMoments
from treewright.models.mixed.lines import Lines
from treewright.models.mixed.mixed_fit import fit_mixed
from treewright.statistics.gaps.expected_moments import refuse_empty_columns
from treewright.statistics.mixed.shrunk import FLOOR
from treewright.statistics.mixed.state_moments import MixedMoments
from treewright.tables.table import Table
from treewright.types import Brief, Floats


@dataclass(frozen=True)
class MixedFittedByEm(Brief):
    """A network fitted by :func:`fit_mixed_em`, moments as it expects them, and how the rounds went."""

    model: ConditionalGaussianNetwork
    moments: ExpectedMixedMoments
    trace: EmTrace


def fit_mixed_em(
    dag: Dag,
    table: Table,
    *,
    prior: Dirichlet | None = ONE_ROW,
    settings: EmSettings | None = None,
    begin: MixedMoments | None = None,
) -> MixedFittedByEm:
    """Fit a mixed network to rows with gaps, as :func:`fit_em` fits tables.

    Parameters
    ----------
    dag
        The arcs, over labels and numbers; no number is above a label.
    table
        Rows, read with `missing="em"`, with a column for every variable. They count by their weights.
    prior
        Of the tables, or None for maximum likelihood.
    settings
        When rounds end.
    begin
        Moments of all rows to begin with; by default those of each column by itself.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"sex": ["f", "m", None] * 2, "height": [160.5, 175.5, 180.5, None, 181.5, 163.5]}
    >>> table = tw.read_table(rows, missing="em")
    >>> fitted = tw.models.fit_mixed_em(tw.Dag(table.schema, [("sex", "height")]), table)
    >>> logs = fitted.trace.log_likelihood
    >>> logs[-1] > logs[0], len(fitted.model.lines("height").intercepts)
    (True, 2)
    """
    require("fit_mixed_em", DAG, dag)
    require("fit_mixed_em", TABLE, table)
    require("fit_mixed_em", TABLE, table)
    table = table.select(dag.schema.names)
    refuse_empty_columns(table)
    best: list[ExpectedMixedMoments] = []

    def expect(present: ConditionalGaussianNetwork) -> tuple[MixedMoments, float]:
        expected = ExpectedMixedMoments(present, table)
        if not best or expected.log_likelihood >= best[0].log_likelihood:
            best[:] = [expected]
        return expected, expected.log_likelihood

    def maximise(expected: MixedMoments) -> ConditionalGaussianNetwork:
        return fit_mixed(dag, expected, prior=prior)

    first = begin if begin is not None else alone(table)
    _, _, trace = climb_best(
        [(0, maximise(first))],
        expect=expect,
        maximise=maximise,
        log_prior=lambda _: 0.0,
        settings=settings or EmSettings(),
        n_rows=first.n,
    )
    trace = without_fall(trace)
    return MixedFittedByEm(best[0].model.with_provenance(trace.provenance()), best[0], trace)


def alone(table: Table) -> ExpectedMixedMoments:
    """Moments as expected where columns know nothing of each other: each is what its cells show."""
    weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
    tables: dict[str, Floats] = {}
    lines: dict[str, Lines] = {}
    for v, variable in enumerate(table.schema):
        mask, column = table.missing.get(v), np.asarray(table.columns[v])
        shown = np.ones(table.n_rows, dtype=np.bool_) if mask is None else ~mask
        if variable.is_discrete:
            counts = np.bincount(column[shown], weights[shown], minlength=variable.cardinality)
            tables[variable.name] = (counts + 1 / len(counts)) / (counts.sum() + 1)
        else:
            numbers: Floats = column[shown].astype(np.float64)
            mean = float(np.average(numbers, weights=weights[shown]))
            variance = float(np.average((numbers - mean) ** 2, weights=weights[shown]))
            lines[variable.name] = Lines(mean, {}, variance or FLOOR)
    return ExpectedMixedMoments(ConditionalGaussianNetwork(Dag(table.schema), tables, lines), table)
