"""Put parameters on a structure: from counts of every family to a table per variable.

With `n[j, k]` rows in state `k` of a variable whose parents are in configuration `j` (`r` states, `q` parent
configurations):

- a Dirichlet prior of equivalent sample size `ess` pretends that `ess` rows were seen before, spread
  evenly over   the `q * r` cells of the family: `p[j, k] = (n[j, k] + ess / (q r)) / (n[j] + ess / q)`.
  This is the posterior   mean under the prior of the BDeu score;
- maximum likelihood takes `p[j, k] = n[j, k] / n[j]`, and the uniform distribution where `n[j] = 0`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from treewright.errors import GraphError, SchemaError, TableTooLarge, nearest
from treewright.graphs.dag import Dag
from treewright.limits import memory_limit
from treewright.models.bayesian_network import BayesianNetwork
from treewright.models.gaussian_fit import GaussianPrior, fit_gaussian
from treewright.models.gaussian_network import GaussianNetwork
from treewright.statistics.moments import Moments
from treewright.tables.schema import Schema, Scope


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
def fit(structure: Dag, counter: Moments, *, prior: GaussianPrior | None = ...) -> GaussianNetwork: ...
@overload
def fit(structure: Dag, counter: FamilyCounter, *, prior: Dirichlet | None = ...) -> BayesianNetwork: ...
def fit(
    structure: Dag, counter: FamilyCounter | Moments, *, prior: Dirichlet | GaussianPrior | None = _ONE_ROW
) -> BayesianNetwork | GaussianNetwork:
    """Fit the tables of a Bayesian network to counts, or the lines of a Gaussian network to moments.

    Parameters
    ----------
    structure
        The arcs.
    counter
        Counts of the same variables, met by name; whole or real-weighted. Or the :class:`Moments` of
        continuous variables (:func:`fit_sigmoid` puts sigmoids on them instead of lines).
    prior
        For counts a Dirichlet prior (see the formula above), by default of one row; for moments a
        :class:`GaussianPrior`, by default none. None is maximum likelihood.

    Returns
    -------
    GaussianNetwork
        From moments. Its `floored` and `redundant` say where the rows did not determine a regression.
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
    if not isinstance(structure, Dag):
        raise GraphError(
            f"fit puts tables on a Dag; found {type(structure).__name__} "
            "(a result of learning has it as .structure, an equivalence class gives one by .to_dag())"
        )
    if isinstance(counter, Moments):
        return fit_gaussian(structure, counter, prior=_gaussian_prior(prior))
    if isinstance(prior, GaussianPrior):
        raise SchemaError("a GaussianPrior goes with moments; counts are fitted with a Dirichlet prior")
    schema = structure.schema
    families = [(*structure.parents(v), v) for v in range(len(schema))]
    _refuse_large(schema, families)
    positions = _positions(schema, counter.schema)
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


def _gaussian_prior(prior: Dirichlet | GaussianPrior | None) -> GaussianPrior | None:
    if isinstance(prior, Dirichlet) and prior is not _ONE_ROW:
        raise SchemaError("a Dirichlet prior goes with counts; moments are fitted with a GaussianPrior")
    return None if isinstance(prior, Dirichlet) else prior


def _estimate(counts: npt.NDArray[np.float64], prior: Dirichlet | None) -> npt.NDArray[np.float64]:
    cells = counts + (prior.ess / counts.size if prior else 0.0)
    totals = cells.sum(axis=-1, keepdims=True)
    uniform = np.full_like(cells, 1 / cells.shape[-1])
    return np.asarray(np.divide(cells, totals, out=uniform, where=totals > 0))


def _positions(schema: Schema, counted: Schema) -> list[int]:
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
