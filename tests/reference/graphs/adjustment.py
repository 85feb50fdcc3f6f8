"""Back-door and front-door sets by their definitions, path by path."""

from itertools import chain, combinations, pairwise


def subsets(items):
    return chain.from_iterable(combinations(items, k) for k in range(len(items) + 1))


def descendants(arcs, v):
    below = {w for u, w in arcs if u == v}
    return below.union(*(descendants(arcs, w) for w in below))


def paths(arcs, start, end, seen=()):
    """Vertex sequences along edges of either direction, none twice."""
    if start == end:
        yield (*seen, end)
        return
    for u, v in arcs:
        for here, there in ((u, v), (v, u)):
            if here == start and there not in (*seen, start):
                yield from paths(arcs, there, end, (*seen, start))


def is_blocked(arcs, path, given):
    for before, here, after in zip(path, path[1:], path[2:], strict=False):
        if (before, here) in arcs and (after, here) in arcs:
            if not ({here} | descendants(arcs, here)) & set(given):
                return True
        elif here in given:
            return True
    return False


def is_back_door(arcs, x, y, given):
    behind = [path for path in paths(arcs, x, y) if (path[1], x) in arcs]
    return not descendants(arcs, x) & set(given) and all(is_blocked(arcs, path, given) for path in behind)


def is_front_door(arcs, x, y, given):
    def is_directed(path):
        return all(pair in arcs for pair in pairwise(path))

    intercepted = all(set(path) & set(given) for path in paths(arcs, x, y) if is_directed(path))
    into = [path for m in given for path in paths(arcs, x, m) if (path[1], x) in arcs]
    # back-door paths of a set leave it at once
    out = [
        path
        for m in given
        for path in paths(arcs, m, y)
        if (path[1], m) in arcs and not set(path[1:]) & set(given)
    ]
    return (
        intercepted
        and all(is_blocked(arcs, path, ()) for path in into)
        and all(is_blocked(arcs, path, (x,)) for path in out)
    )
