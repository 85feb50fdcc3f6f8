"""Whether nodes are a feature graph: children before parents, scopes that fit, numbers that sum to one.

Everything is checked from the definitions, in plain Python. Nodes are visited in their order, so that what a
node needs to know of its children is there: their scopes and their sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from treewright.verification.content import Variables
from treewright.verification.feature_leaves import LEAVES, BrokenNode, Leaf, distribution, require, whole
from treewright.verification.report import Findings

TOLERANCE = 1e-9
INNER = ("split", "feature", "and", "mix")


@dataclass(frozen=True)
class Node:
    """One node as the file has it; null among the numbers is the logarithm of zero."""

    kind: str
    children: list[int]
    integers: list[int]
    numbers: list[float]


def check_nodes(items: object, variables: Variables, findings: Findings) -> list[tuple[str, ...]]:
    """The sets of variables that parameters hold together; the first broken node ends the check."""
    findings.begin("nodes")
    nodes = read_nodes(items, findings)
    if nodes is None:
        return []
    names, sizes = variables.names, [variables.size(name) for name in variables.names]
    graph = Graph(nodes, sizes)
    for place in range(len(nodes)):
        try:
            graph.add(place)
        except BrokenNode as broken:
            about = [names[v] for v in broken.variables]
            findings.add("nodes", f"node {place} ({nodes[place].kind}) {broken}", about)
            return []
    lost = [names[v] for v in sorted(set(range(len(names))) - graph.scopes[-1])]
    findings.expect(not lost, "nodes", "the root is not about all variables", lost[:8])
    total = graph.totals[-1]
    findings.expect(
        abs(total - 1) <= 1e-6, "evaluation", f"all rows together have probability {total!r}, not 1"
    )
    return [tuple(names[v] for v in sorted(scope)) for scope in graph.cliques()]


def read_nodes(items: object, findings: Findings) -> list[Node] | None:
    """The nodes of a list, if each has a kind, lists of the right type and children before it."""
    if not isinstance(items, list) or not items:
        findings.add("nodes", '"nodes" is not a list of at least one node')
        return None
    nodes = [read_node(item) for item in items]
    wanted: set[int] = set()
    for place, node in enumerate(nodes):
        if node is None:
            findings.add("nodes", f'node {place} has not just "kind", "children", "integers" and "numbers"')
            return None
        late = [child for child in node.children if child >= place]
        if late:
            findings.add("nodes", f"node {place} has the child {late[0]}, which does not come before it")
            return None
        wanted.update(node.children)
    lost = sorted(set(range(len(nodes) - 1)) - wanted)
    if lost:
        findings.add("nodes", f"node {lost[0]} is no child of any node and not the root")
        return None
    return [node for node in nodes if node is not None]


def read_node(item: object) -> Node | None:
    lists = ("children", "integers", "numbers")
    if not isinstance(item, dict) or not {"kind"} <= item.keys() <= {"kind", *lists}:
        return None
    children, integers, numbers = (item.get(key, []) for key in lists)
    if item["kind"] not in (*INNER, *LEAVES) or not (whole(children) and whole(integers)):
        return None
    if not isinstance(numbers, list) or not all(x is None or type(x) is float for x in numbers):
        return None
    logs = [-math.inf if x is None else x for x in numbers]
    return Node(item["kind"], children, integers, logs)


class Graph:
    """Scopes and sums of the nodes so far."""

    def __init__(self, nodes: Sequence[Node], sizes: Sequence[int]) -> None:
        self.nodes, self.sizes = nodes, sizes
        self.scopes: list[frozenset[int]] = []
        self.totals: list[float] = []
        self.leaves: dict[int, Leaf] = {}

    def add(self, place: int) -> None:
        """Check one node and remember it."""
        node = self.nodes[place]
        require(all(not math.isnan(x) and x <= TOLERANCE for x in node.numbers), "holds no log-probability")
        if node.kind in LEAVES:
            require(not node.children, "is a leaf and has children")
            leaf = self.leaves[place] = LEAVES[node.kind](node.integers, node.numbers, self.sizes)
            self.scopes.append(leaf.scope)
            self.totals.append(leaf.total)
            return
        below = [self.scopes[child] for child in node.children]
        require(bool(below), "has no children")
        if node.kind != "and":
            require(len(node.numbers) == len(below), "has not one number per child")
            distribution(node.numbers)
        scope = getattr(self, f"_{node.kind}")(node, below)
        self.scopes.append(scope)
        sums = [self.totals[child] for child in node.children]
        shares = [math.exp(x) * s for x, s in zip(node.numbers, sums, strict=False)]
        self.totals.append(math.prod(sums) if node.kind == "and" else math.fsum(shares))

    def _and(self, node: Node, below: list[frozenset[int]]) -> frozenset[int]:
        require(not node.integers and not node.numbers, "is a product and says more")
        joined = frozenset[int]().union(*below)
        require(len(joined) == sum(map(len, below)), "has children that share a variable", joined)
        return joined

    def _mix(self, node: Node, below: list[frozenset[int]]) -> frozenset[int]:
        require(not node.integers, "is a mixture and says more")
        require(len(set(below)) == 1, "has children about different variables")
        return below[0]

    def _split(self, node: Node, below: list[frozenset[int]]) -> frozenset[int]:
        require(len(node.integers) == len(below) + 1, "has not one child per state")
        variable, *states = node.integers
        require(variable < len(self.sizes), "names a variable that is not there")
        rising = all(a < b for a, b in pairwise(states))
        require(rising and states[-1] < self.sizes[variable], "has not rising states of its variable")
        require(len(set(below)) == 1, "has children about different variables")
        require(variable not in below[0], "has children about its own variable", [variable])
        return below[0] | {variable}

    def _feature(self, node: Node, below: list[frozenset[int]]) -> frozenset[int]:
        literals = dict(zip(node.integers[::2], node.integers[1::2], strict=False))
        ordered = list(literals) == sorted(literals) and 2 * len(literals) == len(node.integers)
        require(bool(literals) and ordered and len(below) == 2, "has not rising literals and two children")
        known = all(v < len(self.sizes) and a < self.sizes[v] for v, a in literals.items())
        require(known, "names a variable or state that is not there")
        holds, fails = below
        require(not holds & literals.keys(), "has its own variables on the true side", literals)
        require(holds | literals.keys() == fails, "has sides about different variables")
        can_hold = self.possible(node.children[1], literals)
        require(not can_hold, "has a false side in which its feature can hold", literals)
        return fails

    def possible(self, top: int, known: dict[int, int]) -> bool:
        """Whether some row with these states has a positive probability under a node."""
        answers: list[bool] = []
        for place in range(top + 1):
            node = self.nodes[place]
            if place in self.leaves:
                answers.append(self.leaves[place].possible(known))
                continue
            below = [answers[child] for child in node.children]
            if node.kind == "and":
                answers.append(all(below))
                continue
            open_ = [x > -math.inf and ok for x, ok in zip(node.numbers, below, strict=True)]
            if node.kind == "split":
                wanted = known.get(node.integers[0])
                open_ = [ok and wanted in (None, a) for ok, a in zip(open_, node.integers[1:], strict=True)]
            if node.kind == "feature":
                literals = zip(node.integers[::2], node.integers[1::2], strict=True)
                open_[0] = open_[0] and all(known.get(v, a) == a for v, a in literals)
            answers.append(any(open_))
        return answers[top]

    def cliques(self) -> list[frozenset[int]]:
        """Variables that the parameters hold together, and pairs for what lies below a split."""
        found: set[frozenset[int]] = {frozenset([v]) for v in range(len(self.sizes))}
        for place, node in enumerate(self.nodes):
            scope = self.scopes[place]
            if place in self.leaves:
                found.update(self.leaves[place].cliques)
            elif node.kind == "mix":
                found.add(scope)
            elif node.kind == "split":
                found.update(_pairs(node.integers[:1], scope))
            elif node.kind == "feature":
                found.update(_pairs(node.integers[::2], scope))
        largest = max(found, key=len, default=frozenset())
        return [one for one in found if one is largest or not one <= largest]


def _pairs(ones: Iterable[int], scope: frozenset[int]) -> set[frozenset[int]]:
    chosen = set(ones)
    pairs = {frozenset((u, v)) for u in chosen for v in scope if u != v}
    return pairs | {frozenset(pair) for pair in combinations(chosen, 2)}
