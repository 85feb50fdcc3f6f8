"""Numbers in pictures: where a curve is high, what it says, and that no Normal is missed."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import treewright as tw
from treewright.models import ConditionalGaussianNetwork, GaussianNetwork, Lines
from treewright.models.continuous.normal_answers import Normal
from treewright.models.mixed.mixtures import NormalMixture
from treewright.reports import to_report, to_svg
from treewright.reports.curves import CURVE_HEIGHT, CURVE_WIDTH, curve_of
from treewright.reports.render import kind_of, model_picture, to_static_html


def points(curve):
    found = [tuple(map(float, point.split())) for point in re.findall(r"[-\d.]+ [-\d.]+", curve.path)]
    return np.array(found[1:-1])


def mixture(weights, means, variances):
    return NormalMixture("x", *(np.array(part, dtype=float) for part in (weights, means, variances)))


@pytest.mark.parametrize(
    "answer",
    [Normal("x", -3.0, 4.0), mixture([0.3, 0.7], [0, 5], [1, 2]), mixture([0.5, 0.5], [0, 1000], [1, 1])],
)
def test_a_curve_is_as_high_as_the_density(answer):
    curve = curve_of(answer)
    low, high = (float(end) for end in curve.ends)
    x, y = points(curve).T
    at = low + (high - low) * x / CURVE_WIDTH
    density = np.array([answer.density(v) for v in at])
    drawn = CURVE_HEIGHT - y
    assert drawn.max() == pytest.approx(CURVE_HEIGHT - 4, abs=0.06)
    if high - low < 100:  # ends have four digits
        np.testing.assert_allclose(drawn / drawn.max(), density / density.max(), atol=0.03)
    assert curve.words == f"{answer.mean:.4g} ± {answer.standard_deviation:.4g}"


def test_narrow_normals_are_not_missed():
    y = points(curve_of(mixture([0.5, 0.5], [0, 1000], [1, 1])))[:, 1]
    assert (y < 5).sum() >= 2  # both peaks reach the top


def test_what_hardly_ever_is_does_not_widen_a_curve():
    low, high = curve_of(mixture([1 - 1e-6, 1e-6], [0, 1e6], [1, 1])).ends
    assert (float(low), float(high)) == (-3.6, 3.6)


@pytest.mark.parametrize("value", [0.0, 20.0, -1e17, 1e300])
def test_a_number_that_is_certain_is_a_line(value):
    for answer in (Normal("x", value, 0.0), mixture([1.0], [value], [0.0])):
        curve = curve_of(answer)
        assert curve.path == ""
        assert curve.words == f"{value:.4g}"
        assert 0 <= curve.mean <= CURVE_WIDTH


def weather():
    schema = tw.Schema([tw.Variable("sky", ("clear", "grey")), tw.Variable("heat")])
    lines = {"heat": Lines([20.0, 12.0], {}, [4.0, 1.0])}
    return ConditionalGaussianNetwork(tw.Dag(schema, [("sky", "heat")]), {"sky": [0.4, 0.6]}, lines)


def numbers():
    schema = tw.Schema([tw.Variable("sun"), tw.Variable("heat")])
    return GaussianNetwork(tw.Dag(schema, [("sun", "heat")]), [6.0, 0.1], {"heat": {"sun": 2.0}}, [4.0, 9.0])


def test_pictures_of_models_have_bars_and_curves():
    svg = model_picture(weather())
    ElementTree.fromstring(svg)
    assert svg.count('class="bar"') == 2
    assert svg.count('class="curve"') == 1
    assert "15.2 ± " in svg
    assert model_picture(numbers()).count('class="curve"') == 2
    given = to_static_html(weather(), given={"heat": 13.0})
    assert f"{100 * weather().query('sky', {'heat': 13.0})['grey']:.1f}%" in given
    assert 'class="node seen" data-name="heat"' in given
    assert "17.1 ± 3" in to_static_html(numbers(), given={"sun": 8.5})
    assert to_svg(weather().dag, marginals=weather().marginals()).count('class="curve"') == 1


def test_reports_have_curves_too():
    model = weather()
    page = to_report(model, model.sample(50, rng=np.random.default_rng(0)))
    assert page.count('class="curve"') == 1
    model = numbers()
    assert to_report(model, model.sample(50, rng=np.random.default_rng(0))).count('class="curve"') == 2


def test_models_of_numbers_have_a_heading():
    assert kind_of(weather()) == "Mixed network"
    assert kind_of(numbers()) == "Gaussian network"
    assert "<h1>Mixed network</h1>" in tw.to_html(weather())
