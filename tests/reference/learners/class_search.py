"""A slow twin of the search over equivalence classes, by enumeration of members.

A class is a pair (arcs, lines) over 0 .. n-1, numbered by name. A step is sound when some member shows it:
one whose families are those that the step is judged by, and that stays acyclic.
"""

from functools import cache
from itertools import chain, combinations

from tests.reference.graphs.directed import equivalent_dags, is_acyclic, marks_of_class

EMPTY = (frozenset(), frozenset())


@cache
def class_of(n, arcs):
    return marks_of_class(equivalent_dags(n, arcs))


@cache
def members(n, marks):
    arcs, lines = marks
    some = next(
        dag
        for turned in subsets(sorted(lines))
        if is_acyclic(n, dag := arcs | (lines - set(turned)) | {(v, u) for u, v in turned})
        and class_of(n, frozenset(dag)) == marks
    )
    return equivalent_dags(n, some)


def subsets(items):
    return chain.from_iterable(combinations(items, k) for k in range(len(items) + 1))


def parents_in(dag, v):
    return frozenset(tail for tail, head in dag if head == v)


def total(n, local, marks):
    dag = min(members(n, marks), key=sorted)
    return sum(local(v, parents_in(dag, v)) for v in range(n))


class View:
    """The sets around two vertices, by the letters of the papers."""

    def __init__(self, n, marks):
        self.n, (self.arcs, self.lines) = n, marks
        self.near = {v: {u for e in self.arcs | self.lines if v in e for u in e if u != v} for v in range(n)}
        self.ne = {v: {u for e in self.lines if v in e for u in e if u != v} for v in range(n)}
        self.pa = {v: {u for u, w in self.arcs if w == v} for v in range(n)}

    def is_clique(self, some):
        return all(v in self.near[u] for u, v in combinations(some, 2))


def steps(n, marks):
    """(kind, x, y, set, chosen, plus, minus, class): local scores to add and subtract, and where it leads."""
    g = View(n, marks)
    for y in range(n):
        for x in range(n):
            if x == y:
                continue
            shared = g.ne[y] & g.near[x]
            for given in map(set, subsets(sorted(g.ne[y] - {x}))):
                if g.is_clique(given):
                    yield from _inserts(g, marks, x, y, given, shared)
                    yield from _deletes(g, marks, x, y, given, shared)
                    yield from _turns(g, marks, x, y, given, shared)


def _inserts(g, marks, x, y, given, shared):
    if x in g.near[y] or not shared <= given:
        return
    base = frozenset(g.pa[y] | given)
    for dag in members(g.n, marks):
        if parents_in(dag, y) == base and is_acyclic(g.n, dag | {(x, y)}):
            after = class_of(g.n, dag | {(x, y)})
            chosen = len(given - shared)
            yield "insert", x, y, sorted(given), chosen, [(y, base | {x})], [(y, base)], after
            return


def _deletes(g, marks, x, y, given, shared):
    if x not in g.pa[y] | g.ne[y] or not given <= shared:
        return
    base = frozenset((g.pa[y] | given) - {x})
    for dag in members(g.n, marks):
        if parents_in(dag, y) == base | {x}:
            after, turned = class_of(g.n, dag - {(x, y)}), sorted(shared - given)
            yield "delete", x, y, turned, len(turned), [(y, base)], [(y, base | {x})], after
            return


def _turns(g, marks, x, y, given, shared):
    line, arrow = x in g.ne[y], (y, x) in g.arcs
    if not line and not (arrow and shared <= given):
        return
    if line and given <= shared:
        return
    base = frozenset(g.pa[y] | given)
    of_x = frozenset(g.pa[x] | (given & shared) if line else g.pa[x] - {y})
    for dag in members(g.n, marks):
        turned = (dag - {(y, x)}) | {(x, y)}
        if (
            (y, x) in dag
            and parents_in(dag, y) == base
            and parents_in(dag, x) == of_x | {y}
            and is_acyclic(g.n, turned)
        ):
            plus, minus = [(y, base | {x}), (x, of_x)], [(y, base), (x, of_x | {y})]
            chosen = len(given - shared)
            yield "turn", x, y, sorted(given), chosen, plus, minus, class_of(g.n, turned)
            return


class TwinSearch:
    """The whole search, literally."""

    def __init__(self, n, local, allowed=None):
        self.n, self.local, self.marks = n, local, EMPTY
        self.allowed = allowed if allowed is not None else set(combinations(range(n), 2))
        self.in_vain, self.seen = {}, set()

    def total(self):
        return total(self.n, self.local, self.marks)

    def best(self, kind):
        found = []
        for move, x, y, some, chosen, plus, minus, after in steps(self.n, self.marks):
            if move != kind or (kind == "insert" and (min(x, y), max(x, y)) not in self.allowed):
                continue
            gain = sum(self.local(*family) for family in plus) - sum(self.local(*family) for family in minus)
            if gain > 0:
                found.append((-gain, chosen, y, x, some, after))
        return min(found) if found else None

    def run(self):
        changed = True
        while changed:
            changed = False
            for kind in ("insert", "delete", "turn"):
                while found := self.best(kind):
                    self.marks, changed = found[-1], True

    def edges(self):
        arcs, lines = self.marks
        return {(min(edge), max(edge)) for edge in arcs | lines}

    def allow(self, pairs):
        self.allowed, self.in_vain = pairs, {}

    def note_changes(self):
        """Vertices near an edge that came or went may be reopened again."""
        moved = {u for edge in self.seen ^ self.edges() for u in edge}
        near = View(self.n, self.marks).near
        for how, tried in self.in_vain.items():
            self.in_vain[how] = {v for v in tried if not ({v} | near[v]) & moved}
        self.seen = self.edges()

    def reopen_nodes(self, how="step by step"):
        self.note_changes()
        self.in_vain.setdefault(how, set())
        changed = True
        while changed:
            changed = False
            degree = {v: len(View(self.n, self.marks).near[v]) for v in range(self.n)}
            for v in sorted(range(self.n), key=lambda v: (-degree[v], v)):
                if degree[v] < 2 or v in self.in_vain[how]:
                    continue
                before, worth = self.marks, self.total()
                self.take_off(v, how)
                self.run()
                if self.total() > worth:
                    changed = True
                    self.note_changes()
                else:
                    self.marks = before
                    self.in_vain[how].add(v)

    def take_off(self, v, how):
        dag = frozenset(arc for arc in members(self.n, self.marks)[0] if v not in arc)
        if how == "as sink":
            dag = dag | {(u, v) for u in self.best_parents(v)}
        if how == "as source":
            families = [(y, parents_in(dag, y)) for y in range(self.n) if y != v]
            dag = dag | {
                (v, y)
                for y, family in families
                if (min(v, y), max(v, y)) in self.allowed
                and self.local(y, family | {v}) > self.local(y, family)
            }
        self.marks = class_of(self.n, dag)

    def best_parents(self, v):
        found = frozenset()
        while True:
            gains = [
                (self.local(v, found) - self.local(v, found | {u}), u)
                for u in range(self.n)
                if u not in found and (min(u, v), max(u, v)) in self.allowed
            ]
            if not gains or min(gains)[0] >= 0:
                return found
            found = found | {min(gains)[1]}

    def start_again(self):
        """From the best forest of the edges; near pairs first, the others if that is better."""
        before, worth, everything = self.marks, self.total(), self.allowed
        near = View(self.n, before).near
        gain = {(u, v): self.local(v, frozenset({u})) - self.local(v, frozenset()) for u, v in self.edges()}
        tree = {v: v for v in range(self.n)}
        lines = set()
        for u, v in sorted(gain, key=lambda edge: (-gain[edge], edge)):
            if gain[u, v] > 0 and tree[u] != tree[v]:
                lines.add((u, v))
                tree = {w: tree[u] if root == tree[v] else root for w, root in tree.items()}
        self.marks = (frozenset(), frozenset(lines))
        self.allowed = {(u, v) for u, v in everything if v in near[u] or near[u] & near[v]}
        self.run()
        self.allowed = everything
        if self.total() > worth:
            self.run()
        if self.total() > worth:
            return True
        self.marks = before
        return False

    def search(self, effort):
        everything = self.allowed
        self.allowed = {
            (u, v) for u, v in everything if self.local(v, frozenset({u})) > self.local(v, frozenset())
        }
        self.run()
        if effort == 1:
            self.reopen_nodes()
        self.allow(everything)
        self.run()
        if effort >= 2:
            self.reopen_nodes()
            if self.start_again():
                self.reopen_nodes()
        return self.marks


def classes_one_move_away(n, marks):
    """Classes of all DAGs that one arc added, removed or reversed makes of a member."""
    found = set()
    for dag in members(n, marks):
        for u in range(n):
            for v in range(n):
                if u == v:
                    continue
                if (u, v) in dag:
                    found.add(class_of(n, dag - {(u, v)}))
                    other = (dag - {(u, v)}) | {(v, u)}
                elif (v, u) not in dag:
                    other = dag | {(u, v)}
                else:
                    continue
                if is_acyclic(n, other):
                    found.add(class_of(n, other))
    return found - {marks}
