"""Several tables with overlapping columns: networks fitted to them, and how well a model explains them.

Every family is fitted to all tables that have its columns. Where no table has them, the distribution is
completed from what the tables have in parts. The network then answers questions across tables, about columns
that nobody has seen together. A row of a table says what its columns say; the probability of that is a sum
over all else, which the model computes exactly.
"""

from __future__ import annotations

import math

import numpy as np

from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.inference.completion import CompletedJoint
from treewright.models.continuous.gaussian_fit import GaussianPrior, fit_gaussian
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.family_counts import ONE_ROW, Dirichlet, FamilyCounts
from treewright.models.fitting.em import score_observed
from treewright.models.model import AnyModel, require_variables
from treewright.statistics.moments import moments
from treewright.statistics.several.pooled import PooledCounter
from treewright.statistics.several.pooled_moments import PooledMoments
from treewright.tables.databases import Databases
from treewright.tables.table import Table


def fit_databases(
    dag: Dag,
    databases: Databases,
    prior: Dirichlet | GaussianPrior | None = ONE_ROW,
    *,
    keep_counts: bool = False,
) -> BayesianNetwork | GaussianNetwork:
    """Fit tables or regressions to the families of a network; :func:`treewright.fit` calls this.

    Examples
    --------
    >>> import treewright as tw
    >>> first, second = {"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}, {"b": [0, 1], "c": ["no", "yes"]}
    >>> tables = tw.read_databases([first, second])
    >>> model = fit_databases(tw.Dag(tables.schema, [("a", "b"), ("b", "c")]), tables, prior=None)
    >>> model.query("c", given={"a": 1})["yes"]
    1.0
    """
    require_variables(dag.schema, databases.schema.names, "no table has")
    if databases.is_continuous:
        return _fit_regressions(dag, databases, require_gaussian(prior))
    prior = require_dirichlet(prior)
    counted = PooledCounter(databases)
    joint = CompletedJoint(databases.schema, databases.hyperedge_scopes, counted.counts_many)
    counter = PooledCounter(databases, joint)
    model = FamilyCounts(dag, counter).fit(prior=prior, keep_counts=keep_counts)
    completed = completed_families(dag, databases)
    return model.with_provenance({**model.provenance, "completed": completed}) if completed else model


def completed_families(dag: Dag, databases: Databases) -> list[str]:
    """Variables that no table has together with all their parents, by name."""
    families = [dag.schema.names_of((v, *dag.parents(v))) for v in range(len(dag.schema))]
    return sorted(family[0] for family in families if not databases.covers(family))


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
        return score_observed(model, table)
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


def _fit_regressions(dag: Dag, databases: Databases, prior: GaussianPrior | None) -> GaussianNetwork:
    """One regression at a time: each has rows of its own."""
    pooled, fitted = PooledMoments(databases), dict[str, GaussianNetwork]()
    for v, name in enumerate(dag.schema.names):
        parents = dag.schema.names_of(dag.parents(v))
        found = pooled.moments((*parents, name))
        family = Dag(found.schema, [(parent, name) for parent in parents])
        fitted[name] = fit_gaussian(family, found, prior=prior)
    return GaussianNetwork(
        dag,
        [one.intercept(name) for name, one in fitted.items()],
        {name: one.coefficients(name) for name, one in fitted.items()},
        [one.variance(name) for name, one in fitted.items()],
        floored=[name for name, one in fitted.items() if name in one.floored],
        redundant={name: one.redundant[name] for name, one in fitted.items() if name in one.redundant},
    )


def require_gaussian(prior: Dirichlet | GaussianPrior | None) -> GaussianPrior | None:
    if isinstance(prior, Dirichlet) and prior is not ONE_ROW:
        raise SchemaError("a Dirichlet prior goes with counts; moments are fitted with a GaussianPrior")
    return None if isinstance(prior, Dirichlet) else prior


def require_dirichlet(prior: Dirichlet | GaussianPrior | None) -> Dirichlet | None:
    if isinstance(prior, GaussianPrior):
        raise SchemaError("a GaussianPrior goes with moments; counts are fitted with a Dirichlet prior")
    return prior
