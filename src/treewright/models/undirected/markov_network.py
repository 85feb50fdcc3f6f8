"""An undirected graph with factors: tables over scopes whose product is the distribution, up to a constant.

A factor says how well the states of a few variables go together. It need not be a probability; what makes one
of the product is its sum over all joint states, the *partition function*, which the junction-forest engine
finds exactly. A network is a value and costs nothing to make: the engine comes with the first question, so a
network whose junction tree would not fit anywhere can still be written, read and sampled by Gibbs chains.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import SCHEMA, TABLES, described, require, require_several
from treewright.errors import ArgumentError, SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import require_perfect_order
from treewright.inference.engine import Factor
from treewright.inference.evidence import Evidence, Given
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.models.asking import Asking
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.tables import judge_together
from treewright.models.model import Rows, align_columns, as_rows
from treewright.models.undirected.dimension import hierarchical_dimension
from treewright.once import cached_property
from treewright.tables.features import Feature
from treewright.tables.schema import Label, NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Cells, Scope

if TYPE_CHECKING:
    import networkx as nx

    from treewright.models.undirected.factor_sensitivity import FactorSensitivity

ScopeLike = NameOrIndex | Sequence[NameOrIndex]
Factors = Mapping[str, npt.ArrayLike] | Mapping[tuple[str, ...], npt.ArrayLike]
FactorList = Iterable[Factor | tuple[ScopeLike, npt.ArrayLike]]


@dataclass(frozen=True)
class Fitting:
    """How the factors of a Markov network were found.

    The `method` is ``"closed form"``, ``"decomposable cover"`` or ``"iterative proportional fitting"``; for
    weights of features ``"maximum likelihood"``, ``"penalised likelihood"`` or ``"pseudo-likelihood"``.
    `sweeps` is how often all cliques were visited, or steps of the search for weights. `residual` is the
    largest difference between a clique's fitted and wanted marginal that the last sweep met (for weights, the
    largest entry of the gradient); `converged` says whether that is within the tolerance, and `note` why this
    method was taken, where it was a choice.
    """

    method: str
    sweeps: int = 0
    residual: float = 0.0
    converged: bool = True
    note: str = ""


class MarkovNetwork(Asking):
    """A Markov network (undirected graphical model) over discrete variables.

    Parameters
    ----------
    schema
        The variables; each is part of the network, whether a factor mentions it or not.
    factors
        Non-negative tables by scope: a mapping from a name or a tuple of names, or a sequence of pairs, which
        may repeat a scope. A table has one axis per variable in the order of its scope. Variables that share
        a scope are joined in the structure.
    fitting
        How the factors were found, as `fit` reports it.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name, ("no", "yes")) for name in ("ann", "bob", "cid")])
    >>> agree = [[3.0, 1.0], [1.0, 3.0]]
    >>> model = MarkovNetwork(schema, {("ann", "bob"): agree, ("bob", "cid"): agree, "ann": [1.0, 2.0]})
    >>> model.query("cid")
    cid
      no   0.458333
      yes  0.541667
    >>> round(math.exp(model.log_partition), 6)
    48.0
    >>> model.structure.edges()
    [('ann', 'bob'), ('bob', 'cid')]
    >>> directed = model.to_bayesian_network()
    >>> directed.dag.edges(), round(directed.query("cid")["yes"], 6)
    ([('ann', 'bob'), ('bob', 'cid')], 0.541667)
    >>> MarkovNetwork.of(directed).structure == model.structure
    True
    >>> both = MarkovNetwork.from_features(schema, [Feature({"ann": "yes", "bob": "yes"})], [math.log(3)])
    >>> round(both.probability_of({"ann": "yes", "bob": "yes"}), 6)
    0.5
    """

    def __init__(
        self, schema: Schema, factors: Factors | FactorList, *, fitting: Fitting | None = None
    ) -> None:
        require("MarkovNetwork", SCHEMA, schema)
        for variable in schema:
            if not variable.is_discrete:
                raise SchemaError(
                    f"a Markov network of tables has discrete variables; {variable.name!r} is continuous"
                )
        self._schema = schema
        require_several("MarkovNetwork takes a list of factors", factors)
        listed = factors.items() if isinstance(factors, Mapping) else factors
        self._factors = check_factors(schema, listed)
        self._fitting = fitting

    @classmethod
    def of(cls, network: BayesianNetwork) -> MarkovNetwork:
        """The same distribution without directions: the tables of a Bayesian network are its factors."""
        require("MarkovNetwork.of", TABLES, network)
        families = [Factor((*network.dag.parents(v), v), table) for v, table in enumerate(network.tables)]
        return cls(network.schema, families)

    @classmethod
    def from_features(
        cls, schema: Schema, features: Iterable[Feature], weights: npt.ArrayLike
    ) -> MarkovNetwork:
        """The log-linear model of features: a row weighs exp(sum of the weights of what holds in it)."""
        from treewright.models.undirected.log_linear import LogLinearModel

        return LogLinearModel(schema, features, weights).network

    @property
    def schema(self) -> Schema:
        return self._schema

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors in the order given, axes in schema order, tables read-only."""
        return self._factors

    @property
    def fitting(self) -> Fitting | None:
        """How the factors were found, for a network that was fitted."""
        return self._fitting

    def with_fitting(self, fitting: Fitting) -> MarkovNetwork:
        """The same network with another account of how it was fitted."""
        return MarkovNetwork(self._schema, self._factors, fitting=fitting)

    @cached_property
    def structure(self) -> UndirectedGraph:
        """The graph in which every scope is a clique."""
        return UndirectedGraph(self._schema, self._joined)

    @cached_property
    def n_edges(self) -> int:
        """Edges of the structure, which is not made for it."""
        return len(self._joined)

    @cached_property
    def _joined(self) -> npt.NDArray[np.int64]:
        """The pairs that share a factor, each once: two columns of indices."""
        n, sizes = len(self._schema), defaultdict[int, set[Scope]](set)
        for factor in self._factors:
            sizes[len(factor.scope)].add(factor.scope)
        codes = [np.empty(0, dtype=np.int64)]
        for size, scopes in sizes.items():
            members = np.array(list(scopes), dtype=np.int64).reshape(len(scopes), size)
            first, second = np.triu_indices(size, k=1)
            codes.append((members[:, first] * n + members[:, second]).ravel())
        return np.stack(np.divmod(np.unique(np.concatenate(codes)), max(n, 1)), axis=1)

    @cached_property
    def n_parameters(self) -> int:
        """Free parameters of the log-linear model with these scopes (and all their subsets)."""
        return hierarchical_dimension(self._schema.cardinalities, [f.scope for f in self._factors])

    @cached_property
    def log_partition(self) -> float:
        """Natural logarithm of the partition function: the sum of the product over all joint states."""
        log_mass = self._engine.log_mass()
        if log_mass == -math.inf:
            self._engine.refuse_impossible(Evidence())
        return log_mass

    def log_potential(self, rows: Rows) -> Cells:
        """Logarithm of the product of the factors at each row, before it is normalised.

        Differs from :meth:`log_probability` by :attr:`log_partition`, and needs no junction tree.
        """
        table = as_rows(self._schema, rows)
        return _core.log_product_rows(
            *self._native_factors, codes=align_columns(self._schema, table), n_rows=table.n_rows
        )

    def _log_rows(self, table: Table) -> Cells:
        return self.log_potential(table) - self.log_partition

    def to_bayesian_network(self) -> BayesianNetwork:
        """The same distribution with directions, along a perfect elimination order of a chordal structure.

        Refused for any other: no Bayesian network has the same independences.
        """
        order = require_perfect_order(self.structure, "a Bayesian network with the same independences")
        rank = {v: position for position, v in enumerate(order)}
        arcs = [(u, v) if rank[u] > rank[v] else (v, u) for u, v in self.structure.index_edges()]
        dag = Dag(self._schema, arcs)
        _ = self.log_partition  # a product without mass has no conditional distributions
        return BayesianNetwork(dag, [self._conditional(dag.parents(v), v) for v in range(len(dag.schema))])

    def _conditional(self, parents: Scope, v: int) -> Cells:
        cells = self.joint((*parents, v))
        totals = cells.sum(axis=-1, keepdims=True)
        uniform = np.full_like(cells, 1 / cells.shape[-1])  # for parents that never look like this
        return np.asarray(np.divide(cells, totals, out=uniform, where=totals > 0))

    def __repr__(self) -> str:
        sizes = {"edge": self.n_edges, "factor": len(self._factors)}
        shown = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for what, n in sizes.items())
        return f"<MarkovNetwork: {len(self._schema)} variables, {shown}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MarkovNetwork):
            return NotImplemented
        return (
            self._schema == other._schema
            and [f.scope for f in self._factors] == [f.scope for f in other._factors]
            and all(
                np.array_equal(a.table, b.table) for a, b in zip(self._factors, other._factors, strict=True)
            )
        )

    def __hash__(self) -> int:
        return hash((self._schema.names, tuple(f.scope for f in self._factors)))

    def sensitivity(self, target: str, state: Label, given: Given | None = None) -> FactorSensitivity:
        """How much each number of the factors moves P(target = state | given).

        Numbers of a factor are weights, so each is moved on the scale of its logarithm: the derivative is by
        ln of the number, exactly, the strongest first.

        Examples
        --------
        >>> import treewright as tw
        >>> model = tw.MarkovNetwork.of(tw.load_network("asia"))
        >>> moved = model.sensitivity("lung", "yes", given={"xray": "yes"})
        >>> strongest = next(iter(moved))
        >>> strongest.states, round(strongest.derivative, 3)
        ({'tub': 'no', 'lung': 'yes', 'either': 'yes'}, 0.247)
        """
        from treewright.models.undirected.factor_sensitivity import factor_sensitivity

        return factor_sensitivity(self, target, state, given)

    def to_networkx(self) -> nx.Graph[str]:
        """The model as a `networkx.Graph`: nodes carry states, its attribute ``"factors"`` the product."""
        from treewright.models.convert.libraries import markov_to_networkx

        return markov_to_networkx(self)

    # what the engine sees

    def _make_engine(self) -> JunctionTreeEngine:
        return JunctionTreeEngine(self._schema, self._factors)

    @cached_property
    def _log_constant(self) -> float:
        return self.log_partition

    @cached_property
    def _native_factors(self) -> tuple[list[int], list[list[int]], list[Cells]]:
        scopes = [list(f.scope) for f in self._factors]
        return list(self._schema.cardinalities), scopes, [f.table.ravel() for f in self._factors]


def check_factors(schema: Schema, items: FactorList) -> tuple[Factor, ...]:
    """Private, read-only copies of factors that are some, axes in the order of the schema."""
    factors = tuple(_as_factor(schema, item) for item in items)
    tables = [factor.table for factor in factors]
    # what is not a number is not at least zero either
    fits = judge_together(tables, lambda rows: np.asarray(((rows >= 0) & (rows < math.inf)).all(axis=1)))
    zero = judge_together(tables, lambda rows: np.asarray((rows == 0).all(axis=1)))
    for factor, is_fit, is_zero in zip(factors, fits, zero, strict=True):
        if not is_fit or is_zero:
            found = "holds something negative, infinite or not a number"
            if is_fit:
                found = "is zero everywhere, which leaves no possible state"
            raise SchemaError(f"the factor over {_listed(schema, factor.scope)} {found}")
    return factors


def _as_factor(schema: Schema, item: Factor | tuple[ScopeLike, npt.ArrayLike]) -> Factor:
    if not isinstance(item, Factor) and not (isinstance(item, tuple | list) and len(item) == 2):
        raise ArgumentError(f"a factor is a pair of variables and a table; found {described(item)}")
    which, values = (item.scope, item.table) if isinstance(item, Factor) else item
    scope = schema.scope((which,) if isinstance(which, str | int) else which)
    try:
        table = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise SchemaError(f"the factor over {_listed(schema, scope)} is not an array of numbers") from None
    shape = tuple([schema.cardinalities[v] for v in scope])
    if table.shape != shape:
        raise SchemaError(
            f"the factor over {_listed(schema, scope)} has the shape {table.shape}; "
            f"its states ask for {shape}"
        )
    if len(scope) > 1 and list(scope) != sorted(scope):
        axes = sorted(range(len(scope)), key=scope.__getitem__)
        table = np.ascontiguousarray(table.transpose(axes)).reshape(tuple(shape[a] for a in axes))
        scope = tuple(scope[a] for a in axes)
    table.setflags(write=False)
    return Factor(scope, table)


def _listed(schema: Schema, scope: Scope) -> str:
    return ", ".join(map(repr, schema.names_of(scope))) or "nothing"
