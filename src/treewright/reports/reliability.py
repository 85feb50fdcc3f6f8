"""How far probabilities can be believed: what was said against what came true."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.errors import SettingError
from treewright.ranges import in_range
from treewright.tables.arrays import check_weights
from treewright.types import Floats

_SIDE, _EDGE = 240, 44


@dataclass(frozen=True)
class Reliability:
    """Probabilities in bins: how many there are, what was said on average, and how often it came true.

    Attributes
    ----------
    counts
        Probabilities in each bin, or what they weigh together.
    error
        The expected calibration error: how far said and true are apart, over all probabilities.
    """

    counts: npt.NDArray[np.int64] | Floats
    said: Floats
    true: Floats

    @property
    def error(self) -> float:
        seen = self.counts > 0
        off = np.abs(self.said[seen] - self.true[seen])
        return float(np.average(off, weights=self.counts[seen])) if seen.any() else 0.0

    def to_svg(self) -> str:
        """A square: what was said to the right, how often it came true upwards; the diagonal is honest."""
        side, edge = _SIDE, _EDGE
        most = max(float(self.counts.max(initial=0)), 1e-300)
        whole = side + 2 * edge
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" width="{whole}" '
            f'height="{whole}" font-family="sans-serif" font-size="11">',
            f'<rect x="{edge}" y="{edge}" width="{side}" height="{side}" fill="none" stroke="#888"/>',
            f'<path d="M{edge} {edge + side}L{edge + side} {edge}" stroke="#bbb" stroke-dasharray="4 3"/>',
        ]
        for n, x, y in zip(self.counts, self.said, self.true, strict=True):
            if n:
                radius = 2.5 + 6 * float(np.sqrt(n / most))
                parts.append(
                    f'<circle cx="{edge + side * x:.1f}" cy="{edge + side * (1 - y):.1f}" r="{radius:.1f}" '
                    f'fill="#2a6f97" fill-opacity="0.75"><title>said {x:.3f}, true {y:.3f}, {n:,g}</title>'
                    "</circle>"
                )
        for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
            x, y = edge + side * tick, edge + side * (1 - tick)
            parts += [
                f'<path d="M{x:g} {edge + side}v4M{edge} {y:g}h-4" stroke="#888"/>',
                f'<text x="{x:g}" y="{edge + side + 15}" text-anchor="middle" font-size="9">{tick:g}</text>',
                f'<text x="{edge - 6}" y="{y + 3:g}" text-anchor="end" font-size="9">{tick:g}</text>',
            ]
        middle, foot = edge + side / 2, edge + side + 30
        parts += [
            f'<text x="{middle}" y="{foot}" text-anchor="middle">probability that was said</text>',
            f'<text x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">'
            "share that came true</text>",
            f'<text x="{middle}" y="{edge - 12}" text-anchor="middle">'
            f"calibration error {self.error:.4f}</text>",
            "</svg>",
        ]
        return "".join(parts)

    def _repr_svg_(self) -> str:
        return self.to_svg()


@in_range
def reliability_of(
    probabilities: Floats,
    truth: npt.NDArray[np.intp],
    *,
    bins: int = 10,
    weights: npt.ArrayLike | None = None,
) -> Reliability:
    """Sort the probabilities of all classes into bins, and see how often they came true; rows by `weights`.

    Examples
    --------
    >>> honest = reliability_of(np.array([[0.75, 0.25]] * 4), np.array([0, 0, 0, 1]), bins=4)
    >>> honest.counts.tolist(), honest.error
    ([0, 4, 0, 4], 0.0)
    """
    if not 1 <= bins <= 10_000:
        raise SettingError(f"bins= of reliability is from 1 to 10,000; found {bins}")
    hit = np.zeros(probabilities.shape)
    hit[np.arange(len(truth)), truth] = 1.0
    place = np.minimum((probabilities * bins).astype(np.intp), bins - 1).reshape(-1)
    n_rows, n_classes = probabilities.shape
    heavy = np.repeat(np.ones(n_rows) if weights is None else check_weights(weights, n_rows), n_classes)
    counts = np.bincount(place, heavy, minlength=bins)
    sums = [np.bincount(place, heavy * one.reshape(-1), minlength=bins) for one in (probabilities, hit)]
    said, true = (np.divide(one, counts, out=np.zeros(bins), where=counts > 0) for one in sums)
    whole = (counts == np.rint(counts)).all()
    return Reliability(counts.astype(np.int64) if whole else counts, said, true)
