"""Put tables and lines on the arcs of a mixed network, from moments in joint states."""

from __future__ import annotations

import numpy as np

from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.models.discrete.family_counts import ONE_ROW, Dirichlet, FamilyCounts
from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
from treewright.models.mixed.lines import (
    Lines,
    check_lines_fit,
    parents_by_kind,
    refuse_numbers_above_states,
)
from treewright.models.model import require_variables
from treewright.statistics.mixed.shrunk import state_normals
from treewright.statistics.mixed.state_moments import MixedMoments, Positions
from treewright.types import Names, Scope


def fit_mixed(
    structure: Dag, moments: MixedMoments, *, prior: Dirichlet | None = ONE_ROW
) -> ConditionalGaussianNetwork:
    """Fit tables and lines; :func:`treewright.fit` calls this for the moments of a mixed table.

    The prior is that of the tables. Lines are regressions in each joint state of the discrete parents; a
    state of few rows leans on what the rows are within their states on the whole, one without rows is that
    (:mod:`~treewright.statistics.mixed.shrunk`), so that the score of the structure is the log-likelihood of
    the lines less the penalty.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = {"sex": ["f", "m"] * 3, "height": [160.5, 175.5, 165.5, 180.5, 170.5, 185.5]}
    >>> table = tw.read_table(rows)
    >>> dag = tw.Dag(table.schema, [("sex", "height")])
    >>> fit_mixed(dag, tw.statistics.mixed_moments(table)).lines("height").intercepts.tolist()
    [165.5, 180.5]
    """
    schema = structure.schema
    refuse_numbers_above_states(structure)
    require_variables(schema, moments.schema.names, "the moments lack")
    for variable in schema:
        if moments.schema[variable.name].states != variable.states:
            raise SchemaError(f"{variable.name!r} has other states in the structure than in the moments")
    if not moments.n > 0:
        raise SchemaError("a mixed network is fitted to one row at least; the moments have none")
    discrete = schema.select([v.name for v in schema if v.is_discrete])
    tables = {}
    if len(discrete):
        arcs = [(tail, head) for tail, head in structure.edges() if head in discrete]
        network = FamilyCounts(Dag(discrete, arcs), moments.counter).fit(prior=prior, keep_counts=False)
        tables = dict(zip(discrete.names, network.tables, strict=True))
    lines = {
        v.name: _regressed(structure, schema.index(v.name), moments) for v in schema if not v.is_discrete
    }
    return ConditionalGaussianNetwork(structure, tables, lines)


def _regressed(dag: Dag, v: int, moments: MixedMoments) -> Lines:
    """The line of one variable in each joint state of its discrete parents."""
    schema = dag.schema
    discrete, continuous = parents_by_kind(dag, v)
    check_lines_fit(schema, discrete, len(continuous))
    child, parents = schema.names[v], sorted(schema.names_of(continuous))
    normals = state_normals(
        moments, tuple(sorted(schema.names_of(discrete))), tuple(sorted([*parents, child]))
    )
    found = normals.moments
    at, own = [found.continuous.index(name) for name in parents], found.continuous.index(child)
    means = np.concatenate([normals.mean_elsewhere[None], found.mean])
    covariances = np.concatenate([normals.covariance_elsewhere[None], normals.covariance])
    inner, cross = covariances[:, at][:, :, at], covariances[:, at, own]
    slopes = np.linalg.solve(inner, cross[:, :, None])[:, :, 0] if parents else np.zeros((len(means), 0))
    variance = covariances[:, own, own] - (slopes * cross).sum(axis=1)
    scale = normals.scale
    variance = np.maximum(variance, 1e-13) * scale[own] ** 2
    slopes = slopes * scale[own] / scale[at]
    intercepts = means[:, own] - (slopes * means[:, at]).sum(axis=1)
    where = _places(dag, discrete, found.discrete, found.states)
    return Lines(
        intercepts[where],
        {name: slopes[where, k] for k, name in enumerate(parents)},
        variance[where],
    )


def _places(dag: Dag, discrete: Scope, named: Names, states: Positions) -> Positions:
    """For each joint state, axes in schema order, which line is its own: 0 where no row is."""
    shape = tuple(dag.schema[name].cardinality for name in named)
    where = np.zeros(shape, dtype=np.intp)
    if not named:
        return where + 1
    where[tuple(states.T)] = np.arange(1, len(states) + 1)
    order = [named.index(name) for name in dag.schema.names_of(discrete)]
    return where.transpose(order)
