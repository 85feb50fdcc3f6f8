"""Slow, obvious twins of the native algorithms on directed graphs, and graphs to compare them on.

A graph is a set of arcs (from, to) over 0 .. n-1; marks are a set of arcs and a set of lines (u < v).
"""

from functools import cache
from itertools import chain, combinations, permutations, product

from hypothesis import strategies as st

from treewright.graphs import Dag
from treewright.tables import Schema, Variable


def schema_of(names):
    return Schema([Variable(name, ("no", "yes")) for name in names])


def scrambled_names(n, rng):
    """Names whose order is not the order of the columns."""
    return [f"v{int(i):03d}" for i in rng.permutation(n)]


def random_dag(n, density, rng):
    """Arcs with a given chance along a random order, over scrambled names."""
    order = rng.permutation(n).tolist()
    arcs = [(u, v) for u, v in combinations(order, 2) if rng.random() < density]
    return Dag(schema_of(scrambled_names(n, rng)), arcs)


@st.composite
def dags(draw, min_size=0, max_size=7, max_arcs=None):
    """A DAG whose names are not in column order."""
    n = draw(st.integers(min_size, max_size))
    names = draw(st.permutations([f"v{i}" for i in range(n)]))
    order = draw(st.permutations(range(n)))
    pairs = list(combinations(order, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    arcs = [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
    return Dag(schema_of(names), arcs[:max_arcs])


@st.composite
def marks(draw, max_size=6):
    """Any partially directed graph, consistent or not: n, arcs, lines."""
    n = draw(st.integers(0, max_size))
    pairs = list(combinations(range(n), 2))
    kinds = draw(st.lists(st.sampled_from(".-<>"), min_size=len(pairs), max_size=len(pairs)))
    arcs = {
        (u, v) if kind == ">" else (v, u) for (u, v), kind in zip(pairs, kinds, strict=True) if kind in "<>"
    }
    return n, arcs, {pair for pair, kind in zip(pairs, kinds, strict=True) if kind == "-"}


def shuffled(schema, rng):
    return Schema([schema.variables[i] for i in rng.permutation(len(schema))])


# directed graphs


def is_acyclic(n, arcs):
    left, arcs = set(range(n)), set(arcs)
    while left:
        sources = {v for v in left if not any(head == v and tail in left for tail, head in arcs)}
        if not sources:
            return False
        left -= sources
    return True


def skeleton(arcs):
    return frozenset((min(arc), max(arc)) for arc in arcs)


def v_structures(arcs):
    joined = skeleton(arcs)
    heads = {head for _, head in arcs}
    families = {w: sorted(tail for tail, head in arcs if head == w) for w in heads}
    return frozenset(
        (u, w, v)
        for w, parents in families.items()
        for u, v in combinations(parents, 2)
        if (u, v) not in joined
    )


@cache
def all_dags(n):
    """Every DAG on n vertices: 1, 1, 3, 25, 543, 29281."""
    pairs = list(combinations(range(n), 2))
    found = []
    for kinds in product(".<>", repeat=len(pairs)):
        chosen = [(pair, kind) for pair, kind in zip(pairs, kinds, strict=True) if kind != "."]
        arcs = frozenset((u, v) if kind == ">" else (v, u) for (u, v), kind in chosen)
        if is_acyclic(n, arcs):
            found.append(arcs)
    return found


def orientations(n, lines, arcs=frozenset()):
    """Every DAG that directs the lines and keeps the arcs."""
    lines = list(lines)
    for turned in product((False, True), repeat=len(lines)):
        directed = {(v, u) if turn else (u, v) for (u, v), turn in zip(lines, turned, strict=True)} | set(
            arcs
        )
        if is_acyclic(n, directed):
            yield frozenset(directed)


def equivalent_dags(n, arcs):
    """Same skeleton and v-structures (Verma & Pearl 1990), by enumeration."""
    wanted = v_structures(arcs)
    return [other for other in orientations(n, skeleton(arcs)) if v_structures(other) == wanted]


def consistent_extensions(n, arcs, lines):
    """DAGs with the same arrows, the same skeleton and the v-structures of the marks, no more."""
    joined = skeleton(arcs) | set(lines)
    claimed = frozenset((u, w, v) for u, w, v in v_structures(arcs) if (u, v) not in joined)
    return [dag for dag in orientations(n, lines, arcs) if v_structures(dag) == claimed]


def marks_of_class(members):
    """Arcs that all members share; the rest as lines."""
    shared = frozenset.intersection(*members)
    return shared, skeleton(members[0]) - skeleton(shared)


def dor_tarsi(n, arcs, lines, rank):
    """Literal search for the removable sink of largest rank; None when there is none."""
    arcs, lines, left = set(arcs), set(lines), set(range(n))
    found = set()
    while left:
        near = {v: {x for e in arcs | lines if v in e for x in e if x != v} for v in left}
        sinks = [
            v
            for v in left
            if not any(tail == v for tail, _ in arcs)
            and all(near[v] - {y} <= near[y] for e in lines if v in e for y in e if y != v)
        ]
        if not sinks:
            return None
        last = max(sinks, key=rank.__getitem__)
        found |= {(x, last) for x in near[last]}
        arcs = {e for e in arcs if last not in e}
        lines = {e for e in lines if last not in e}
        left.remove(last)
    return found


def meek(n, arcs, lines):
    """Apply the four rules as they are written until nothing changes (for consistent marks)."""
    arcs, lines = set(arcs), set(lines)
    while True:
        forced = [
            (a, b) for line in sorted(lines) for a, b in (line, line[::-1]) if _forced(n, arcs, lines, a, b)
        ]
        if not forced:
            return arcs, lines
        a, b = forced[0]
        lines.remove((min(a, b), max(a, b)))
        arcs.add((a, b))


def _forced(n, arcs, lines, a, b):
    def line(u, v):
        return (min(u, v), max(u, v)) in lines

    def near(u, v):
        return line(u, v) or (u, v) in arcs or (v, u) in arcs

    others = [v for v in range(n) if v not in (a, b)]
    return (
        any((c, a) in arcs and not near(c, b) for c in others)
        or any((a, c) in arcs and (c, b) in arcs for c in others)
        or any(
            line(a, c) and line(a, d) and (c, b) in arcs and (d, b) in arcs and not near(c, d)
            for c, d in combinations(others, 2)
        )
        or any(
            line(a, d) and (d, c) in arcs and (c, b) in arcs and near(a, c) and not near(d, b)
            for c, d in permutations(others, 2)
        )
    )


def ancestors(arcs, vertices):
    """The vertices and all above them."""
    found = set(vertices)
    while True:
        more = {tail for tail, head in arcs if head in found} - found
        if not more:
            return found
        found |= more


def moral(arcs):
    married = {
        (u, v) for w in {h for _, h in arcs} for u, v in combinations(sorted(t for t, h in arcs if h == w), 2)
    }
    return skeleton(arcs) | married


def separated(arcs, x, y, given):
    """By definition over the moral graph of the smallest ancestral set (Lauritzen et al. 1990)."""
    above = ancestors(arcs, {x, y, *given})
    edges = moral({(u, v) for u, v in arcs if u in above and v in above})
    reached = {x}
    while True:
        ends = chain.from_iterable(((u, v), (v, u)) for u, v in edges)
        more = {v for u, v in ends if u in reached and v not in given} - reached
        if not more:
            return y not in reached
        reached |= more


# trees


def spanning_forest(weights, ranks, threshold):
    """Kruskal, best pair first, ties by ranks."""
    n = len(weights)
    key = {(u, v): (-weights[u][v], *sorted((ranks[u], ranks[v]))) for u, v in combinations(range(n), 2)}
    component = list(range(n))
    edges = []
    for u, v in sorted(key, key=key.__getitem__):
        if component[u] != component[v] and (threshold is None or weights[u][v] > threshold):
            edges.append((u, v))
            old, new = component[u], component[v]
            component = [new if c == old else c for c in component]
    return sorted(edges)


def best_branching_weight(weights, roots):
    """The largest total over every choice of at most one parent each."""
    n = len(weights)
    best = float("-inf")
    for parents in product(range(-1, n), repeat=n):
        arcs = {(p, v) for v, p in enumerate(parents) if p >= 0}
        if all(p != v for p, v in arcs) and is_acyclic(n, arcs):
            best = max(best, sum(roots[v] if p < 0 else weights[p][v] for v, p in enumerate(parents)))
    return best
