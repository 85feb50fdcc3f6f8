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


def product_table(cardinalities, factors):
    """The product of factors over all variables, cell by cell of the full table."""
    product = np.ones(cardinalities)
    for factor in factors:
        order = np.argsort(factor.scope)
        shape = [1] * len(cardinalities)
        for v in factor.scope:
            shape[v] = cardinalities[v]
        product = product * np.transpose(factor.table, order).reshape(shape)
    return product


def with_evidence(product, evidence):
    """The product with observed states and likelihoods multiplied in."""
    for v, code in zip(evidence.observed, evidence.states, strict=True):
        product = _weighted(product, v, np.eye(product.shape[v])[code])
    for v, likelihood in zip(evidence.weighted, evidence.likelihoods, strict=True):
        product = _weighted(product, v, np.asarray(likelihood))
    return product


def summed_to(product, targets):
    """Sum everything but the targets out; axes in their order."""
    rest = tuple(v for v in range(product.ndim) if v not in targets)
    order = sorted(targets)
    return product.sum(axis=rest).transpose([order.index(v) for v in targets])


def _weighted(product, v, weights):
    shape = [1] * product.ndim
    shape[v] = -1
    return product * weights.reshape(shape)
