"""What lies beyond the largest number is refused; it once looked certain, with a variance of zero."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import NoExactAnswer
from treewright.models import ConditionalGaussianNetwork
from treewright.models.mixed.lines import Lines

NUMBERS = [tw.Variable(name) for name in "xyz"]
ARCS = [("x", "y"), ("y", "z")]


def gaussian(slope, variance=1.0):
    lines = {"y": {"x": slope}, "z": {"y": slope}}
    return tw.GaussianNetwork(tw.Dag(tw.Schema(NUMBERS), ARCS), [0, 0, 0], lines, [variance] * 3)


def mixed(slope, variance=1.0):
    schema = tw.Schema([tw.Variable("s", ("n", "y")), *NUMBERS])
    lines = {
        "x": Lines([0, 1], {}, [variance, variance]),
        "y": Lines(0.0, {"x": slope}, variance),
        "z": Lines([0, 1], {"y": [slope, -slope]}, [variance, variance]),
    }
    return ConditionalGaussianNetwork(
        tw.Dag(schema, [("s", "x"), ("s", "z"), *ARCS]), {"s": [0.5, 0.5]}, lines
    )


QUESTIONS = {
    "query": lambda model: model.query("z"),
    "forwards": lambda model: model.query("z", {"x": 1e10}),
    "backwards": lambda model: model.query("x", {"z": 1.0}),
    "together": lambda model: model.query(["x", "z"]),
    "marginals": lambda model: model.marginals(),
    "log_density_of": lambda model: model.log_density_of({"z": 1.0}),
    "mpe": lambda model: model.mpe({"z": 1.0}),
    "predict": lambda model: model.predict({"x": [1.0, None], "z": [2.0, 2.0]}, "y"),
}
OF_LINES = {
    "covariance": lambda model: model.covariance(),
    "sensitivity": lambda model: model.sensitivity("x", {"z": 1.0}),
    "effect": lambda model: model.effect("x", "z"),
}


@pytest.mark.parametrize(("slope", "variance"), [(1e160, 1.0), (-1e300, 1.0), (1e100, 1e200)])
@pytest.mark.parametrize(
    ("make", "question"),
    [
        *((gaussian, ask) for ask in (QUESTIONS | OF_LINES).values()),
        *((mixed, ask) for ask in QUESTIONS.values()),
    ],
)
def test_what_no_number_holds_is_refused(make, question, slope, variance):
    with pytest.raises(
        NoExactAnswer, match="beyond 1e308, the largest number there is; measure the variables"
    ):
        question(make(slope, variance))


def test_values_that_are_too_far_out():
    for ask in ("query", "sensitivity"):
        with pytest.raises(NoExactAnswer, match="give values that are less far out"):
            getattr(gaussian(1e10), ask)("z", {"x": 1e300})


@pytest.mark.parametrize("slope", [1e-150, 1e-70, 1e70])
def test_what_numbers_hold_is_answered(slope):
    model = gaussian(slope)
    assert model.query("z").variance == pytest.approx(slope**4 + slope**2 + 1, rel=1e-12)
    assert model.query("z", {"x": 2.0}).mean == pytest.approx(2 * slope * slope, rel=1e-12)
    np.testing.assert_allclose(model.covariance()[0], [1, slope, slope * slope], rtol=1e-12)
    assert mixed(slope).query("z", {"s": "n"}).variance == pytest.approx(model.query("z").variance, rel=1e-12)
    (mean, _) = model.sensitivity("z", {"x": 2.0}).coefficients("y")["x"]
    assert mean == pytest.approx(2 * slope, rel=1e-12)
