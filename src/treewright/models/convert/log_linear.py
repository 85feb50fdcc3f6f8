"""Deterministic feature graphs as weighted features: every parameter, in the contexts in which it counts.

A context is what the path from the root says: the states that each variable still may have, and conjunctions
that are known not to hold. A conjunction is told apart into cases only where a parameter is written down, and
only if the states have not decided it by then: cases made on the way down would multiply with every false
side above, most of them impossible or equal below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from treewright.errors import NoExactAnswer, TableTooLarge
from treewright.graphs.feature_graph import FeatureGraph
from treewright.models.undirected.log_linear import LogLinearModel
from treewright.tables.features import Feature, Literal

MOST_FEATURES = 1_000_000

Case = tuple[int, int]  # variable, state
Conjunction = tuple[Case, ...]


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
    for states, weight in _Walk(graph, pushed).run():
        features.append(_feature(graph, states))
        weights.append(weight)
    return LogLinearModel(graph.schema, features, np.array(weights))


@dataclass(frozen=True)
class Context:
    """The states that are left to variables, one bit each, and conjunctions that do not hold."""

    states: dict[int, int]
    false: tuple[Conjunction, ...] = ()

    def narrowed(self, cases: Iterable[Case]) -> Context | None:
        """Where the cases hold too; None when that is nowhere."""
        states = dict(self.states)
        for v, a in cases:
            states[v] = states[v] & (1 << a)
        return Context(states, self.false).settled()

    def without(self, conjunction: Conjunction) -> Context | None:
        """Where the conjunction does not hold; None when that is nowhere."""
        return Context(self.states, (*self.false, conjunction)).settled()

    def settled(self) -> Context | None:
        """What follows from the states drawn: conjunctions that are decided go, single ones take a state."""
        states, false = self.states, self.false
        if not all(states.values()):
            return None
        while True:
            states, kept = dict(states), []
            before = len(false)
            for conjunction in false:
                if any(not states[v] >> a & 1 for v, a in conjunction):
                    continue  # contradicted already
                left = tuple((v, a) for v, a in conjunction if states[v] != 1 << a)
                if not left:
                    return None
                if len(left) > 1:
                    kept.append(left)
                    continue
                ((v, a),) = left
                states[v] &= ~(1 << a)
            false = tuple(dict.fromkeys(kept))
            if len(false) == before:
                return Context(states, false)

    def cases(self) -> Iterator[dict[int, int]]:
        """The states left, in cases that exclude each other and leave no conjunction undecided."""
        waiting: list[Context | None] = [self]
        while waiting:
            context = waiting.pop()
            if context is None:
                continue
            if not context.false:
                yield context.states
                continue
            asked = Counter(case for conjunction in context.false for case in conjunction)
            case = max(asked, key=lambda one: asked[one])  # the earliest of those that decide most
            waiting += [context.narrowed([case]), context.without((case,))]


@dataclass(frozen=True)
class _Walk:
    graph: FeatureGraph
    pushed: bool

    def run(self) -> Iterator[tuple[dict[int, int], float]]:
        """Every parameter in every case of its context."""
        n = 0
        start = Context({v: (1 << r) - 1 for v, r in enumerate(self.graph.schema.cardinalities)})
        waiting: list[tuple[int, Context, float]] = [(self.graph.root, start, 0.0)]
        while waiting:
            node, context, weight = waiting.pop()
            for one, w in self._own(node, context, weight):
                for states in () if one is None else one.cases():
                    n += 1
                    if n > MOST_FEATURES:
                        raise TableTooLarge(
                            f"this graph has more than {MOST_FEATURES:,} parameters in context (merged nodes "
                            "count once for every way to them); ask the feature network itself"
                        )
                    yield states, w
            waiting += reversed(list(self._below(node, context, weight)))

    def _own(self, node: int, context: Context, weight: float) -> Iterator[tuple[Context | None, float]]:
        kind = self.graph.kind(node)
        numbers = self.graph.numbers_of(node).tolist()
        if kind == "split":  # a state without a child never occurs
            variable, *known = self.graph.integers(node)
            for a in sorted(set(range(self.graph.schema.cardinalities[variable])) - set(known)):
                yield context.narrowed([(variable, a)]), -np.inf
        if kind in ("split", "feature") and not self.pushed:
            for k, number in enumerate(numbers):
                yield self._side(node, k, context), number
        elif kind == "one" and self.pushed:
            yield context, weight
        elif kind == "table":
            for cell, cases in enumerate(self._cells(self.graph.integers(node))):
                yield context.narrowed(cases), numbers[cell] + weight
        elif kind == "tree":
            for number, cases, first in self._families(node, numbers):
                yield context.narrowed(cases), number + (weight if first else 0.0)

    def _below(self, node: int, context: Context, weight: float) -> Iterator[tuple[int, Context, float]]:
        kind, numbers = self.graph.kind(node), self.graph.numbers_of(node).tolist()
        for k, child in enumerate(self.graph.children(node)):
            if kind == "and":
                yield child, context, weight if k == 0 else 0.0
            elif numbers[k] != -np.inf or self.pushed:
                side = self._side(node, k, context)
                if side is not None:
                    yield child, side, weight + numbers[k] if self.pushed else 0.0

    def _side(self, node: int, k: int, context: Context) -> Context | None:
        """The context of child k."""
        about = self.graph.integers(node)
        if self.graph.kind(node) == "split":
            return context.narrowed([(about[0], about[k + 1])])
        literals = tuple(zip(about[::2], about[1::2], strict=True))
        return context.narrowed(literals) if k == 0 else context.without(literals)

    def _cells(self, scope: list[int]) -> Iterator[Conjunction]:
        for states in product(*(range(self.graph.schema.cardinalities[v]) for v in scope)):
            yield tuple(zip(scope, states, strict=True))

    def _families(self, node: int, numbers: list[float]) -> Iterator[tuple[float, Conjunction, bool]]:
        about, at, first = self.graph.integers(node), 1, 0
        variables: list[int] = []
        while at < len(about):
            parents = [variables[i] for i in about[at + 2 : at + 2 + about[at + 1]]]
            for cases in self._cells([*parents, about[at]]):
                yield numbers[first], cases, not variables
                first += 1
            variables.append(about[at])
            at += 2 + len(parents)


def _feature(graph: FeatureGraph, states: dict[int, int]) -> Feature:
    """The states left as literals: the one that is left, or those that are not."""
    schema = graph.schema
    literals = []
    for v, left in states.items():
        labels = schema[v].states or ()
        if left.bit_count() == 1 and len(labels) > 1:
            literals.append(Literal(schema.names[v], labels[left.bit_length() - 1]))
        elif left.bit_count() < len(labels):
            literals += [
                Literal(schema.names[v], a, False) for i, a in enumerate(labels) if not left >> i & 1
            ]
    return Feature(literals)
