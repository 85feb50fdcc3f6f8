"""R50, which figures about many rows are told of: 50 columns of 2 to 5 states, 126 bit planes, 108 arcs."""

from __future__ import annotations

import numpy as np

import treewright as tw

N_COLUMNS, N_ARCS, N_PLANES = 50, 108, 126


def r50(seed: int = 50, evenness: float = 0.6) -> tw.BayesianNetwork:
    """The network: columns of 2 to 5 states, each with parents among the twelve before it.

    Others that are told of in the same words have other seeds, or rows of tables that are more or less even.
    """
    rng = np.random.default_rng(seed)
    states = [2 + i % 4 for i in range(N_COLUMNS)]
    for i in range(N_PLANES - (sum(states) - N_COLUMNS)):
        states[4 * i] += 1
    parents: list[list[int]] = [[] for _ in states]
    while sum(map(len, parents)) < N_ARCS:
        child = int(rng.integers(1, N_COLUMNS))
        parent = int(rng.integers(max(0, child - 12), child))
        if parent not in parents[child] and len(parents[child]) < 4:
            parents[child].append(parent)
    names = [f"c{v:02}" for v in range(N_COLUMNS)]
    schema = tw.Schema(
        tw.Variable(name, tuple(f"state {letter} of {name}" for letter in "abcde"[:r]))
        for name, r in zip(names, states, strict=True)
    )
    dag = tw.Dag(schema, [(parent, child) for child, own in enumerate(parents) for parent in own])
    tables = []
    for child, own in enumerate(parents):
        rows = rng.dirichlet(np.full(states[child], evenness), size=[states[p] for p in own])
        tables.append(rows.transpose([*np.argsort(own, kind="stable"), len(own)]))
    return tw.BayesianNetwork(dag, tables)
