"""Names of types that the whole package shares, each defined once."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

Scope = tuple[int, ...]  # variables by index; names appear only where people are
Names = tuple[str, ...]
Arc = tuple[int, int]  # from, to

Floats = npt.NDArray[np.float64]
Cells = npt.NDArray[np.float64]  # of a table over a scope, an axis per variable
Flags = npt.NDArray[np.bool_]
Mask = npt.NDArray[np.bool_]  # the cells of a column that are missing
Matrix = npt.NDArray[np.bool_]  # which pairs of variables
Codes = npt.NDArray[np.unsignedinteger]  # states by position


_brief = reprlib.Repr()
_brief.maxlevel, _brief.maxstring, _brief.maxother = 3, 60, 100
_brief.maxtuple = _brief.maxlist = _brief.maxdict = _brief.maxset = 4


class Pictured:
    """Shows a picture of itself in a notebook; drawing is loaded when somebody looks."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        import treewright  # pictures know everything that can be drawn, and nothing knows pictures

        return treewright.reports.bundle_for_notebook(self)


class Brief:
    """Gives a dataclass a repr that fits in a few lines, whatever the size: long fields are cut."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in cls.__dict__:  # @dataclass leaves one alone that is there
            cls.__repr__ = Brief.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        shown = (f"{f.name}={_brief.repr(getattr(self, f.name))}" for f in fields(self) if f.repr)  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"


@dataclass(frozen=True)
class Step:
    """Where long work is: what it does, how much is done and of how much, and what it has reached.

    Examples
    --------
    >>> Step("climb", 3, score=-12.5)
    Step(phase='climb', done=3, of=None, score=-12.5, width=None)
    """

    phase: str
    done: int = 0
    of: int | None = None
    score: float | None = None
    width: int | None = None


Progress = Callable[[Step], object]
