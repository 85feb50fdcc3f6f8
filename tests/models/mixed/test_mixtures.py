"""A mixture of Normals beside its definition."""

import math

import numpy as np
import pytest

from treewright.models.mixed.mixtures import NormalMixture

MIXTURE = NormalMixture(
    "x", np.array([0.2, 0.5, 0.3, 0.0]), np.array([-1.0, 2.0, 7.0, 99.0]), np.array([0.25, 4.0, 1.0, 1.0])
)


def plain_density(x):
    parts = zip(MIXTURE.weights, MIXTURE.means, MIXTURE.variances, strict=True)
    return sum(w * math.exp(-((x - m) ** 2) / (2 * v)) / math.sqrt(2 * math.pi * v) for w, m, v in parts)


@pytest.mark.parametrize("x", [-2.0, -1.0, 0.3, 2.0, 6.5, 12.0])
def test_density(x):
    assert MIXTURE.density(x) == pytest.approx(plain_density(x), rel=1e-12)
    assert MIXTURE.log_density(x) == pytest.approx(math.log(plain_density(x)), rel=1e-12)


def test_far_out_densities_are_still_told():
    assert MIXTURE.log_density(1e3) == pytest.approx(
        math.log(0.5) - 0.5 * (math.log(8 * math.pi) + 998**2 / 4)
    )


def test_moments():
    assert len(MIXTURE.means) == 3  # what has no weight is left out
    assert MIXTURE.mean == pytest.approx(0.2 * -1 + 0.5 * 2 + 0.3 * 7)
    second = 0.2 * (0.25 + 1) + 0.5 * (4 + 4) + 0.3 * (1 + 49)
    assert MIXTURE.variance == pytest.approx(second - MIXTURE.mean**2)


@pytest.mark.parametrize("probability", [1e-6, 0.05, 0.2, 0.5, 0.71, 0.999])
def test_quantiles_are_where_so_much_lies_below(probability):
    found = MIXTURE.quantile(probability)
    assert MIXTURE.probability_below(found) == pytest.approx(probability, rel=1e-12)


def test_ends():
    assert (MIXTURE.quantile(0), MIXTURE.quantile(1)) == (-math.inf, math.inf)
    low, high = MIXTURE.interval(0.9)
    assert MIXTURE.probability_below(high) - MIXTURE.probability_below(low) == pytest.approx(0.9)
    assert MIXTURE.probability_below(low) == pytest.approx(0.05)
