"""The jobs of a search on named networks, beside the times that their design promises on a 3 GHz core.

Absolute times belong to one machine: the last column is a hint, not a verdict. Twice the promise on a quiet
machine is a regression.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.table import Table as RichTable

import treewright as tw
from treewright import _core

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for benchmarks/common.py
from common import console, duration, network_rows, one_thread, seconds

# network, rows: pack both bit views, all pairs counted and scored, one child against all candidates (seconds)
PROMISED = {
    ("alarm", 10_000): (0.2e-3, 0.1e-3, 28e-6),
    ("hailfinder", 10_000): (0.3e-3, 0.5e-3, 47e-6),
    ("hepar2", 10_000): (0.25e-3, 0.2e-3, 30e-6),
    ("andes", 10_000): (0.6e-3, 1.15e-3, 36e-6),
    ("alarm", 100_000): (2.3e-3, 0.8e-3, 280e-6),
    ("andes", 100_000): (7.5e-3, 10e-3, 400e-6),
}


def packed(table: tw.Table) -> tw.BIC:
    """A score whose bit views are built, both of them."""
    score = tw.BIC(tw.count(table))
    score.counter.partners((0,), (1,))
    return score


def main() -> None:
    one_thread()
    shown = RichTable("data", "job", "takes", "promised", "ratio", title=f"one thread, {_core.simd_level()}")
    for (name, n_rows), promised in PROMISED.items():
        table, label = network_rows(name, n_rows)
        score = packed(table)
        n = len(table.schema)
        jobs = {
            "pack both views": lambda t=table: packed(t),
            "all pairs counted and scored": score.pair_gains,
            "one child, all candidates": lambda s=score, k=n: s.local_additions(0, (), range(1, k)),
        }
        for (job, work), expected in zip(jobs.items(), promised, strict=True):
            taken = seconds(work)
            shown.add_row(
                f"{label} {n_rows:,}", job, duration(taken), duration(expected), f"{taken / expected:.2f}"
            )
    console.print(shown)


if __name__ == "__main__":
    main()
