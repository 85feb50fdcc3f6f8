"""Penalised regressions of a variable on all others, as plainly as they can be said."""

import numpy as np


def contrasts(n_states):
    """An orthonormal basis of what differs between states, by Gram-Schmidt."""
    basis = []
    for state in range(1, n_states):
        vector = np.where(np.arange(n_states) < state, 1.0 / state, 0.0)
        vector[state] = -1.0
        basis.append(vector / np.linalg.norm(vector))
    return np.array(basis).T.reshape(n_states, n_states - 1)


def probabilities(codes, cardinalities, target, intercept, weights):
    """Per row the distribution of the target; `weights[v]` is a table: states of the target x states of v."""
    energies = np.tile(intercept, (codes.shape[1], 1))
    for v, table in weights.items():
        energies += table.T[codes[v]]
    energies -= energies.max(axis=1, keepdims=True)
    shares = np.exp(energies)
    return shares / shares.sum(axis=1, keepdims=True)


def gradients(codes, row_weights, cardinalities, target, intercept, weights):
    """Of the mean loss: in the intercept, and in every other variable's table, in centred coordinates."""
    shares = probabilities(codes, cardinalities, target, intercept, weights)
    missed = shares - np.eye(cardinalities[target])[codes[target]]
    missed *= row_weights[:, None] / row_weights.sum()
    others = [v for v in range(len(cardinalities)) if v != target]
    mine = contrasts(cardinalities[target])
    tables = {
        v: mine.T @ (missed.T @ np.eye(cardinalities[v])[codes[v]]) @ contrasts(cardinalities[v])
        for v in others
    }
    return mine.T @ missed.sum(axis=0), tables


def log_likelihood(codes, row_weights, cardinalities, target, intercept, weights):
    shares = probabilities(codes, cardinalities, target, intercept, weights)
    return float(row_weights @ np.log(shares[np.arange(len(row_weights)), codes[target]]))


def tables_of(cardinalities, target, matrix, intercepts):
    """Tables and intercept of one target from what the core returns."""
    offsets = np.concatenate([[0], np.cumsum([r - 1 for r in cardinalities])])
    mine, basis = slice(offsets[target], offsets[target + 1]), contrasts(cardinalities[target])
    tables = {
        v: basis @ matrix[mine, offsets[v] : offsets[v + 1]] @ contrasts(cardinalities[v]).T
        for v in range(len(cardinalities))
        if v != target
    }
    return tables, basis @ intercepts[mine]
