"""Random DAGs with hypergraphs that fit them, and the search in a node one question at a time."""

from itertools import combinations

import numpy as np
from tests.reference.graphs.directed import random_dag

KINDS = ("families", "moral edges", "with extra edges", "databases")


def families(dag):
    return [{v, *dag.parents(v)} for v in range(len(dag.schema))]


def random_hypergraph(dag, kind, rng):
    """Sets that are legitimate as knowledge; all but "moral edges" are legitimate as databases, too."""
    n = len(dag.schema)
    sets = families(dag)
    if kind == "moral edges":
        sets = [set(pair) for pair in dag.moral_graph().index_edges()] + [{v} for v in range(n)]
    elif kind == "with extra edges":
        sets += [
            set(rng.choice(n, size=min(n, 2), replace=False).tolist()) for _ in range(rng.integers(1, n + 1))
        ]
    elif kind == "databases":
        tables = [set() for _ in range(rng.integers(2, 5))]
        for family in sets:
            tables[rng.integers(len(tables))] |= family
        sets = [table for table in tables if table]
    return [sorted(sets[i]) for i in rng.permutation(len(sets))]


def random_case(seed, largest=10):
    """A DAG and a hypergraph of some kind."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, largest + 1))
    dag = random_dag(n, float(rng.uniform(0, 0.6)), rng)
    return dag, random_hypergraph(dag, KINDS[seed % len(KINDS)], rng)


def local_skeleton(node, independent, exhaustive):
    """Edges and separators of one node: PC with frozen neighbourhoods, or all subsets by size."""
    adjacent = {u: set(node) - {u} for u in node}
    separators, size = {}, 0
    while size <= len(node) - 2:
        frozen = {u: set(around) for u, around in adjacent.items()}
        for u, v in combinations(node, 2):
            if v not in frozen[u]:
                continue
            around = [set(node) - {u, v}] if exhaustive else [frozen[u] - {v}, frozen[v] - {u}]
            sets = [given for one in around for given in combinations(sorted(one), size)]
            found = next((given for given in sets if independent(u, v, given)), None)
            if found is not None:
                adjacent[u].discard(v)
                adjacent[v].discard(u)
                separators[u, v] = found
        size += 1
    return {pair for pair in combinations(node, 2) if pair[1] in adjacent[pair[0]]}, separators


def slow_blanket(p_value, target, candidates, alpha, largest):
    """Grow by the smallest p-value, then shrink by the largest."""
    blanket, waiting = [], list(candidates)
    while waiting and len(blanket) < largest:
        p_values = [p_value(target, y, blanket) for y in waiting]
        best = int(np.argmin(p_values))
        if p_values[best] > alpha:
            break
        blanket.append(waiting.pop(best))
    blanket = [y for y in candidates if y in blanket]
    while len(blanket) > 1 or (blanket and len(blanket) < len(candidates)):
        p_values = [p_value(target, y, [w for w in blanket if w != y]) for y in blanket]
        worst = len(p_values) - 1 - int(np.argmax(p_values[::-1]))
        if p_values[worst] <= alpha:
            break
        del blanket[worst]
    return blanket
