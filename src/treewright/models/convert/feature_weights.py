"""A feature graph as a log-linear model: one weighted feature per parameter (Gogate et al. 2010).

The feature of a parameter says how a row gets there: the literals on the path from the root, and the literal
or cell of the parameter itself. Exactly one parameter of every distribution that a row meets is active, so
the weights of what holds add up to the row's log-probability and the partition function is one. A conjunction
that is known to be false is said by cases that exclude each other: its first literal fails; the first holds
and the second fails; and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from treewright.errors import NoExactAnswer, TableTooLarge
from treewright.graphs.feature_graph import FeatureGraph
from treewright.models.undirected.log_linear import LogLinearModel
from treewright.tables.features import Feature, Literal

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
