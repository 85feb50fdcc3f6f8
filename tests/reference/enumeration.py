"""Every question by brute force: the full joint table, one axis per variable."""

import itertools

import numpy as np


def full_joint(model):
    """Probability of every joint state, cell by cell."""
    cards = model.schema.cardinalities
    joint = np.zeros(cards)
    for cell in itertools.product(*(range(r) for r in cards)):
        p = 1.0
        for v in range(len(cards)):
            parents = tuple(cell[u] for u in model.dag.parents(v))
            p *= model.tables[v][(*parents, cell[v])]
        joint[cell] = p
    return joint


def posterior(model, targets, evidence):
    """Joint of `targets` (indices) given {index: code}, and the probability of the evidence."""
    joint = full_joint(model)
    mask = np.zeros_like(joint)
    mask[tuple(evidence.get(v, slice(None)) for v in range(joint.ndim))] = 1
    joint = joint * mask
    total = joint.sum()
    rest = tuple(v for v in range(joint.ndim) if v not in targets)
    table = joint.sum(axis=rest)
    order = sorted(targets)
    table = table.transpose([order.index(v) for v in targets])
    return (table / total if total else table), total
