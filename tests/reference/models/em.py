"""Expected counts by brute force: every completion of every row, weighed by the full joint."""

import itertools
import math

import numpy as np


def expected_counts(model, rows, weights=None):
    """Per variable the expected counts of its family, and the log-likelihood; None marks a missing cell."""
    cards, parents = model.schema.cardinalities, [model.dag.parents(v) for v in range(len(model.schema))]
    counts = [np.zeros_like(table) for table in model.tables]
    log_likelihood = 0.0
    for row, weight in zip(rows, weights if weights is not None else [1.0] * len(rows), strict=True):
        if weight == 0:
            continue
        ways = [range(r) if code is None else [code] for r, code in zip(cards, row, strict=True)]
        completions = list(itertools.product(*ways))
        masses = [
            math.prod(model.tables[v][(*(cell[u] for u in parents[v]), cell[v])] for v in range(len(cards)))
            for cell in completions
        ]
        total = sum(masses)
        log_likelihood += weight * math.log(total)
        for cell, mass in zip(completions, masses, strict=True):
            for v in range(len(cards)):
                counts[v][(*(cell[u] for u in parents[v]), cell[v])] += weight * mass / total
    return counts, log_likelihood
