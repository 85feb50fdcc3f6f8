"""Linear-Gaussian networks the plain way: the whole covariance, conditioned by the textbook formula."""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal

import treewright as tw


def random_network(n, seed, *, density=0.4, spread=2.0):
    """A network of n variables whose names are not in topological order, with uneven scales."""
    rng = np.random.default_rng(seed)
    schema = tw.Schema([tw.Variable(f"v{k:02}") for k in rng.permutation(n)])
    arcs = [(u, v) for v in range(n) for u in range(v) if rng.random() < density]
    dag = tw.Dag(schema, arcs)
    coefficients = {
        schema.names[v]: {schema.names[u]: float(rng.normal()) for u in dag.parents(v)} for v in range(n)
    }
    return tw.GaussianNetwork(dag, rng.normal(size=n) * 3, coefficients, np.exp(rng.normal(size=n) * spread))


def joint(model):
    """Mean and covariance from (I - B) x = a + noise."""
    n = len(model.schema)
    lines = np.zeros((n, n))
    for v in range(n):
        for parent, weight in model.coefficients(v).items():
            lines[v, model.schema.index(parent)] = weight
    spread = np.linalg.inv(np.eye(n) - lines)
    return spread @ model.intercepts, spread @ np.diag(model.variances) @ spread.T


def conditional(model, targets, given):
    """Mean and covariance of targets, and the log-density of what is given."""
    mean, covariance = joint(model)
    t, e = [model.schema.index(name) for name in targets], [model.schema.index(name) for name in given]
    if not e:
        return mean[t], covariance[np.ix_(t, t)], 0.0
    values = np.array(list(given.values()))
    gain = np.linalg.solve(covariance[np.ix_(e, e)], covariance[np.ix_(e, t)]).T
    log_density = multivariate_normal(mean[e], covariance[np.ix_(e, e)], allow_singular=True).logpdf(values)
    return (
        mean[t] + gain @ (values - mean[e]),
        covariance[np.ix_(t, t)] - gain @ covariance[np.ix_(e, t)],
        float(log_density),
    )
