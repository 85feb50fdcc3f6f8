"""How much memory a table may take."""

from __future__ import annotations

import os


def memory_limit() -> int:
    """Bytes that one table may take: half of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
