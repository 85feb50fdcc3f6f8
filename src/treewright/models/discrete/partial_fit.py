"""Going on learning: the counts of further rows added to those that a model carries."""

from __future__ import annotations

import numpy as np

from treewright.errors import MissingValuesError, SettingError
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.family_counts import FamilyCounter, FamilyCounts
from treewright.models.model import align_columns
from treewright.statistics.whole import count
from treewright.tables.table import Table


def partial_fit(model: BayesianNetwork, data: Table | FamilyCounter) -> BayesianNetwork:
    """A new model from the rows behind `model` and those of `data`; see `BayesianNetwork.partial_fit`."""
    if model.counts is None:
        raise SettingError(
            "partial_fit adds rows to the counts that a model carries, and this one carries none; "
            "fit it with keep_counts=True"
        )
    counter = _counter_over(model, data) if isinstance(data, Table) else data
    counts = model.counts + FamilyCounts(model.dag, counter)
    fitted = counts.fit(prior=model.prior, keep_counts=True)
    return fitted.with_provenance(model.provenance) if model.provenance else fitted


def _counter_over(model: BayesianNetwork, table: Table) -> FamilyCounter:
    """The rows counted in the model's own states, whatever the columns of the table look like."""
    holes = [table.schema.names[v] for v in table.missing if table.schema.names[v] in model.schema]
    if holes:
        raise MissingValuesError(
            f"partial_fit counts complete rows; column {holes[0]!r} has missing values: drop those rows, or "
            "fit all rows together with fit_em"
        )
    columns = align_columns(model.schema, table)
    weights = None if table.weights is None else np.asarray(table.weights)
    return count(Table(model.schema, columns, weights=weights))
