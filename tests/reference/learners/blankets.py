"""Scores and searches of blankets as the papers write them: slow, in plain Python."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def log_y(counts, a):
    """Dirichlet-multinomial likelihood of a sequence with `a` imaginary rows in every cell."""
    counts = np.asarray(counts).ravel()
    m = len(counts)
    total = math.lgamma(m * a) - math.lgamma(m * a + counts.sum())
    return total + sum(math.lgamma(c + a) - math.lgamma(a) for c in counts)


def log_posterior(counter, x, y, given, *, prior=0.5, alpha=1.0, beta=1.0, gamma=1.0, slices="all"):
    """log P(independent) and log P(dependent) by the log-space form."""
    shape = counter.counts((x, y)).shape
    tables = counter.counts((*given, x, y)).reshape(-1, *shape)
    seen = [t for t in tables if t.sum() > 0]
    k = len(tables) if slices == "all" else max(1, len(seen))
    ell = -math.log(prior) / k
    logit = math.log(math.expm1(ell))
    s = (k - len(seen)) * ell
    for t in seen:
        h = log_y(t, gamma)
        g = log_y(t.sum(axis=1), alpha) + log_y(t.sum(axis=0), beta)
        s += float(np.logaddexp(0.0, logit + h - g))
    return -s, math.log(-math.expm1(-s))


class SlowBlankets:
    """BJP in its ordered form and IB, with the tests of a counter; a graph is a set of pairs (i < j)."""

    def __init__(self, counter, *, matched=False, **settings):
        self.counter, self.matched, self.settings = counter, matched, settings
        self.cards = counter.schema.cardinalities
        self.n = len(self.cards)
        self.known = {}

    def test(self, x, y, given):
        key = (x, y, tuple(sorted(given)))
        if key not in self.known:
            settings = dict(self.settings)
            if self.matched:
                gamma = settings["gamma"]
                settings |= {"alpha": gamma * self.cards[y], "beta": gamma * self.cards[x]}
            self.known[key] = log_posterior(self.counter, x, y, key[2], **settings)
        return self.known[key]

    def neighbours(self, graph):
        found = [set() for _ in range(self.n)]
        for u, v in graph:
            found[u].add(v)
            found[v].add(u)
        return found

    def side(self, around, i, j):
        """What i says of j."""
        if j in around[i]:
            return self.test(i, j, around[i] - {j})[1]
        return self.test(i, j, around[i])[0]

    def bjp(self, graph):
        """The chain rule over the variables by rising degree, ties by index."""
        around = self.neighbours(graph)
        order = sorted(range(self.n), key=lambda v: (len(around[v]), v))
        return sum(
            self.side(around, v, order[later])
            for place, v in enumerate(order)
            for later in range(place + 1, self.n)
        )

    def term(self, around, i, j, *, tie="index", weight=None):
        weight = weight or (lambda v: len(around[v]))
        if weight(i) == weight(j) and tie == "mean":
            return (self.side(around, i, j) + self.side(around, j, i)) / 2
        owner, other = sorted((i, j), key=lambda v: (weight(v), v))
        return self.side(around, owner, other)

    def pairs(self, graph, *, tie="index", cells=False):
        around = self.neighbours(graph)
        weight = (lambda v: math.prod(self.cards[u] for u in around[v])) if cells else None
        return {
            (i, j): self.term(around, i, j, tie=tie, weight=weight) for i, j in combinations(range(self.n), 2)
        }

    def ib(self, graph):
        around = self.neighbours(graph)
        return sum(self.side(around, i, j) for i in range(self.n) for j in range(self.n) if i != j)

    def ibmap(self, *, tie="index"):
        """The published hill climbing: flips in order, and the totals after them."""
        graph, path = set(), []
        terms = self.pairs(graph, tie=tie)
        while True:
            worst = min(terms, key=lambda p: (round(terms[p], 9), p))
            tried = self.pairs(graph ^ {worst}, tie=tie)
            if sum(tried.values()) <= sum(terms.values()) + 1e-12:
                return path
            graph, terms = graph ^ {worst}, tried
            path.append((worst, sum(terms.values())))

    def walk(self, start, *, tie="mean", stall=15, tenure=10):
        """The worst-pair walk: the best graph and its total."""
        graph = set(start)
        terms = self.pairs(graph, tie=tie)
        best, top, last, step = set(graph), sum(terms.values()), 0, 0
        until = {}
        while True:
            step += 1
            free = [p for p in terms if until.get(p, 0) <= step]
            if not free:
                return best, top
            worst = min(free, key=lambda p: (round(terms[p], 9), p))
            graph ^= {worst}
            terms = self.pairs(graph, tie=tie)
            until[worst] = step + tenure
            if sum(terms.values()) > top + 1e-9:
                best, top, last = set(graph), sum(terms.values()), step
            if step - last >= stall:
                return best, top


def pseudo_local(counter, v, blanket, a):
    """Local marginal pseudo-likelihood with `a` imaginary rows in every cell."""
    r = counter.schema.cardinalities[v]
    return sum(log_y(line, a) for line in counter.counts((*blanket, v)).reshape(-1, r) if line.sum() > 0)
