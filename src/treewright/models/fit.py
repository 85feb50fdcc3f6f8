"""Put parameters on a structure: from counts of every family to a table per variable.

With `n[j, k]` rows in state `k` of a variable whose parents are in configuration `j` (`r` states, `q` parent
configurations):

- a Dirichlet prior of equivalent sample size `ess` pretends that `ess` rows were seen before, spread evenly
  over the `q * r` cells of the family: `p[j, k] = (n[j, k] + ess / (q r)) / (n[j] + ess / q)`. This is the
  posterior mean under the prior of the BDeu score;
- maximum likelihood takes `p[j, k] = n[j, k] / n[j]`, and the uniform distribution where `n[j] = 0`.
"""

from __future__ import annotations

from treewright.graphs.dag import Dag
from treewright.graphs.pdag import Pdag
from treewright.models.bayesian_network import BayesianNetwork
from treewright.models.directed import directed
from treewright.models.dirichlet import ONE_ROW, Dirichlet
from treewright.models.family_counts import FamilyCounter, FamilyCounts

__all__ = ["Dirichlet", "FamilyCounter", "fit"]


def fit(
    structure: Dag | Pdag,
    counter: FamilyCounter,
    *,
    prior: Dirichlet | None = ONE_ROW,
    keep_counts: bool = False,
) -> BayesianNetwork:
    """Fit the tables of a Bayesian network.

    Parameters
    ----------
    structure
        The arcs. An equivalence class (`Cpdag`), or any `Pdag` that has one, is directed first by its
        consistent extension: of the variables that can be last, the one with the largest name, again and
        again. The model's `provenance` then names the edges that were open.
    counter
        Counts of the same variables, met by name; whole or real-weighted.
    prior
        A Dirichlet prior (see the formula above), or None for maximum likelihood.
    keep_counts
        Whether the model carries its counts and prior, so that `partial_fit` can add further rows.

    Returns
    -------
    BayesianNetwork
        Its `unseen` says, per variable, how many parent configurations had no row: their distribution is
        uniform, from the prior or for want of anything better.

    See Also
    --------
    fit_em : for rows with missing cells.

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
    dag, origin = directed(structure)
    model = FamilyCounts(dag, counter).fit(prior=prior, keep_counts=keep_counts)
    return model.with_provenance(origin) if origin else model
