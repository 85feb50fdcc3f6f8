"""Put parameters on a structure: from counts of every family to a table per variable.

With `n[j, k]` rows in state `k` of a variable whose parents are in configuration `j` (`r` states, `q` parent
configurations):

- a Dirichlet prior of equivalent sample size `ess` pretends that `ess` rows were seen before, spread
  evenly over   the `q * r` cells of the family: `p[j, k] = (n[j, k] + ess / (q r)) / (n[j] + ess / q)`.
  This is the posterior   mean under the prior of the BDeu score;
- maximum likelihood takes `p[j, k] = n[j, k] / n[j]`, and the uniform distribution where `n[j] = 0`.

An undirected graph is fitted clique by clique: `markov_fitting.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from treewright.errors import GraphError, SchemaError, SettingError, TableTooLarge, nearest
from treewright.graphs.dag import Dag
from treewright.graphs.undirected import UndirectedGraph
from treewright.limits import memory_limit
from treewright.models.bayesian_network import BayesianNetwork
from treewright.tables.schema import Schema, Scope

if TYPE_CHECKING:
    from treewright.models.markov_fitting import DecomposableCover, IterativeFitting
    from treewright.models.markov_network import MarkovNetwork


class FamilyCounter(Protocol):
    """What fitting needs of a counter."""

    @property
    def schema(self) -> Schema: ...

    def counts_many(self, scopes: Sequence[Scope]) -> Sequence[npt.NDArray[Any]]: ...


@dataclass(frozen=True)
class Dirichlet:
    """A Dirichlet prior: `ess` imagined rows, spread evenly over the cells of every family.

    Examples
    --------
    >>> Dirichlet(2.0).ess
    2.0
    """

    ess: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ess) and self.ess > 0):
            raise SchemaError(
                f"the equivalent sample size of a Dirichlet prior is a positive number; found {self.ess!r} "
                "(prior=None fits by maximum likelihood)"
            )


_ONE_ROW = Dirichlet(1.0)


@overload
def fit(
    structure: Dag, counter: FamilyCounter, *, prior: Dirichlet | None = ..., estimator: None = ...
) -> BayesianNetwork: ...
@overload
def fit(
    structure: UndirectedGraph,
    counter: FamilyCounter,
    *,
    prior: Dirichlet | None = ...,
    estimator: IterativeFitting | DecomposableCover | None = ...,
) -> MarkovNetwork: ...
def fit(
    structure: Dag | UndirectedGraph,
    counter: FamilyCounter,
    *,
    prior: Dirichlet | None = _ONE_ROW,
    estimator: IterativeFitting | DecomposableCover | None = None,
) -> BayesianNetwork | MarkovNetwork:
    """Fit the tables of a Bayesian network, or the factors of a Markov network.

    Parameters
    ----------
    structure
        The arcs of a Bayesian network, or the edges of a Markov network.
    counter
        Counts of the same variables, met by name; whole or real-weighted.
    prior
        A Dirichlet prior (see the formula above), or None for maximum likelihood.
    estimator
        For an undirected graph: :class:`IterativeFitting`, or the quick :class:`DecomposableCover`. By
        default the closed form when the graph is chordal, iterative fitting when it is not.

    Returns
    -------
    MarkovNetwork
        For an undirected graph. Its `fitting` says how the factors were found.
    BayesianNetwork
        Its `unseen` says, per variable, how many parent configurations had no row: their distribution is
        uniform, from the prior or for want of anything better.

    Examples
    --------
    >>> import numpy as np
    >>> from treewright.graphs.dag import Dag
    >>> from treewright.tables.schema import Schema, Variable
    >>> class Coin:
    ...     schema = Schema([Variable("side", ("heads", "tails"))])
    ...     def counts_many(self, scopes):
    ...         return [np.array([3, 1]) for _ in scopes]
    >>> fit(Dag(Coin.schema, []), Coin(), prior=None).table("side").tolist()
    [0.75, 0.25]
    >>> fit(Dag(Coin.schema, []), Coin(), prior=Dirichlet(4.0)).table("side").tolist()
    [0.625, 0.375]
    """
    if isinstance(structure, UndirectedGraph):
        from treewright.models.markov_fitting import fit_markov_network

        return fit_markov_network(structure, counter, prior=prior, estimator=estimator)
    if estimator is not None:
        raise SettingError(f"a Dag is fitted by counting alone; found estimator={estimator!r}")
    if not isinstance(structure, Dag):
        raise GraphError(
            f"fit puts tables on a Dag or an UndirectedGraph; found {type(structure).__name__} "
            "(a result of learning has it as .structure, an equivalence class gives one by .to_dag())"
        )
    schema = structure.schema
    families = [(*structure.parents(v), v) for v in range(len(schema))]
    _refuse_large(schema, families)
    positions = counted_positions(schema, counter.schema)
    counted = counter.counts_many([tuple(positions[v] for v in family) for family in families])
    tables: list[npt.NDArray[np.float64]] = []
    unseen: dict[str, int] = {}
    for name, counts in zip(schema.names, counted, strict=True):
        cells = np.asarray(counts, dtype=np.float64)
        empty = int(np.count_nonzero(cells.sum(axis=-1) == 0))
        if empty:
            unseen[name] = empty
        tables.append(_estimate(cells, prior))
    return BayesianNetwork(structure, tables, unseen=unseen)


def _estimate(counts: npt.NDArray[np.float64], prior: Dirichlet | None) -> npt.NDArray[np.float64]:
    cells = counts + (prior.ess / counts.size if prior else 0.0)
    totals = cells.sum(axis=-1, keepdims=True)
    uniform = np.full_like(cells, 1 / cells.shape[-1])
    return np.asarray(np.divide(cells, totals, out=uniform, where=totals > 0))


def counted_positions(schema: Schema, counted: Schema) -> list[int]:
    """Where the counter keeps each variable; states must be the same, in the same order."""
    for variable in schema:
        if variable.name not in counted:
            raise SchemaError(
                f"the structure has a variable {variable.name!r} that was not counted; "
                f"counted were {nearest(variable.name, counted.names)}"
            )
        if counted[variable.name].states != variable.states:
            raise SchemaError(
                f"{variable.name!r} has the states {variable.states} in the structure and "
                f"{counted[variable.name].states} in the counts; build both from one schema"
            )
    return [counted.index(name) for name in schema.names]


def _refuse_large(schema: Schema, families: Sequence[Scope]) -> None:
    cells = [math.prod(schema.cardinalities[v] for v in family) for family in families]
    needed, limit = 8 * sum(cells), memory_limit()
    if needed > limit:
        *parents, child = schema.names_of(families[cells.index(max(cells))])
        raise TableTooLarge(
            f"the tables take {needed:,} bytes, above the memory limit of {limit:,}; the largest is that "
            f"of {child!r} given {', '.join(map(repr, parents))}: use fewer parents, or "
            "raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
        )
