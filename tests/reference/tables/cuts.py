"""Cuts of numbers, by the plainest recursion and the plainest sums."""

import math
from collections import Counter


def cut_by_mdl(values, classes):
    """Fayyad & Irani: the best cut of a sorted list, if it pays, then both sides."""
    rows = sorted(zip(values, classes, strict=True))
    found = []

    def cut(part):
        best = None
        for i in range(1, len(part)):
            if part[i - 1][0] == part[i][0]:
                continue
            left, right = [c for _, c in part[:i]], [c for _, c in part[i:]]
            left_over = (len(left) * entropy(left) + len(right) * entropy(right)) / len(part)
            if best is None or left_over < best[0] - 1e-12:
                best = (left_over, i, left, right)
        if best is None:
            return
        left_over, i, left, right = best
        every = [c for _, c in part]
        gain = entropy(every) - left_over
        k, k1, k2 = (len(set(some)) for some in (every, left, right))
        price = math.log2(3**k - 2) - (k * entropy(every) - k1 * entropy(left) - k2 * entropy(right))
        if gain > (math.log2(len(part) - 1) + price) / len(part):
            found.append((part[i - 1][0] + part[i][0]) / 2)
            cut(part[:i])
            cut(part[i:])

    cut(rows)
    return sorted(found)


def entropy(states):
    counts = Counter(states)
    return -sum(n / len(states) * math.log2(n / len(states)) for n in counts.values())


def hartemink_starts(columns, levels, keep):
    """Hartemink: in each round each column joins the two neighbours that lose least information."""
    starts = [list(range(n)) for n in levels]
    while any(len(own) > most for own, most in zip(starts, keep, strict=True)):
        chosen = {}
        for v, own in enumerate(starts):
            if len(own) > keep[v]:
                lost = [loss(columns, levels, starts, v, i) for i in range(len(own) - 1)]
                chosen[v] = lost.index(min(lost)) + 1
        for v, i in chosen.items():
            del starts[v][i]
    return starts


def loss(columns, levels, starts, v, i):
    joined = [*starts]
    joined[v] = starts[v][: i + 1] + starts[v][i + 2 :]
    return sum(
        information(columns, levels, starts, v, u) - information(columns, levels, joined, v, u)
        for u in range(len(columns))
        if u != v
    )


def information(columns, levels, starts, u, v):
    """Rows times mutual information, in units of 2^-20 nats with every term rounded."""
    pairs = [
        (group(starts[u], a), group(starts[v], b))
        for a, b in zip(columns[u], columns[v], strict=True)
        if a < levels[u] and b < levels[v]
    ]
    terms = [sum(map(log_term, Counter(part).values())) for part in (pairs, *zip(*pairs, strict=True))]
    return terms[0] - sum(terms[1:]) + log_term(len(pairs)) if pairs else 0


def group(starts, code):
    return sum(start <= code for start in starts)


def log_term(n):
    return round(n * math.log(n) * 2**20)
