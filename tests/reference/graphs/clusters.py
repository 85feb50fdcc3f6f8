"""Star discovery and cluster expansion, read word by word off their pseudo-code; variables are 0 .. n-1."""

from __future__ import annotations

import math
from itertools import combinations


def spanning_tree(weights):
    """Kruskal, heaviest pair first, then the smaller pair."""
    n = len(weights)
    part = list(range(n))
    edges = []
    for u, v in sorted(combinations(range(n), 2), key=lambda pair: (-weights[pair[0]][pair[1]], pair)):
        if part[u] != part[v]:
            edges.append((u, v))
            part = [part[u] if p == part[v] else p for p in part]
    return sorted(edges)


def star(v, edges):
    near = {w: {b if a == w else a for a, b in edges if w in (a, b)} for edge in edges for w in edge}
    around = near.get(v, set())
    leaves = {leaf for u in around for leaf in near[u] if len(near[leaf]) == 1}
    return {v} | around | leaves


def star_weight(v, members, edges, weights, kind):
    if kind == "tree":
        return math.fsum(weights[a][b] for a, b in edges if a in members and b in members)
    return math.fsum(weights[v][u] for u in members if u != v)


def discover_stars(weights, kind="tree"):
    edges, taken, live, stars = spanning_tree(weights), set(), set(range(len(weights))), []
    while live:
        left = {v: star(v, edges) - taken for v in sorted(live)}
        v = max(sorted(live), key=lambda v: star_weight(v, left[v], edges, weights, kind))
        stars.append((v, sorted(left[v])))
        taken |= left[v]
        live -= left[v]
    return stars


def regions_of(clusters):
    regions = [set(cluster) for cluster in clusters]
    while True:
        joined = next(((a, b) for a, b in combinations(regions, 2) if a & b), None)
        if joined is None:
            return regions
        regions = [r for r in regions if r not in joined] + [joined[0] | joined[1]]


def expand(cores, weights, epsilon, may_join=lambda u, v: True):
    n = len(weights)
    clusters = []
    for core in cores:
        outside = [v for v in range(n) if v not in core]
        outside.sort(key=lambda v: (-max(weights[u][v] for u in core), v))
        clusters.append([*core, *outside[: math.ceil(epsilon * len(core) - 1e-12)]])
    added = []
    while len(regions := regions_of(clusters)) > 1:
        across = [(u, v) for u, v in combinations(range(n), 2) if not any({u, v} <= r for r in regions)]
        u, v = min(across, key=lambda pair: (-weights[pair[0]][pair[1]], pair))
        if not may_join(u, v):
            break
        next(cluster for cluster in clusters if u in cluster).append(v)
        added.append((u, v))
    kept = [set(cluster) for cluster in clusters]
    largest = [
        i
        for i, one in enumerate(kept)
        if not any(one < other or (one == other and j < i) for j, other in enumerate(kept) if j != i)
    ]
    return [sorted(kept[i]) for i in largest], added
