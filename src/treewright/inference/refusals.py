"""Questions whose tables would exceed the memory limit, refused in words."""

from __future__ import annotations

import math
from typing import NoReturn

from treewright import _core
from treewright.errors import TableTooLarge
from treewright.limits import format_count, memory_limit
from treewright.tables.schema import Schema


def refuse_large(schema: Schema, refused: _core.TooLarge) -> NoReturn:
    """Say which tables would not fit, in names and bytes, and the ways out."""
    scope, _, total = refused.args
    limit = memory_limit()
    largest = 8 * math.prod(schema.cardinalities[v] for v in scope)
    names = [repr(name) for name in sorted(schema.names_of(scope))]
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    what = f"a table over {shown}: {format_count(largest)} bytes"
    if largest <= limit:
        what = f"tables of {format_count(whole(total))} bytes, the largest over {shown}"
    raise TableTooLarge(
        f"this question needs {what}, above the memory limit of {limit:,}; give evidence on some of "
        "these variables, ask for fewer at once, or raise the limit with set_memory_limit or "
        "TREEWRIGHT_MEMORY"
    ) from None


def whole(number: float) -> int:
    return int(min(number, 2.0**62))
