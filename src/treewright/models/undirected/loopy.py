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
from treewright.arguments import MODEL, TABLE, require
from treewright.errors import SettingError
from treewright.models.answers import Marginals
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.features.feature_network import FeatureNetwork
from treewright.models.many_rows import mean_log_probability
from treewright.models.model import align_columns
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.ranges import in_range
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Brief, Cells, Codes


@dataclass(frozen=True, eq=False)
class LoopyBeliefs(Brief):
    """What loopy belief propagation ended at.

    `log_partition` is the Bethe estimate of the log of the partition function: exact when the factors form no
    cycle, neither an upper nor a lower bound otherwise. Where the messages did not settle (`converged`), no
    number here means much; `sweeps` is how often all were renewed, `residual` the largest change in the last.

    Examples
    --------
    >>> import treewright as tw
    >>> found = tw.models.propagate_loopy_beliefs(tw.MarkovNetwork.of(tw.load_network("asia")))
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


@in_range
def propagate_loopy_beliefs(
    model: MarkovNetwork | BayesianNetwork,
    *,
    damping: float = 0.5,
    tolerance: float = 1e-8,
    sweeps: int = 1_000,
) -> LoopyBeliefs:
    """Approximate marginals and partition function by loopy belief propagation (Yedidia et al. 2005).

    For a Markov network, or any other network of tables. `damping` is the share of the old message that stays
    when one is renewed; 0 is the plain rule. The work ends when no message changes by more than `tolerance`,
    and after so many `sweeps`, renewals of all messages, at most.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abc"])
    >>> agree = [[2.0, 1.0], [1.0, 2.0]]
    >>> chain = tw.MarkovNetwork(schema, {("a", "b"): agree, ("b", "c"): agree, "a": [1.0, 3.0]})
    >>> found = tw.models.propagate_loopy_beliefs(chain)
    >>> found.converged, abs(found.log_partition - chain.log_partition) < 1e-6
    (True, True)
    """
    if not 0 <= damping < 1:
        raise SettingError(f"damping is a share from 0 on and below 1; found {damping!r}")
    if sweeps < 1:
        raise SettingError(f"sweeps is at least 1; found {sweeps}")
    if not tolerance > 0:
        raise SettingError(f"tolerance is a positive number; found {tolerance!r}")
    product, schema = _product_of(model), model.schema
    scopes = [sorted(schema.names_of(factor.scope)) for factor in product.factors]
    beliefs, log_partition, residual, taken = _core.propagate_loopily(
        *product._native_factors,
        sorted(range(len(scopes)), key=scopes.__getitem__),
        damping,
        tolerance,
        sweeps,
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
    require("pseudo_log_likelihood", MODEL, model)
    require("pseudo_log_likelihood", TABLE, table)
    columns = align_columns(model.schema, table)
    if isinstance(model, FeatureNetwork):
        return mean_log_probability(_pseudo_by_states(model, columns, table.n_rows), table)
    native = _product_of(model)._native_factors
    return mean_log_probability(_core.pseudo_log_rows(*native, codes=columns, n_rows=table.n_rows), table)


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


def _product_of(model: MarkovNetwork | BayesianNetwork) -> MarkovNetwork:
    if isinstance(model, BayesianNetwork):
        return MarkovNetwork.of(model)
    if not isinstance(model, MarkovNetwork):
        raise SettingError(
            f"a Markov or Bayesian network has factors; found a {type(model).__name__}, which answers exactly"
        )
    return model
