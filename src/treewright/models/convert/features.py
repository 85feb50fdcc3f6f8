"""Feature graphs as other things: weighted features, a junction tree's product, drawings of the nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from treewright.errors import NoExactAnswer, TableTooLarge, TreewidthError
from treewright.graphs.feature_graph import FeatureGraph
from treewright.graphs.undirected.cluster_trees import JunctionTree
from treewright.inference.clique_tree import depth_first
from treewright.inference.engine import Factor
from treewright.limits import check_table
from treewright.models.convert.dot import quoted
from treewright.models.convert.libraries import library
from treewright.models.undirected.log_linear import LogLinearModel
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.tables.features import Feature, Literal
from treewright.types import Cells, Scope

if TYPE_CHECKING:
    import networkx as nx

    from treewright.models.features.feature_network import FeatureNetwork


def to_markov_network(model: FeatureNetwork, *, clique_limit: int = 20) -> MarkovNetwork:
    """Clique after clique of a junction tree: what it says beyond the separator to its parent.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraphBuilder
    >>> from treewright.models.features.feature_network import FeatureNetwork
    >>> from treewright.tables.schema import Schema, Variable
    >>> builder = FeatureGraphBuilder(Schema([Variable("a", (0, 1)), Variable("b", (0, 1))]))
    >>> graph = builder.graph(builder.table(["a", "b"], [[0.1, 0.2], [0.3, 0.4]]))
    >>> to_markov_network(FeatureNetwork(graph)).factors[0].table.round(6).tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    tree = JunctionTree.of(model.structure)
    widest = max(tree.cluster_scopes, key=len, default=())
    if len(widest) > clique_limit:
        names = sorted(model.schema.names_of(widest))
        shown = ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        raise TreewidthError(
            f"the junction tree of this graph has a clique of {len(widest)} variables ({shown}), more than "
            f"clique_limit={clique_limit}; ask the feature network itself, which needs no junction tree"
        )
    for scope in tree.cluster_scopes:
        check_table(model.schema, scope)
    order, parents = depth_first(tree)
    factors = []
    for here, (cluster, parent) in enumerate(zip(order, parents, strict=True)):
        scope = tree.cluster_scopes[cluster]
        above = () if parent < 0 else tree.cluster_scopes[order[parent]]
        factors.append(Factor(scope, _beyond(model, scope, tuple(v for v in scope if v in above))))
        assert parent < here
    return MarkovNetwork(model.schema, factors)


def _beyond(model: FeatureNetwork, scope: Scope, separator: Scope) -> Cells:
    """The joint distribution of a clique divided by that of the separator."""
    cells = model.joint(scope)
    others = tuple(axis for axis, v in enumerate(scope) if v not in separator)
    totals = cells.sum(axis=others, keepdims=True) if separator else np.ones((1,) * len(scope))
    return np.asarray(np.divide(cells, totals, out=np.zeros_like(cells), where=totals > 0))


def node_label(graph: FeatureGraph, node: int) -> str:
    """What a node is about, in names."""
    kind, about, schema = graph.kind(node), graph.integers(node), graph.schema
    if kind == "split":
        return f"split {schema.names[about[0]]}"
    if kind == "feature":
        literals = zip(about[::2], about[1::2], strict=True)
        return "feature " + " and ".join(
            f"{schema.names[v]}={(schema[v].states or ())[code]!r}" for v, code in literals
        )
    names = schema.names_of(graph.scope(node)) if not graph.children(node) else ()
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return f"{kind} {shown}".strip()


def edge_labels(graph: FeatureGraph, node: int) -> list[tuple[int, str, float]]:
    """Each child with the case it stands for, and the probability of that case."""
    kind, about, children = graph.kind(node), graph.integers(node), graph.children(node)
    probabilities = [math.exp(x) for x in graph.numbers_of(node).tolist()]
    cases = ["true", "false"] if kind == "feature" else [""] * len(children)
    if kind == "split":
        states = graph.schema[about[0]].states or ()
        cases = [str(states[code]) for code in about[1:]]
    if kind == "and":
        probabilities = [1.0] * len(children)
    return list(zip(children, cases, probabilities, strict=True)) if children else []


def to_networkx(graph: FeatureGraph) -> nx.DiGraph[int]:
    """A digraph of node ids: nodes have `kind`, `label` and `scope`, arcs `case` and `probability`.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraphBuilder
    >>> from treewright.tables.schema import Schema, Variable
    >>> builder = FeatureGraphBuilder(Schema([Variable("a", (0, 1)), Variable("b", (0, 1))]))
    >>> graph = builder.graph(builder.product([builder.table(name, [0.5, 0.5]) for name in "ab"]))
    >>> to_networkx(graph).nodes[2]["kind"], sorted(to_networkx(graph).successors(2))
    ('and', [0, 1])
    """
    result: nx.DiGraph[int] = library("networkx", "networkx").DiGraph()
    for node in range(graph.n_nodes):
        scope = graph.schema.names_of(graph.scope(node))
        result.add_node(node, kind=graph.kind(node), label=node_label(graph, node), scope=scope)
        for child, case, p in edge_labels(graph, node):
            result.add_edge(node, child, case=case, probability=p)
    return result


def to_dot(graph: FeatureGraph) -> str:
    """The text of a digraph of nodes, root first."""
    lines = ["digraph {"]
    for node in reversed(range(graph.n_nodes)):
        lines.append(f"  n{node} [label={quoted(node_label(graph, node))}];")
        for child, case, p in edge_labels(graph, node):
            text = f"{case} {p:.4g}".strip() if graph.kind(node) != "and" else ""
            lines.append(f"  n{node} -> n{child}" + (f" [label={quoted(text)}];" if text else ";"))
    return "\n".join([*lines, "}"]) + "\n"


MOST_FEATURES = 1_000_000

Case = tuple[int, int, bool]  # variable, state, whether it is in that state


def to_log_linear(graph: FeatureGraph, *, pushed: bool = False) -> LogLinearModel:
    """Features and weights of a deterministic graph without stored rows; see `FeatureNetwork.to_log_linear`.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraphBuilder
    >>> from treewright.tables.schema import Schema, Variable
    >>> builder = FeatureGraphBuilder(Schema([Variable("a", (0, 1)), Variable("b", (0, 1))]))
    >>> even, never = builder.table("b", [0.5, 0.5]), builder.table("b", [1.0, 0.0])
    >>> model = to_log_linear(builder.graph(builder.split("a", {0: (0.25, even), 1: (0.75, never)})))
    >>> [(str(f), round(w, 4)) for f, w in zip(model.features, model.weights.tolist())][:3]
    [('a=0', -1.3863), ('a=1', -0.2877), ('a=0 & b=0', -0.6931)]
    """
    kinds = graph.kinds()
    if not graph.is_deterministic:
        raise NoExactAnswer(
            "a graph with mixtures or hidden states is no log-linear model of its variables; only "
            "deterministic graphs are"
        )
    if "rows" in kinds:
        raise NoExactAnswer(
            "stored rows forbid everything else, which no short list of features says; convert a graph "
            "without them"
        )
    features, weights = [], []
    for cases, weight in _Walk(graph, pushed).run():
        if (literals := _consistent(cases)) is not None:  # a cell that the context forbids never holds
            features.append(_feature(graph, literals))
            weights.append(weight)
    return LogLinearModel(graph.schema, features, np.array(weights))


@dataclass(frozen=True)
class _Walk:
    graph: FeatureGraph
    pushed: bool

    def run(self) -> Iterator[tuple[tuple[Case, ...], float]]:
        """Every parameter in every context; each context once."""
        n = 0
        waiting: list[tuple[int, tuple[Case, ...], float]] = [(self.graph.root, (), 0.0)]
        while waiting:
            node, context, weight = waiting.pop()
            for cases, w in self._own(node, context, weight):
                n += 1
                if n > MOST_FEATURES:
                    raise TableTooLarge(
                        f"this graph has more than {MOST_FEATURES:,} parameters in context (merged nodes "
                        "count once for every way to them); ask the feature network itself"
                    )
                yield cases, w
            waiting += reversed(list(self._below(node, context, weight)))

    def _own(
        self, node: int, context: tuple[Case, ...], weight: float
    ) -> Iterator[tuple[tuple[Case, ...], float]]:
        kind = self.graph.kind(node)
        numbers = self.graph.numbers_of(node).tolist()
        if kind == "split":  # a state without a child never occurs
            variable, *known = self.graph.integers(node)
            for a in sorted(set(range(self.graph.schema.cardinalities[variable])) - set(known)):
                yield (*context, (variable, a, True)), -np.inf
        if kind in ("split", "feature") and not self.pushed:
            for k, number in enumerate(numbers):
                yield from ((cases, number) for cases in self._cases(node, k, context))
        elif kind == "one" and self.pushed:
            yield context, weight
        elif kind == "table":
            for cell, states in enumerate(self._states(self.graph.integers(node))):
                yield (*context, *states), numbers[cell] + weight
        elif kind == "tree":
            for number, states, first in self._families(node, numbers):
                yield (*context, *states), number + (weight if first else 0.0)

    def _below(
        self, node: int, context: tuple[Case, ...], weight: float
    ) -> Iterator[tuple[int, tuple[Case, ...], float]]:
        kind, numbers = self.graph.kind(node), self.graph.numbers_of(node).tolist()
        for k, child in enumerate(self.graph.children(node)):
            if kind == "and":
                yield child, context, weight if k == 0 else 0.0
            elif numbers[k] != -np.inf or self.pushed:
                inner = weight + numbers[k] if self.pushed else 0.0
                for cases in self._cases(node, k, context):
                    yield child, cases, inner

    def _cases(self, node: int, k: int, context: tuple[Case, ...]) -> Iterator[tuple[Case, ...]]:
        """The contexts of child k: one, or several that exclude each other for a false conjunction."""
        about = self.graph.integers(node)
        if self.graph.kind(node) == "split":
            yield (*context, (about[0], about[k + 1], True))
            return
        literals = list(zip(about[::2], about[1::2], strict=True))
        if k == 0:
            yield (*context, *((v, a, True) for v, a in literals))
            return
        for i, (v, a) in enumerate(literals):
            yield (*context, *((u, b, True) for u, b in literals[:i]), (v, a, False))

    def _states(self, scope: list[int]) -> Iterator[tuple[Case, ...]]:
        sizes = [range(self.graph.schema.cardinalities[v]) for v in scope]
        for states in product(*sizes):
            yield tuple((v, a, True) for v, a in zip(scope, states, strict=True))

    def _families(self, node: int, numbers: list[float]) -> Iterator[tuple[float, tuple[Case, ...], bool]]:
        about, at, first = self.graph.integers(node), 1, 0
        variables: list[int] = []
        while at < len(about):
            parents = [variables[i] for i in about[at + 2 : at + 2 + about[at + 1]]]
            for states in self._states([*parents, about[at]]):
                yield numbers[first], states, not variables
                first += 1
            variables.append(about[at])
            at += 2 + len(parents)


def _consistent(cases: tuple[Case, ...]) -> list[Case] | None:
    """Without what follows from the rest; None when the cases contradict each other."""
    states = {v: a for v, a, holds in cases if holds}
    if any(states.get(v) == a for v, a, holds in cases if not holds):
        return None
    return [case for case in cases if case[2] or case[0] not in states]


def _feature(graph: FeatureGraph, cases: list[Case]) -> Feature:
    schema = graph.schema
    return Feature([Literal(schema.names[v], (schema[v].states or ())[a], holds) for v, a, holds in cases])
