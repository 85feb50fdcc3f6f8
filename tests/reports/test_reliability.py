"""What was said against what came true."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from treewright.errors import SettingError
from treewright.reports.reliability import reliability_of


def test_bins_hold_what_was_said():
    rng = np.random.default_rng(0)
    said = rng.dirichlet([1, 1, 1], size=200)
    truth = rng.integers(0, 3, 200)
    seen = reliability_of(said, truth, bins=5)
    assert seen.counts.sum() == 600
    for b in range(5):
        inside = (said >= b / 5) & (said < (b + 1) / 5)
        assert seen.counts[b] == inside.sum()
        assert seen.said[b] == pytest.approx(said[inside].mean())
        assert seen.true[b] == pytest.approx((np.arange(3) == truth[:, None])[inside].mean())
    assert seen.error == pytest.approx(np.average(abs(seen.said - seen.true), weights=seen.counts))


def test_the_picture_is_well_formed():
    seen = reliability_of(np.array([[0.9, 0.1], [0.2, 0.8], [1.0, 0.0]]), np.array([0, 1, 0]))
    root = ET.fromstring(seen.to_svg())
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == np.count_nonzero(seen.counts)
    assert seen._repr_svg_() == seen.to_svg()


def test_bins_that_are_none():
    with pytest.raises(SettingError, match="bins= of reliability is from 1 to 10,000; found 0"):
        reliability_of(np.array([[1.0]]), np.array([0]), bins=0)
