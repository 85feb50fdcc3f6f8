"""Random networks of discrete and continuous variables, and their rows."""

from __future__ import annotations

import numpy as np

import treewright as tw
from treewright.models import ConditionalGaussianNetwork, Lines


def random_mixed_network(
    n_variables: int, *, rng: np.random.Generator, arcs_each: float = 1.3
) -> ConditionalGaussianNetwork:
    """Half of the variables continuous, at most three parents each, no number above a state.

    Slopes are of either sign and between 0.5 and 1.5, levels differ between states by about two deviations,
    rows of tables are drawn from a Dirichlet distribution of one half.
    """
    names = [f"v{i:02}" for i in range(n_variables)]
    order = rng.permutation(names).tolist()
    discrete = set(rng.permutation(names)[: n_variables // 2].tolist())
    schema = tw.Schema(
        [tw.Variable(n, tuple("abc"[: int(rng.integers(2, 4))]) if n in discrete else None) for n in names]
    )
    parents: dict[str, list[str]] = {name: [] for name in names}
    pairs = [(u, v) for i, v in enumerate(order) for u in order[:i] if u in discrete or v not in discrete]
    for k in rng.permutation(len(pairs)).tolist():
        u, v = pairs[k]
        if sum(map(len, parents.values())) >= arcs_each * n_variables:
            break
        if len(parents[v]) < 3:
            parents[v].append(u)
    dag = tw.Dag(schema, [(u, v) for v in names for u in parents[v]])
    tables, lines = {}, {}
    for name in names:
        shape = tuple(schema[p].cardinality for p in dag.parents(name) if p in discrete)
        if name in discrete:
            tables[name] = rng.dirichlet(np.full(schema[name].cardinality, 0.5), size=shape)
            continue
        slopes = {
            p: rng.uniform(0.5, 1.5, size=shape) * rng.choice([-1.0, 1.0])
            for p in dag.parents(name)
            if p not in discrete
        }
        lines[name] = Lines(2 * rng.normal(size=shape), slopes, rng.uniform(0.3, 1.0, size=shape))
    return ConditionalGaussianNetwork(dag, tables, lines)
