"""Feature graphs: distributions as circuits of splits, features, products, mixtures and leaves.

A feature graph says a joint distribution by cases. A *split* asks for the state of a variable and goes on
differently for each; a *feature* asks whether a conjunction of states holds; an *and* lets blocks of
variables go their own ways; leaves are tables, trees, hidden trees or stored rows, and a *mix* weighs whole
graphs against each other. Every question costs time linear in the size of the graph, whatever its treewidth
(Gogate, Webb & Domingos 2010).

The graph is a frozen value of seven arrays, nodes in topological order with children before parents and the
root last; the layout of each kind is written in the core's header `feature_graph.hpp`. Its parameters are
part of it. What breaks an invariant is refused on construction, so that code which holds a
:class:`FeatureGraph` never checks again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import SCHEMA, require
from treewright.errors import GraphError, SchemaError
from treewright.graphs._bits import FrozenGraph
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.once import cached_property
from treewright.tables.schema import Label, NameOrIndex, Schema
from treewright.types import Pictured, Scope

KINDS = ("one", "table", "tree", "split", "feature", "and", "mix", "hidden", "rows")
NO_PARENT = 2**32 - 1  # of a root in a hidden tree
_TYPES: dict[str, type[np.generic]] = {
    "kinds": np.uint8, "child_begin": np.uint64, "children": np.uint32, "integer_begin": np.uint64,
    "integers": np.uint32, "number_begin": np.uint64, "numbers": np.float64,
}  # fmt: skip


class FeatureGraph(FrozenGraph, Pictured):
    """A feature graph with its parameters.

    Graphs are made by learners, by :class:`FeatureGraphBuilder` or from the arrays of another one.

    Parameters
    ----------
    schema
        The variables; all discrete, all in the scope of the root.
    arrays
        Seven flat arrays, as :attr:`arrays` gives them: kinds, child_begin, children, integer_begin,
        integers, number_begin, numbers.

    Raises
    ------
    GraphError
        When children do not come before parents, scopes are not as the kinds ask, a distribution does not sum
        to one within 1e-9, or the false side of a feature lets the feature hold.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraph, FeatureGraphBuilder
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))])
    >>> builder = FeatureGraphBuilder(schema)
    >>> dry, wet = builder.table("wet", [0.9, 0.1]), builder.table("wet", [0.2, 0.8])
    >>> graph = builder.graph(builder.split("rain", {"no": (0.75, dry), "yes": (0.25, wet)}))
    >>> graph
    <FeatureGraph: 2 variables, 3 nodes, 6 parameters>
    >>> graph.kinds(), graph.depth, graph.is_deterministic
    ({'table': 2, 'split': 1}, 2, True)
    >>> FeatureGraph(graph.schema, *graph.arrays) == graph
    True
    """

    schema: Schema
    arrays: tuple[npt.NDArray[Any], ...]
    native: _core.FeatureArena

    def __init__(self, schema: Schema, *arrays: npt.ArrayLike) -> None:
        require("FeatureGraph", SCHEMA, schema)
        for variable in schema:
            if not variable.is_discrete:
                raise SchemaError(f"a feature graph has discrete variables; {variable.name!r} is continuous")
        if len(arrays) != len(_TYPES):
            raise GraphError(f"a feature graph has the arrays {', '.join(_TYPES)}; found {len(arrays)}")
        checked = tuple(
            _frozen(array, kind, name) for array, (name, kind) in zip(arrays, _TYPES.items(), strict=True)
        )
        try:
            native = _core.FeatureArena(list(schema.cardinalities), *checked)
        except ValueError as error:
            raise GraphError(f"this is no feature graph: {error}") from None
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "arrays", checked)
        object.__setattr__(self, "native", native)

    def __reduce__(self) -> tuple[Any, ...]:
        return FeatureGraph, (self.schema, *self.arrays)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FeatureGraph):
            return NotImplemented
        return self.schema == other.schema and all(map(np.array_equal, self.arrays, other.arrays))

    def __hash__(self) -> int:
        return hash((self.schema, *(array.tobytes() for array in self.arrays)))

    def __repr__(self) -> str:
        return (
            f"<FeatureGraph: {len(self.schema)} variables, {self.n_nodes:,} nodes, "
            f"{len(self.numbers):,} parameters>"
        )

    @property
    def n_nodes(self) -> int:
        return len(self.arrays[0])

    @property
    def root(self) -> int:
        """The root is the last node."""
        return self.n_nodes - 1

    @property
    def size(self) -> int:
        """Edges and parameters: what one pass over the graph works through."""
        return len(self.arrays[2]) + len(self.arrays[6])

    @property
    def depth(self) -> int:
        """Nodes on the longest path from the root."""
        return self.native.depth

    @property
    def is_deterministic(self) -> bool:
        """Whether a row takes one way only: no mixture, no hidden states.

        Then parameters have a closed form, and the most probable explanation and the entropy are exact.
        """
        return self.native.is_deterministic

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """All parameters: natural logarithms of probabilities, node after node."""
        return self.arrays[6]

    def kinds(self) -> dict[str, int]:
        """How many nodes there are of each kind, for the kinds that there are."""
        tally = np.bincount(self.arrays[0], minlength=len(KINDS)).tolist()
        return {kind: n for kind, n in zip(KINDS, tally, strict=True) if n}

    def kind(self, node: int) -> str:
        return KINDS[self.arrays[0][node]]

    def children(self, node: int) -> list[int]:
        """Ids of a node's children, each smaller than its own."""
        return [int(child) for child in self._part(1, node)]

    def integers(self, node: int) -> list[int]:
        """What a node is about, laid out as its kind asks."""
        return [int(x) for x in self._part(3, node)]

    def numbers_of(self, node: int) -> npt.NDArray[np.float64]:
        """The parameters of a node."""
        return self._part(5, node)

    def scope(self, node: int) -> Scope:
        """The variables that a node is about, rising."""
        begin, flat = self._scopes
        return tuple(flat[begin[node] : begin[node + 1]].tolist())

    def with_numbers(self, numbers: npt.ArrayLike) -> FeatureGraph:
        """The same shape with other parameters."""
        return FeatureGraph(self.schema, *self.arrays[:6], numbers)

    def expanded(self) -> FeatureGraph:
        """The same distribution with hidden trees written out as mixtures, for checks and export.

        A hidden tree of n variables and H states becomes about 2 n H nodes with n H^2 edges.
        """
        return FeatureGraph(self.schema, *self.native.expanded())

    def to_undirected(self) -> UndirectedGraph:
        """The graph whose cliques hold every parameter: variables that meet on a path are joined.

        Variables below a mixture, a hidden tree or stored rows are all joined to each other.
        """
        return UndirectedGraph.of_rows(self.schema, self.native.interactions())

    @cached_property
    def _scopes(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        return self.native.scopes()

    def _part(self, which: int, node: int) -> npt.NDArray[Any]:
        if not 0 <= node < self.n_nodes:
            raise GraphError(f"the graph has nodes 0 to {self.n_nodes - 1}; asked for {node}")
        begin = self.arrays[which]
        return self.arrays[which + 1][int(begin[node]) : int(begin[node + 1])]


def _frozen(given: npt.ArrayLike, kind: type[np.generic], name: str) -> npt.NDArray[Any]:
    """A contiguous array of the right type that nobody writes to."""
    array = np.asarray(given)
    if array.dtype == kind and not array.flags.writeable and array.flags.c_contiguous and array.ndim == 1:
        return array
    if array.ndim != 1 or not _holds(array, np.dtype(kind)):
        wanted = np.dtype(kind).name
        raise GraphError(f"{name} is a flat array of {wanted}; found {array.ndim} axes of {array.dtype}")
    copy = np.array(array, dtype=kind, order="C")
    copy.flags.writeable = False
    return copy


def _holds(array: npt.NDArray[Any], wanted: np.dtype[Any]) -> bool:
    """Whether a type can hold every value of an array."""
    if not array.size or wanted.kind == "f":
        return not array.size or array.dtype.kind in "fiu"
    return array.dtype.kind in "iu" and int(array.min()) >= 0 and int(array.max()) <= np.iinfo(wanted).max


Names = NameOrIndex | Sequence[NameOrIndex]
Made = TypeVar("Made")


class FeatureGraphBuilder:
    """Makes nodes one by one; equal nodes are made once. Each method returns the id of its node.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name, (0, 1)) for name in "abc"])
    >>> builder = FeatureGraphBuilder(schema)
    >>> rest = builder.table(["a", "b"], [[0.5, 0.25], [0.25, 0.0]])  # never both
    >>> both = builder.feature({"a": 1, "b": 1}, 0.2, builder.one(), rest)
    >>> graph = builder.graph(builder.product([both, builder.table("c", [0.5, 0.5])]))
    >>> graph.kinds()
    {'one': 1, 'table': 2, 'feature': 1, 'and': 1}
    """

    def __init__(self, schema: Schema) -> None:
        require("FeatureGraphBuilder", SCHEMA, schema)
        self.schema = schema
        self._native = _core.FeatureBuilder(list(schema.cardinalities))

    @property
    def n_nodes(self) -> int:
        """Nodes made so far."""
        return self._native.n_nodes

    def one(self) -> int:
        """A node about nothing: the constant one."""
        return self._native.one()

    def table(self, names: Names, probabilities: npt.ArrayLike) -> int:
        """Joint probabilities of some variables, one axis each in the order given."""
        scope = self._scope(names)
        shape = tuple(self.schema.cardinalities[v] for v in scope)
        table = _logs(probabilities, shape, f"the table over {self._shown(scope)}")
        order = sorted(range(len(scope)), key=scope.__getitem__)
        numbers = np.ascontiguousarray(table.transpose(order)).reshape(-1)
        return self._native.table([scope[i] for i in order], numbers)

    def tree(self, families: Mapping[NameOrIndex, tuple[Sequence[NameOrIndex], npt.ArrayLike]]) -> int:
        """Variables in topological order: name -> (parents, P(name | parents)), the name's axis last.

        Parents form a clique: all but the last placed of them are parents of that last one.
        """
        place: dict[int, int] = {}
        parents, numbers = [], []
        for name, (above, table) in families.items():
            v, scope = self.schema.index(name), self._scope(above)
            unknown = [u for u in scope if u not in place]
            if unknown:
                raise GraphError(
                    f"a tree lists parents before children; {self._shown([unknown[0]])} comes after "
                    f"{self._shown([v])} or not at all"
                )
            parents.append([place[u] for u in scope])
            shape = tuple(self.schema.cardinalities[u] for u in (*scope, v))
            numbers.append(_logs(table, shape, f"the table of {self._shown([v])}").reshape(-1))
            place[v] = len(place)
        return self._native.tree(list(place), parents, np.concatenate([np.zeros(0), *numbers]))

    def split(self, name: NameOrIndex, cases: Mapping[Label, tuple[float, int]]) -> int:
        """By the state of a variable: state -> (probability, child). A state left out never occurs."""
        variable = self.schema[name]
        listed = sorted((variable.code(state), p, child) for state, (p, child) in cases.items())
        numbers = _logs([p for _, p, _ in listed], (len(listed),), f"the split on {variable.name!r}")
        codes, children = [code for code, _, _ in listed], [child for _, _, child in listed]
        return self._native.split(self.schema.index(name), codes, children, numbers)

    def feature(self, literals: Mapping[str, Label], probability: float, holds: int, fails: int) -> int:
        """By whether a conjunction holds: `holds` lacks its variables, `fails` never lets it hold."""
        pairs = [(self.schema.index(name), self.schema[name].code(state)) for name, state in literals.items()]
        log_p, log_q = _logs([probability, 1 - probability], (2,), "the feature").tolist()
        return self._native.feature(pairs, holds, fails, log_p, log_q)

    def product(self, children: Sequence[int]) -> int:
        """Blocks of variables that are independent here; a product of products becomes one."""
        return self._native.product(list(children))

    def mixture(self, children: Sequence[int], weights: npt.ArrayLike) -> int:
        """Whole graphs over the same variables, each with its weight."""
        return self._native.mixture(list(children), _logs(weights, (len(children),), "the mixture"))

    def hidden(
        self,
        parents: Mapping[NameOrIndex, NameOrIndex | None],
        transitions: Sequence[npt.ArrayLike],
        emissions: Sequence[npt.ArrayLike],
        *,
        autoregressive: bool = False,
    ) -> int:
        """A tree of hidden states, one per variable, in topological order.

        Parameters
        ----------
        parents
            Variable -> its parent, or None for a root.
        transitions
            Per variable: P(hidden state) for a root, else P(hidden state | hidden state of the parent).
        emissions
            Per variable: P(state | hidden state); with `autoregressive`, below a root, P(state | state of the
            parent, hidden state).
        """
        place = {self.schema.index(name): i for i, name in enumerate(parents)}
        above = [None if p is None else self.schema.index(p) for p in parents.values()]
        numbers: list[npt.NDArray[np.float64]] = []
        states = len(np.atleast_1d(np.asarray(transitions[0]))) if len(transitions) else 0
        for v, p, t, e in zip(place, above, transitions, emissions, strict=True):
            if p is not None and place.get(p, len(place)) >= place[v]:
                raise GraphError(
                    f"a hidden tree lists parents before children; found {self._shown([v])} first"
                )
            r, shown = self.schema.cardinalities[v], self._shown([v])
            contexts = (self.schema.cardinalities[p],) if autoregressive and p is not None else ()
            shape = (states,) if p is None else (states, states)
            numbers.append(_logs(t, shape, f"the transition of {shown}").reshape(-1))
            numbers.append(_logs(e, (*contexts, states, r), f"the emission of {shown}").reshape(-1))
        places = [NO_PARENT if p is None else place[p] for p in above]
        flat = np.concatenate([np.zeros(0), *numbers])
        return self._native.hidden(states, autoregressive, list(place), places, flat)

    def rows(self, names: Names, codes: npt.ArrayLike, weights: npt.ArrayLike) -> int:
        """Distinct rows, verbatim: a matrix of codes (rows by variables) and a weight for each row."""
        scope = self._scope(names)
        matrix = np.asarray(codes)
        if matrix.ndim != 2 or matrix.shape[1] != len(scope) or matrix.dtype.kind not in "ui":
            raise GraphError(f"stored rows are a matrix of codes with {len(scope)} columns")
        order = sorted(range(len(scope)), key=scope.__getitem__)
        flat = np.ascontiguousarray(matrix[:, order], dtype=np.uint32).reshape(-1)
        numbers = _logs(weights, (len(matrix),), "the stored rows")
        return _refusing(lambda: self._native.rows([scope[i] for i in order], flat, numbers))

    def append(self, graph: FeatureGraph) -> int:
        """Join a whole graph over the same variables; the id of its root here."""
        if graph.schema != self.schema:
            raise SchemaError("graphs are joined over the same variables")
        return self._native.append(graph.native)

    def graph(self, root: int) -> FeatureGraph:
        """The graph under a node, with all invariants checked; the builder can go on."""
        return FeatureGraph(self.schema, *_refusing(lambda: self._native.finish(root)))

    def _scope(self, names: Names) -> tuple[int, ...]:
        return self.schema.scope((names,) if isinstance(names, str | int) else names)

    def _shown(self, scope: Sequence[int]) -> str:
        return ", ".join(map(repr, self.schema.names_of(scope)))


def _refusing(work: Callable[[], Made]) -> Made:
    try:
        return work()
    except ValueError as error:
        raise GraphError(f"this is no feature graph: {error}") from None


def _logs(values: npt.ArrayLike, shape: tuple[int, ...], what: str) -> npt.NDArray[np.float64]:
    """Natural logarithms of probabilities, which must have this shape."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise GraphError(f"{what} has the shape {array.shape}; its states ask for {shape}")
    if not (array >= 0).all():
        raise GraphError(f"{what} holds something negative or not a number")
    with np.errstate(divide="ignore"):
        return np.ascontiguousarray(np.log(array))
