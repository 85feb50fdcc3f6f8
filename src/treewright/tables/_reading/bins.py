"""Cutting real numbers into intervals.

Intervals are closed on the left and open on the right, the last one closed on both sides. Their labels, such
as "[0.5, 1.25)", are the edges: computed edges are rounded as far as no value changes its interval, and the
rounded number is the edge that is used. So a label says exactly what it holds, and a schema with interval
states can bin new numbers in the same way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError, UnknownNameError, nearest
from treewright.ranges import MOST, shown
from treewright.tables.schema import Label

Reals = npt.NDArray[np.float64]
BinSpec = int | tuple[str, int] | tuple[str, str] | tuple[str, int, int] | Sequence[float]
Bins = BinSpec | Mapping[str, BinSpec]
# Rules that look at other columns; `treewright.tables.cuts` turns them into edges.
JOINT_RULES = ("mdl", "hartemink")


@dataclass(frozen=True)
class Cut:
    """Edges that were found with a look at other columns, and what there is to say about them."""

    edges: Reals
    note: str


def check_bins(bins: Bins | None, schema: object, columns: Sequence[str]) -> None:
    """Refuse bins beside a schema, and for columns that are not there."""
    if bins is not None and schema is not None:
        raise SchemaError("schema= says what the columns are, so there is nothing for bins= to cut; give one")
    for name in bins if isinstance(bins, Mapping) else ():
        if name not in columns:
            raise UnknownNameError(
                f"bins= names {name!r}, but there is no such column; there are {nearest(name, columns)}"
            )


def bin_edges(name: str, values: Reals, spec: BinSpec | Cut) -> tuple[Reals, tuple[str, ...]]:
    """Edges for the numbers of one column, none of them missing, and what there is to report about them."""
    if isinstance(spec, Cut):
        return spec.edges, (spec.note,)
    method, argument = read_spec(name, spec)
    if method == "edges":
        return explicit_edges(name, values, argument), (f"cut at {len(argument)} given edges",)
    if not values.size:
        raise SchemaError(f"column {name!r} holds no value, so no bins can be found; give the edges instead")
    ordered = np.sort(values)
    unit = 1.0 if math.isfinite(float(ordered[-1]) - float(ordered[0])) else 0.5  # a span beyond all numbers
    if method == "uniform":
        edges = np.linspace(unit * ordered[0], unit * ordered[-1], argument + 1) / unit
    else:
        edges = quantile_edges(unit * ordered, argument) / unit
    distinct = np.unique(edges)
    if len(distinct) == 1:
        distinct = np.repeat(distinct, 2)
    edges = shortest_edges(ordered, distinct)
    made = len(edges) - 1
    notes = [f"cut into {made} {'bins of equal width' if method == 'uniform' else 'bins of equal frequency'}"]
    if made < argument:
        notes.append(f"{argument} bins were asked for; edges that coincide were merged")
    return edges, tuple(notes)


def quantile_edges(ordered: Reals, n: int) -> Reals:
    """Edges of bins of equal frequency; a number so common that several meet there has a bin of its own.

    >>> quantile_edges(np.array([0, 0, 0, 0, 0, 0, 0, 0, 1.5, 3.5]), 4)
    array([0. , 1.5, 3.5])
    """
    edges = np.quantile(ordered, np.linspace(0, 1, n + 1))
    distinct, times = np.unique(edges, return_counts=True)
    apart = []
    for common in distinct[times > 1]:
        below, above = ordered[ordered < common][-1:], ordered[ordered > common][:1]
        if above.size and above[0] < ordered[-1]:
            apart.append(above[0])
        elif above.size:  # the last bin holds its upper edge, so it has to begin below
            apart.append(common / 2 + above[0] / 2)
        elif below.size:
            apart.append(below[0] / 2 + common / 2)
    return np.unique([*distinct, *apart])


def read_spec(name: str, spec: Any) -> tuple[str, Any]:
    if isinstance(spec, int | np.integer) and not isinstance(spec, bool):
        spec = ("quantile", spec)
    if isinstance(spec, tuple | list) and len(spec) == 2 and isinstance(spec[0], str):
        method, number = spec
        if method in JOINT_RULES:
            raise SchemaError(
                f"bins {spec!r} of {name!r} look at other columns of one table; several tables are cut into "
                "a number of bins each, or at given edges"
            )
        if method in ("quantile", "uniform") and isinstance(number, int | np.integer) and number >= 1:
            return method, few_enough(name, number)
    elif isinstance(spec, tuple | list | np.ndarray):
        try:
            edges = np.asarray(spec, dtype=np.float64)
        except (OverflowError, TypeError, ValueError):
            edges = np.empty(0)
        if edges.ndim == 1 and len(edges) >= 2 and (np.diff(edges) > 0).all():
            return "edges", edges
    raise SchemaError(
        f"bins of {name!r} are a number of bins, ('quantile', k), ('uniform', k), ('mdl', target), "
        f"('hartemink', k), or at least two rising edges; found {spec!r}"
    )


def few_enough(name: str, number: int | np.integer[Any]) -> int:
    """A number of bins that a column may be cut into."""
    if number > MOST["bins"]:
        raise SchemaError(
            f"column {name!r} is cut into {MOST['bins']:,} bins at most; asked for {shown(int(number))}"
        )
    return int(number)


def explicit_edges(name: str, values: Reals, edges: Reals) -> Reals:
    outside = (values < edges[0]) | (values > edges[-1])
    if outside.any():
        raise SchemaError(
            f"{int(outside.sum())} values of {name!r} lie outside the edges {number_text(edges[0])} to "
            f"{number_text(edges[-1])}, the first is {number_text(values[np.argmax(outside)])}; "
            "widen the edges, or let them begin with -inf and end with inf"
        )
    return edges


def cut(values: Reals, edges: Reals) -> npt.NDArray[np.intp]:
    """The bin of each value; values beyond the outer edges belong to the outer bins."""
    return np.searchsorted(edges[1:-1], values, side="right")


def shortest_edges(ordered: Reals, edges: Reals) -> Reals:
    """The edges with as few digits as keep every value in its bin."""
    places = np.searchsorted(ordered, edges[1:-1], side="left")
    for digits in range(3, 17):
        inner = [float(f"{edge:.{digits}g}") for edge in edges[1:-1]]
        low, high = outward(edges[0], digits, -1), outward(edges[-1], digits, 1)
        short = np.array([low, *inner, high])
        rising = len(edges) == 2 or (short[1:] > short[:-1]).all()
        if rising and np.array_equal(np.searchsorted(ordered, short[1:-1], side="left"), places):
            return short
    return edges


def outward(edge: float, digits: int, side: int) -> float:
    """A number of so many digits that is not above an edge (side -1), or not below it (side 1).

    >>> outward(26.0495, 4, -1), outward(26.0495, 3, -1), outward(87.594, 3, 1), outward(-87.594, 3, -1)
    (26.04, 26.0, 87.6, -87.6)
    """
    nearest = float(f"{edge:.{digits}g}")
    if side * nearest >= side * edge:
        return nearest
    exact = Decimal(float(edge))
    unit = Decimal((0, (1,), exact.adjusted() - digits + 1))
    found = float(exact.quantize(unit, ROUND_FLOOR if side < 0 else ROUND_CEILING))
    return found if side * found >= side * edge else float(edge)


def interval_labels(edges: Reals) -> tuple[str, ...]:
    """One label per bin.

    >>> interval_labels(np.array([0.5, 1.25, 3.0]))
    ('[0.5, 1.25)', '[1.25, 3]')
    """
    texts = [number_text(edge) for edge in edges]
    labels = [f"[{a}, {b})" for a, b in pairwise(texts)]
    labels[-1] = labels[-1][:-1] + "]"
    return tuple(labels)


def number_text(number: float) -> str:
    text = repr(float(number) + 0.0)  # no -0.0
    return text.removesuffix(".0")


def interval_code(states: Sequence[Label], number: object) -> int | None:
    """The interval state that a number lies in; None for what is no number, and for other states.

    >>> interval_code(("[0, 40)", "[40, 100]"), 40), interval_code(("no", "yes"), 40)
    (1, None)
    """
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float | np.number):
        return None
    edges = edges_of([state for state in states if INTERVAL.fullmatch(str(state))])
    if (
        edges is None or len(edges) < len(states) - 1 or np.isnan(number)
    ):  # all but the state of what is missing
        return None
    return int(cut(np.array([float(number)]), edges)[0])


INTERVAL = re.compile(r"\[(\S+), (\S+)([)\]])")


def edges_of(states: Sequence[Label]) -> Reals | None:
    """The edges behind interval labels, or None when the states are something else.

    >>> edges_of(("[0.5, 1.25)", "[1.25, 3]"))
    array([0.5 , 1.25, 3.  ])
    """
    matches = [INTERVAL.fullmatch(state) if isinstance(state, str) else None for state in states]
    try:
        pairs = [(float(match[1]), float(match[2])) for match in matches if match]
    except ValueError:
        return None
    if not pairs or len(pairs) != len(states):
        return None
    edges = np.array([pairs[0][0], *(b for _, b in pairs)])
    return edges if interval_labels(edges) == tuple(states) else None
