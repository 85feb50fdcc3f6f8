"""How the cells of a source become the values of a variable, where they are not taken as they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import inf
from typing import Any

COMMAS_APART = ".,"  # the decimal sign of numbers whose commas set thousands apart, as somebody said
INFINITE = {"Infinity": inf, "-Infinity": -inf}


@dataclass(frozen=True)
class RawForm:
    """What reading did to a column, so that other rows can be read in the same way.

    It goes with a :class:`~treewright.Variable` into the model that is learned, and with the model into its
    file: rows that come later are read like those that were learned from.

    Parameters
    ----------
    column
        The name in the source, where it is another one.
    marks
        Texts and numbers that stand for a missing cell.
    decimal
        What is between the whole and the rest of a number: a point or a comma; ".," where commas are known to
        set thousands apart.
    mended
        Whether marks that cannot be mistaken are missing cells, and labels that differ in blanks and case
        only are one.
    sign
        What numbers carry: a unit, a currency, "%"; a blank where only thousands are set apart by them.
    part, order
        The part of a date ("year", "month", ...), and the order in which dates are written ("dmy").

    Examples
    --------
    >>> RawForm(marks=("NA",), decimal=",").to_dict()
    {'marks': ['NA'], 'decimal': ','}
    """

    column: str = ""
    marks: tuple[str | int | float, ...] = ()
    decimal: str = "."
    mended: bool = False
    sign: str = ""
    part: str = ""
    order: str = ""

    def to_dict(self) -> dict[str, Any]:
        """What is not as usual, ready for JSON."""
        usual = RawForm()
        told = {k: v for k, v in asdict(self).items() if v != getattr(usual, k)}
        return {**told, "marks": list(map(as_json, self.marks))} if self.marks else told

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> RawForm:
        """The form that :meth:`to_dict` told of; anything else raises ValueError."""
        kinds = {one.name: type(one.default) for one in fields(cls)}
        marks = told.get("marks", [])
        marks = list(map(as_mark, marks)) if isinstance(marks, list) else marks
        if (
            not all(key == "marks" or isinstance(told[key], kinds.get(key, type(None))) for key in told)
            or not isinstance(marks, list)
            or not all(isinstance(mark, str | int | float) for mark in marks)
        ):
            raise ValueError(f"a raw form cannot be made of {dict(told)!r}")
        return cls(**{**told, "marks": tuple(marks)})


def as_json(mark: str | int | float) -> Any:
    """A mark as JSON has it, which has no infinite numbers."""
    known = {number: {"number": name} for name, number in INFINITE.items()}
    return known.get(mark, mark) if isinstance(mark, float) else mark


def as_mark(told: Any) -> Any:
    """What :func:`as_json` told."""
    is_number = isinstance(told, dict) and len(told) == 1
    return INFINITE.get(str(told.get("number")), told) if is_number else told
