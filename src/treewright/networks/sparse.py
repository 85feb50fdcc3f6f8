"""Sparse networks of any size and of unbounded width, to measure how learning grows."""

from __future__ import annotations

import numpy as np

from treewright.graphs.directed.dag import Dag
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.tables.schema import Schema, Variable

MOST_PARENTS = 3


def sparse_network(n_variables: int, rng: np.random.Generator) -> BayesianNetwork:
    """Variables of 2 to 4 states; each picks 0 to 3 parents among all before it.

    Unlike :func:`random_network` nothing bounds the treewidth, which grows with the number of variables.

    Examples
    --------
    >>> model = sparse_network(40, np.random.default_rng(0))
    >>> model.schema.names[:2], model.dag.n_edges, max(len(model.dag.parents(v)) for v in range(40))
    (('v0000', 'v0001'), 68, 3)
    """
    sizes = rng.integers(2, 4, size=n_variables, endpoint=True)
    schema = Schema([Variable(f"v{v:04}", tuple(range(size))) for v, size in enumerate(sizes.tolist())])
    arcs, tables = [], {}
    for v in range(n_variables):
        n_parents = min(v, int(rng.integers(0, MOST_PARENTS + 1)))
        parents = np.sort(rng.choice(v, size=n_parents, replace=False)).tolist()
        arcs += [(parent, v) for parent in parents]
        tables[schema.names[v]] = rng.dirichlet(np.ones(sizes[v]), size=tuple(sizes[parents]))
    return BayesianNetwork(Dag(schema, arcs), tables)
