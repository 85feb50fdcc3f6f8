"""Pseudo-likelihoods of weighted features and of factors, one row and one state at a time."""

import math


def literals_of(cardinalities):
    """All statements "variable v is in state s" but those about first states, by variable and state."""
    return [(v, s) for v, r in enumerate(cardinalities) for s in range(1, r)]


def pseudo_log_likelihood(codes, row_weights, cardinalities, features, weights):
    literals = literals_of(cardinalities)

    def energy(row):
        return sum(
            w
            for feature, w in zip(features, weights, strict=True)
            if all(row[literals[i][0]] == literals[i][1] for i in feature)
        )

    total = 0.0
    for row, times in zip(codes.T.tolist(), row_weights, strict=True):
        total += times * conditional_logs(row, cardinalities, energy)
    return total


def conditional_logs(row, cardinalities, energy):
    """The sum over variables of log P(state | the others), for a row and the log of its weight."""
    total = 0.0
    for v, r in enumerate(cardinalities):
        logs = [energy([*row[:v], s, *row[v + 1 :]]) for s in range(r)]
        largest = max(logs)
        total += logs[row[v]] - largest - math.log(sum(math.exp(one - largest) for one in logs))
    return total
