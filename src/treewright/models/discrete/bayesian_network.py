"""A directed acyclic graph with a table per variable: the distribution of its states given its parents.

The probability of a row is the product over variables of one table entry each. Everything else (marginals,
conditionals, joint tables, samples) follows from that product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.graphs.directed.dag import Dag
from treewright.inference.evidence import Evidence
from treewright.inference.factor import Factor
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.models.asking import Asking
from treewright.models.base import DirectedModel
from treewright.models.discrete.family_tables import checked_table, tables_by_variable
from treewright.models.model import align_columns
from treewright.tables.schema import NameOrIndex
from treewright.tables.table import Table
from treewright.types import Cells, Codes

if TYPE_CHECKING:
    import networkx as nx

    from treewright.models.discrete.dirichlet import Dirichlet
    from treewright.models.discrete.family_counts import FamilyCounter, FamilyCounts


class BayesianNetwork(DirectedModel, Asking):
    """A Bayesian network over discrete variables.

    Parameters
    ----------
    tables
        One array per variable, in schema order or by name: an axis per parent in the order of
        `dag.parents(v)`, then one for the variable's own states. Every row sums to one (within 1e-6).
    unseen
        Parent configurations without any row behind them, per variable, as `fit` reports them.
    provenance
        Where the model came from: anything that JSON can say. Saved with the model.

    Examples
    --------
    >>> from treewright import Schema, Variable
    >>> schema = Schema([Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))])
    >>> model = BayesianNetwork(
    ...     Dag(schema, [("rain", "wet")]), {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.0, 1.0]]}
    ... )
    >>> model.query("rain", given={"wet": "yes"})
    rain
      no   0.285714
      yes  0.714286
    >>> model.n_parameters
    3
    """

    def __init__(
        self,
        dag: Dag,
        tables: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike],
        *,
        unseen: Mapping[str, int] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        self._dag = dag
        self._tables = tuple(
            checked_table(dag, v, table) for v, table in enumerate(tables_by_variable(dag.schema, tables))
        )
        self._unseen = dict(unseen or {})
        self._provenance = dict(provenance or {})
        self._counts: FamilyCounts | None = None
        self._prior: Dirichlet | None = None

    @property
    def tables(self) -> tuple[Cells, ...]:
        """The tables in schema order, read-only."""
        return self._tables

    @property
    def unseen(self) -> dict[str, int]:
        """Parent configurations that the fitted rows never showed, per variable that has some."""
        return dict(self._unseen)

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the model came from, as far as it knows."""
        return dict(self._provenance)

    @property
    def counts(self) -> FamilyCounts | None:
        """The counts behind the tables, if the model was fitted with `keep_counts=True`."""
        return self._counts

    @property
    def prior(self) -> Dirichlet | None:
        """The prior that goes with the counts; None without counts, or for maximum likelihood."""
        return self._prior

    def with_provenance(self, provenance: Mapping[str, Any]) -> BayesianNetwork:
        """The same model with another story of where it came from."""
        made = BayesianNetwork(self._dag, self._tables, unseen=self._unseen, provenance=provenance)
        made._counts, made._prior = self._counts, self._prior
        return made

    def with_counts(self, counts: FamilyCounts | None, prior: Dirichlet | None = None) -> BayesianNetwork:
        """The same model carrying the counts behind its tables; None takes them away (and files shrink)."""
        made = BayesianNetwork(self._dag, self._tables, unseen=self._unseen, provenance=self._provenance)
        made._counts, made._prior = counts, prior
        return made

    def partial_fit(self, data: Table | FamilyCounter) -> BayesianNetwork:
        """A new model from the rows behind this one and further rows; this one stays as it is.

        The model must carry its counts (`fit(..., keep_counts=True)`). Whole counts add exactly: fitting part
        after part gives the very model that all rows give at once, in any order of the parts. `data` is a
        table, whose columns and states are met by name, or anything that counts.

        Examples
        --------
        >>> import treewright as tw
        >>> asia = tw.load_network("asia")
        >>> rows = asia.sample(300, rng=np.random.default_rng(7))
        >>> first, second = rows.shards(2)
        >>> model = tw.fit(asia.dag, tw.count(first), keep_counts=True)
        >>> model.partial_fit(second) == tw.fit(asia.dag, tw.count(rows))
        True
        """
        from treewright.models.discrete.partial_fit import partial_fit

        return partial_fit(self, data)

    def table(self, name: NameOrIndex) -> Cells:
        """The table of one variable: an axis per parent (in schema order), then the variable's states."""
        return self._tables[self.schema.index(name)]

    @property
    def n_parameters(self) -> int:
        """Free parameters: one less than the states, for every parent configuration."""
        return sum(table.size - table.size // table.shape[-1] for table in self._tables)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return (
            self.schema == other.schema
            and self._dag.edges() == other._dag.edges()
            and all(np.array_equal(a, b) for a, b in zip(self._tables, other._tables, strict=True))
        )

    __hash__ = DirectedModel.__hash__

    # rows

    def log_probability(self, table: Table) -> Cells:
        """Natural logarithm of the probability of each row; minus infinity where the model says never."""
        return _core.log_probability_rows(
            *self._native_tables, codes=align_columns(self.schema, table), n_rows=table.n_rows
        )

    def _draw(self, n: int, evidence: Evidence, seed: int) -> Table:
        if len(evidence) > 0:
            return super()._draw(n, evidence, seed)
        columns = _core.sample_rows(
            *self._native_tables, order=self._dag.topological_order, seed=seed, first_row=0, n_rows=n
        )
        return Table(self.schema, cast("list[Codes]", columns))

    def _make_engine(self) -> JunctionTreeEngine:
        families = [Factor((*self._dag.parents(v), v), table) for v, table in enumerate(self._tables)]
        return JunctionTreeEngine(self.schema, families, directed=True)

    @cached_property
    def _native_tables(self) -> tuple[list[int], list[list[int]], list[Cells]]:
        parents = [list(self._dag.parents(v)) for v in range(len(self.schema))]
        return list(self.schema.cardinalities), parents, [table.ravel() for table in self._tables]

    # exchange with files and other libraries; each door is a thin one

    def to_networkx(self) -> nx.DiGraph[str]:
        """The model as a `networkx.DiGraph` whose nodes carry their states, parents and tables."""
        from treewright.models.convert import to_networkx

        return to_networkx(self)

    def to_pgmpy(self) -> Any:
        """The model as a network of pgmpy, which must be installed."""
        from treewright.models.convert import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """The model as a network of pyAgrum, which must be installed."""
        from treewright.models.convert import to_pyagrum

        return to_pyagrum(self)
