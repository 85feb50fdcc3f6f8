"""How much memory a table may take."""

from __future__ import annotations

import os


def memory_limit() -> int:
    """Bytes that one table may take: ``TREEWRIGHT_MEMORY``, else 4 GiB."""
    return int(os.environ.get("TREEWRIGHT_MEMORY") or 4 * 2**30)
