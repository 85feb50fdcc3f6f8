"""PC one question at a time: the slow, obvious form of the search in the core."""

from itertools import combinations

import numpy as np


def strengths(test):
    """Statistic for each degree of freedom of every pair; all equal when the test knows none."""
    n = len(test.schema)
    strength = np.zeros((n, n))
    if hasattr(test, "test"):
        for u, v in combinations(range(n), 2):
            found = test.test(u, v)
            value = abs(found.statistic) / found.df if found.df > 0 else found.statistic
            strength[u, v] = strength[v, u] = value
    return strength


def ordered(around, other, adjacent, strength, names):
    """What surrounds one end: what depends most on both first, ties by name."""
    others = [w for w in sorted(adjacent[around]) if w != other]
    return sorted(others, key=lambda w: (-min(strength[around, w], strength[other, w]), names[w]))


def candidates(u, v, size, adjacent, strength, names):
    """Subsets around u, then those around v that are not also around u."""
    yield from combinations(ordered(u, v, adjacent, strength, names), size)
    for subset in combinations(ordered(v, u, adjacent, strength, names), size):
        if not set(subset) <= adjacent[u]:
            yield subset


def slow_skeleton(test, depth=None, possible=None, certain=()):
    """Adjacency, separators by pair (smaller name first) and the tests of each level."""
    names, n = test.schema.names, len(test.schema)
    order = sorted(range(n), key=names.__getitem__)
    strength = strengths(test)
    adjacent = {u: {v for v in range(n) if v != u and (possible is None or possible[u, v])} for u in range(n)}
    separators, tests, level = {}, [], 0
    while depth is None or level <= depth:
        frozen = {u: set(around) for u, around in adjacent.items()}
        asked = open_pairs = 0
        for i, u in enumerate(order):
            for v in order[i + 1 :]:
                if v not in frozen[u] or ((u, v) in certain and level > 0):
                    continue
                for k, subset in enumerate(candidates(u, v, level, frozen, strength, names)):
                    open_pairs += k == 0
                    asked += 1
                    if test.independent(u, v, subset) and (u, v) not in certain:
                        adjacent[u].discard(v)
                        adjacent[v].discard(u)
                        separators[u, v] = subset
                        break
        if level > 0 and open_pairs == 0:
            break
        tests.append(asked)
        level += 1
    return adjacent, separators, tests


def slow_evidence(test, adjacent, separators, depth):
    """For each unshielded triple, by names: the p-values of separators with the middle and without it."""
    names = test.schema.names
    found = {}
    for w in adjacent:
        for u, v in combinations(sorted(adjacent[w], key=names.__getitem__), 2):
            if v in adjacent[u] or (u, v) not in separators:
                continue
            sets = {tuple(sorted(separators[u, v]))}
            for end, other in ((u, v), (v, u)):
                around = adjacent[end] - {other}
                for size in range(min(depth if depth is not None else len(around), len(around)) + 1):
                    sets |= set(combinations(sorted(around), size))
            split = {True: [], False: []}
            for subset in sets:
                if test.independent(u, v, subset):
                    p = test.test(u, v, subset).p_value if hasattr(test, "test") else 1.0
                    split[w in subset].append(p)
            found[u, w, v] = split
    return found
