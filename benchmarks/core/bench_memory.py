"""Peak memory while counting and scoring, beside the codes of the table."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

import treewright as tw


def peak() -> int:
    """Most bytes that this process ever held."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024


def main() -> None:
    n_rows, n_columns = 4_000_000, 37
    schema = tw.Schema(tw.Variable(f"x{i:02}", (0, 1, 2)) for i in range(n_columns))
    columns = [
        (np.arange(n_rows, dtype=np.uint32) * (2 * i + 3) % 101 % 3).astype(np.uint8)
        for i in range(n_columns)
    ]
    table = tw.Table(schema, columns)
    before = peak()
    counter = tw.count(table)
    score = tw.BIC(counter)
    counter.pairwise_information()
    score.local_additions(0, (1, 2), range(3, n_columns))
    codes = n_rows * n_columns
    used = codes + peak() - before
    sizes = f"codes {codes / 2**20:.0f} MiB, peak with bits and scratch {used / 2**20:.0f} MiB"
    print(f"{sizes}: {used / codes:.2f}x (bar 3x)")
    sys.exit(used > 3 * codes)


if __name__ == "__main__":
    main()
