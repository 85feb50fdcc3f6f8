"""What can be said of a product of factors that is too wide for a junction tree.

Loopy belief propagation passes the messages of a tree on a graph with cycles until they settle. Its marginals
are estimates, and so is the partition function that the Bethe free energy of the beliefs gives: exact without
cycles, and otherwise **neither an upper nor a lower bound**. The pseudo-log-likelihood needs no partition
function at all: how well each variable of a row is predicted from all others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from treewright import _core
from treewright.errors import SettingError
from treewright.inference.factor import Factor
from treewright.models.answers import Marginals
from treewright.models.base import mean_log_probability
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.features.feature_network import FeatureNetwork
from treewright.models.model import align_columns
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Cells, Codes


@dataclass(frozen=True, eq=False)
class LoopyBeliefs:
    """What loopy belief propagation ended at.

    Attributes
    ----------
    log_partition
        The Bethe estimate of the log of the partition function: exact when the factors form no cycle, neither
        an upper nor a lower bound otherwise.
    converged
        Whether the messages settled. Where they did not, no number here means much.
    sweeps, residual
        How often all messages were renewed, and the largest change of one in the last sweep.

    Examples
    --------
    >>> import treewright as tw
    >>> found = tw.models.loopy_beliefs(tw.MarkovNetwork.of(tw.load_network("asia")))
    >>> found.converged, round(found.marginals()["smoke"]["yes"], 3)
    (True, 0.5)
    """

    schema: Schema
    log_partition: float
    converged: bool
    sweeps: int
    residual: float
    beliefs: Cells = field(repr=False)

    def marginals(self) -> Marginals:
        """The estimated distribution of every variable."""
        return Marginals(self.schema, self.beliefs)


def loopy_beliefs(
    model: MarkovNetwork | BayesianNetwork,
    *,
    damping: float = 0.5,
    tolerance: float = 1e-8,
    sweeps: int = 1_000,
) -> LoopyBeliefs:
    """Approximate marginals and partition function by loopy belief propagation (Yedidia et al. 2005).

    Parameters
    ----------
    model
        A Markov network, or any other network of tables.
    damping
        The share of the old message that stays when one is renewed; 0 is the plain rule.
    tolerance, sweeps
        Largest change of a message at which the work ends, and renewals of all messages at most.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abc"])
    >>> agree = [[2.0, 1.0], [1.0, 2.0]]
    >>> chain = tw.MarkovNetwork(schema, {("a", "b"): agree, ("b", "c"): agree, "a": [1.0, 3.0]})
    >>> found = tw.models.loopy_beliefs(chain)
    >>> found.converged, abs(found.log_partition - chain.log_partition) < 1e-6
    (True, True)
    """
    if not 0 <= damping < 1:
        raise SettingError(f"damping is a share from 0 on and below 1; found {damping!r}")
    if sweeps < 1:
        raise SettingError(f"sweeps is at least 1; found {sweeps}")
    if not tolerance > 0:
        raise SettingError(f"tolerance is a positive number; found {tolerance!r}")
    schema, factors = model.schema, _factors_of(model)
    order = sorted(range(len(factors)), key=lambda f: sorted(schema.names_of(factors[f].scope)))
    beliefs, log_partition, residual, taken = _core.propagate_loopily(
        *_native(schema, factors), order, damping, tolerance, sweeps
    )
    return LoopyBeliefs(schema, log_partition, residual <= tolerance, taken, residual, beliefs)


def pseudo_log_likelihood(model: MarkovNetwork | BayesianNetwork | FeatureNetwork, table: Table) -> float:
    """Mean over rows of the sum, over variables, of the log-probability of its state given all others.

    In nats per row; rows count by their weights. It compares models whose partition function is out of reach,
    and needs the factors around one variable at a time only. A feature network has no factors: its rows are
    asked for once with each state of each variable.

    Examples
    --------
    >>> import math
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1))])
    >>> model = tw.MarkovNetwork(schema, {("a", "b"): [[3.0, 1.0], [1.0, 3.0]]})
    >>> rows = tw.read_table({"a": [0, 1], "b": [0, 1]}, schema=schema)
    >>> math.isclose(tw.models.pseudo_log_likelihood(model, rows), 2 * math.log(0.75))
    True
    """
    columns = align_columns(model.schema, table)
    if isinstance(model, FeatureNetwork):
        return mean_log_probability(_pseudo_by_states(model, columns, table.n_rows), table)
    factors = _factors_of(model)
    logs = _core.pseudo_log_rows(*_native(model.schema, factors), codes=columns, n_rows=table.n_rows)
    return mean_log_probability(logs, table)


def _pseudo_by_states(model: FeatureNetwork, columns: list[Codes], n_rows: int) -> Cells:
    """The same from the probabilities of whole rows; a row that is impossible has minus infinity."""
    whole = model.engine.log_probability(columns, n_rows)
    logs = np.zeros(n_rows)
    for v, r in enumerate(model.schema.cardinalities):
        column, any_state = columns[v], np.full(n_rows, -np.inf)
        for state in range(r):
            columns[v] = np.full_like(column, state)
            any_state = np.logaddexp(any_state, model.engine.log_probability(columns, n_rows))
        columns[v] = column
        logs += whole - np.where(np.isfinite(whole), any_state, 0.0)
    return logs


def _factors_of(model: MarkovNetwork | BayesianNetwork) -> tuple[Factor, ...]:
    if isinstance(model, BayesianNetwork):
        return MarkovNetwork.of(model).factors
    if not isinstance(model, MarkovNetwork):
        raise SettingError(
            f"a Markov or Bayesian network has factors; found a {type(model).__name__}, which answers exactly"
        )
    return model.factors


def _native(
    schema: Schema, factors: tuple[Factor, ...] | list[Factor]
) -> tuple[list[int], list[list[int]], list[Cells]]:
    tables = [np.ascontiguousarray(f.table, dtype=np.float64).ravel() for f in factors]
    return list(schema.cardinalities), [list(f.scope) for f in factors], tables
