"""Scores and tests by their textbook formulas, a loop at a time."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np


def family_table(counter, child, parents):
    """Rows: parent configurations, columns: child states."""
    table = counter.counts((*parents, child))
    return table.reshape(-1, table.shape[-1])


def log_likelihood(table):
    total = 0.0
    for row in table:
        n_j = row.sum()
        total += sum(n * math.log(n / n_j) for n in row if n > 0)
    return total


def regret(n, k):
    """Exact normaliser of the multinomial NML distribution, by the recurrence of Kontkanen & Myllymäki."""
    if n == 0 or k == 1:
        return 0.0
    one = 1.0
    two = sum(
        math.comb(n, h) * (h / n if h else 1) ** h * ((n - h) / n if n - h else 1) ** (n - h)
        for h in range(n + 1)
    )
    for states in range(3, k + 1):
        one, two = two, two + n / (states - 2) * one
    return math.log(two if k >= 2 else one)


def approximate_regret(n, k):
    if n == 0 or k == 1:
        return 0.0
    a = k / n
    c = 0.5 + 0.5 * math.sqrt(1 + 4 / a)
    return n * (math.log(a) + (a + 2) * math.log(c) - 1 / c) - 0.5 * math.log(c + 2 / a)


def dirichlet(table, a_jk, a_j):
    total = 0.0
    for row in table:
        total += math.lgamma(a_j) - math.lgamma(a_j + row.sum())
        total += sum(math.lgamma(a_jk + n) - math.lgamma(a_jk) for n in row)
    return total


def local_score(kind, counter, child, parents, ess=1.0):
    table = family_table(counter, child, parents)
    q, r = table.shape
    n = counter.n_rows
    if kind == "bdeu":
        return dirichlet(table, ess / (q * r), ess / q)
    if kind == "k2":
        return dirichlet(table, 1.0, float(r))
    price = {
        "log_likelihood": 0.0,
        "aic": (r - 1) * q,
        "bic": 0.5 * math.log(max(n, 1)) * (r - 1) * q,
        "qnml": approximate_regret(n, q * r) - approximate_regret(n, q),
    }[kind]
    return log_likelihood(table) - price


def strata(counter, x, y, given):
    table = counter.counts((*given, x, y))
    return table.reshape(-1, table.shape[-2], table.shape[-1])


def g_test(counter, x, y, given=()):
    """G2 and adjusted degrees of freedom."""
    statistic, df = 0.0, 0
    for table in strata(counter, x, y, given):
        n, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
        for i, j in itertools.product(*map(range, table.shape)):
            if table[i, j] > 0:
                statistic += 2 * table[i, j] * math.log(table[i, j] * n / (rows[i] * columns[j]))
        df += max(int((rows > 0).sum()) - 1, 0) * max(int((columns > 0).sum()) - 1, 0)
    return statistic, df


def chi_square(counter, x, y, given=()):
    statistic = 0.0
    for table in strata(counter, x, y, given):
        n, rows, columns = (
            float(table.sum()),
            table.sum(axis=1).astype(float),
            table.sum(axis=0).astype(float),
        )
        for i, j in itertools.product(*map(range, table.shape)):
            if rows[i] * columns[j] > 0:
                expected = rows[i] * columns[j] / n
                statistic += (table[i, j] - expected) ** 2 / expected
    return statistic


def posterior_by_patterns(counter, x, y, given=(), prior=0.5):
    """P(independent) by enumeration of the patterns of dependent slices, in rational numbers."""
    slices = strata(counter, x, y, given)
    p_slice = prior ** (1 / len(slices))
    independent, evidence = 0.0, 0.0
    for pattern in itertools.product((True, False), repeat=len(slices)):
        weight = 1.0
        for table, is_independent in zip(slices, pattern, strict=True):
            if is_independent:
                weight *= p_slice * float(_multinomial(table.sum(axis=1)) * _multinomial(table.sum(axis=0)))
            else:
                weight *= (1 - p_slice) * float(_multinomial(table.reshape(-1)))
        evidence += weight
        if all(pattern):
            independent = weight
    return independent / evidence


def _multinomial(counts):
    """Marginal likelihood of a sequence under a uniform Dirichlet prior."""
    value = Fraction(math.factorial(len(counts) - 1), math.factorial(len(counts) - 1 + int(sum(counts))))
    for n in counts:
        value *= math.factorial(int(n))
    return value


def exact_permutation_p(table):
    """P(G2 at least as large) over all tables with the margins of a 2 x 2 table."""
    (a, b), (c, d) = np.asarray(table).tolist()
    first, column, n = a + b, a + c, a + b + c + d

    def spread(k):
        cells = (k, first - k, column - k, n - first - column + k)
        return sum(m * math.log(m) for m in cells if m > 0)

    p = 0.0
    for k in range(max(0, first + column - n), min(first, column) + 1):
        if spread(k) >= spread(a) - 1e-9:
            p += math.comb(column, k) * math.comb(n - column, first - k) / math.comb(n, first)
    return p


def random_dag(rng, n, p=0.4):
    """Parents of each vertex in a random acyclic graph."""
    order = rng.permutation(n)
    parents = [[] for _ in range(n)]
    for i, j in itertools.combinations(range(n), 2):
        if rng.random() < p:
            parents[order[j]].append(int(order[i]))
    return parents


class PlainDag:
    """Just enough of a graph to be scored."""

    def __init__(self, schema, parents):
        self.schema = schema
        self._parents = [list(p) for p in parents]

    def parents(self, v):
        return tuple(self._parents[v])

    def covered_arcs(self):
        """Arcs y -> x whose reversal stays in the equivalence class."""
        return [
            (y, x)
            for x, parents in enumerate(self._parents)
            for y in parents
            if set(parents) - {y} == set(self._parents[y])
        ]

    def reversed(self, y, x):
        parents = [list(p) for p in self._parents]
        parents[x].remove(y)
        parents[y].append(x)
        return PlainDag(self.schema, parents)
