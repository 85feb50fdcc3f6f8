"""Asking for random rows: the generator, the number of rows and the memory they take, checked at the door."""

from __future__ import annotations

import numpy as np

from treewright.errors import SchemaError, TableTooLarge
from treewright.limits import memory_limit
from treewright.tables.schema import Schema


def sampling_seed(schema: Schema, n: int, rng: np.random.Generator) -> int:
    """One 64-bit seed from `rng`, once the request makes sense.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> 0 <= sampling_seed(Schema([Variable("a", (0, 1))]), 10, np.random.default_rng(7)) < 1 << 64
    True
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng is a numpy Generator, as in np.random.default_rng(7); found {rng!r}")
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
