"""Slow, obvious twins of the Gaussian and sigmoid kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from treewright import Schema, Variable

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """The least that a table of continuous columns is."""

    schema: Schema
    columns: tuple[npt.NDArray[Any], ...]
    weights: npt.NDArray[Any] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0


def continuous(*names: str) -> Schema:
    return Schema(Variable(name) for name in names)


def numbered(n: int) -> Schema:
    return continuous(*(f"v{i:03d}" for i in range(n)))


def table(X: npt.ArrayLike, schema: Schema | None = None, weights: npt.ArrayLike | None = None) -> Rows:
    matrix = np.asarray(X, dtype=np.float64)
    columns = tuple(np.ascontiguousarray(column) for column in matrix.T)
    return Rows(
        schema or numbered(matrix.shape[1]), columns, None if weights is None else np.asarray(weights)
    )


def exact_moments(X: Floats, weights: Floats | None = None) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Mean and scatter in rational arithmetic."""
    rows = [[Fraction(float(x)) for x in row] for row in X]
    share = [Fraction(float(w)) for w in (weights if weights is not None else np.ones(len(X)))]
    total, width = sum(share), X.shape[1]
    mean = [
        sum((w * row[j] for w, row in zip(share, rows, strict=True)), Fraction(0)) / total
        for j in range(width)
    ]
    scatter = [
        [
            sum(
                (w * (row[i] - mean[i]) * (row[j] - mean[j]) for w, row in zip(share, rows, strict=True)),
                Fraction(0),
            )
            for j in range(width)
        ]
        for i in range(width)
    ]
    return mean, scatter


def residual(X: Floats, child: int, parents: tuple[int, ...]) -> Floats:
    """What is left of a column after least squares on others and a constant."""
    design = np.column_stack([np.ones(len(X)), X[:, list(parents)]])
    out: Floats = X[:, child] - design @ np.linalg.lstsq(design, X[:, child], rcond=None)[0]
    return out


def gaussian_bic(X: Floats, child: int, parents: tuple[int, ...]) -> float:
    m = len(X)
    s2 = float(np.mean(residual(X, child, parents) ** 2))
    return -m / 2 * (math.log(2 * math.pi * s2) + 1) - math.log(m) / 2 * (len(parents) + 2)


def partial_correlation(X: Floats, x: int, y: int, given: tuple[int, ...]) -> float:
    return float(np.corrcoef(residual(X, x, given), residual(X, y, given))[0, 1])


def fisher_z(X: Floats, x: int, y: int, given: tuple[int, ...]) -> tuple[float, float]:
    z = math.sqrt(len(X) - len(given) - 3) * math.atanh(partial_correlation(X, x, y, given))
    return z, math.erfc(abs(z) / math.sqrt(2))


def sigmoid_square(X: Floats, child: int, parents: tuple[int, ...], seed: int = 0, starts: int = 20) -> float:
    """Best residual square of the sigmoid family over random starts of a general optimiser."""
    y = X[:, child]
    inputs = (X[:, list(parents)] - X[:, list(parents)].mean(0)) / X[:, list(parents)].std(0)

    def residuals(theta: Floats) -> Floats:
        z = np.clip(theta[0] + inputs @ theta[1:], -500, 500)
        design = np.column_stack([np.ones(len(y)), 1 / (1 + np.exp(-z))])
        out: Floats = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return out

    rng = np.random.default_rng(seed)
    fits = (least_squares(residuals, rng.normal(size=len(parents) + 1)) for _ in range(starts))
    return 2 * min(fit.cost for fit in fits)
