"""Normal distributions with names: scipy's numbers, certain values, labels and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from treewright.errors import SettingError, UnknownNameError
from treewright.models import JointNormal, Normal, NormalMarginals


@pytest.mark.slow
@given(st.floats(-1e3, 1e3), st.floats(1e-6, 1e6), st.floats(-1e3, 1e3), st.floats(0.001, 0.999))
def test_one_variable_is_the_normal_of_scipy(mean, variance, x, p):
    answer, other = Normal("x", mean, variance), norm(mean, math.sqrt(variance))
    assert answer.log_density(x) == pytest.approx(other.logpdf(x), rel=1e-9, abs=1e-9)
    assert answer.density(x) == pytest.approx(other.pdf(x), rel=1e-6, abs=1e-300)
    assert answer.probability_below(x) == pytest.approx(other.cdf(x), rel=1e-9, abs=1e-12)
    assert answer.quantile(p) == pytest.approx(other.ppf(p), rel=1e-9, abs=1e-9)
    assert answer.interval(p) == pytest.approx(other.interval(p), rel=1e-9, abs=1e-9)


def test_a_certain_value():
    sure = Normal("x", 2.0, 0.0)
    assert sure.interval() == (2.0, 2.0)
    assert sure.quantile(0.1) == 2.0
    assert (sure.density(2.0), sure.density(2.1)) == (math.inf, 0.0)
    assert (sure.probability_below(1.9), sure.probability_below(2.0)) == (0.0, 1.0)


def test_levels_and_probabilities_are_checked():
    answer = Normal("x", 0.0, 1.0)
    assert answer.quantile(0) == -math.inf
    with pytest.raises(SettingError, match=r"by a probability from 0 to 1; found 1.2"):
        answer.quantile(1.2)
    with pytest.raises(SettingError, match="the level of an interval is between 0 and 1; found 95"):
        answer.interval(95)


def test_several_variables():
    answer = JointNormal(("x", "y", "c"), [0, 1, 2], [[1, 0.5, 0], [0.5, 4, 0], [0, 0, 0]], -3.0)
    assert answer["y"] == Normal("y", 1.0, 4.0, -3.0)
    assert answer.covariance_of("y", "x") == 0.5
    assert answer.correlation().tolist() == [[1, 0.25, 0], [0.25, 1, 0], [0, 0, 1]]
    assert list(answer) == ["x", "y", "c"]
    assert repr(answer).splitlines()[1] == "y: mean 1, standard deviation 2"
    with pytest.raises(UnknownNameError, match="'z' was not asked about; asked were 'x', 'y', 'c'"):
        answer["z"]
    with pytest.raises(ValueError, match="read-only"):
        answer.mean[0] = 3


def test_marginals():
    result = NormalMarginals(tuple(f"v{k}" for k in range(30)), np.arange(30.0), np.ones(30))
    assert result["v7"].mean == 7.0
    assert len(dict(result)) == 30
    assert repr(result).endswith("... 6 more variables")
    assert result._repr_html_().count("<tr>") == 31
    with pytest.raises(UnknownNameError, match="there is no variable 'v30'"):
        result["v30"]
    pandas = pytest.importorskip("pandas")
    frame = result.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["variable", "mean", "variance", "standard_deviation"]
