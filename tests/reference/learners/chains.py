"""Slow, obvious twin of the treewidth-friendly chains: paths are enumerated, chains are tried one by one.

Vertices are numbers, smaller ones win ties. A cover is a dict from vertex to set of neighbours, `parents` a
list of sets.
"""

from itertools import combinations

import networkx
from tests.reference.graphs.undirected import (
    eliminate,
    find_induced_nodes,
    find_maximal_cliques,
    is_chordal,
    plain_schema,
)

from treewright.graphs import UndirectedGraph, fits, triangulate
from treewright.graphs import eliminate as eliminated

EPSILON = 1e-9


def graph_of(n, edges):
    adj = {v: set() for v in range(n)}
    for u, v in edges:
        adj[u].add(v)
        adj[v].add(u)
    return adj


def edges_of(adj):
    return {(u, v) for u in adj for v in adj[u] if u < v}


def blocks_of(adj):
    graph = networkx.Graph(list(edges_of(adj)))
    graph.add_nodes_from(adj)
    lonely = [frozenset([v]) for v in adj if not adj[v]]
    return [*map(frozenset, networkx.biconnected_components(graph)), *lonely]


def inside(adj, scope):
    return {v: adj[v] & set(scope) for v in scope}


def block_path(adj, s, t, family):
    """Blocks from s to the nearest one with all of the family, and the cut vertices crossed; None: apart."""
    blocks = blocks_of(adj)
    queue = [([block], []) for block in blocks if s in block]
    while queue:
        path, cuts = queue.pop(0)
        if family <= path[-1]:
            return path, cuts
        entry = cuts[-1] if cuts else s
        for v in sorted(path[-1] - {entry}):
            queue += [([*path, other], [*cuts, v]) for other in blocks if v in other and other != path[-1]]
    return None


def edge_update(adj, parents, s, t, block_wise=True):
    """The new edges of s -> t, the block path, and the vertices of the block that results."""
    family = {t} | parents[t]
    found = block_path(adj, s, t, family)
    wanted = set()
    if found is None:
        wanted = {(s, x) for x in family}
        home = next((b for b in blocks_of(adj) if family <= b and len(family) > 1), {t})
        path, merged = [], {s} | home
    else:
        path, cuts = found
        merged = set().union(*path)
        ring = [s, *cuts]
        for block, a, b in zip(path, ring, cuts, strict=False):
            source = a if block_wise else s
            wanted |= {(source, v) for v in {b} | find_induced_nodes(inside(adj, block), a, b)}
        if block_wise:
            wanted |= zig_zag(ring)
        for x in family:
            last = find_induced_nodes(inside(adj, path[-1]), ring[-1], x)
            wanted |= {(s, v) for v in {x} | last}
    new = {(min(u, v), max(u, v)) for u, v in wanted if u != v and v not in adj[u]}
    return new, path, merged


def zig_zag(ring):
    low, high, left, edges = 0, len(ring) - 1, True, set()
    while low < high:
        edges.add((ring[low], ring[high]))
        if left:
            low += 1
        else:
            high -= 1
        left = not left
    return edges


def contaminated(s, t, new):
    return {s, t}.union(*new)


def width_of(adj):
    return max((len(c) for c in find_maximal_cliques(adj)), default=0) - 1


def width_of_chordal(adj):
    order = []
    rest = {v: set(others) for v, others in adj.items()}
    while rest:
        v = next(v for v in rest if all(y in rest[x] for x, y in combinations(rest[v], 2)))
        order.append(v)
        for u in rest.pop(v):
            rest[u].discard(v)
    return eliminate(adj, order)[1]


def moral_edges(parents):
    families = [{t} | parents[t] for t in range(len(parents))]
    return {tuple(sorted(pair)) for family in families for pair in combinations(family, 2)}


def node_order(adj, parents):
    n = len(adj)
    keys, counter = {}, 0
    blocks = blocks_of(adj)

    def around(v, but):
        return sorted((b for b in blocks if v in b and b != but), key=sorted)

    for root in range(n):
        if root in keys or parents[root]:
            continue
        keys[root] = (counter, 0, root)
        counter += 1
        stack = [(b, root) for b in reversed(around(root, None))]
        while stack:
            block, entry = stack.pop()
            graph = networkx.Graph([(u, v) for u in block for v in adj[u] & block])
            graph.add_nodes_from(block)
            distance = networkx.single_source_shortest_path_length(graph, entry)
            inner = sorted((counter, distance[x], x) for x in block if x not in keys)
            counter += 1
            keys |= {key[2]: key for key in inner}
            for *_, x in reversed(inner):
                stack += [(b, x) for b in reversed(around(x, block))]
    order = []
    while len(order) < n:
        order.append(min((v for v in range(n) if v not in order and parents[v] <= set(order)), key=keys.get))
    return order


def ranges(adj, parents, order, arcs, block_wise=True):
    """For each arc: first and last contaminated position, and its block path."""
    position = {v: i for i, v in enumerate(order)}
    found = []
    for s, t in arcs:
        new, path, _ = edge_update(adj, parents, s, t, block_wise)
        places = [position[v] for v in contaminated(s, t, new)]
        found.append((min(places), max(places), set(path)))
    return found


def may_follow(e, f):
    return f[0] > e[1] or (f[0] == e[1] and bool(e[2]) and bool(f[2]) and not e[2] & f[2])


def best_value(spans, gains):
    """The largest gain of a chain, by trying all of them."""

    def extend(last):
        following = [
            gains[k] + extend(k)
            for k in range(len(spans))
            if last is None or (spans[k][0] >= spans[last][1] and may_follow(spans[last], spans[k]))
        ]
        return max([0.0, *following])

    return extend(None)


class SlowNetwork:
    """The state of a search: parents, cover, width."""

    def __init__(self, local, forest, n, *, order=None, block_wise=True, max_parents=None):
        self.local, self.n, self.given, self.block_wise = local, n, order, block_wise
        self.max_parents = n if max_parents is None else max_parents
        self.parents = [set() for _ in range(n)]
        for s, t in forest:
            self.parents[t].add(s)
        self.adj = graph_of(n, forest)

    @property
    def width(self):
        return width_of_chordal(self.adj)

    def score(self):
        return sum(self.local(t, self.parents[t]) for t in range(self.n))

    def gain(self, s, t):
        return self.local(t, self.parents[t] | {s}) - self.local(t, self.parents[t])

    def legal(self, s, t):
        above, frontier = {s}, [s]
        while frontier:
            fresh = self.parents[frontier.pop()] - above
            above |= fresh
            frontier += fresh
        forward = self.given is None or self.given.index(s) < self.given.index(t)
        room = len(self.parents[t]) < self.max_parents
        return t not in above and s not in self.parents[t] and forward and room

    def admit(self, s, t, limit):
        new, _, merged = edge_update(self.adj, self.parents, s, t, self.block_wise)
        cover = graph_of(self.n, edges_of(self.adj) | new)
        if is_chordal(cover) and width_of_chordal(cover) <= limit:
            self.adj = cover
        else:
            filled = self.triangulated(sorted(merged), s, t, limit)
            if filled is None:
                return False
            self.adj = filled
        self.parents[t].add(s)
        return True

    def admit_own(self, s, t, limit):
        """By the own update alone."""
        new, _, _ = edge_update(self.adj, self.parents, s, t, self.block_wise)
        cover = graph_of(self.n, edges_of(self.adj) | new)
        if width_of_chordal(cover) > limit:
            return False
        self.adj = cover
        self.parents[t].add(s)
        return True

    def admit_narrowest(self, s, t, limit):
        """The narrowest of the own update, min-fill and maximum cardinality search; ties in this order."""
        new, _, merged = edge_update(self.adj, self.parents, s, t, self.block_wise)
        piece = sorted(merged)
        own = graph_of(self.n, edges_of(self.adj) | new)
        graph = self.moral_piece(piece, s, t)
        if width_of_chordal(own) > limit and fits(graph, limit) is None:
            return False
        others = [self.refilled(piece, triangulate(graph, rule).graph) for rule in ("min_fill", "mcs")]
        best = min([own, *others], key=lambda adj: width_of_chordal(inside(adj, piece)))
        if width_of_chordal(best) > limit:
            return False
        self.adj = best
        self.parents[t].add(s)
        return True

    def moral_piece(self, piece, s, t):
        grown = [p | {s} if v == t else p for v, p in enumerate(self.parents)]
        edges = [(piece.index(u), piece.index(v)) for u, v in moral_edges(grown) if {u, v} <= set(piece)]
        return UndirectedGraph(plain_schema(len(piece)), edges)

    def refilled(self, piece, filled):
        """The cover with another triangulation of one piece."""
        kept = {(u, v) for u, v in edges_of(self.adj) if not {u, v} <= set(piece)}
        return graph_of(self.n, kept | {(piece[i], piece[j]) for i, j in filled.index_edges()})

    def triangulated(self, piece, s, t, limit):
        graph = self.moral_piece(piece, s, t)
        order = fits(graph, limit)
        return None if order is None else self.refilled(piece, eliminated(graph, order).graph)

    def greedy(self, limit, admit=None):
        """The best arc that is admitted, again and again; refused ones once more when no other is left."""
        admit = self.admit if admit is None else admit
        refused, changed = set(), False
        while True:
            arcs = [
                (-self.gain(s, t), t, s)
                for t in range(self.n)
                for s in range(self.n)
                if s != t and (s, t) not in refused and self.legal(s, t) and self.gain(s, t) > EPSILON
            ]
            if arcs:
                _, t, s = min(arcs)
                if admit(s, t, limit):
                    changed = True
                else:
                    refused.add((s, t))
            elif refused and changed:
                refused, changed = set(), False
            else:
                return
