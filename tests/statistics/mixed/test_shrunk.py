"""Normals of joint states beside their words: what rows vary within states is lent to those of few rows."""

import math

import numpy as np
import pytest

import treewright as tw
from treewright.statistics import mixed_moments
from treewright.statistics.mixed.shrunk import FLOOR, IMAGINED, state_normals


def drawn(n=40):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, n), np.minimum(rng.integers(0, 5, n), 2)
    x = 100 * rng.normal(size=n) + 30 * a
    return tw.read_table({"a": a, "b": b, "x": x, "y": 0.02 * x + rng.normal(size=n) + b})


def by_loop(table, discrete):
    """Covariances of x and y over their deviations, in each joint state and where none is."""
    points = np.stack([np.asarray(table.column(name), dtype=float) for name in "xy"], axis=1)
    keys = list(zip(*(np.asarray(table.column(name)).tolist() for name in discrete), strict=True))
    scale = points.std(axis=0)
    units = points / scale
    everywhere = np.cov(units.T, bias=True)
    scatters = {}
    for key in sorted(set(keys)):
        rows = units[[one == key for one in keys]]
        scatters[key] = len(rows), (rows - rows.mean(axis=0)).T @ (rows - rows.mean(axis=0))
    within = sum(scatter for _, scatter in scatters.values()) + IMAGINED * everywhere
    within = within / (len(keys) - len(scatters) + IMAGINED)
    each = [(scatter + IMAGINED * within) / (n + IMAGINED) for n, scatter in scatters.values()]
    return np.array(each) + FLOOR * np.eye(2), within + FLOOR * np.eye(2), scale


@pytest.mark.parametrize("discrete", [("a",), ("a", "b")])
def test_normals_are_those_of_a_loop(discrete):
    table = drawn()
    found = state_normals(mixed_moments(table), discrete, ("x", "y"))
    each, elsewhere, scale = by_loop(table, discrete)
    np.testing.assert_allclose(found.covariance, each, rtol=1e-9)
    np.testing.assert_allclose(found.covariance_elsewhere, elsewhere, rtol=1e-9)
    np.testing.assert_allclose(found.scale, scale, rtol=1e-12)


def test_the_likelihood_is_that_of_the_rows():
    table = drawn()
    found = state_normals(mixed_moments(table), ("a", "b"), ("x", "y"))
    total = 0.0
    for row in range(table.n_rows):
        key = [int(table.column(name)[row]) for name in "ab"]
        at = found.moments.states.tolist().index(key)
        off = np.array([float(table.column(name)[row]) for name in "xy"]) - found.moments.mean[at]
        covariance = found.covariance[at] * np.outer(found.scale, found.scale)
        total -= 0.5 * (
            2 * math.log(2 * math.pi)
            + math.log(np.linalg.det(covariance))
            + off @ np.linalg.solve(covariance, off)
        )
    assert found.log_likelihood() == pytest.approx(total, rel=1e-9)
    assert state_normals(mixed_moments(table), ("a",), ()).log_likelihood() == 0.0


def test_without_states_there_is_one_normal():
    table = drawn()
    found = state_normals(mixed_moments(table), (), ("x", "y"))
    points = np.stack([np.asarray(table.column(name), dtype=float) for name in "xy"])
    expected = np.corrcoef(points) + FLOOR * np.eye(2)
    np.testing.assert_allclose(found.covariance, expected[None], rtol=1e-9)
    np.testing.assert_allclose(found.mean_elsewhere, points.mean(axis=1))


def test_more_states_than_rows_tell_nothing_within():
    table = tw.read_table({"a": list("abcd"), "x": [0.5, 1.5, 2.5, 9.5]})
    found = state_normals(mixed_moments(table), ("a",), ("x",))
    np.testing.assert_allclose(found.covariance_elsewhere, [[1.0]], rtol=1e-9)
