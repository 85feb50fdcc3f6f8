"""Chow-Liu trees from weighted rows and the weights of a stack, in plain NumPy."""

from itertools import combinations

import numpy as np


def pair_table(codes, weights, i, j, cardinalities, alpha, shrinkage):
    """Weighted counts of two columns, with even pseudo-rows and pseudo-rows like all rows."""

    def counted(w):
        table = np.zeros((cardinalities[i], cardinalities[j]))
        np.add.at(table, (codes[:, i], codes[:, j]), w)
        return table

    everyone = counted(np.ones(len(codes)))
    return counted(weights) + shrinkage * everyone / everyone.sum() + alpha / everyone.size


def information(table):
    p = table / table.sum()
    outer = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    return float((p[p > 0] * np.log(p[p > 0] / outer[p > 0])).sum())


def weighted_tree(codes, weights, cardinalities, alpha=1.0, shrinkage=0.0):
    """Edges of the best tree by Kruskal, and a function that gives log-likelihoods of rows."""
    n = len(cardinalities)
    tables = {
        (i, j): pair_table(codes, weights, i, j, cardinalities, alpha, shrinkage)
        for i, j in combinations(range(n), 2)
    }
    group = list(range(n))
    edges = []
    for i, j in sorted(tables, key=lambda pair: (-information(tables[pair]), pair)):
        if group[i] != group[j]:
            edges.append((i, j))
            group = [group[i] if g == group[j] else g for g in group]

    def logs(rows):
        """Pairs over singles: P = prod over edges P(i, j) / prod over nodes P(i)^(degree - 1)."""
        total = np.zeros(len(rows))
        degree = np.zeros(n, dtype=int)
        for i, j in edges:
            p = tables[i, j] / tables[i, j].sum()
            total += np.log(p[rows[:, i], rows[:, j]])
            degree[[i, j]] += 1
        for v in range(n):
            i, j = next(pair for pair in tables if v in pair)
            p = tables[i, j] / tables[i, j].sum()
            single = p.sum(axis=1) if v == i else p.sum(axis=0)
            total -= (degree[v] - 1) * np.log(single[rows[:, v]])
        return total

    return sorted(edges), logs
