"""Answers about continuous variables beside discrete ones: mixtures of Normals with names on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.errors import SettingError
from treewright.models.answers import ByName, Distribution, html_table
from treewright.models.continuous.normal_answers import Normal, real
from treewright.models.labelled import make_frame
from treewright.ranges import in_range
from treewright.types import Floats, Pictured

_HALVINGS = 200  # of the interval in which a quantile is looked for


@dataclass(frozen=True, eq=False, repr=False)
class NormalMixture(Pictured):
    """What a continuous variable is: a Normal for each joint state of the discrete ones it hangs on.

    `mean` and `variance` are those of the mixture, exactly. `weights`, `means` and `variances` are those of
    its Normals, the impossible ones left out. `log_density_of_evidence` is the natural logarithm of the
    density (or probability) of what was given; zero when nothing was.

    Examples
    --------
    >>> answer = NormalMixture("heat", np.array([0.5, 0.5]), np.array([10.0, 20.0]), np.array([4.0, 4.0]))
    >>> answer
    heat: mean 15, standard deviation 5.38516 (2 Normals)
    >>> round(answer.probability_below(15.0), 9), round(answer.quantile(0.5), 6)
    (0.5, 15.0)
    """

    name: str
    weights: Floats
    means: Floats
    variances: Floats
    log_density_of_evidence: float = 0.0
    mean: float = field(init=False)
    variance: float = field(init=False)

    def __post_init__(self) -> None:
        kept = self.weights > 0
        for key in ("weights", "means", "variances"):
            part = getattr(self, key)[kept]
            part.setflags(write=False)
            object.__setattr__(self, key, part)
        mean = float(self.weights @ self.means)
        object.__setattr__(self, "mean", mean)
        spread = self.variances + (self.means - mean) ** 2  # no difference of large squares
        object.__setattr__(self, "variance", float(self.weights @ spread))

    @property
    def standard_deviation(self) -> float:
        return math.sqrt(self.variance)

    def density(self, x: float) -> float:
        """The density at `x`."""
        return math.exp(self.log_density(x))

    def log_density(self, x: float) -> float:
        """Natural logarithm of the density at `x`."""
        x = real("x= of log_density", x)
        rest = (x - self.means) ** 2 / self.variances
        logs = np.log(self.weights) - 0.5 * (np.log(2 * math.pi * self.variances) + rest)
        highest = float(logs.max())
        return highest if highest == -math.inf else highest + math.log(float(np.exp(logs - highest).sum()))

    def probability_below(self, x: float) -> float:
        """Probability of a value of at most `x`."""
        from scipy.special import ndtr

        x = real("x= of probability_below", x)
        return float(self.weights @ ndtr((x - self.means) / np.sqrt(self.variances)))

    @in_range
    def quantile(self, probability: float) -> float:
        """The value that is exceeded with probability 1 - `probability`, found by halving."""
        if not 0 <= probability <= 1:
            raise SettingError(f"a quantile is asked for by a probability from 0 to 1; found {probability!r}")
        if probability in (0, 1):
            return math.copysign(math.inf, probability - 0.5)
        normals = zip(self.means.tolist(), self.variances.tolist(), strict=True)
        ends = [Normal(self.name, mean, variance).quantile(probability) for mean, variance in normals]
        low, high = min(ends), max(ends)  # the mixture's lies between those of its Normals
        for _ in range(_HALVINGS):
            middle = low + (high - low) / 2
            if not low < middle < high:
                break
            if self.probability_below(middle) < probability:
                low = middle
            else:
                high = middle
        return high

    @in_range
    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The ends between which the value lies with probability `level`, as much beyond either."""
        if not 0 < level < 1:
            raise SettingError(f"the level of an interval is between 0 and 1; found {level!r}")
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def __repr__(self) -> str:
        n = len(self.weights)
        parts = f" ({n:,} Normals)" if n > 1 else ""
        return f"{self.name}: mean {self.mean:.6g}, standard deviation {self.standard_deviation:.6g}{parts}"


class MixedMarginals(ByName["Distribution | NormalMixture"], Pictured):
    """What every variable is, each asked for by name: a distribution of states, or a mixture of Normals.

    `names` are in schema order. `log_density_of_evidence` is the natural logarithm of the density (or
    probability) of what was given; zero when nothing was.

    Examples
    --------
    >>> heat = NormalMixture("heat", np.ones(1), np.array([10.0]), np.array([4.0]))
    >>> MixedMarginals(("heat",), {"heat": heat})["heat"].standard_deviation
    2.0
    """

    def __init__(
        self,
        names: Iterable[str],
        answers: Mapping[str, Distribution | NormalMixture],
        log_density_of_evidence: float = 0.0,
    ) -> None:
        self.names = tuple(names)
        self._answers = dict(answers)
        self.log_density_of_evidence = log_density_of_evidence

    def __getitem__(self, name: str) -> Distribution | NormalMixture:
        return self._answers[name]

    def _cells(self) -> list[tuple[str, str, float, float]]:
        """Variable, state and probability; or variable, mean and standard deviation."""
        rows: list[tuple[str, str, float, float]] = []
        for name, answer in self.items():
            if isinstance(answer, NormalMixture):
                rows.append((name, "", answer.mean, answer.standard_deviation))
            else:
                rows += [(name, str(state), p, math.nan) for state, p in answer.items()]
        return rows

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame: variable, state, its probability (or the mean), standard deviation (NaN of a state)."""
        columns = zip(*self._cells(), strict=True)
        titles = ("variable", "state", "probability or mean", "standard deviation")
        return make_frame({title: list(c) for title, c in zip(titles, columns, strict=True)}, library)

    def _repr_html_(self) -> str:
        rows = (
            (name, state or "mean", f"{x:.6g}", "" if math.isnan(sd) else f"{sd:.6g}")
            for name, state, x, sd in self._cells()
        )
        return html_table(("variable", "state", "probability", "standard deviation"), rows)
