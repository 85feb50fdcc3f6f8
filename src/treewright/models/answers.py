"""Answers with labels on them: probabilities are asked for by state, not by position."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate, product
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from treewright.arguments import require_several
from treewright.errors import SchemaError
from treewright.limits import kept_axes
from treewright.models.labelled import free_name, joint_frame, label_array, make_frame
from treewright.tables.schema import Label, Schema, Variable
from treewright.types import Cells, Flags, Pictured

Key = Label | tuple[Label, ...]
Answer = TypeVar("Answer")

_SHOWN = 24  # rows of a printed table


class Distribution(Mapping[Key, float], Pictured):
    """Probabilities of the states of one variable, or of the joint states of several.

    Behaves as a read-only mapping: `result["yes"]` for one variable, `result["yes", "no"]` for two, in the
    order they were asked for: that of `variables`. `array` has the numbers, one axis per variable, states in
    schema order; of more than 64 variables, those of a single state have none. `log_probability_of_evidence`
    is the natural logarithm of the probability of what was given; zero when nothing was.

    Examples
    --------
    >>> answer = Distribution([Variable("rain", ("no", "yes"))], np.array([0.75, 0.25]))
    >>> answer["yes"]
    0.25
    >>> dict(answer)
    {'no': 0.75, 'yes': 0.25}
    >>> answer
    rain
      no   0.750000
      yes  0.250000
    """

    def __init__(
        self,
        variables: list[Variable] | tuple[Variable, ...],
        array: Cells,
        log_probability_of_evidence: float = 0.0,
    ) -> None:
        self.variables = tuple(variables)
        self.array = np.array(array, dtype=np.float64)
        self.array.setflags(write=False)
        self.log_probability_of_evidence = log_probability_of_evidence
        assert self.array.ndim <= len(self.variables)

    @property
    def _axes(self) -> Sequence[int]:
        return kept_axes([v.cardinality for v in self.variables])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables)

    @property
    def probability_of_evidence(self) -> float:
        return math.exp(self.log_probability_of_evidence)

    def __getitem__(self, key: Key) -> float:
        states = key if isinstance(key, tuple) else (key,)
        if len(states) != len(self.variables):
            wanted = ", ".join(map(repr, self.names))
            raise SchemaError(f"a joint state names one state for each of {wanted}; found {key!r}")
        where = [v.code(state) for v, state in zip(self.variables, states, strict=True)]
        return float(self.array[tuple(where[i] for i in self._axes)])

    def __contains__(self, key: object) -> bool:
        try:
            self[key]  # type: ignore[index]
        except SchemaError:
            return False
        return True

    def __iter__(self) -> Iterator[Key]:
        if len(self.variables) == 1:
            yield from self.variables[0].states or ()
        else:
            yield from product(*(v.states or () for v in self.variables))

    def __len__(self) -> int:
        return self.array.size

    def dict(self) -> dict[Key, float]:
        """The numbers as a plain dictionary."""
        return dict(zip(self, self.array.ravel().tolist(), strict=True))

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow: a row for each joint state, with its probability."""
        return joint_frame(self.variables, self.array, library)

    def _rows(self) -> list[tuple[tuple[str, ...], str]]:
        flat = self.array.ravel()[:_SHOWN].tolist()
        keys = (key if isinstance(key, tuple) else (key,) for key in self)
        return [(tuple(map(str, key)), f"{p:.6f}") for key, p in zip(keys, flat, strict=False)]

    def __repr__(self) -> str:
        rows = self._rows()
        columns = list(zip(*(labels for labels, _ in rows), strict=True))
        alone = len(self.names) == 1
        widths = [
            max(map(len, column if alone else (name, *column)))
            for name, column in zip(self.names, columns, strict=True)
        ]
        lines = [self.names[0] if alone else "  " + _padded(self.names, widths)]
        lines += [f"  {_padded(labels, widths)}  {p}" for labels, p in rows]
        lines += _more(self.array.size, "  ... {:,} more")
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        table = html_table((*self.names, "probability"), ((*labels, p) for labels, p in self._rows()))
        return "".join([table, *_more(self.array.size, "<p>... {:,} more</p>")])


class ByName(Mapping[str, Answer]):
    """An answer for each of some variables, asked for by name."""

    __slots__ = ()
    names: tuple[str, ...]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        lines: list[str] = []
        for k, name in enumerate(self.names):
            lines += repr(self[name]).splitlines()
            if len(lines) >= _SHOWN and k + 1 < len(self):
                return "\n".join([*lines, f"... {len(self) - k - 1:,} more variables"])
        return "\n".join(lines)


class Marginals(ByName[Distribution], Pictured):
    """The distribution of every variable, each asked for by name.

    `cells` has all probabilities, variable after variable in schema order; `log_probability_of_evidence` the
    natural logarithm of the probability of what was given, zero when nothing was.

    Examples
    --------
    >>> schema = Schema([Variable("rain", ("no", "yes"))])
    >>> result = Marginals(schema, [np.array([0.75, 0.25])])
    >>> result["rain"]["yes"], result.array("rain").tolist()
    (0.25, [0.75, 0.25])
    """

    __slots__ = ("_offsets", "cells", "log_probability_of_evidence", "names", "schema")

    def __init__(
        self, schema: Schema, cells: Cells | Sequence[Cells], log_probability_of_evidence: float = 0.0
    ) -> None:
        self.schema, self.names = schema, schema.names
        self.cells = cells if isinstance(cells, np.ndarray) else np.concatenate([np.zeros(0), *cells])
        self.cells.setflags(write=False)
        self.log_probability_of_evidence = log_probability_of_evidence
        self._offsets: list[int] | None = None

    @property
    def probability_of_evidence(self) -> float:
        return math.exp(self.log_probability_of_evidence)

    def __getitem__(self, name: str) -> Distribution:
        return Distribution([self.schema[name]], self.array(name), self.log_probability_of_evidence)

    def array(self, name: str) -> Cells:
        """The probabilities of one variable, states in schema order; a view of `cells`."""
        if self._offsets is None:
            self._offsets = _offsets(self.schema)
        v = self.schema.index(name)
        return self.cells[self._offsets[v] : self._offsets[v + 1]]

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow with one row per state: variable, state, probability."""
        states = [(v.name, state) for v in self.schema for state in v.states or ()]
        columns: dict[str, Any] = {"variable": [name for name, _ in states]}
        columns["state"] = [state for _, state in states]
        return make_frame(columns | {"probability": self.cells}, library)

    def _repr_html_(self) -> str:
        rows = ((name, str(state), f"{p:.6f}") for name, d in self.items() for state, p in d.items())
        return html_table(("variable", "state", "probability"), rows)


class ManyMarginals(Sequence[Marginals]):
    """The distributions of every variable given each of many rows of evidence.

    `result[i]` are the marginals of row i; `result.array("x")` is one matrix, rows by states; `cells` has all
    of them side by side. `log_probability_of_evidence` is one number per row: minus infinity for impossible
    evidence, whose probabilities are NaN.

    Examples
    --------
    >>> schema = Schema([Variable("rain", ("no", "yes"))])
    >>> result = ManyMarginals(schema, np.array([[0.75, 0.25], [0.0, 1.0]]), np.zeros(2))
    >>> result[1]["rain"]["yes"], result.array("rain")[:, 1].tolist()
    (1.0, [0.25, 1.0])
    """

    def __init__(self, schema: Schema, cells: Cells, log_probability_of_evidence: Cells) -> None:
        self.schema = schema
        self.cells = cells
        self.log_probability_of_evidence = log_probability_of_evidence
        self.cells.setflags(write=False)
        self.log_probability_of_evidence.setflags(write=False)

    def array(self, name: str) -> Cells:
        """The probabilities of one variable: rows by states."""
        offsets, v = _offsets(self.schema), self.schema.index(name)
        return self.cells[:, offsets[v] : offsets[v + 1]]

    @overload
    def __getitem__(self, row: int) -> Marginals: ...
    @overload
    def __getitem__(self, row: slice) -> ManyMarginals: ...
    def __getitem__(self, row: int | slice) -> Marginals | ManyMarginals:
        if isinstance(row, slice):
            return ManyMarginals(self.schema, self.cells[row], self.log_probability_of_evidence[row])
        return Marginals(self.schema, self.cells[row], float(self.log_probability_of_evidence[row]))

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"<ManyMarginals: {len(self):,} rows, {len(self.schema)} variables>"


class Predictions:
    """What a model says about one variable for each of many rows, given the rows' other cells.

    `array` has the probabilities: rows by states. A row that is impossible under the model holds NaN, and has
    no most probable state: None among the `labels`.

    Examples
    --------
    >>> answer = Predictions(Variable("rain", ("no", "yes")), np.array([[0.75, 0.25], [0.4, 0.6]]))
    >>> answer.labels.tolist(), answer.n_impossible
    (['no', 'yes'], 0)
    >>> answer.columns()
    {'rain': array(['no', 'yes'], dtype=object), 'rain=no': array([0.75, 0.4 ]), 'rain=yes': array([0.25, 0.6
    ])}
    """

    def __init__(self, variable: Variable, array: Cells, library: str = "pandas") -> None:
        self.variable, self.array, self.library = variable, array, library
        self.array.setflags(write=False)

    @property
    def impossible(self) -> Flags:
        """The rows that have probability zero under the model, so that nothing follows from them."""
        return np.isnan(self.array[:, 0])

    @property
    def n_impossible(self) -> int:
        return int(np.count_nonzero(self.impossible))

    @property
    def labels(self) -> npt.NDArray[Any]:
        """The most probable state for each row; the first of several."""
        found = label_array(self.variable)[self.codes]
        found[self.impossible] = None
        return found

    @property
    def codes(self) -> npt.NDArray[np.intp]:
        """The same by position; of an impossible row 0."""
        best: npt.NDArray[np.intp] = np.argmax(np.nan_to_num(self.array), axis=1)
        return best

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The state under the variable's name, and a column ``name=state`` of probabilities for each."""
        found: dict[str, npt.NDArray[Any]] = {self.variable.name: self.labels}
        for state, cells in zip(self.variable.states or (), self.array.T, strict=True):
            found[free_name(f"{self.variable.name}={state}", found)] = cells
        return found

    def to_frame(self, library: str | None = None) -> Any:
        """A frame of pandas, polars or pyarrow with these columns; by default of who gave the rows."""
        return make_frame(self.columns(), library or self.library)

    def __len__(self) -> int:
        return len(self.array)

    def __repr__(self) -> str:
        return f"<Predictions: {self.variable.name} for {len(self):,} rows>"


class Explanation(Mapping[str, Label]):
    """The most probable states of some variables together: name -> state.

    `log_probability` is the natural logarithm of the probability that these states and the evidence occur
    together.

    Examples
    --------
    >>> answer = Explanation({"rain": "yes", "wet": "yes"}, math.log(0.25))
    >>> answer["rain"], answer.probability
    ('yes', 0.25)
    """

    def __init__(self, states: Mapping[str, Label], log_probability: float) -> None:
        self._states = dict(states)
        self.log_probability = log_probability

    @property
    def probability(self) -> float:
        return math.exp(self.log_probability)

    def __getitem__(self, name: str) -> Label:
        return self._states[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)

    def __repr__(self) -> str:
        shown = [f"  {name}={state!r}" for name, state in list(self.items())[:_SHOWN]]
        shown += _more(len(self), "  ... {:,} more")
        return "\n".join([f"log-probability {self.log_probability:.6f}", *shown])

    def _repr_html_(self) -> str:
        rows = [(name, str(state)) for name, state in list(self.items())[:_SHOWN]]
        rows += [(line, "") for line in _more(len(self), "... {:,} more")]
        told = escape(repr(self).partition("\n")[0])
        return f"<p>{told}</p>" + html_table(("variable", "state"), rows)


class BoundedExplanation(Explanation):
    """Probable states of all variables together, where the most probable ones cannot be found exactly.

    `log_probability`, of these states and the evidence together, is a lower bound on that of the most
    probable ones; no joint state has more than `log_upper_bound`.

    Examples
    --------
    >>> answer = BoundedExplanation({"rain": "yes"}, math.log(0.25), math.log(0.5))
    >>> answer["rain"], answer.probability, answer.is_exact
    ('yes', 0.25, False)
    """

    def __init__(self, states: Mapping[str, Label], log_probability: float, log_upper_bound: float) -> None:
        super().__init__(states, log_probability)
        self.log_upper_bound = log_upper_bound

    @property
    def is_exact(self) -> bool:
        """Whether the bounds meet (within rounding): these states are the most probable ones then."""
        return self.log_upper_bound - self.log_probability <= 1e-9

    def __repr__(self) -> str:
        first, *rest = super().__repr__().splitlines()
        return "\n".join([f"{first}, at most {self.log_upper_bound:.6f}", *rest])


def list_targets(targets: str | Sequence[str]) -> list[str]:
    """The names that a question is about, one at least."""
    require_several("a query asks about names of variables", targets)
    names = [targets] if isinstance(targets, str) else list(targets)
    if not names:
        raise SchemaError("a query asks about at least one variable; found none")
    return names


def html_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table for notebooks."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _more(n: int, line: str) -> list[str]:
    """How many are not shown, where some are not."""
    return [line.format(n - _SHOWN)] if n > _SHOWN else []


def _offsets(schema: Schema) -> list[int]:
    return list(accumulate(schema.cardinalities, initial=0))


def _padded(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
