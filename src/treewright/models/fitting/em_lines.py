"""Fitting lines when numbers are missing: EM for linear-Gaussian networks.

Each round expects the moments of all columns under the network at hand, and fits its regressions to them. So
no round makes what the rows show less probable. Where parents determine a variable its variance is a floor,
which is no maximum; there the last digits of a round may fall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treewright.graphs.directed.dag import Dag
from treewright.models.continuous.gaussian_fit import fit_gaussian
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.fitting.em import EmSettings, EmTrace, climb_best
from treewright.models.many_rows import no_rows
from treewright.statistics.gaps.expected_moments import NumbersWithGaps
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
    >>> round(fitted.model.coefficients("x")["y"], 4), fitted.trace.converged
    (0.9231, True)
    """
    chosen = settings or EmSettings()

    def expect(present: tuple[GaussianNetwork, Moments]) -> tuple[Moments, float]:
        return rows.expect(present[1], covariance_of(present[0]))

    def maximise(expected: Moments) -> tuple[GaussianNetwork, Moments]:
        return fit_gaussian(dag, expected), expected

    present, _, trace = climb_best(
        [(0, maximise(rows.available))],
        expect=expect,
        maximise=maximise,
        log_prior=lambda _: 0.0,
        settings=chosen,
        n_rows=float(rows.available.n),
    )
    model = present[0].with_provenance(trace.provenance())
    return LinesFittedByEm(model, expect(present)[0], trace)


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
    rows = NumbersWithGaps(table.select(model.schema.names))
    if not (n := float(rows.available.n)):
        raise no_rows()
    middle = Moments(model.schema, rows.available.n, model.mean(), rows.available.scatter)
    log_likelihood = rows.expect(middle, covariance_of(model))[1]
    return math.fsum([log_likelihood]) / n
