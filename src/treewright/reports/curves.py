"""Curves of numbers in pictures: a density, its mean, and between which values it lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.models.continuous.normal_answers import Normal
from treewright.models.mixed.mixtures import NormalMixture
from treewright.types import Floats

CURVE_WIDTH, CURVE_HEIGHT = 150.0, 44.0
MOST_NORMALS = 64  # of a curve that is only drawn
_STEPS = 60
_REACH = 3.6  # deviations
_SEEN = 1e-3  # a Normal with less weight does not widen what a curve shows
_TOP = 4.0  # pixels over the highest point


@dataclass(frozen=True)
class Curve:
    """A density as a path in a box of fixed size, none of a number that is certain."""

    path: str
    mean: float
    ends: tuple[str, str]
    words: str


def curve_of(answer: Normal | NormalMixture) -> Curve:
    """What a picture shows of a number.

    Examples
    --------
    >>> curve = curve_of(Normal("height", 170.0, 64.0))
    >>> curve.words, curve.ends, curve.mean
    ('170 ± 8', ('141.2', '198.8'), 75.0)
    """
    weights, means, deviations = drawn_normals(answer)
    counted = weights >= min(_SEEN, weights.max())
    low = float((means - _REACH * deviations)[counted].min())
    high = float((means + _REACH * deviations)[counted].max())
    if not high > low:
        wide = max(1.0, abs(low) * 1e-6)
        low, high = low - wide, high + wide
    scale = CURVE_WIDTH / (high - low)
    certain = not answer.variance > 0
    path = "" if certain else _path(weights, means, deviations, low, high)
    words = f"{answer.mean:.4g}" if certain else f"{answer.mean:.4g} ± {answer.standard_deviation:.4g}"
    return Curve(path, (answer.mean - low) * scale, (f"{low:.4g}", f"{high:.4g}"), words)


def drawn_normals(answer: Normal | NormalMixture) -> tuple[Floats, Floats, Floats]:
    """Weights, means and deviations that draw a number; where there are many, neighbours become one."""
    if isinstance(answer, Normal):
        return np.ones(1), np.array([answer.mean]), np.array([answer.standard_deviation])
    order = np.argsort(answer.means, kind="stable")
    weights, means, variances = (values[order] for values in (answer.weights, answer.means, answer.variances))
    if len(order) <= MOST_NORMALS:
        return weights, means, np.sqrt(variances)
    share = np.minimum((np.cumsum(weights) * MOST_NORMALS).astype(np.intp), MOST_NORMALS - 1)
    _, group = np.unique(share, return_inverse=True)
    total: Floats = np.bincount(group, weights).astype(np.float64)
    mean: Floats = np.bincount(group, weights * means) / total
    spread = variances + (means - mean[group]) ** 2
    return total, mean, np.sqrt(np.bincount(group, weights * spread) / total)


def _path(weights: Floats, means: Floats, deviations: Floats, low: float, high: float) -> str:
    """The density at even steps, and around the Normals that would fall between two of them."""
    x = np.linspace(low, high, _STEPS + 1)
    narrow = deviations < 2 * (high - low) / _STEPS
    around = (means[narrow, None] + deviations[narrow, None] * np.arange(-3, 4)).ravel()
    x = np.sort(np.concatenate([x, around[(around > low) & (around < high)]]))
    z = (x[:, None] - means) / deviations
    y = (weights / deviations * np.exp(-0.5 * z * z)).sum(axis=1)
    left = CURVE_WIDTH * (x - low) / (high - low)
    top = CURVE_HEIGHT - (CURVE_HEIGHT - _TOP) * y / y.max()
    points = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(left.tolist(), top.tolist(), strict=True))
    return f"M0 {CURVE_HEIGHT:g}L{points}L{CURVE_WIDTH:g} {CURVE_HEIGHT:g}z"
