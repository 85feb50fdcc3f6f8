"""Random products of tables and random questions about them, from one seed each."""

import numpy as np

from treewright.inference import Evidence, Factor
from treewright.tables.schema import Schema, Variable

MOST_CELLS = 6_000


def random_schema(rng, most=12):
    """One to twelve variables of one to five states whose joint table is small enough to enumerate."""
    cardinalities = [int(r) for r in rng.integers(1, 6, size=rng.integers(1, most, endpoint=True))]
    while np.prod(cardinalities) > MOST_CELLS:
        v = int(np.argmax(cardinalities))
        cardinalities[v] -= 1
    return Schema(Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(cardinalities))


def random_families(schema, rng):
    """A table per variable given some earlier ones of a random order; a quarter of the cells is zero."""
    order = rng.permutation(len(schema))
    families = [None] * len(schema)
    for position, v in enumerate(order):
        parents = rng.permutation(order[:position])[: rng.integers(0, 4)]
        scope = tuple(int(u) for u in (*parents, v))
        table = rng.random([schema.cardinalities[u] for u in scope])
        table *= rng.random(table.shape) > 0.25
        table[..., 0] += table.sum(axis=-1) == 0
        families[v] = Factor(scope, table / table.sum(axis=-1, keepdims=True))
    return families


def random_potentials(schema, rng):
    """Tables over any scopes: empty ones, repeated ones, variables without any."""
    potentials = []
    for _ in range(rng.integers(0, 10)):
        size = rng.integers(0, min(len(schema), 4), endpoint=True)
        scope = tuple(int(u) for u in rng.permutation(len(schema))[:size])
        table = rng.random([schema.cardinalities[u] for u in scope]) * 10.0 ** rng.integers(-3, 4)
        potentials.append(Factor(scope, np.asarray(table * (rng.random(np.shape(table)) > 0.15))))
    return potentials


def random_evidence(schema, rng, share=0.3):
    evidence = Evidence()
    for v, r in enumerate(schema.cardinalities):
        chance = rng.random()
        if chance < share:
            evidence.observed.append(v)
            evidence.states.append(int(rng.integers(r)))
        elif chance < share + 0.1:
            likelihood = rng.random(r) * (rng.random(r) > 0.2)
            if likelihood.any():
                evidence.weighted.append(v)
                evidence.likelihoods.append(likelihood.tolist())
    return evidence
