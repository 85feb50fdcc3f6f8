"""Parameters of a feature graph: counted where every row takes one way, expected where it does not.

A complete row uses the same parameters of a deterministic graph whatever they are worth, so the likelihood
falls apart into one multinomial per distribution, and counting settles it:
`p = (N + alpha * share) / (sum of these)`, where the prior's `alpha` rows are shared evenly by what may occur
at a node. Hidden choices and missing cells are weighed by the parameters at hand instead, again and again
(expectation maximisation, Dempster, Laird & Rubin 1977).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.errors import GraphError, NoExactAnswer, SettingError
from treewright.graphs.feature_graph import FeatureGraph
from treewright.inference.batch import EvidenceColumns
from treewright.models.discrete.family_counts import Dirichlet, FamilyCounter
from treewright.models.features.feature_network import FeatureNetwork
from treewright.models.fitting.em import EmSettings, EmTrace, climb_best
from treewright.models.model import align_columns, align_evidence
from treewright.statistics.rows import tables_behind
from treewright.tables.table import Table
from treewright.types import Cells


@dataclass(frozen=True)
class FittedFeatures:
    """A feature network fitted by :func:`fit_em`, and how the rounds went."""

    model: FeatureNetwork
    trace: EmTrace


def fit_features(graph: FeatureGraph, counter: FamilyCounter, prior: Dirichlet | None) -> FeatureNetwork:
    """Fit all parameters: in closed form on a deterministic graph, else by expectation maximisation."""
    model = FeatureNetwork(graph)
    if model.is_exact:
        return refit(model, counter, 0.0 if prior is None else prior.ess)
    rows = _joined_rows(model, tables_behind(counter, "fitting a feature graph"))
    return _fitted(model, rows, 0.0 if prior is None else prior.ess, EmSettings()).model


def refit(model: FeatureNetwork, counter: FamilyCounter, alpha: float) -> FeatureNetwork:
    """Count in one pass and estimate; see :meth:`FeatureNetwork.refit`."""
    if not (math.isfinite(alpha) and alpha >= 0):
        raise SettingError(f"the weight of the prior is a number of rows from 0 on; found alpha={alpha!r}")
    if not model.is_exact:
        raise NoExactAnswer(
            "a graph with mixtures or hidden states has no closed-form parameters; fit(graph, counter) or "
            "fit_em(graph, table) run expectation maximisation from the parameters at hand"
        )
    counts, lost = np.zeros(len(model.graph.numbers)), 0.0
    for table in tables_behind(counter, "refitting a feature graph"):
        weights = None if table.weights is None else np.ascontiguousarray(table.weights, dtype=np.float64)
        found, missed = model.engine.counts(align_columns(model.schema, table), table.n_rows, weights)
        counts, lost = counts + found, lost + missed
    if lost:
        raise GraphError(
            f"{lost:g} rows have a state for which the graph has no child, so that no parameters make them "
            "possible; learn the graph anew with these rows"
        )
    return _with(model, counts, alpha)


def fit_features_em(
    graph: FeatureGraph, table: Table, prior: Dirichlet | None, settings: EmSettings
) -> FittedFeatures:
    """Fit a feature graph to rows with missing cells; see :func:`fit_em`."""
    model = FeatureNetwork(graph)
    weights = None if table.weights is None else np.ascontiguousarray(table.weights, dtype=np.float64)
    rows = _Rows(align_evidence(model.schema, table), weights)
    return _fitted(model, rows, 0.0 if prior is None else prior.ess, settings)


@dataclass(frozen=True)
class _Rows:
    """What is seen of the rows, and how they count."""

    columns: EvidenceColumns
    weights: Cells | None

    @property
    def total(self) -> float:
        return float(self.columns.n_rows if self.weights is None else self.weights.sum())


def _joined_rows(model: FeatureNetwork, tables: Sequence[Table]) -> _Rows:
    """The rows of several tables as one, in the model's codes, with their weights."""
    aligned = [align_columns(model.schema, table) for table in tables]
    n_rows = sum(table.n_rows for table in tables)
    codes: list[npt.NDArray[np.unsignedinteger] | None] = [
        np.concatenate([one[v] for one in aligned]) if len(aligned) > 1 else aligned[0][v]
        for v in range(len(model.schema))
    ]
    columns = EvidenceColumns(codes, [None] * len(codes), n_rows)
    if all(table.weights is None for table in tables):
        return _Rows(columns, None)
    weights = [np.ones(table.n_rows) if table.weights is None else table.weights for table in tables]
    return _Rows(columns, np.concatenate(weights, dtype=np.float64))


def _fitted(model: FeatureNetwork, rows: _Rows, alpha: float, settings: EmSettings) -> FittedFeatures:
    fitted, _, trace = climb_best(
        ((i, _start(model, rows, settings.rng if i else None)) for i in range(settings.starts + 1)),
        expect=lambda at: at.engine.expected_counts(rows.columns, rows.weights),
        maximise=lambda counts: _with(model, counts, alpha),
        log_prior=lambda at: at._parameters.log_prior(at.graph.numbers, alpha),
        settings=settings,
        n_rows=rows.total,
    )
    return FittedFeatures(fitted.with_provenance(trace.provenance()), trace)


def _start(model: FeatureNetwork, rows: _Rows, rng: np.random.Generator | None) -> FeatureNetwork:
    """The graph's own parameters after a round with an imagined row (nothing is impossible), or chance."""
    if rng is None:
        return _with(model, model.engine.expected_counts(rows.columns, rows.weights)[0], 1.0)
    draws = rng.standard_exponential(len(model.graph.numbers))
    return _with(model, draws * model._parameters.allowed(), 0.0)


def _with(model: FeatureNetwork, counts: Cells, alpha: float) -> FeatureNetwork:
    return FeatureNetwork(model.graph.with_numbers(model._parameters.estimate(counts, alpha)))
