"""Fit a network to several tables with overlapping columns.

Every family is fitted to all tables that have its columns. Where no table has them, the distribution is
completed from what the tables have in parts. The network then answers questions across tables, about columns
that nobody has seen together.
"""

from __future__ import annotations

from treewright.errors import SchemaError, nearest
from treewright.graphs.directed.dag import Dag
from treewright.inference.completion import CompletedJoint
from treewright.models.continuous.gaussian_fit import GaussianPrior, fit_gaussian
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.dirichlet import ONE_ROW, Dirichlet
from treewright.models.discrete.family_counts import FamilyCounts
from treewright.statistics.pooled import PooledCounter
from treewright.statistics.pooled_moments import PooledMoments
from treewright.tables.databases import Databases


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
    _check_names(dag, databases)
    if databases.is_continuous:
        if isinstance(prior, Dirichlet) and prior is not ONE_ROW:
            raise SchemaError("a Dirichlet prior goes with counts; moments are fitted with a GaussianPrior")
        return _fit_regressions(dag, databases, prior if isinstance(prior, GaussianPrior) else None)
    if isinstance(prior, GaussianPrior):
        raise SchemaError("a GaussianPrior goes with moments; counts are fitted with a Dirichlet prior")
    counted = PooledCounter(databases)
    joint = CompletedJoint(databases.schema, databases.hyperedge_scopes, counted.counts_many)
    counter = PooledCounter(databases, joint)
    model = FamilyCounts(dag, counter).fit(prior=prior, keep_counts=keep_counts)
    completed = completed_families(dag, databases)
    return model.with_provenance({**model.provenance, "completed": completed}) if completed else model


def completed_families(dag: Dag, databases: Databases) -> list[str]:
    """Variables that no table has together with all their parents, by name."""
    names = dag.schema.names
    return sorted(
        name
        for v, name in enumerate(names)
        if not databases.covers((name, *dag.schema.names_of(dag.parents(v))))
    )


def _fit_regressions(dag: Dag, databases: Databases, prior: GaussianPrior | None) -> GaussianNetwork:
    """One regression at a time: each has rows of its own."""
    pooled = PooledMoments(databases)
    names = dag.schema.names
    intercepts: dict[str, float] = {}
    coefficients: dict[str, dict[str, float]] = {}
    variances: dict[str, float] = {}
    floored: list[str] = []
    redundant: dict[str, tuple[str, ...]] = {}
    for v, name in enumerate(names):
        parents = dag.schema.names_of(dag.parents(v))
        moments = pooled.moments((*parents, name))
        family = Dag(moments.schema, [(parent, name) for parent in parents])
        fitted = fit_gaussian(family, moments, prior=prior)
        intercepts[name] = fitted.intercept(name)
        coefficients[name] = fitted.coefficients(name)
        variances[name] = fitted.variance(name)
        floored += [name] if name in fitted.floored else []
        if name in fitted.redundant:
            redundant[name] = tuple(fitted.redundant[name])
    return GaussianNetwork(
        dag,
        [intercepts[name] for name in names],
        coefficients,
        [variances[name] for name in names],
        floored=floored,
        redundant=redundant,
    )


def _check_names(dag: Dag, databases: Databases) -> None:
    for name in dag.schema.names:
        if name not in databases.schema:
            raise SchemaError(
                f"the structure has a variable {name!r} that no table has; "
                f"they have {nearest(name, databases.schema.names)}"
            )
