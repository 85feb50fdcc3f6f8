"""What every model can do, and how it reads the rows of a table that is not quite its own.

A table may have its columns in another order, more of them, or the states of a column in another order.
Columns meet by name and states by label; a row with a state that the model has never heard of is refused.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    runtime_checkable,
)

import numpy as np
import numpy.typing as npt

from treewright.errors import MissingValuesError, SchemaError, SettingError, nearest
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.pdag import Pdag
from treewright.graphs.undirected.cluster_trees import ClusterTree
from treewright.inference.batch import EvidenceColumns
from treewright.models.many_rows import mean_by_blocks
from treewright.ranges import in_range
from treewright.tables._reading.interpret import is_missing_label
from treewright.tables._reading.sources import open_source
from treewright.tables.readers import read_table
from treewright.tables.schema import Label, NameOrIndex, Schema, Variable
from treewright.tables.sharded import ShardedTable
from treewright.tables.table import Table
from treewright.types import Cells, Codes, Flags, Floats, Mask, Pictured

if TYPE_CHECKING:
    from treewright.models.continuous.gaussian_network import GaussianNetwork
    from treewright.models.continuous.sigmoid_network import SigmoidNetwork
    from treewright.models.discrete.bayesian_network import BayesianNetwork
    from treewright.models.features.feature_network import FeatureNetwork
    from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork
    from treewright.models.undirected.markov_network import MarkovNetwork

Value = TypeVar("Value")
Unseen = Literal["error", "ignore", "state"]  # what becomes of labels that a model does not know
Rows: TypeAlias = Any  # a table, or whatever `read_table` reads
# what a file may hold
AnyLines: TypeAlias = Union["GaussianNetwork", "SigmoidNetwork", "ConditionalGaussianNetwork"]
AnyModel: TypeAlias = Union["BayesianNetwork", "MarkovNetwork", "FeatureNetwork", AnyLines]


@runtime_checkable
class Model(Protocol):
    """A probability for every row."""

    @property
    def schema(self) -> Schema: ...

    def log_probability(self, rows: Rows) -> Floats:
        """Natural logarithm of the probability of each row."""
        ...


def as_rows(schema: Schema, rows: Any, unseen: Unseen = "error") -> Table:
    """Rows of the model's variables: a table as it is, anything else read in the model's states.

    So is a table with numbers where the model has intervals.

    Cells that are missing are masked, or in the state that the model has for them; `unseen` is what becomes
    of labels that the model does not know.

    Examples
    --------
    >>> schema = Schema([Variable("a", ("no", "yes"))])
    >>> as_rows(schema, {"a": ["yes", "no"], "b": [1, 2]}).column("a").tolist()
    [1, 0]
    """
    if isinstance(rows, Table | ShardedTable):
        table = rows if isinstance(rows, Table) else rows.joined()
        numbers = [v.name for v in table.schema if not v.is_discrete and v.name in schema]
        if not any(schema[name].is_discrete for name in numbers):
            return settle_unseen(schema, table, unseen)
        rows = table
    check_unseen(unseen)
    return in_missing_states(read_table(rows, schema=schema, missing="em", unseen=unseen))


def in_missing_states(table: Table) -> Table:
    """The rows, with missing cells in the states that reading gave to such cells before, if it did."""
    columns, masks = list(table.columns), dict(table.missing)
    for v, mask in table.missing.items():
        states = table.schema[v].states
        if states is not None and is_missing_label(states[-1]):
            columns[v] = np.where(mask, len(states) - 1, columns[v])
            del masks[v]
    return Table(table.schema, columns, weights=table.weights, missing=masks, report=table.report)


def as_evidence(
    schema: Schema, rows: Any, target: NameOrIndex | None = None, unseen: Unseen = "error"
) -> Table:
    """Rows that need not have all of the model's variables, nor the `target`."""
    if isinstance(rows, Table | ShardedTable):
        return as_rows(schema, rows, unseen)
    names = open_source(rows).names
    wanted = "" if target is None else schema[target].name
    seen = [name for name in schema.found_in(names) if name != wanted]
    if not seen:
        raise SchemaError(
            f"{f'to predict {wanted!r} ' if wanted else ''}the rows need a column of the model beside it; "
            f"found {nearest('', names)}, none of {nearest('', [n for n in schema.names if n != wanted])}"
        )
    return as_rows(schema.select(seen), rows, unseen)


def by_variable(schema: Schema, values: Mapping[str, Value], what: str) -> list[Value]:
    """One value per variable in schema order, out of a mapping that names each."""
    absent = [name for name in schema.names if name not in values]
    unknown = [name for name in values if name not in schema]
    if absent or unknown:
        found = f"none for {absent[0]!r}" if absent else f"one for {unknown[0]!r}, which is no variable"
        raise SchemaError(f"every variable needs one {what}; found {found}")
    return [values[name] for name in schema.names]


def require_columns(schema: Schema, table: Table, wanted: str, way_out: str) -> list[int]:
    """Where the table has each variable of the model, without a missing cell: rows shall have a `wanted`."""
    missing = [name for name in schema.names if name not in table.schema]
    if missing:
        raise SchemaError(
            f"the model needs a column {missing[0]!r}, which the table lacks; "
            f"its columns are {nearest(missing[0], table.schema.names)}"
        )
    positions = [table.schema.index(name) for name in schema.names]
    holes = [table.schema.names[position] for position in positions if position in table.missing]
    if holes:
        raise MissingValuesError(
            f"a row with missing values has no single {wanted}; column {holes[0]!r} has some: {way_out}"
        )
    return positions


def require_variables(schema: Schema, known: Sequence[str], lacking: str) -> None:
    """Refuse a structure with a variable that what it is fitted to has not."""
    for name in schema.names:
        if name not in known:
            raise SchemaError(
                f"the structure has a variable {name!r} that {lacking}; they have {nearest(name, known)}"
            )


def align_columns(schema: Schema, table: Table) -> list[Codes]:
    """The table's columns in the order of `schema`, with codes that mean the states of `schema`."""
    way_out = (
        "drop those rows, make missing a state, or sum over it with log_evidence (score: unseen='ignore')"
    )
    positions = require_columns(schema, table, "probability", way_out)
    return [
        np.ascontiguousarray(_recoded(variable, table.schema[position], np.asarray(table.columns[position])))
        for variable, position in zip(schema, positions, strict=True)
    ]


def align_evidence(schema: Schema, table: Table) -> EvidenceColumns:
    """The table's rows as evidence: columns that it lacks and cells that miss are not observed."""
    codes: list[Codes | None] = [None] * len(schema)
    missing: list[Flags | None] = [None] * len(schema)
    for v, variable in enumerate(schema):
        if variable.name not in table.schema:
            continue
        position = table.schema.index(variable.name)
        mask, theirs = table.missing.get(position), table.schema[position]
        column = cast("Codes", table.columns[position])
        if mask is None:
            codes[v] = _recoded(variable, theirs, column)
        elif not mask.all():
            # a missing cell holds a code that means nothing: give it one that the column knows
            seen = np.where(mask, column[int(np.argmin(mask))], column)
            codes[v], missing[v] = _recoded(variable, theirs, seen), mask
    return EvidenceColumns(codes, missing, table.n_rows)


def _recoded(ours: Variable, theirs: Variable, codes: Codes) -> Codes:
    if ours.states == theirs.states:
        return codes
    if theirs.states is None or ours.states is None:
        kind = "continuous" if theirs.states is None else "discrete"
        raise SchemaError(f"column {ours.name!r} of the table is {kind}; the model's variable is not")
    known = {_key(state): code for code, state in enumerate(ours.states)}
    unknown = len(ours.states)
    meaning = np.array([known.get(_key(state), unknown) for state in theirs.states], dtype=np.uint32)
    recoded: Codes = meaning[codes]
    strange = codes[recoded == unknown]
    if strange.size:
        state = theirs.states[int(strange[0])]
        raise SchemaError(
            f"the table has {ours.name}={state!r}, which is not a state of {ours.name} in the model; "
            f"states are {nearest(state, ours.states)}"
        )
    return recoded


def _key(state: Label) -> tuple[bool, Label]:
    return isinstance(state, str), state  # "1" and 1 are different states


def check_unseen(unseen: str) -> None:
    if unseen not in get_args(Unseen):
        raise SettingError(f"unseen is one of {nearest(unseen, get_args(Unseen))}; found {unseen!r}")


def settle_unseen(schema: Schema, table: Table, unseen: Unseen) -> Table:
    """The rows with what a policy makes of labels that the model does not know, see `ModelBase.score`."""
    check_unseen(unseen)
    here = [name for name in schema.names if name in table.schema]
    if unseen == "error" or not here:
        return table
    return read_table(table, schema=schema.select(here), missing="em", unseen=unseen)


class ModelBase(ABC, Pictured):
    """A distribution that scores rows, is kept in a file and shows its picture in a notebook."""

    _provenance: Mapping[str, Any] = MappingProxyType({})

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the model came from, as far as it knows: learner, settings, rows and how they were read."""
        return dict(self._provenance)

    def with_provenance(self, provenance: Mapping[str, Any]) -> Self:
        """The same model with another account of where it came from."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _provenance=dict(provenance))
        return twin

    def log_probability(self, rows: Rows) -> Cells:
        """Natural logarithm of the probability (or density) of each row; minus infinity where it is zero.

        Rows are a table, or a frame, dictionary, array or file, which is read in the model's states.
        """
        return self._log_rows(as_rows(self.schema, rows))

    @abstractmethod
    def _log_rows(self, table: Table) -> Cells: ...

    def log_evidence(self, rows: Rows) -> Cells:
        """Natural logarithm of the probability of what each row shows; missing cells are summed out.

        Equal to :meth:`log_probability` for rows without missing cells.
        """
        return self.log_probability(rows)

    def score(self, rows: Rows, *, unseen: Unseen = "error") -> float:
        """Mean log-likelihood (or log-density) per row, in nats; rows count by their weights.

        Rows are a table, or a frame, dictionary, array or file. A label that the model does not know is
        refused; with `unseen="ignore"` its cell is taken as missing, and missing cells are summed out
        exactly; with "state" it is read as the state that was reserved for it
        (``read_table(..., unseen="state")`` before fitting).
        """
        table = rows if isinstance(rows, Table) else as_rows(self.schema, rows, unseen)
        return self._mean_log(table, unseen, is_settled=table is not rows)

    def _mean_log(self, table: Table, unseen: Unseen, *, is_settled: bool) -> float:
        def logs_of(block: Table) -> Floats:
            seen = block if is_settled else as_rows(self.schema, block, unseen)
            return np.asarray(self.log_evidence(seen) if unseen == "ignore" else self._log_rows(seen))

        check_unseen(unseen)
        return mean_by_blocks(table, logs_of)

    @in_range
    def save(
        self,
        path: str | os.PathLike[str],
        *,
        certificate: ClusterTree | None = None,
        treewidth: int | None = None,
        replace: bool = False,
    ) -> None:
        """Write the model to a file that :func:`treewright.load` reads back exactly.

        A name that ends in .gz is compressed, a pipe or device is written through. The `certificate`,
        clusters that prove a treewidth (and the `treewidth` promised), is kept for :func:`treewright.verify`.
        A model that is there is replaced, a file of another kind if `replace` says so.
        """
        from treewright.models.formats import twm

        twm.save(cast("AnyModel", self), path, certificate=certificate, treewidth=treewidth, replace=replace)

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        """Pickles and copies go through the bytes of the native file."""
        from treewright.models.formats import twm

        return twm.from_bytes, (twm.to_bytes(cast("AnyModel", self)),)

    def to_dot(self) -> str:
        """The structure as text for Graphviz."""
        from treewright.models.convert import to_dot

        return to_dot(cast("Any", self).structure)

    def _repr_html_(self) -> str:
        import treewright  # drawing knows models: nobody who only asks loads it

        return treewright.reports.draw_for_notebook(cast("Any", self))


class DirectedModel(ModelBase):
    """A model on the arcs of a `Dag`, which its making puts into `_dag`."""

    _dag: Dag

    @property
    def schema(self) -> Schema:
        return self._dag.schema

    @property
    def dag(self) -> Dag:
        return self._dag

    @property
    def structure(self) -> Dag:
        return self._dag

    @property
    def pattern(self) -> Pdag | None:
        """The class it was learned as: edges without direction where neither rows nor knowledge tell one.

        None of a network that nobody learned.
        """
        return self._dag.pattern

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """Free parameters."""

    def __repr__(self) -> str:
        sizes = f"{len(self.schema)} variables, {self._dag.n_edges} arcs, {self.n_parameters:,} parameters"
        return f"<{type(self).__name__}: {sizes}>"

    def __hash__(self) -> int:
        return hash((self.schema.names, tuple(self._dag.edges())))


def take_real_columns(schema: Schema, table: Table) -> list[Floats]:
    """The table's columns in the order of `schema`, all continuous and without a missing cell."""
    require_columns(schema, table, "density", "drop those rows")
    return [take_real_column(table, name) for name in schema.names]


def take_real_column(table: Table, name: str) -> Floats:
    """One column of numbers; where cells are missing it holds NaN."""
    if table.schema[name].is_discrete:
        raise SchemaError(f"column {name!r} of the table is discrete; the model's variable is continuous")
    column = np.ascontiguousarray(table.column(name), dtype=np.float64)
    if np.isinf(column).any():
        row = int(np.flatnonzero(np.isinf(column))[0])
        raise SchemaError(f"column {name!r} of the table holds {column[row]} in row {row}, counted from 0")
    return column


def find_row_patterns(masks: Mask) -> list[tuple[Mask, npt.NDArray[np.intp]]]:
    """Which columns miss, and the rows where just these do: each pattern once.

    Examples
    --------
    >>> [(p.tolist(), rows.tolist()) for p, rows in find_row_patterns(np.array([[False], [True], [False]]))]
    [([False], [0, 2]), ([True], [1])]
    """
    if not masks.any():
        return [(np.zeros(masks.shape[1], dtype=np.bool_), np.arange(len(masks)))]
    patterns, where = np.unique(masks, axis=0, return_inverse=True)
    order = np.argsort(where.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(where.ravel(), minlength=len(patterns)))
    return list(zip(patterns, np.split(order, ends[:-1]), strict=True))


def check_continuous(schema: Schema, what: str) -> None:
    discrete = [variable.name for variable in schema if variable.is_discrete]
    if discrete:
        raise SchemaError(
            f"{what} has continuous variables; discrete: {', '.join(map(repr, discrete[:8]))}"
            + (f" and {len(discrete) - 8} more" if len(discrete) > 8 else "")
        )
