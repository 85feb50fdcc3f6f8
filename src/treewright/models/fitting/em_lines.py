"""Fitting lines when numbers are missing: EM for linear-Gaussian networks.

Each round expects the moments of all columns under the network at hand, and fits its regressions to them. So
no round makes what the rows show less probable. Where parents determine a variable its variance is a floor,
which is no maximum: there rounding alone may lower the last digits, and such a round ends EM and is not kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treewright.graphs.directed.dag import Dag
from treewright.models.continuous.gaussian_fit import fit_gaussian
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.fitting.em import EmSettings, EmTrace, climb_best
from treewright.statistics.gaps.expected_moments import NumbersWithGaps, empty_columns
from treewright.statistics.moments import Moments
from treewright.tables.table import Table
from treewright.types import Brief, Floats


@dataclass(frozen=True)
class LinesFittedByEm(Brief):
    """A network fitted by :func:`fit_lines_em`, moments as it expects them, and how the rounds went."""

    model: GaussianNetwork
    moments: Moments
    trace: EmTrace


def fit_lines_em(dag: Dag, rows: NumbersWithGaps, settings: EmSettings | None = None) -> LinesFittedByEm:
    """Fit a linear-Gaussian network to rows with gaps by maximum likelihood, from the available moments.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.read_table({"x": [1.5, 2.5, 3.5, None], "y": [1.0, 2.5, 3.0, 4.5]}, missing="em")
    >>> fitted = fit_lines_em(tw.Dag(table.schema, [("y", "x")]), NumbersWithGaps(table))
    >>> round(fitted.model.coefficients("x")["y"], 2), fitted.trace.converged
    (0.92, True)
    """
    best: list[tuple[GaussianNetwork, Moments, float]] = []

    def expect(present: tuple[GaussianNetwork, Moments]) -> tuple[Moments, float]:
        expected, log_likelihood = rows.expect(present[1], covariance_of(present[0]))
        if not best or log_likelihood >= best[0][2]:
            best[:] = [(present[0], expected, log_likelihood)]
        return expected, log_likelihood

    def maximise(expected: Moments) -> tuple[GaussianNetwork, Moments]:
        return fit_gaussian(dag, expected), expected

    _, _, trace = climb_best(
        [(0, maximise(rows.available))],
        expect=expect,
        maximise=maximise,
        log_prior=lambda _: 0.0,
        settings=settings or EmSettings(),
        n_rows=float(rows.available.n),
    )
    model, expected, _ = best[0]
    trace = without_fall(trace)
    return LinesFittedByEm(model.with_provenance(trace.provenance()), expected, trace)


def without_fall(trace: EmTrace) -> EmTrace:
    """The rounds without the last, if that fell."""
    logs = trace.log_likelihood
    if logs[-1] >= logs[-2]:
        return trace
    return replace(trace, log_likelihood=logs[:-1], objective=logs[:-1], objectives=(logs[-2],))


def covariance_of(model: GaussianNetwork) -> Floats:
    """The covariance of all variables, one after another along the arcs."""
    index = model.schema.index
    paths = np.eye(len(model.schema))  # what a unit of each disturbance adds to each variable
    for v in model.dag.topological_order:
        for parent, weight in model.coefficients(v).items():
            paths[v] += weight * paths[index(parent)]
    return np.asarray((paths * model.variances) @ paths.T)


def observed_density(model: GaussianNetwork, table: Table) -> float:
    """Mean log-density of what the rows show, in nats; rows count by their weights."""
    table = table.select(model.schema.names)
    empty = set(empty_columns(table))
    scope = [v for v, name in enumerate(model.schema.names) if name not in empty]
    if not scope:
        return 0.0
    rows = NumbersWithGaps(table.select(scope))
    mean, covariance = model.mean()[scope], covariance_of(model)[np.ix_(scope, scope)]
    available = rows.available
    middle = Moments(available.schema, available.n, mean, available.scatter)
    return rows.expect(middle, covariance)[1] / float(available.n)
