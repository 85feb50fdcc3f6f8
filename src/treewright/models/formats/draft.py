"""A model as a file tells it, before it is known to be one.

Readers of every format add variables and tables to a :class:`Draft`, with the places they stand at. What no
file may do is refused here, once for all of them: two variables of one name, a variable with two tables or
none, cycles, rows that are no distribution. Rows that miss a sum of one by rounding are rescaled, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treewright import _core
from treewright.errors import FormatError, TreewrightError, nearest
from treewright.graphs.directed.dag import Dag
from treewright.graphs.edges import as_array
from treewright.graphs.ranked import ranks_by_name
from treewright.limits import kept_axes, memory_limit
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.tables import are_normal
from treewright.models.formats.report import Renormalised
from treewright.models.formats.text import Place, Source, as_text
from treewright.models.formats.tokens import Cursor, Rules, Tokens
from treewright.models.undirected.markov_network import MarkovNetwork, check_factors
from treewright.tables.schema import Schema, Variable
from treewright.types import Cells, Scope

ROUNDED = 1e-4  # how far the sum of a row may be from one
EXACT = 1e-12  # what the addition of exact decimals may miss
ALWAYS_FILLED = 2**20  # cells that rows for "all the rest" may fill in a file of any size
MANY = 10**18


@dataclass(frozen=True)
class DraftTable:
    """A table with one axis per parent as the file lists them, then the child's."""

    child: int
    parents: tuple[int, ...]
    cells: Cells
    at: Place
    row_at: Callable[[int], Place] | None = None


@dataclass
class Draft:
    """What a reader has found so far."""

    source: Source
    notes: list[str] = field(default_factory=list)
    renormalised: list[Renormalised] = field(default_factory=list)
    factors: list[DraftFactor] | None = None  # of a Markov network, which has no tables
    _names: dict[str, int] = field(default_factory=dict)
    _variables: list[Variable] = field(default_factory=list)
    _places: list[Place] = field(default_factory=list)
    _tables: dict[int, DraftTable] = field(default_factory=dict)
    _n_cells: int = 0

    def __len__(self) -> int:
        return len(self._variables)

    def add_variable(self, name: str, states: Sequence[str], at: Place) -> int:
        if name in self._names:
            raise self.source.error(f"variable {name!r} is declared twice", at)
        try:
            self._variables.append(Variable(name, tuple(states)))
        except TreewrightError as error:
            raise self.source.error(str(error), at) from None
        self._names[name] = len(self) - 1
        self._places.append(at)
        return len(self) - 1

    def index(self, name: str, at: Place) -> int:
        found = self._names.get(name)
        if found is None:
            known = nearest(name, self._names, limit=8) if len(self) <= 10_000 else f"{len(self)} others"
            raise self.source.error(f"{name!r} is no variable of this file; there are {known}", at)
        return found

    def family(self, names: Sequence[tuple[str, Place]]) -> tuple[int, list[int]]:
        """A child and its parents by name, each once."""
        child, *parents = (self.index(name, at) for name, at in names)
        seen = {child}
        for p, (name, at) in zip(parents, names[1:], strict=True):
            if p in seen:
                owner = self._variables[child].name
                raise self.source.error(f"{name!r} is listed twice in the table of {owner!r}", at)
            seen.add(p)
        return child, parents

    def knows(self, name: str) -> bool:
        return name in self._names

    def variable(self, v: int) -> Variable:
        return self._variables[v]

    def states(self, v: int) -> tuple[str, ...]:
        return self._variables[v].states or ()  # type: ignore[return-value]  # labels in files are texts

    def shape(self, child: int, parents: Sequence[int]) -> tuple[int, ...]:
        return tuple([self._variables[v].cardinality for v in (*parents, child)])

    def expect_cells(self, child: int, parents: Sequence[int], found: int, at: Place) -> None:
        """Refuse a table that lists more or fewer numbers than its states ask for."""
        wanted = count_cells(self.shape(child, parents))
        if found != wanted:
            name = self._variables[child].name
            raise self.source.error(
                f"the table of {name!r} has {found} numbers; its states and those of its parents ask for "
                f"{count_text(wanted)}",
                at,
            )

    def arrange(self, table: DraftTable, *, rows_first: bool) -> None:
        """Add a table that lists rows first, or states first; where only the other makes sense, note it."""
        values, variable = table.cells, self._variables[table.child]
        self.expect_cells(table.child, table.parents, len(values), table.at)
        n_states = variable.cardinality
        states_first = np.ascontiguousarray(values.reshape(n_states, -1).T)
        usual, other = (values, states_first) if rows_first else (states_first, values)
        if table.parents and not is_normal(usual, n_states) and is_normal(other, n_states):
            found = "states, not rows" if rows_first else "rows, not states"
            self.notes.append(f"the table of {variable.name!r} lists {found}, first")
            usual = other
        self.add_table(replace(table, cells=usual))

    def reserve(self, n_cells: int, name: str, at: Place) -> None:
        """Refuse tables that a short file would blow up."""
        self._n_cells += n_cells
        if self._n_cells > ALWAYS_FILLED + 2 * len(self.source.data) or 8 * self._n_cells > memory_limit():
            raise self.source.error(
                f"the table of {name!r} would have {count_text(n_cells)} cells, far more than the file says",
                at,
            )

    def add_table(self, table: DraftTable) -> None:
        name = self._variables[table.child].name
        if table.child in self._tables:
            raise self.source.error(f"there are two tables of {name!r}", table.at)
        self._tables[table.child] = table

    def finish(self) -> BayesianNetwork | MarkovNetwork:
        """The model, or the first reason why there is none."""
        if not self._variables:
            raise self.source.error("the file declares no variable")
        if self.factors is not None:
            return self._product(self.factors)
        for v, variable in enumerate(self._variables):
            if v not in self._tables:
                raise self.source.error(f"there is no table of {variable.name!r}", self._places[v])
        schema = Schema(self._variables)
        dag = self._dag(schema)
        try:
            return BayesianNetwork(dag, self._settle_all([self._tables[v] for v in range(len(self))]))
        except FormatError:
            raise
        except ValueError as error:
            raise self.source.error(str(error)) from error

    def _product(self, factors: Sequence[DraftFactor]) -> MarkovNetwork:
        schema = Schema(self._variables)
        try:
            return MarkovNetwork(schema, [(factor.scope, factor.cells) for factor in factors])
        except TreewrightError:
            for factor in factors:  # once more one by one: which was it?
                try:
                    check_factors(schema, [(factor.scope, factor.cells)])
                except TreewrightError as error:
                    raise self.source.error(str(error), factor.at) from None
            raise

    def _dag(self, schema: Schema) -> Dag:
        arcs = [(p, table.child) for table in self._tables.values() for p in table.parents]
        cycle = _core.find_cycle(len(schema), as_array(arcs), ranks_by_name(schema))
        if cycle:
            names = " -> ".join(schema.names[v] for v in (*cycle, cycle[0]))
            raise self.source.error(f"the parents close a directed cycle: {names}", self._tables[cycle[0]].at)
        return Dag(schema, arcs)

    def _settle_all(self, tables: Sequence[DraftTable]) -> list[Cells]:
        """The tables with sums of one, their parents in the order of the schema."""
        rows = [table.cells.reshape(-1, self._variables[table.child].cardinality) for table in tables]
        exact = are_normal(rows, EXACT)
        pairs = zip(tables, rows, exact, strict=True)
        return [self._arranged(table, r if fits else self._rescaled(table, r)) for table, r, fits in pairs]

    def _rescaled(self, table: DraftTable, rows: Cells) -> Cells:
        sums = row_sums(rows)
        self._refuse_rows(table, rows, sums)
        deviations = np.abs(sums - 1)
        rounded = deviations > EXACT
        if rounded.any():
            rows = np.where(rounded[:, None], rows / sums[:, None], rows)
            name, largest = self._variables[table.child].name, float(deviations[rounded].max())
            self.renormalised.append(Renormalised(name, int(rounded.sum()), largest))
        return rows

    def _arranged(self, table: DraftTable, rows: Cells) -> Cells:
        """The rows with an axis for each parent, in the order of the schema."""
        if not table.parents:
            return rows.reshape(-1)
        shape = self.shape(table.child, table.parents)
        kept = kept_axes(shape)
        parents = [table.parents[i] for i in kept[:-1]]
        axes = sorted(range(len(parents)), key=parents.__getitem__)
        try:
            return rows.reshape([shape[i] for i in kept]).transpose(*axes, len(axes))
        except ValueError as error:  # an array has a limited number of axes
            name = self._variables[table.child].name
            raise self.source.error(
                f"{name!r} has {len(table.parents)} parents, more than an array can have axes", table.at
            ) from error

    def _refuse_rows(self, table: DraftTable, rows: Cells, sums: Cells) -> None:
        negative = np.asarray((rows < 0).any(axis=1))
        wrong = np.flatnonzero(negative | ~(np.abs(sums - 1) <= ROUNDED))
        if not wrong.size:
            return
        row = int(wrong[0])
        found = f"sums to {float(sums[row])!r}, not to 1"
        if negative[row]:
            found = f"holds {float(rows[row].min())!r}, which is no probability"
        at = table.row_at(row) if table.row_at else table.at
        raise self.source.error(f"the row {self.describe_row(table, row)} {found}", at)

    def describe_row(self, table: DraftTable, row: int) -> str:
        """A row by names: ``of 'wet' given rain='yes'``."""
        given: list[str] = []
        for p in reversed(table.parents):
            row, code = divmod(row, self._variables[p].cardinality)
            given.append(f"{self._variables[p].name}={self.states(p)[code]!r}")
        name = self._variables[table.child].name
        return f"of {name!r}" + (f" given {', '.join(reversed(given))}" if given else "")


@dataclass(frozen=True)
class DraftFactor:
    """A table with one axis per variable of its scope, and where it stands."""

    scope: Scope
    cells: Cells
    at: Place


class TextReader:
    """A walk along the tokens of a text that fills a draft."""

    def __init__(self, source: Source, rules: Rules) -> None:
        text = as_text(source)
        self.tokens = Tokens(text, rules)
        self.cursor = Cursor(self.tokens)
        self.draft = Draft(text)


def is_normal(cells: Cells, n_states: int) -> bool:
    """Whether every row is a distribution but for rounding."""
    return bool((np.abs(row_sums(cells.reshape(-1, n_states)) - 1) <= ROUNDED).all())


def first_parent_fastest(table: Cells) -> Cells:
    """The values once more with the child's states fastest, then the first parent's."""
    *parents, n_states = table.shape
    axes = (*reversed(range(len(parents))), len(parents))
    return table.ravel().reshape(*reversed(parents), n_states).transpose(axes)


def row_sums(rows: Cells) -> Cells:
    with np.errstate(over="ignore"):  # absurd numbers add up to infinity, which is refused
        return np.asarray(rows.sum(axis=1))


def count_cells(shape: Sequence[int]) -> int:
    """The product of a shape, or MANY when it is larger: a thousand parents are no reason to wait."""
    cells = 1
    for n in shape:
        cells *= n
        if cells >= MANY:
            return MANY
    return cells


def count_text(n: int) -> str:
    return f"{n:,}" if n < MANY else "more than 10^18"
