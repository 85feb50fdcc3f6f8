"""Means with the interval that holds the truth in 95 of 100 repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Interval:
    """A mean of `n` values and half the width of its interval; from a single value there is none (NaN)."""

    mean: float
    half_width: float
    n: int

    @property
    def excludes_zero(self) -> bool:
        return abs(self.mean) > self.half_width

    def shown(self, decimals: int = 2, *, sign: bool = False) -> str:
        """As in a table: ``-1.25 ± 0.30``; in bold where zero is excluded, if it is a difference."""
        mean = f"{self.mean:+.{decimals}f}" if sign else f"{self.mean:.{decimals}f}"
        text = mean if math.isnan(self.half_width) else f"{mean} ± {self.half_width:.{decimals}f}"
        return f"**{text}**" if sign and self.excludes_zero else text


def mean_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """By Student's t, for values that were drawn independently."""
    n = len(values)
    if n < 2:
        return Interval(float(np.mean(values)), math.nan, n)
    error = float(np.std(values, ddof=1)) / math.sqrt(n)
    return Interval(float(np.mean(values)), float(stats.t.ppf((1 + level) / 2, n - 1)) * error, n)


def paired_interval(ours: Sequence[float], theirs: Sequence[float], level: float = 0.95) -> Interval:
    """Of the differences, ours less theirs, pair by pair: what both find hard does not count."""
    if len(ours) != len(theirs):
        raise ValueError(f"pairs are wanted; found {len(ours)} values and {len(theirs)}")
    return mean_interval([a - b for a, b in zip(ours, theirs, strict=True)], level)
