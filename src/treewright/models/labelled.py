"""Tables with labels on their axes, and answers as frames of the library that the reader has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.errors import SettingError, nearest
from treewright.tables.schema import Label, Variable
from treewright.types import Cells

if TYPE_CHECKING:
    Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
else:
    Array = np.ndarray

LIBRARIES = ("pandas", "polars", "pyarrow")
_ROWS = 12  # of a printed table
_COLUMNS = 6
_WIDTH = 24


class LabelledTable(Array):
    """The probabilities of one variable given its parents: an array that knows what its axes are.

    There is an axis per parent, then one for the variable's own states. To numpy it is an array like any
    other, read-only; what numpy makes of it has no labels any more.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.load_network("asia").table("dysp")
    >>> table
    dysp given bronc, either
      bronc  either  yes     no
      yes    yes     0.9000  0.1000
      yes    no      0.8000  0.2000
      no     yes     0.7000  0.3000
      no     no      0.1000  0.9000
    >>> table.name, table.parents, table.states, table.shape
    ('dysp', ('bronc', 'either'), ('yes', 'no'), (2, 2, 2))
    >>> table.to_frame("polars").rows()[0]
    ('yes', 'yes', 'yes', 0.9)
    """

    variables: tuple[Variable, ...]

    def __new__(cls, cells: Cells, variables: Sequence[Variable]) -> LabelledTable:
        made = cells.view(cls)
        made.variables = tuple(variables)
        assert made.shape == tuple(one.cardinality for one in variables)
        return made

    def __array_finalize__(self, made_of: object) -> None:
        self.variables = ()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __reduce__(self) -> Any:
        if not self.variables:
            return np.asarray(self).__reduce__()
        return LabelledTable, (np.array(self), self.variables)

    @property
    def name(self) -> str:
        """The variable whose probabilities these are."""
        return self.variables[-1].name

    @property
    def parents(self) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables[:-1])

    @property
    def states(self) -> tuple[Label, ...]:
        return self.variables[-1].states or ()

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow: a row for each joint state of parents and variable."""
        return joint_frame(self.variables, np.asarray(self), library)

    def __repr__(self) -> str:
        if not self.variables:
            return repr(np.asarray(self))
        numbers = np.asarray(self).reshape(-1, self.shape[-1])
        given = islice(product(*(v.states or () for v in self.variables[:-1])), _ROWS)
        lines = [[*self.parents, *map(str, self.states[:_COLUMNS])]]
        lines += [
            [*map(str, labels), *(f"{p:.4f}" for p in row[:_COLUMNS])]
            for labels, row in zip(given, numbers, strict=False)
        ]
        widths = [min(_WIDTH, max(map(len, column))) for column in zip(*lines, strict=True)]
        hidden = _left_out(len(numbers), _ROWS, "rows") + _left_out(self.shape[-1], _COLUMNS, "states")
        shown = [[_fitted(cell, width) for cell, width in zip(line, widths, strict=True)] for line in lines]
        some = [*self.parents[:8], *(["..."] if len(self.parents) > 8 else [])]
        title = f"{self.name} given {', '.join(some)}" if some else self.name
        body = [f"  {'  '.join(line)}".rstrip() for line in shown]
        return "\n".join([title, *body, *([f"  ... {' and '.join(hidden)}"] if hidden else [])])

    __str__ = __repr__


def _left_out(n: int, shown: int, what: str) -> list[str]:
    return [f"{n - shown:,} more {what}"] if n > shown else []


def _fitted(text: str, width: int) -> str:
    return (text if len(text) <= width else text[: width - 3] + "...").ljust(width)


def label_array(variable: Variable) -> npt.NDArray[Any]:
    """The states of a variable, to be taken by their codes."""
    states = np.empty(len(variable.states or ()), dtype=object)
    states[:] = variable.states
    return states


def joint_frame(variables: Sequence[Variable], cells: Cells, library: str) -> Any:
    """A row for each joint state: a column per variable, and one of probabilities."""
    places = np.indices(cells.shape).reshape(cells.ndim, -1)
    columns = {v.name: label_array(v)[at] for v, at in zip(variables, places, strict=True)}
    return make_frame(columns | {free_name("probability", columns): cells.ravel()}, library)


def free_name(wanted: str, taken: Collection[str]) -> str:
    """A name for a column beside those of variables."""
    while wanted in taken:
        wanted += "_"
    return wanted


def make_frame(columns: Mapping[str, Any], library: str = "pandas") -> Any:
    """A frame of one of the libraries, if it is installed."""
    import narwhals as nw

    if library not in LIBRARIES:
        raise SettingError(f"frames are made by {nearest(library, LIBRARIES)}; found {library!r}")
    data = {name: _of_one_kind(values, library) for name, values in columns.items()}
    backend: Any = library
    try:
        return nw.from_dict(data, backend=backend).to_native()
    except ImportError:
        raise ImportError(f"to_frame() needs {library}; install it, or use dict(result)") from None


def _of_one_kind(values: Any, library: str) -> Any:
    """Labels of several kinds become texts where a column holds one kind."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values
    labels = list(values)
    mixed = library != "pandas" and len({type(label) for label in labels if label is not None}) > 1
    return [None if label is None else str(label) for label in labels] if mixed else labels
