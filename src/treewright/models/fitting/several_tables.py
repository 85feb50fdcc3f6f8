"""How well a model explains several tables, each of which has only some of its variables.

A row says what its table has columns for; the probability of that is a sum over all else, which the model
computes exactly.
"""

from __future__ import annotations

import math

import numpy as np

from treewright.errors import SchemaError
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.fitting.em import observed_score
from treewright.models.model import AnyModel
from treewright.statistics.moments import moments
from treewright.tables.databases import Databases
from treewright.tables.table import Table


def score_tables(model: AnyModel, databases: Databases) -> float:
    """Mean log-likelihood per row of what the rows of all tables show, in nats; rows count by their weights.

    Examples
    --------
    >>> import treewright as tw
    >>> asia = tw.load_network("asia")
    >>> tables = tw.read_databases([{"smoke": ["yes", "no"]}, {"smoke": ["yes", "no"], "asia": ["no", "no"]}])
    >>> round(score_tables(asia, tables), 6)
    -0.698172
    """
    weights = np.asarray(databases.weights, dtype=np.float64)
    if not weights.sum():
        raise SchemaError("a score is a mean over rows; the tables have none (or all have weight zero)")
    scores = [score_shown(model, table) for table in databases.tables]
    return float(np.average(scores, weights=weights))


def score_shown(model: AnyModel, table: Table) -> float:
    """The same of one table."""
    if set(table.schema.names) >= set(model.schema.names):
        return model.score(table)
    if isinstance(model, GaussianNetwork):
        return _normal_score(model, table)
    if isinstance(model, BayesianNetwork):
        return observed_score(model, table)
    kind = type(model).__name__
    raise SchemaError(f"rows that lack columns are scored by Bayesian and Gaussian networks; found a {kind}")


def _normal_score(model: GaussianNetwork, table: Table) -> float:
    """The mean log-density under the marginal of the columns, from the moments of the rows."""
    found = moments(table)
    marginal = model.query(list(table.schema.names))
    _, log_determinant = np.linalg.slogdet(marginal.covariance)
    away = found.mean - marginal.mean
    second = found.scatter / found.n + np.outer(away, away)
    distance = float(np.trace(np.linalg.solve(marginal.covariance, second)))
    return -0.5 * (len(away) * math.log(2 * math.pi) + float(log_determinant) + distance)
