"""Treewidth of small moral graphs, by the plain definition over elimination orders of subsets."""

from functools import cache
from itertools import combinations


def moral_neighbours(dag):
    neighbours = [set() for _ in dag.schema]
    for v in range(len(dag.schema)):
        for a, b in combinations((*dag.parents(v), v), 2):
            neighbours[a].add(b)
            neighbours[b].add(a)
    return neighbours


def treewidth(neighbours):
    """Exact: dynamic programming over the set of variables eliminated so far."""
    n = len(neighbours)

    def degree_after(gone, v):
        """Neighbours of v once `gone` is eliminated: reachable through eliminated variables."""
        seen, stack, found = {v}, [v], set()
        while stack:
            for w in neighbours[stack.pop()]:
                if w not in seen:
                    seen.add(w)
                    (stack.append if w in gone else found.add)(w)
        return len(found)

    @cache
    def best(gone):
        if not gone:
            return 0
        return min(max(best(gone - {v}), degree_after(gone - {v}, v)) for v in gone)

    return best(frozenset(range(n)))


def elimination_width(neighbours):
    """Width of eliminating a variable of least degree each time: an upper bound for any size."""
    around = {v: set(ns) for v, ns in enumerate(neighbours)}
    width = 0
    while around:
        v = min(around, key=lambda u: (len(around[u]), u))
        ns = around.pop(v)
        width = max(width, len(ns))
        for u in ns:
            around[u] |= ns - {u}
            around[u].discard(v)
    return width
