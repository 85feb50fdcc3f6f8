"""LEM and LMIP in plain Python: rows in a Counter, every subset and every bipartition looked at.

The slow twin of the native learner for features of one variable. Nodes are nested tuples; `probability`
evaluates them with the closed-form parameters that are kept in them.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

TABLE_BELOW, MOST_WAYS = 5, 8


def entropy(rows, columns):
    counts = Counter()
    for row, n in rows.items():
        counts[tuple(row[c] for c in columns)] += n
    total = sum(counts.values())
    return -sum(n / total * math.log(n / total) for n in counts.values())


def information(rows, left, right):
    return max(entropy(rows, left) + entropy(rows, right) - entropy(rows, (*left, *right)), 0.0)


def least_information(rows, columns):
    """The cut of least information, by looking at all of them."""
    first, *rest = columns
    cuts = [
        (first, *chosen) for size in range(len(rest)) for chosen in combinations(rest, size)
    ]  # the side with the first column; never all of them
    return min(information(rows, cut, tuple(c for c in columns if c not in cut)) for cut in cuts)


def blocks_of(rows, columns, *, delta, largest_set, min_rows):
    """LMIP without any shortcut; blocks as sorted tuples, by their first members."""
    blocks = {c: {c} for c in columns}
    if sum(rows.values()) >= min_rows:
        for size in range(2, largest_set + 1):
            for chosen in combinations(columns, size):
                if least_information(rows, chosen) > delta:
                    joined = set().union(*(blocks[c] for c in chosen))
                    blocks |= dict.fromkeys(joined, joined)
    return sorted({tuple(sorted(block)) for block in blocks.values()})


def score(blocks):
    return 1 / sum(len(block) ** 2 for block in blocks) if blocks else 1.0


def where(rows, column, state):
    return Counter({row: n for row, n in rows.items() if row[column] == state})


def learn(rows, states, *, delta, largest_set, min_rows, smoothing, leaf, balance=0.05):
    """The graph over columns 0, 1, ..., which stand in the order of their names."""
    columns = tuple(range(len(states)))
    limits = {"delta": delta, "largest_set": largest_set, "min_rows": min_rows}

    def grow(part, scope):
        if sum(part.values()) < min_rows:
            return make_leaf(part, scope)
        if len(scope) < TABLE_BELOW:
            return table(part, scope)
        choice = best_feature(part, scope)
        if choice is None:
            return make_leaf(part, scope)
        column, sides = choice
        total, r = sum(part.values()), len(states[column])
        below = {}
        for state in states[column]:
            side = where(part, column, state)
            theta = (sum(side.values()) + smoothing / r) / (total + smoothing)
            below[state] = (theta, grow_blocks(side, scope_without(scope, column), sides[state]))
        return ("split", column, below)

    def grow_blocks(part, scope, blocks):
        if sum(part.values()) < min_rows:
            return make_leaf(part, scope)
        return conjoined([grow(part, block) for block in blocks])

    def best_feature(part, scope):
        found = []
        for column in scope:
            sizes = {state: sum(where(part, column, state).values()) for state in states[column]}
            enough = [state for state in states[column] if sizes[state] >= max(min_rows / 5, 1e-12)]
            if len(enough) < 2:
                continue
            rest = scope_without(scope, column)
            sides = {s: blocks_of(where(part, column, s), rest, **limits) for s in states[column]}
            scores = [score(sides[state]) for state in enough]
            rows_of = [sizes[state] for state in enough]
            mean = 2 * sum(scores) / len(scores)
            found.append((mean, max(scores) - min(scores), max(rows_of) - min(rows_of), column, sides))
        if not found:
            return None
        best = max(choice[0] for choice in found)
        close = [choice for choice in found if choice[0] >= best * (1 - balance)]
        chosen = min(close, key=lambda choice: choice[1:4])
        return chosen[3], chosen[4]

    def table(part, scope):
        cells = list(product(*(states[c] for c in scope)))
        counts = Counter()
        for row, n in part.items():
            counts[tuple(row[c] for c in scope)] += n
        total = sum(part.values()) + smoothing
        return ("table", scope, {cell: (counts[cell] + smoothing / len(cells)) / total for cell in cells})

    def make_leaf(part, scope):
        if leaf == "independent" or len(scope) == 1:
            return conjoined([table(part, (column,)) for column in scope])
        return ("tree", scope, chow_liu(part, scope))

    def chow_liu(part, scope):
        """Parent, single and pair tables; the forest by Kruskal, heavier and earlier pairs first."""
        single = {c: table(part, (c,))[2] for c in scope}
        pairs = {pair: table(part, pair)[2] for pair in combinations(scope, 2)}

        def weight(pair):
            u, v = pair
            return sum(
                n * math.log(pairs[pair][row[u], row[v]] / (single[u][(row[u],)] * single[v][(row[v],)]))
                for row, n in part.items()
            )

        weights = {pair: weight(pair) for pair in pairs}
        tree, edges = {c: {c} for c in scope}, []
        for u, v in sorted(weights, key=lambda pair: (-weights[pair], pair)):
            if weights[u, v] > 0 and tree[u] is not tree[v]:
                joined = tree[u] | tree[v]
                tree |= dict.fromkeys(joined, joined)
                edges.append((u, v))
        return single, {edge: pairs[edge] for edge in edges}

    return grow_blocks(rows, columns, blocks_of(rows, columns, **limits))


def scope_without(scope, column):
    return tuple(c for c in scope if c != column)


def conjoined(children):
    flat = [inner for child in children for inner in (child[1] if child[0] == "and" else [child])]
    return flat[0] if len(flat) == 1 else ("and", flat)


def probability(node, row):
    kind = node[0]
    if kind == "table":
        return node[2][tuple(row[c] for c in node[1])]
    if kind == "and":
        return math.prod(probability(child, row) for child in node[1])
    if kind == "split":
        theta, child = node[2][row[node[1]]]
        return theta * probability(child, row)
    single, edges = node[2]
    result = math.prod(single[c][(row[c],)] for c in node[1])
    for (u, v), cells in edges.items():
        result *= cells[row[u], row[v]] / (single[u][(row[u],)] * single[v][(row[v],)])
    return result


def shape(node):
    """The graph without its numbers."""
    if node[0] == "and":
        return ("and", frozenset(shape(child) for child in node[1]))
    if node[0] == "split":
        return ("split", node[1], tuple((state, shape(child)) for state, (_, child) in node[2].items()))
    return (node[0], frozenset(node[1]))
