"""Learning from rows with missing cells that were kept (`--missing em`).

Searching for a structure counts many scopes, and only rows that show a whole scope can be counted; counts
of different rows for different scopes would contradict each other. So the structure is learned from the rows
that miss nothing, and the tables are fitted to all rows by expectation maximisation. A remark says so.
"""

from __future__ import annotations

import numpy as np

from treewright.errors import MissingValuesError
from treewright.graphs import Dag, FeatureGraph
from treewright.models import BayesianNetwork, Dirichlet, FeatureNetwork, fit, fit_em, observed_score
from treewright.models.fitting.em import EmTrace
from treewright.models.model import AnyModel
from treewright.statistics import Counter
from treewright.tables.exports import counted
from treewright.tables.table import Table


def complete_rows(table: Table) -> Table:
    """The rows to learn a structure from: those that miss nothing."""
    if not table.has_missing:
        return table
    kept = ~np.logical_or.reduce(list(table.missing.values()))
    if not kept.any():
        worst = max(table.missing, key=lambda v: int(table.missing[v].sum()))
        raise MissingValuesError(
            "a structure is learned from rows that miss nothing, and every row misses a cell; leave out the "
            f"columns that miss most ({table.schema.names[worst]!r} first), or use --missing state"
        )
    return table.take(kept)


def fit_all_rows(structure: Dag, table: Table, counter: Counter) -> tuple[BayesianNetwork, list[str]]:
    """The model, and a remark on how it came about if cells are missing."""
    if not table.has_missing:
        return fit(structure, counter), []
    fitted = fit_em(structure, table)
    return fitted.model, [_said(table, fitted.trace)]


def fit_features_to_all_rows(
    graph: FeatureGraph, table: Table, alpha: float
) -> tuple[FeatureNetwork, list[str]]:
    """The same for a feature graph without hidden choices; others would be fitted beyond their early stop."""
    fitted = fit_em(graph, table, prior=Dirichlet(alpha) if alpha > 0 else None)
    return fitted.model, [_said(table, fitted.trace)]


def _said(table: Table, trace: EmTrace) -> str:
    ended = "" if trace.converged else ", not converged"
    return (
        f"structure from the {complete_rows(table).n_rows:,} of {table.n_rows:,} rows that miss nothing; "
        f"tables from all rows by EM ({counted(trace.n_rounds, 'round')}{ended})"
    )


def mean_log_likelihood(model: AnyModel, table: Table) -> float:
    """Per row, of what the row shows."""
    if isinstance(model, BayesianNetwork) and table.has_missing:
        return observed_score(model, table)
    if isinstance(model, FeatureNetwork) and table.has_missing:
        return float(np.average(model.log_evidence(table), weights=table.weights))
    return model.score(table)
