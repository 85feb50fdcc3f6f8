"""Three-phase dependency analysis with sets of paths and nothing clever."""

from itertools import combinations


def simple_paths(near, x, y):
    """Every path between two vertices that meets no vertex twice."""
    stack = [[x]]
    while stack:
        path = stack.pop()
        if path[-1] == y:
            yield path
            continue
        stack += [[*path, v] for v in sorted(near[path[-1]]) if v not in path]


class Tpda:
    """`information(x, y, given)` and `small(x, y, given)` answer; vertices are names."""

    def __init__(self, names, information, small, largest_given=8, tolerance=0.001):
        self.names = sorted(names)
        self.information, self.small = information, small
        self.largest_given, self.tolerance = largest_given, tolerance
        self.near = {v: set() for v in names}
        self.edges, self.cutsets = [], {}
        self.weight = {}
        for x, y in combinations(self.names, 2):
            self.weight[x, y] = self.weight[y, x] = information(x, y, ())

    def join(self, x, y):
        self.near[x].add(y)
        self.near[y].add(x)

    def part(self, x, y):
        self.near[x].discard(y)
        self.near[y].discard(x)

    def run(self):
        pairs = [p for p in combinations(self.names, 2) if not self.small(*p, ())]
        pairs.sort(key=lambda p: -self.weight[p])
        waiting = []
        for x, y in pairs:
            if any(simple_paths(self.near, x, y)):
                waiting.append((x, y))
            else:
                self.join(x, y)
                self.edges.append((x, y))
        for x, y in waiting:
            if self.needed_quickly(x, y):
                self.join(x, y)
                self.edges.append((x, y))
        self.thin(self.needed_quickly, lambda x, y: True)
        self.thin(self.needed_thoroughly, lambda x, y: max(len(self.near[x]), len(self.near[y])) - 1 >= 3)
        return sorted(self.edges), self.cutsets

    def thin(self, needed, applies):
        for x, y in list(self.edges):
            if not applies(x, y):
                continue
            self.part(x, y)
            if not any(simple_paths(self.near, x, y)) or needed(x, y):
                self.join(x, y)
            else:
                self.edges.remove((x, y))

    def near_on_paths(self, x, y, two_steps=False):
        on_path = {v for path in simple_paths(self.near, x, y) for v in path} - {x, y}
        found = self.near[x] & on_path
        if two_steps:
            found |= {v for u in found for v in self.near[u]} & on_path
        return sorted(found)

    def strongest(self, x, y, given):
        ranked = sorted(given, key=lambda v: -(self.weight[x, v] + self.weight[y, v]))
        return sorted(ranked[: self.largest_given])

    def needed_quickly(self, x, y):
        sets = [self.near_on_paths(x, y), self.near_on_paths(y, x)]
        for nearest in sorted(sets, key=len):
            given = self.strongest(x, y, nearest)
            s = self.information(x, y, given)
            if self.small(x, y, given):
                self.cutsets[x, y] = given
                return False
            while len(given) > 1:
                smaller = [[v for v in given if v != c] for c in given]
                least = min(smaller, key=lambda g: self.information(x, y, g))
                m = self.information(x, y, least)
                if self.small(x, y, least):
                    self.cutsets[x, y] = least
                    return False
                if m > s:
                    break
                given, s = least, m
        return True

    def needed_thoroughly(self, x, y):
        sets = [self.near_on_paths(x, y, True), self.near_on_paths(y, x, True)]
        given = self.strongest(x, y, min(sets, key=len))
        while True:
            s = self.information(x, y, given)
            if self.small(x, y, given):
                self.cutsets[x, y] = given
                return False
            left = list(given)
            for c in given:
                without = [v for v in given if v != c]
                if self.small(x, y, without):
                    self.cutsets[x, y] = without
                    return False
                if self.information(x, y, without) <= s + self.tolerance:
                    left.remove(c)
            if left == given or not left:
                return True
            given = left
