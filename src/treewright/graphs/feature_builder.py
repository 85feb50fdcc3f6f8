"""Building a feature graph by hand, bottom up, with names and plain probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import GraphError, SchemaError
from treewright.graphs.feature_graph import NO_PARENT, FeatureGraph
from treewright.tables.schema import Label, NameOrIndex, Schema

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
