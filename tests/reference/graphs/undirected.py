"""Slow, obvious twins of the native algorithms on undirected graphs, and random graphs to compare them on.

A graph is a dict from vertex to set of neighbours; `rank` maps a vertex to its place in the tie order.
"""

from itertools import combinations

from hypothesis import settings
from hypothesis import strategies as st

from treewright.graphs import UndirectedGraph
from treewright.tables.schema import Schema, Variable

unhurried = settings(deadline=None)  # a loaded machine is no failure


@st.composite
def graphs(draw, min_size=0, max_size=8):
    """A graph whose names are not in column order."""
    n = draw(st.integers(min_size, max_size))
    names = draw(st.permutations([f"v{i}" for i in range(n)]))
    pairs = list(combinations(range(n), 2))
    density = draw(st.sampled_from([1, 2, 3]))
    chosen = [draw(st.integers(0, 3)) < density for _ in pairs]
    schema = Schema([Variable(name) for name in names])
    return UndirectedGraph(schema, [pair for pair, kept in zip(pairs, chosen, strict=True) if kept])


def plain_schema(n):
    """Names whose order is the order of the columns."""
    return Schema([Variable(f"v{i:05d}") for i in range(n)])


def moral_graph(n, rng, max_parents=3, window=None):
    """The moral graph of a random sparse DAG; `window`: parents are near in the order."""
    ends = []
    for child in range(1, n):
        first = 0 if window is None else max(0, child - window)
        parents = rng.choice(
            range(first, child), size=min(child - first, rng.integers(max_parents + 1)), replace=False
        )
        ends += combinations([*map(int, parents), child], 2)
    return UndirectedGraph(plain_schema(n), ends)


def adjacency(graph):
    return {v: set(graph.neighbours(v)) for v in range(len(graph.schema))}


def rank_of(graph):
    return {v: place for place, v in enumerate(graph.schema.name_order)}


def fill_of(adj, v):
    return [{x, y} for x, y in combinations(sorted(adj[v]), 2) if y not in adj[x]]


def remove(adj, v):
    """Eliminate v: join its neighbours, take it away."""
    for x in adj[v]:
        adj[x] |= adj[v] - {x}
        adj[x].discard(v)
    del adj[v]


def greedy_order(adj, rank, cost):
    adj = {v: set(others) for v, others in adj.items()}
    order = []
    while adj:
        v = min(adj, key=lambda v: (cost(adj, v), rank[v]))
        order.append(v)
        remove(adj, v)
    return tuple(order)


def search_order(adj, rank, lexicographic):
    """MCS or LexBFS, turned round."""
    labels = {v: [] for v in adj}
    visit = []
    while labels:
        key = (lambda v: labels[v]) if lexicographic else (lambda v: len(labels[v]))
        best = max(map(key, labels))
        v = min((v for v in labels if key(v) == best), key=rank.__getitem__)
        visit.append(v)
        del labels[v]
        for u in adj[v] & labels.keys():
            labels[u].append(len(adj) - len(visit))
    return tuple(reversed(visit))


def minimal_order(adj, rank, lexicographic):
    """MCS-M or LEX M, by their definition: u hears of v over unvisited vertices with smaller labels."""
    labels = {v: [] for v in adj}
    visit = []
    while labels:
        key = (lambda v: labels[v]) if lexicographic else (lambda v: len(labels[v]))
        best = max(map(key, labels))
        v = min((v for v in labels if key(v) == best), key=rank.__getitem__)
        visit.append(v)
        del labels[v]
        heard = [u for u in labels if connected(adj, v, u, {w for w in labels if key(w) < key(u)})]
        for u in heard:
            labels[u].append(len(adj) - len(visit))
    return tuple(reversed(visit))


def connected(adj, v, u, through):
    """Is there a path from v to u whose inner vertices lie in `through`?"""
    seen, stack = {v}, [v]
    while stack:
        for w in adj[stack.pop()]:
            if w == u:
                return True
            if w in through and w not in seen:
                seen.add(w)
                stack.append(w)
    return False


def eliminate(adj, order):
    """Fill edges and width."""
    adj = {v: set(others) for v, others in adj.items()}
    fill, width = set(), -1
    for v in order:
        width = max(width, len(adj[v]))
        fill |= {tuple(sorted(pair)) for pair in fill_of(adj, v)}
        remove(adj, v)
    return fill, width


def is_chordal(adj):
    """Simplicial vertices can be taken away until nothing is left."""
    adj = {v: set(others) for v, others in adj.items()}
    while adj:
        simplicial = [v for v in adj if not fill_of(adj, v)]
        if not simplicial:
            return False
        remove(adj, simplicial[0])
    return True


def is_clique(adj, scope):
    return all(y in adj[x] for x, y in combinations(scope, 2))


def find_maximal_cliques(adj):
    """All subsets that are cliques and to which nothing can be added."""
    cliques = [set(s) for k in range(1, len(adj) + 1) for s in combinations(adj, k) if is_clique(adj, s)]
    return {frozenset(c) for c in cliques if not any(c < other for other in cliques)}


def treewidth(adj):
    """Dynamic programme over the sets of vertices eliminated first."""
    vertices = sorted(adj)
    best = {frozenset(): -1}
    for _ in vertices:
        grown = {}
        for gone, width in best.items():
            for v in set(vertices) - gone:
                later = sum(connected(adj, v, u, gone) for u in set(vertices) - gone - {v})
                key = gone | {v}
                grown[key] = min(grown.get(key, len(vertices)), max(width, later))
        best = grown
    return best[frozenset(vertices)]


def blocks(adj):
    """Maximal connected sets that stay connected without any one of their vertices."""

    def whole(scope):
        scope = set(scope)
        first = min(scope)
        return all(v == first or connected(adj, first, v, scope) for v in scope)

    def sturdy(scope):
        return whole(scope) and (len(scope) < 3 or all(whole(set(scope) - {v}) for v in scope))

    found = [frozenset(s) for k in range(1, len(adj) + 1) for s in combinations(adj, k) if sturdy(s)]
    return {s for s in found if not any(s < other for other in found)}


def find_induced_nodes(adj, s, t):
    """Walk all chordless paths."""
    inner = set()

    def extend(path):
        for v in adj[path[-1]]:
            if v in path or any(v in adj[u] for u in path[:-1]):
                continue
            if v == t:
                inner.update(path[1:])
            else:
                extend([*path, v])

    if s != t:
        extend([s])
    return inner


def spanning_tree(clusters):
    """Kruskal over all pairs, heaviest first, ties by position."""
    pairs = sorted(
        combinations(range(len(clusters)), 2), key=lambda p: (-len(clusters[p[0]] & clusters[p[1]]), p)
    )
    part = list(range(len(clusters)))
    edges = []
    for i, j in pairs:
        if part[i] != part[j]:
            edges.append((i, j))
            part = [part[i] if p == part[j] else p for p in part]
    return sorted(edges)


def irregularity(adj):
    return sum(abs(len(adj[u]) - len(adj[v])) for u in adj for v in adj[u] if u < v)
