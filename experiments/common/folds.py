"""Rows held out in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import treewright as tw


@dataclass(frozen=True)
class Fold:
    """One share of the rows to judge on, and all others to learn from."""

    number: int
    train: tw.Table
    test: tw.Table


def folds(table: tw.Table, n: int, seed: int = 0) -> Iterator[Fold]:
    """Deal the rows into `n` shares whose sizes differ by one at most; each is held out once."""
    shuffled = np.random.default_rng(seed).permutation(table.n_rows)
    for number in range(n):
        held_out = np.sort(shuffled[number::n])
        kept = np.setdiff1d(shuffled, held_out)
        yield Fold(number, table.take(kept), table.take(held_out))
