"""How much an answer of a Bayesian network moves with each number of its tables.

The answer P(t | e) is a quotient of two sums in which every number P(x | u) of a table occurs linearly. When
one of them grows, the rest of its row shrinks in proportion, so that the row still sums to one; the
derivative of the answer by it then follows from the family's beliefs given e and given e and t (Castillo,
Gutierrez & Hadi 1997; Chan & Darwiche 2002). A row that has nothing else to shrink shares evenly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from treewright.errors import EvidenceError
from treewright.inference.engine import Factor
from treewright.inference.evidence import Evidence, Given
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.limits import table_axes
from treewright.models.answers import html_table
from treewright.models.labelled import LabelledTable, make_frame
from treewright.tables.schema import Label, NameOrIndex, Schema, Variable
from treewright.types import Cells, Scope

if TYPE_CHECKING:
    from treewright.models.asking import Asking
    from treewright.models.discrete.bayesian_network import BayesianNetwork

_SHOWN = 8
_LEAST = 1e-12  # a derivative below is rounding


@dataclass(frozen=True)
class MovingNumber:
    """One number of a table, P(variable = state | given), and the derivative of the answer by it."""

    variable: str
    state: Label
    given: dict[str, Label]
    probability: float
    derivative: float

    def __str__(self) -> str:
        above = ", ".join(f"{name}={state}" for name, state in self.given.items())
        return f"P({self.variable}={self.state}{f' | {above}' if above else ''})"


class Moving(Protocol):
    """A number and the derivative of an answer by it."""

    @property
    def derivative(self) -> float: ...


M = TypeVar("M", bound=Moving)


class Answered(Protocol):
    """A question about one probability, and its answer."""

    @property
    def target(self) -> str: ...
    @property
    def state(self) -> Label: ...
    @property
    def answer(self) -> float: ...


class MovingNumbers(Generic[M]):
    """How much one probability moves with the numbers of some tables, the strongest first."""

    _kept, _by = "probability", ""  # what a number is called, and how it is moved

    def __init__(
        self,
        schema: Schema,
        scopes: Sequence[Scope],
        tables: Sequence[Cells],
        derivatives: Sequence[Cells],
        asked: Answered,
    ) -> None:
        self.target, self.state, self.probability = asked.target, asked.state, asked.answer
        self._schema, self._scopes, self._tables = schema, scopes, tables
        self._derivatives = tuple(derivatives)
        for table in self._derivatives:
            table.setflags(write=False)

    def _axes(self, place: int) -> list[Variable]:
        return [self._schema[u] for u in table_axes(self._schema, self._scopes[place])]

    def __len__(self) -> int:
        return sum(int(np.count_nonzero(np.abs(table) > _LEAST)) for table in self._derivatives)

    def __iter__(self) -> Iterator[M]:
        # of two that differ by rounding alone, as the two numbers of a row do, the first comes first
        sizes = np.concatenate(
            [np.zeros(0), *(np.abs(table).ravel().round(12) for table in self._derivatives)]
        )
        ends = np.cumsum([table.size for table in self._derivatives])
        for place in np.argsort(-sizes, kind="stable")[: len(self)].tolist():
            table = int(np.searchsorted(ends, place, side="right"))
            yield self._at(table, place - int(ends[table]) + self._derivatives[table].size)

    def _at(self, place: int, cell: int) -> M:
        axes = self._axes(place)
        at = np.unravel_index(cell, self._derivatives[place].shape)
        labels = {axis.name: (axis.states or ())[int(k)] for axis, k in zip(axes, at, strict=True)}
        value, derivative = (float(part[place][at]) for part in (self._tables, self._derivatives))
        return self._number(labels, value, derivative)

    def _number(self, labels: dict[str, Label], value: float, derivative: float) -> M:
        raise NotImplementedError

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow: a row for each number that moves the answer."""
        found = list(self)
        columns: dict[str, list[Any]] = {"number": [str(one) for one in found]}
        columns |= {what: [getattr(one, what) for one in found] for what in self._columns}
        return make_frame(columns, library)

    @property
    def _columns(self) -> tuple[str, ...]:
        return self._kept, "derivative"

    def _rows(self) -> list[tuple[str, str, str]]:
        strongest = [one for one, _ in zip(self, range(_SHOWN), strict=False)]
        return [(str(one), f"{getattr(one, self._kept):.4f}", f"{one.derivative:+.3g}") for one in strongest]

    def _title(self) -> str:
        return f"P({self.target}={self.state} | ...) = {self.probability:.4f}"

    def __repr__(self) -> str:
        rows, more = self._rows(), len(self) - _SHOWN
        if not rows:
            return f"{self._title()} does not move with any number of the tables"
        wide = max(len(name) for name, _, _ in rows)
        lines = [f"  {name.ljust(wide)}  {p}  by  {by}" for name, p, by in rows]
        rest = [f"  ... {more:,} more"] if more > 0 else []
        return "\n".join([f"{self._title()} moves most with{self._by}", *lines, *rest])

    def _repr_html_(self) -> str:
        return f"<p>{self._title()}</p>" + html_table(("number", "is", "moves the answer by"), self._rows())


class Sensitivity(MovingNumbers[MovingNumber]):
    """How much P(target = state | evidence) moves with each number of the tables.

    `probability` is the answer itself, :meth:`table` the derivatives by the numbers of one table, in its
    shape; iterating gives the numbers that move the answer, the strongest first, down to 1e-12.

    Examples
    --------
    >>> import treewright as tw
    >>> moved = tw.load_network("asia").sensitivity("lung", "yes", given={"xray": "yes"})
    >>> moved
    P(lung=yes | ...) = 0.4887 moves most with
      P(xray=yes | either=no)          0.0500  by  -4.14
      P(xray=no | either=no)           0.9500  by  +4.14
      P(tub=yes | asia=no)             0.0100  by  -3.86
      P(tub=no | asia=no)              0.9900  by  +3.86
      P(either=yes | tub=no, lung=no)  0.0000  by  -3.85
      P(either=no | tub=no, lung=no)   1.0000  by  +3.85
      P(lung=yes | smoke=yes)          0.1000  by  +2.4
      P(lung=no | smoke=yes)           0.9000  by  -2.4
      ... 16 more
    >>> strongest = next(iter(moved))
    >>> strongest.variable, strongest.given, round(strongest.derivative, 3)
    ('xray', {'either': 'no'}, -4.144)
    """

    def table(self, name: NameOrIndex) -> LabelledTable:
        """The derivatives by the numbers of one table, an axis per parent and then the variable's states."""
        v = self._schema.index(name)
        return LabelledTable(self._derivatives[v], self._axes(v))

    def _number(self, labels: dict[str, Label], value: float, derivative: float) -> MovingNumber:
        *given, (variable, state) = labels.items()
        return MovingNumber(variable, state, dict(given), value, derivative)

    @property
    def _columns(self) -> tuple[str, ...]:
        return "variable", self._kept, "derivative"


class Asked(NamedTuple):
    """A question about one probability: its answer, and the evidence without and with the state."""

    target: str
    state: Label
    answer: float
    engine: JunctionTreeEngine
    evidence: Evidence
    joined: Evidence
    log_known: float


def ask_about(model: Asking, target: str, state: Label, given: Given | None) -> Asked:
    """P(target = state | given), for a target that is not given."""
    t = model.schema.index(target)
    code, evidence = model.schema[t].code(state), model._read(given)
    if t in evidence.observed:
        raise EvidenceError(f"{target} is given, so no number moves it; ask about a variable that is not")
    engine = model._engine
    assert isinstance(engine, JunctionTreeEngine)
    known, log_known = engine.joint((t,), evidence)
    model._require_possible(log_known, evidence)
    joined = with_state(evidence, t, code)
    return Asked(target, state, float(known[code]), engine, evidence, joined, log_known)


def sensitivity(model: BayesianNetwork, target: str, state: Label, given: Given | None) -> Sensitivity:
    """Derivatives of one answer by every number of the tables, see `BayesianNetwork.sensitivity`."""
    asked = ask_about(model, target, state, given)
    evidence = asked.evidence
    seen = sorted({model.schema.index(target), *evidence.observed, *evidence.weighted})
    derivatives = [np.zeros(table.shape) for table in model.tables]
    for v in {*seen, *model.dag.ancestors(seen)}:  # the others have no say
        both = masses_by_cells([(asked.engine, one) for one in (asked.joined, evidence)], v, asked.log_known)
        by = both[0] - asked.answer * both[1]
        derivatives[v] = along_rows(model.tables[v], by)
    scopes = [(*model.dag.parents(v), v) for v in range(len(model.schema))]
    return Sensitivity(model.schema, scopes, model.tables, derivatives, asked)


def with_state(evidence: Evidence, t: int, code: int) -> Evidence:
    """The evidence and a state of the target; a likelihood of the target is kept for that state."""
    if t not in evidence.weighted:
        return Evidence(
            [*evidence.observed, t], [*evidence.states, code], evidence.weighted, evidence.likelihoods
        )
    likelihoods = [
        [x if v != t or k == code else 0.0 for k, x in enumerate(likelihood)]
        for v, likelihood in zip(evidence.weighted, evidence.likelihoods, strict=True)
    ]
    return Evidence(evidence.observed, evidence.states, evidence.weighted, likelihoods)


def masses_by_cells(
    questions: Sequence[tuple[JunctionTreeEngine, Evidence]], v: int, log_known: float
) -> list[Cells]:
    """For each question, the derivative of its mass by the cells of table v, the others held, over P(e).

    The mass is linear in each cell: it is the family's belief over the cell. Where the table has zeros, it is
    that of the same network with an even table in its place.
    """
    found = []
    for asked, evidence in questions:
        engine, scope, table = asked, asked.factors[v].scope, asked.factors[v].table
        if not (table > 0).all():
            table = np.full(table.shape, 1 / table.shape[-1])
            factors = [*asked.factors[:v], Factor(scope, table), *asked.factors[v + 1 :]]
            engine = JunctionTreeEngine(asked.schema, factors, directed=asked.directed)
        belief, log_mass = engine.joint(scope, evidence)
        share = math.exp(log_mass - log_known) if log_mass > -math.inf else 0.0
        found.append(belief / table * share)
    return found


def list_moves(title: str, rows: Sequence[tuple[str, ...]], parts: Iterable[str], n_more: int) -> str:
    """The strongest numbers, each with its value and how much it moves every part of the answer."""
    if not rows:
        return f"{title} does not move with any number of the network"
    wide, long = (max(len(row[k]) for row in rows) for k in (0, 1))
    lines = [
        f"  {name.ljust(wide)}  {value.rjust(long)}  "
        + "  ".join(f"{part} by  {x}" for part, x in zip(parts, moves, strict=True))
        for name, value, *moves in rows
    ]
    rest = [f"  ... {n_more:,} more"] if n_more > 0 else []
    return "\n".join([f"{title} moves most with", *lines, *rest])


def along_rows(table: Cells, by: Cells) -> Cells:
    """From derivatives with the rest of a row held to those with the rest scaled."""
    n = table.shape[-1]
    if n == 1:
        return np.zeros(table.shape)
    rest = (table * by).sum(axis=-1, keepdims=True) - table * by
    left = table.sum(axis=-1, keepdims=True) - table
    whole = left <= 1e-15
    evenly = (by.sum(axis=-1, keepdims=True) - by) / (n - 1)
    return np.asarray(by - np.where(whole, evenly, rest / np.where(whole, 1.0, left)))
