"""A directed acyclic graph with a table per variable: the distribution of its states given its parents.

The probability of a row is the product over variables of one table entry each. Everything else (marginals,
conditionals, joint tables, samples) follows from that product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import DAG, described, require
from treewright.errors import ArgumentError, SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.inference.engine import Factor
from treewright.inference.evidence import Evidence, Given, state_of
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.limits import table_axes
from treewright.models.asking import Asking
from treewright.models.causal.doors import Causal
from treewright.models.causal.told import Effect
from treewright.models.discrete.tables import are_normal
from treewright.models.labelled import LabelledTable
from treewright.models.many_rows import counts_tell, mean_by_counts
from treewright.models.model import DirectedModel, Rows, Unseen, align_columns, by_variable
from treewright.once import cached_property
from treewright.tables.schema import Label, NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Cells, Codes, Scope

if TYPE_CHECKING:
    import networkx as nx

    from treewright.models.discrete.family_counts import Dirichlet, FamilyCounter, FamilyCounts
    from treewright.models.discrete.sensitivity import Sensitivity

_ROW_SUM_TOLERANCE = 1e-6


class BayesianNetwork(Causal[Effect], Asking):
    """A Bayesian network over discrete variables.

    Parameters
    ----------
    tables
        One array per variable, in schema order or by name: an axis per parent in the order of
        `dag.parents(v)`, then one for the variable's own states. Every row sums to one (within 1e-6). With 64
        parents or more, those of a single state have no axis: an array has no room for them.
    unseen, provenance
        Parent configurations without any row behind them, per variable, as `fit` reports them; and where the
        model came from: anything that JSON can say. Saved with the model.

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
        require("BayesianNetwork", DAG, dag)
        self._dag = dag
        self._tables = _check_tables(dag, _order_tables(dag.schema, tables))
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
    def counts(self) -> FamilyCounts | None:
        """The counts behind the tables, if the model was fitted with `keep_counts=True`."""
        return self._counts

    @property
    def prior(self) -> Dirichlet | None:
        """The prior that goes with the counts; None without counts, or for maximum likelihood."""
        return self._prior

    def with_counts(self, counts: FamilyCounts | None, prior: Dirichlet | None = None) -> BayesianNetwork:
        """The same model carrying the counts behind its tables; None takes them away (and files shrink)."""
        made = BayesianNetwork(self._dag, self._tables, unseen=self._unseen, provenance=self._provenance)
        made._counts, made._prior = counts, prior
        return made

    def partial_fit(self, data: Rows | FamilyCounter, *, unseen: Unseen = "error") -> BayesianNetwork:
        """A new model from the rows behind this one and further rows; this one stays as it is.

        The model must carry its counts (`fit(..., keep_counts=True)`). Whole counts add exactly: fitting part
        after part gives the very model that all rows give at once, in any order of the parts. `data` is a
        table, whose columns and states are met by name, a frame or file, or anything that counts. Labels of
        rows that the model does not know are refused; with `unseen="ignore"` such a cell is left out of the
        counts (its row counts in the families that do not ask for it), with "state" it is the state reserved
        for it.

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
        from treewright.models.discrete.family_counts import partial_fit

        return partial_fit(self, data, unseen)

    def table(self, name: NameOrIndex) -> LabelledTable:
        """The table of one variable: an axis per parent (in schema order), then the variable's states.

        An array with labels on it: it prints as a table, and `.to_frame()` makes a frame of it.
        """
        v = self.schema.index(name)
        axes = table_axes(self.schema, (*self._dag.parents(v), v))
        return LabelledTable(self._tables[v], [self.schema[u] for u in axes])

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

    def _log_rows(self, table: Table) -> Cells:
        return _core.log_probability_rows(
            *self._native_tables, codes=align_columns(self.schema, table), n_rows=table.n_rows
        )

    def _mean_log(self, table: Table, unseen: Unseen, *, is_settled: bool) -> float:
        if unseen == "error" and counts_tell(self.schema, self._tables, table):
            return mean_by_counts(self.schema, self._scopes, self._tables, table)
        return super()._mean_log(table, unseen, is_settled=is_settled)

    def _draw(self, n: int, evidence: Evidence, seed: int) -> Table:
        if len(evidence) > 0:
            return super()._draw(n, evidence, seed)
        columns = _core.sample_rows(
            *self._native_tables, order=self._dag.topological_order, seed=seed, first_row=0, n_rows=n
        )
        return Table(self.schema, cast("list[Codes]", columns))

    @property
    def _scopes(self) -> list[Scope]:
        """The variables of the axes of each table."""
        return [table_axes(self.schema, (*self._dag.parents(v), v)) for v in range(len(self.schema))]

    def _make_engine(self) -> JunctionTreeEngine:
        families = [Factor(*family) for family in zip(self._scopes, self._tables, strict=True)]
        return JunctionTreeEngine(self.schema, families, directed=True)

    @cached_property
    def _native_tables(self) -> tuple[list[int], list[list[int]], list[Cells]]:
        parents = [list(self._dag.parents(v)) for v in range(len(self.schema))]
        return list(self.schema.cardinalities), parents, [table.ravel() for table in self._tables]

    def sensitivity(self, target: str, state: Label, given: Given | None = None) -> Sensitivity:
        """How much each number of the tables moves P(target = state | given).

        A number moves while the rest of its row is scaled, so that the row still sums to one; the answer has
        the derivative of the probability by each, exactly, the strongest first.

        Examples
        --------
        >>> import treewright as tw
        >>> moved = tw.load_network("asia").sensitivity("lung", "yes", given={"xray": "yes"})
        >>> moved.table("tub").round(3).tolist()
        [[-0.039, 0.039], [-3.855, 3.855]]
        """
        from treewright.models.discrete.sensitivity import sensitivity

        return sensitivity(self, target, state, given)

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


def _order_tables(
    schema: Schema, tables: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike]
) -> Sequence[npt.ArrayLike]:
    """One table per variable in schema order, however they were given."""
    if isinstance(tables, Mapping):
        return by_variable(schema, tables, "table")
    if not isinstance(tables, Sized):
        raise ArgumentError(
            f"tables= of BayesianNetwork holds one for each variable; found {described(tables)}"
        )
    if len(tables) != len(schema):
        raise SchemaError(f"every variable needs one table; found {len(tables)} for {len(schema)} variables")
    return tables


def _check_tables(dag: Dag, tables: Sequence[npt.ArrayLike]) -> tuple[Cells, ...]:
    """Private, read-only copies of tables that are some."""
    arrays = tuple(_as_table(dag, v, values) for v, values in enumerate(tables))
    for v, is_normal in enumerate(are_normal(arrays, _ROW_SUM_TOLERANCE)):
        if not is_normal:
            raise _wrong_row(dag, v, arrays[v])
    return arrays


def _as_table(dag: Dag, v: int, values: npt.ArrayLike) -> Cells:
    schema, variable, parents = dag.schema, dag.schema.variables[v], dag.native.parents(v)
    if not variable.is_discrete:
        raise SchemaError(
            f"a Bayesian network of tables has discrete variables; {variable.name!r} is continuous"
        )
    try:
        table = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise SchemaError(f"the table of {variable.name!r} is not an array of numbers") from None
    shape = tuple([schema.cardinalities[u] for u in table_axes(schema, (*parents, v))])
    if table.shape != shape:
        given = f" given {', '.join(map(repr, schema.names_of(parents)))}" if parents else ""
        raise SchemaError(
            f"the table of {variable.name!r}{given} has the shape {table.shape}; its states ask for {shape}"
        )
    table.setflags(write=False)
    return table


def _wrong_row(dag: Dag, v: int, table: Cells) -> SchemaError:
    """What is wrong with the first row that is no distribution."""
    schema, parents, shape = dag.schema, dag.parents(v), table.shape
    rows = table.reshape(-1, shape[-1])
    invalid = np.asarray(~(rows >= 0).all(axis=1))  # also catches what is not a number
    with np.errstate(over="ignore"):
        sums = rows.sum(axis=1)
    row = int(np.flatnonzero(invalid | ~(np.abs(sums - 1) <= _ROW_SUM_TOLERANCE))[0])
    configuration = np.unravel_index(row, shape[:-1]) if parents else ()
    where = ", ".join(
        f"{schema.names[p]}={state_of(schema[p], int(code))!r}"
        for p, code in zip(table_axes(schema, (*parents, v)), configuration, strict=False)
    )
    wrong_sum = f"sums to {float(sums[row])!r}, not to 1"
    found = "holds something that is no probability" if invalid[row] else wrong_sum
    return SchemaError(f"the table of {schema.names[v]!r}{' given ' + where if where else ''} {found}")
