"""How much an answer of a feature graph moves with each of its numbers.

Every number of a graph is one of a distribution: the cases of a split, whether a feature holds, the weights
of a mixture or of stored rows, a table, a row of a tree or of a hidden tree. How often a row that is known to
show e is expected to use it, over the number itself, is the derivative of ln P(e) by it; the rest of its
distribution is scaled. So P(t | e) moves by P(t | e) times what that changes once t is known too. A number
that is zero says what never occurs, and one of one that nothing else does: both belong to the shape of the
graph, and neither is moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.errors import EvidenceError
from treewright.graphs.feature_graph import NO_PARENT, FeatureGraph
from treewright.inference.batch import EvidenceColumns
from treewright.inference.evidence import Given
from treewright.models.discrete.sensitivity import MovingNumbers, with_state
from treewright.tables.schema import Label
from treewright.types import Cells

if TYPE_CHECKING:
    from treewright.models.features.feature_network import FeatureNetwork


@dataclass(frozen=True)
class MovingFeatureNumber:
    """One number of a feature graph, what it says at its node, and the derivative of the answer by it."""

    node: int
    number: str
    probability: float
    derivative: float

    def __str__(self) -> str:
        return f"{self.number} at node {self.node}"


class FeatureSensitivity(MovingNumbers[MovingFeatureNumber]):
    """How much P(target = state | evidence) moves with each number of a feature graph.

    `probability` is the answer itself, `derivatives` has one for each of `graph.numbers` (which are kept as
    logarithms; moved is the number itself), :meth:`node` those of one node; iterating gives the numbers that
    move the answer, the strongest first, down to 1e-12.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in ("rain", "wet")])
    >>> builder = tw.graphs.FeatureGraphBuilder(schema)
    >>> dry, wet = builder.table("wet", [0.9, 0.1]), builder.table("wet", [0.2, 0.8])
    >>> graph = builder.graph(builder.split("rain", {"no": (0.75, dry), "yes": (0.25, wet)}))
    >>> tw.FeatureNetwork(graph).sensitivity("rain", "yes", given={"wet": "yes"})
    P(rain=yes | ...) = 0.7273 moves most with
      P(wet=no) at node 0    0.9000  by  +1.98
      P(wet=yes) at node 0   0.1000  by  -1.98
      P(rain=no) at node 2   0.7500  by  -1.06
      P(rain=yes) at node 2  0.2500  by  +1.06
      P(wet=no) at node 1    0.2000  by  -0.248
      P(wet=yes) at node 1   0.8000  by  +0.248
    """

    def __init__(self, graph: FeatureGraph, derivatives: Cells, asked: AskedGraph) -> None:
        super().__init__(graph.schema, [()], [np.exp(graph.numbers)], [derivatives], asked)
        self._graph = graph

    @property
    def derivatives(self) -> Cells:
        """By every number of the graph, as they lie in `graph.numbers`."""
        return self._derivatives[0]

    def node(self, node: int) -> Cells:
        """The derivatives by the numbers of one node, as they lie in `graph.numbers_of(node)`."""
        begin = self._graph.arrays[5]
        return self.derivatives[int(begin[node]) : int(begin[node + 1])]

    def _at(self, place: int, cell: int) -> MovingFeatureNumber:
        begin = self._graph.arrays[5]
        node = int(np.searchsorted(begin, cell, side="right")) - 1
        said = said_of(self._graph, node, cell - int(begin[node]))
        return MovingFeatureNumber(
            node, said, float(self._tables[0][cell]), float(self._derivatives[0][cell])
        )


class AskedGraph(NamedTuple):
    """A question about one probability, and its answer."""

    target: str
    state: Label
    answer: float


def feature_sensitivity(
    model: FeatureNetwork, target: str, state: Label, given: Given | None
) -> FeatureSensitivity:
    """Derivatives of one answer by every number of the graph, see `FeatureNetwork.sensitivity`."""
    t = model.schema.index(target)
    code, evidence = model.schema[t].code(state), model._read(given)
    if t in evidence.observed:
        raise EvidenceError(f"{target} is given, so no number moves it; ask about a variable that is not")
    known, log_known = model.engine.joint((t,), evidence)
    model._require_possible(log_known, evidence)
    answer, numbers = float(known[code]), np.exp(model.graph.numbers)
    derivatives = np.zeros(len(numbers))
    if answer > 0:
        unseen = EvidenceColumns([None] * len(model.schema), [None] * len(model.schema), 1)
        after, before = (
            model.engine.expected_counts(unseen, None, one)[0]
            for one in (with_state(evidence, t, code), evidence)
        )
        derivatives = answer * _rest_scaled(model.graph, numbers, after - before)
    return FeatureSensitivity(model.graph, derivatives, AskedGraph(target, state, answer))


def _rest_scaled(graph: FeatureGraph, numbers: Cells, uses: Cells) -> Cells:
    """From how often numbers are used to derivatives by them, the rest of each distribution scaled."""
    if not len(numbers):
        return uses
    sizes = np.concatenate([_sizes(graph, node) for node in range(graph.n_nodes)])
    begins = np.cumsum(sizes) - sizes
    of_all, sums = (np.repeat(np.add.reduceat(one, begins), sizes) for one in (uses, numbers))
    rest = sums - numbers
    moved = (numbers > 0) & (rest > 1e-15)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(moved, uses / numbers - (of_all - uses) / rest, 0.0)


def _sizes(graph: FeatureGraph, node: int) -> npt.NDArray[np.int64]:
    """How many numbers each distribution of a node has, in order."""
    if graph.kind(node) not in ("tree", "hidden"):
        return np.array([len(graph.numbers_of(node)) or []], dtype=np.int64).ravel()
    shapes = [one.shape for one in _families(graph, node)]
    return np.concatenate([np.full(math.prod(shape[:-1]), shape[-1]) for shape in shapes])


class _Family(NamedTuple):
    """A table inside a leaf: what it is about, in words, the variable last, and its shape."""

    about: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(len, self.labels))

    def said(self, cell: int) -> str:
        at = np.unravel_index(cell, self.shape)
        *given, last = (
            f"{name}={labels[int(k)]}" for name, labels, k in zip(self.about, self.labels, at, strict=True)
        )
        return f"P({' | '.join(filter(None, (last, ', '.join(given))))})"


def _families(graph: FeatureGraph, node: int) -> Iterator[_Family]:
    """The tables of a tree or of a hidden tree, as their numbers lie."""
    about, schema = graph.integers(node), graph.schema

    def named(v: int) -> tuple[str, tuple[Label, ...]]:
        return schema.names[v], tuple(schema[v].states or ())

    def family(*axes: tuple[str, tuple[Label, ...]]) -> _Family:
        return _Family(tuple(name for name, _ in axes), tuple(labels for _, labels in axes))

    if graph.kind(node) == "tree":
        variables: list[int] = []
        at = 1
        for _ in range(about[0]):
            v, many = about[at : at + 2]
            parents = [variables[i] for i in about[at + 2 : at + 2 + many]]
            yield family(*map(named, (*parents, v)))
            variables.append(v)
            at += 2 + many
        return
    states, sees, _, *places = about
    variables, ups = places[::2], places[1::2]

    def hidden(v: int) -> tuple[str, tuple[Label, ...]]:
        return f"hidden of {schema.names[v]}", tuple(range(states))

    for v, up in zip(variables, ups, strict=True):
        above = () if up == NO_PARENT else (variables[up],)
        yield family(*map(hidden, (*above, v)))
        yield family(*(map(named, above) if sees else ()), hidden(v), named(v))


def said_of(graph: FeatureGraph, node: int, k: int) -> str:
    """What number k of a node says, in names."""
    kind, about, schema = graph.kind(node), graph.integers(node), graph.schema

    def case(v: int, code: int) -> str:
        return f"{schema.names[v]}={(schema[v].states or ())[code]}"

    if kind == "split":
        return f"P({case(about[0], about[k + 1])})"
    if kind == "feature":
        holds = " & ".join(case(v, code) for v, code in zip(about[::2], about[1::2], strict=True))
        return f"P(not {holds})" if k else f"P({holds})"
    if kind == "table":
        at = np.unravel_index(k, [schema.cardinalities[v] for v in about])
        return f"P({', '.join(case(v, int(code)) for v, code in zip(about, at, strict=True))})"
    if kind == "mix":
        return f"weight of node {graph.children(node)[k]}"
    if kind == "rows":
        return f"weight of row {k}"
    for one in _families(graph, node):
        size = math.prod(one.shape)
        if k < size:
            return one.said(k)
        k -= size
    raise AssertionError(f"node {node} has no number {k}")
