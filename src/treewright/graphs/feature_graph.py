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

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import GraphError, SchemaError
from treewright.graphs._bits import FrozenGraph
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.tables.schema import Schema
from treewright.types import Scope

KINDS = ("one", "table", "tree", "split", "feature", "and", "mix", "hidden", "rows")
NO_PARENT = 2**32 - 1  # of a root in a hidden tree
_TYPES: dict[str, type[np.generic]] = {
    "kinds": np.uint8, "child_begin": np.uint64, "children": np.uint32, "integer_begin": np.uint64,
    "integers": np.uint32, "number_begin": np.uint64, "numbers": np.float64,
}  # fmt: skip


class FeatureGraph(FrozenGraph):
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
