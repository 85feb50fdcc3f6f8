"""Answers about continuous variables: Normal distributions with names on them, and sampled estimates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arguments import described
from treewright.errors import ArgumentError, ImpossibleEvidence, SettingError, UnknownNameError, nearest
from treewright.models.answers import ByName, html_table
from treewright.models.labelled import make_frame
from treewright.ranges import in_range
from treewright.types import Brief, Floats, Pictured


def real(what: str, x: Any) -> float:
    """A number that a density is asked for; infinite ones are far away."""
    if isinstance(x, bool) or not isinstance(x, int | float | np.integer | np.floating):
        raise ArgumentError(f"{what} is a number; found {described(x)}")
    try:
        number = float(x)
    except OverflowError:  # an integer beyond all of them
        return math.inf if x > 0 else -math.inf
    if math.isnan(number):
        raise ArgumentError(f"{what} is a number; found nan")
    return number


@dataclass(frozen=True)
class Normal(Pictured):
    """A Normal distribution of one variable; with variance zero, a number that is certain.

    `log_density_of_evidence` is the natural logarithm of the density of what was given; zero when nothing
    was.

    Examples
    --------
    >>> answer = Normal("height", 170.0, 64.0)
    >>> answer.standard_deviation, round(answer.density(170.0), 6)
    (8.0, 0.049868)
    >>> [round(end, 2) for end in answer.interval(0.95)]
    [154.32, 185.68]
    >>> answer
    height: mean 170, standard deviation 8
    """

    name: str
    mean: float
    variance: float
    log_density_of_evidence: float = 0.0

    @property
    def standard_deviation(self) -> float:
        return math.sqrt(self.variance)

    def log_density(self, x: float) -> float:
        """Natural logarithm of the density at `x`; infinite at a number that is certain."""
        rest = real("x= of log_density", x) - self.mean
        if self.variance == 0:
            return math.inf if rest == 0 else -math.inf
        return -0.5 * (math.log(2 * math.pi * self.variance) + rest * rest / self.variance)

    def density(self, x: float) -> float:
        return math.exp(self.log_density(x))

    def probability_below(self, x: float) -> float:
        """Probability of a value of at most `x`."""
        x = real("x= of probability_below", x)
        if self.variance == 0:
            return float(x >= self.mean)
        return 0.5 * math.erfc((self.mean - x) / (self.standard_deviation * math.sqrt(2)))

    @in_range
    def quantile(self, probability: float) -> float:
        """The value that is exceeded with probability 1 - `probability`."""
        from scipy.special import ndtri

        if not 0 <= probability <= 1:
            raise SettingError(f"a quantile is asked for by a probability from 0 to 1; found {probability!r}")
        if self.variance == 0:
            return self.mean
        return self.mean + self.standard_deviation * float(ndtri(probability))

    @in_range
    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The ends between which the value lies with probability `level`, the mean in the middle."""
        from scipy.special import ndtri

        if not 0 < level < 1:
            raise SettingError(f"the level of an interval is between 0 and 1; found {level!r}")
        reach = self.standard_deviation * float(ndtri(0.5 + level / 2))
        return self.mean - reach, self.mean + reach

    def __repr__(self) -> str:
        return f"{self.name}: mean {self.mean:.6g}, standard deviation {self.standard_deviation:.6g}"


class JointNormal(ByName[Normal], Pictured):
    """A Normal distribution of several variables together; `result["x"]` is that of one of them.

    `names` are in the order asked for, `mean` has a number each, `covariance` is exactly symmetric;
    read-only. `log_density_of_evidence` is the natural logarithm of the density of what was given; zero when
    nothing was.

    Examples
    --------
    >>> answer = JointNormal(("x", "y"), [0.0, 1.0], [[1.0, 0.5], [0.5, 4.0]])
    >>> answer["y"].variance, answer.covariance_of("x", "y")
    (4.0, 0.5)
    >>> answer.correlation().tolist()
    [[1.0, 0.25], [0.25, 1.0]]
    """

    def __init__(
        self,
        names: Sequence[str],
        mean: npt.ArrayLike,
        covariance: npt.ArrayLike,
        log_density_of_evidence: float = 0.0,
    ) -> None:
        self.names = tuple(names)
        self.mean: Floats = np.array(mean, dtype=np.float64)
        self.covariance: Floats = np.array(covariance, dtype=np.float64)
        self.mean.setflags(write=False)
        self.covariance.setflags(write=False)
        self.log_density_of_evidence = log_density_of_evidence
        assert self.covariance.shape == (len(self.names), len(self.names))

    def __getitem__(self, name: str) -> Normal:
        k = self._place(name)
        return Normal(name, float(self.mean[k]), float(self.covariance[k, k]), self.log_density_of_evidence)

    def covariance_of(self, x: str, y: str) -> float:
        return float(self.covariance[self._place(x), self._place(y)])

    def correlation(self) -> Floats:
        """Correlations; a variable that is certain has 0 with every other."""
        deviation = np.sqrt(np.diag(self.covariance))
        scale = np.outer(deviation, deviation)
        found: Floats = np.divide(self.covariance, scale, out=np.zeros_like(scale), where=scale > 0)
        np.fill_diagonal(found, 1.0)
        return np.clip(found, -1.0, 1.0)

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UnknownNameError(f"{name!r} was not asked about; asked were {nearest(name, self.names)}")
        return self.names.index(name)


class NormalMarginals(ByName[Normal], Pictured):
    """The Normal distribution of every variable, each asked for by name.

    `names` are in schema order, `means` and `variances` have a number each; read-only.
    `log_density_of_evidence` is the natural logarithm of the density of what was given; zero when nothing
    was.

    Examples
    --------
    >>> result = NormalMarginals(("x", "y"), np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    >>> result["y"].standard_deviation, result.means.tolist()
    (2.0, [0.0, 1.0])
    """

    def __init__(
        self, names: Sequence[str], means: Floats, variances: Floats, log_density_of_evidence: float = 0.0
    ) -> None:
        self.names = tuple(names)
        self.means, self.variances = means, variances
        self.means.setflags(write=False)
        self.variances.setflags(write=False)
        self.log_density_of_evidence = log_density_of_evidence
        self._places = {name: k for k, name in enumerate(self.names)}
        assert len(means) == len(variances) == len(self.names)

    def __getitem__(self, name: str) -> Normal:
        if name not in self._places:
            raise UnknownNameError(f"there is no variable {name!r}; there are {nearest(name, self.names)}")
        k = self._places[name]
        return Normal(name, float(self.means[k]), float(self.variances[k]), self.log_density_of_evidence)

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow: variable, mean, variance, standard deviation."""
        columns = {"variable": self.names, "mean": self.means, "variance": self.variances}
        return make_frame(columns | {"standard_deviation": np.sqrt(self.variances)}, library)

    def _repr_html_(self) -> str:
        rows = ((d.name, f"{d.mean:.6g}", f"{d.standard_deviation:.6g}") for d in self.values())
        return html_table(("variable", "mean", "standard deviation"), rows)


@dataclass(frozen=True, eq=False)
class NormalPredictions:
    """What a model says about one continuous variable for each of many rows, given the rows' other cells.

    Examples
    --------
    >>> NormalPredictions("x", np.array([1.0]), np.array([4.0])).columns()
    {'x': array([1.]), 'x sd': array([2.])}
    """

    name: str
    means: Floats
    variances: Floats

    def columns(self) -> dict[str, Floats]:
        """The mean under the variable's name, and its standard deviation."""
        return {self.name: self.means, f"{self.name} sd": np.sqrt(self.variances)}

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow with these columns."""
        return make_frame(self.columns(), library)

    def __len__(self) -> int:
        return len(self.means)

    def __repr__(self) -> str:
        return f"<NormalPredictions: {self.name} for {len(self):,} rows>"


@dataclass(frozen=True)
class SampledAnswer(Brief):
    """Means and variances that were estimated from weighted rows, by name.

    `standard_errors` say how far the means may be off, `effective_rows` how many rows of equal weight the
    `n_rows` drawn are worth. `log_density_of_evidence`, the logarithm of the mean weight, is an estimate too.

    Examples
    --------
    >>> answer = estimate(["x"], [np.array([1.0, 3.0])], np.zeros(2))
    >>> answer.means, answer.variances, answer.effective_rows
    ({'x': 2.0}, {'x': 1.0}, 2.0)
    """

    means: Mapping[str, float]
    variances: Mapping[str, float]
    standard_errors: Mapping[str, float]
    n_rows: int
    effective_rows: float
    log_density_of_evidence: float


def estimate(names: Sequence[str], columns: Sequence[Floats], log_weights: Floats) -> SampledAnswer:
    """Weighted means and variances of columns."""
    highest = float(log_weights.max())
    if highest == -math.inf or math.isnan(highest):
        raise ImpossibleEvidence(
            f"what is given has no weight in any of {len(log_weights):,} rows drawn; draw more, or check it"
        )
    weights = np.exp(log_weights - highest)
    total = float(weights.sum())
    shares = weights / total
    means = [float(shares @ column) for column in columns]
    squares = [(column - mean) ** 2 for column, mean in zip(columns, means, strict=True)]
    errors = [math.sqrt(float(shares**2 @ square)) for square in squares]
    return SampledAnswer(
        dict(zip(names, means, strict=True)),
        dict(zip(names, (float(shares @ square) for square in squares), strict=True)),
        dict(zip(names, errors, strict=True)),
        len(log_weights),
        1 / float(shares @ shares),
        highest + math.log(total / len(log_weights)),
    )
