"""Questions that cannot be answered, refused in words: too large, impossible, or no question at all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import numpy as np

from treewright import _core
from treewright.arguments import described
from treewright.errors import ArgumentError, ImpossibleEvidence, NoExactAnswer, SchemaError, TableTooLarge
from treewright.inference.evidence import Evidence
from treewright.limits import format_count, memory_limit
from treewright.tables.schema import Schema


@contextmanager
def within_range() -> Iterator[None]:
    """Refuse what overflows: where spreads are infinite, all that is finite would look certain."""
    try:
        with np.errstate(over="raise", invalid="raise"):
            yield
    except (FloatingPointError, OverflowError):
        raise NoExactAnswer(
            "this question leads beyond 1e308, the largest number there is; measure the variables in larger "
            "units, or give values that are less far out"
        ) from None


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


def refuse_impossible(schema: Schema, evidence: Evidence, conflict: Evidence) -> NoReturn:
    """Say that evidence cannot happen, and which part of it already cannot."""
    message = f"evidence {evidence.describe(schema)} has probability zero under the model"
    if len(conflict) == 0:
        message = "the tables contradict each other: no joint state has a positive product"
    elif len(conflict) == 1 and len(evidence) > 1:
        message += f"; {conflict.describe(schema)} alone cannot happen"
    elif len(conflict) < len(evidence):
        message += f"; {conflict.describe(schema)} cannot happen together"
    raise ImpossibleEvidence(message)


def whole(number: float) -> int:
    return int(min(number, 2.0**62))


def sampling_seed(schema: Schema, n: int, rng: np.random.Generator | None) -> int:
    """One 64-bit seed from `rng` (or, without one, from the system), once the request makes sense.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> 0 <= sampling_seed(Schema([Variable("a", (0, 1))]), 10, np.random.default_rng(7)) < 1 << 64
    True
    """
    rng = np.random.default_rng() if rng is None else rng
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(
            f"rng is a numpy Generator, as in np.random.default_rng(7); found {described(rng)}"
        )
    if n < 0:
        raise SchemaError(f"a sample has no fewer than 0 rows; asked for {n}")
    # a continuous variable has no states and takes eight bytes
    needed = n * sum(
        8 if r == 0 else 1 if r <= 1 << 8 else 2 if r <= 1 << 16 else 4 for r in schema.cardinalities
    )
    if needed > memory_limit():
        raise TableTooLarge(
            f"{n:,} rows of {len(schema)} columns take {needed:,} bytes, above the memory limit of "
            f"{memory_limit():,}; draw them in parts, or raise the limit with set_memory_limit or "
            "TREEWRIGHT_MEMORY"
        )
    return int(rng.integers(0, 1 << 64, dtype=np.uint64))
