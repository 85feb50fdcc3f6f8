"""How much memory one table may take.

A table is refused *before* it is allocated, with the variables, the bytes and the way out. Sizes are Python
integers throughout: the number of cells of forty variables does not fit 64 bits.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from treewright.errors import SettingError, TableTooLarge
from treewright.ranges import require_whole

if TYPE_CHECKING:  # tables ask here, too
    from treewright.tables.schema import Schema

DEFAULT_LIMIT = 4 * 2**30
_UNITS = {"": 1, "b": 1} | {
    prefix + suffix: base**power
    for power, prefix in enumerate("kmgt", start=1)
    for suffix, base in (("", 1024), ("b", 1000), ("ib", 1024))
}
_chosen: int | None = None


def memory_limit() -> int:
    """Bytes that one table may take.

    What :func:`set_memory_limit` chose, else the environment variable ``TREEWRIGHT_MEMORY``, else 4 GiB.

    Examples
    --------
    >>> memory_limit() > 0
    True
    """
    if _chosen is not None:
        return _chosen
    text = os.environ.get("TREEWRIGHT_MEMORY")
    return parse_bytes(text) if text else DEFAULT_LIMIT


def set_memory_limit(limit: int | str | None) -> None:
    """Choose the bytes that one table may take; None returns to the default.

    Parameters
    ----------
    limit
        A number of bytes or a text such as ``"512MiB"``.

    Examples
    --------
    >>> set_memory_limit("1GiB")
    >>> memory_limit()
    1073741824
    >>> set_memory_limit(None)
    """
    global _chosen  # noqa: PLW0603
    _chosen = None if limit is None else parse_bytes(limit)


def parse_bytes(size: int | str) -> int:
    """Read a number of bytes such as ``"4GiB"``, ``"500 MB"`` or ``4096``.

    Examples
    --------
    >>> parse_bytes("1.5KiB"), parse_bytes("2MB"), parse_bytes(77)
    (1536, 2000000, 77)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", str(size).lower())
    if match is None or match[2] not in _UNITS or not 1 <= float(match[1]) * _UNITS[match[2]] < 1e300:
        raise SettingError(f"a memory limit is a number of bytes above 0 such as '4GiB'; found {size!r}")
    return int(float(match[1]) * _UNITS[match[2]])


def format_bytes(size: int) -> str:
    """Say a number of bytes briefly, however large.

    Examples
    --------
    >>> format_bytes(3 * 2**30), format_bytes(12)
    ('3.0 GiB', '12 bytes')
    """
    require_whole("format_bytes", "size", size)
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if size >= 1024**power:
            whole = size * 10 // 1024**power
            # too many digits say nothing: give the power of ten
            return f"{whole // 10}.{whole % 10} {unit}" if whole < 10**7 else f"{_magnitude(size)} bytes"
    return f"{size} bytes"


def format_count(n: int) -> str:
    """Say a number in full, or its power of ten where nobody would read the digits.

    Examples
    --------
    >>> format_count(12_345), format_count(10_000**5_000)
    ('12,345', 'about 10^20000')
    """
    require_whole("format_count", "n", n)
    return f"{n:,}" if n < 10**18 else _magnitude(n)


def _magnitude(n: int) -> str:
    # logarithms, since Python refuses to write a number of more than 4300 digits
    return f"about 10^{math.floor(math.log10(n) + 1e-12)}"


def table_cells(schema: Schema, scope: Iterable[int]) -> int:
    """Number of cells of a table, exactly; a continuous variable in it is an error."""
    scope = tuple(scope)
    cells = math.prod(map(schema.cardinalities.__getitem__, scope))
    return cells or math.prod(schema.variables[v].cardinality for v in scope)


# Axes that an array of NumPy can have.
MOST_AXES = 64


def table_axes(schema: Schema, scope: Iterable[int]) -> tuple[int, ...]:
    """The variables of a scope that have an axis in its table: all that an array has room for.

    Of more than 64 those of a single state, which say nothing, go without; the last one never does, since it
    may be the child of the others.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(str(i), ("only",) if i % 2 else ("no", "yes")) for i in range(80)])
    >>> table_axes(schema, (0, 1, 2)), len(table_axes(schema, range(80)))
    ((0, 1, 2), 41)
    """
    scope = tuple(scope)
    if len(scope) <= MOST_AXES:
        return scope
    return tuple(scope[i] for i in kept_axes([schema.cardinalities[v] for v in scope]))


def kept_axes(states: Sequence[int]) -> list[int]:
    """The positions of the variables of so many states that have an axis; see :func:`table_axes`."""
    if len(states) <= MOST_AXES:
        return list(range(len(states)))
    return [i for i, n in enumerate(states) if n != 1 or i == len(states) - 1]


def check_table(schema: Schema, scope: Iterable[int], itemsize: int = 8) -> int:
    """Bytes of a dense table, or :class:`TableTooLarge` when they exceed the limit.

    Examples
    --------
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable(name, tuple(range(10))) for name in "abc"])
    >>> check_table(schema, (0, 1, 2))
    8000
    """
    scope = tuple(scope)
    size = table_cells(schema, scope) * itemsize
    limit = memory_limit()
    if size > limit:
        names = ", ".join(f"{schema.names[v]} ({schema.cardinalities[v]} states)" for v in scope[:8]) + (
            f" and {len(scope) - 8} more" if len(scope) > 8 else ""
        )
        raise TableTooLarge(
            f"a table over {names} would take {format_bytes(size)}, more than the limit of "
            f"{format_bytes(limit)}; use fewer variables or states, or raise the limit with "
            "set_memory_limit or TREEWRIGHT_MEMORY"
        )
    return size
