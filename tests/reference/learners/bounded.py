"""The best network of treewidth two, by looking at every 2-tree: slow and obvious."""

from __future__ import annotations

from itertools import combinations


def two_trees(n):
    """All labelled 2-trees over 0..n-1, each as a set of edges."""
    found = {(frozenset(t), frozenset(combinations(t, 2))) for t in combinations(range(n), min(n, 3))}
    for _ in range(n - 3):
        found = {
            (vertices | {v}, edges | {(min(u, v), max(u, v)) for u in edge})
            for vertices, edges in found
            for edge in edges
            for v in set(range(n)) - vertices
        }
    return {edges for _, edges in found}


def best_in_cover(local, n, edges):
    """The best score of a network whose families are cliques of a graph: a programme over vertex sets."""
    joined = {frozenset(edge) for edge in edges}
    families = {v: [] for v in range(n)}
    for v in range(n):
        for size in range(3):
            for parents in combinations(sorted(set(range(n)) - {v}), size):
                if all(frozenset(pair) in joined for pair in combinations((v, *parents), 2)):
                    families[v].append((sum(1 << p for p in parents), local(v, parents)))
    best = [0.0] + [float("-inf")] * (2**n - 1)  # by the set of vertices that come first
    for before in range(2**n):
        for v in range(n):
            if not before >> v & 1:
                gain = max(score for parents, score in families[v] if parents & before == parents)
                best[before | 1 << v] = max(best[before | 1 << v], best[before] + gain)
    return best[-1]


def best_of_width_two(local, n):
    """A moral graph of treewidth at most two lies in a 2-tree, where every family is a clique."""
    known = {}

    def remembered(child, parents):
        if (child, parents) not in known:
            known[child, parents] = local(child, parents)
        return known[child, parents]

    return max(best_in_cover(remembered, n, edges) for edges in two_trees(n))


def width_along(adjacency, order):
    """Largest number of later neighbours met when a graph is eliminated along an order."""
    rest = {v: set(adjacent) for v, adjacent in adjacency.items()}
    width = -1
    for v in order:
        around = rest.pop(v)
        width = max(width, len(around))
        for u in around:
            rest[u] |= around - {u}
            rest[u].discard(v)
    return width


def certificate_violations(structure, clusters, edges, treewidth):
    """What is wrong with a junction tree as a proof, from the definitions alone; by names."""
    wrong = []
    if any(len(cluster) > treewidth + 1 for cluster in clusters):
        wrong.append("a cluster is too large")
    for child in structure.schema.names:
        family = {child, *(s for s, t in structure.edges() if t == child)}
        if not any(family <= set(cluster) for cluster in clusters):
            wrong.append(f"no cluster holds the family of {child}")
    for name in structure.schema.names:
        home = {i for i, cluster in enumerate(clusters) if name in cluster}
        inside = [(i, j) for i, j in edges if i in home and j in home]
        if len(home) - len(inside) != 1:  # a forest: connected exactly if there is one edge less
            wrong.append(f"the clusters of {name} do not hang together")
    return wrong
