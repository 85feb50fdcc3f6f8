"""Very small numbers beside ordinary ones in networks of states and numbers, against logarithms."""

import math

import numpy as np
import pytest

import treewright as tw
from treewright.models import Lines

RARE = [1e-20, 1e-100, 1e-200, 1e-290, 1e-300]
FAR = 40.0  # where the rare state has its number; the other has it at zero


def model(rare, beside=0):
    """A rare state, what follows from it in numbers, and more of them beside it."""
    names = [f"n{i}" for i in range(beside)]
    schema = tw.Schema([tw.Variable("state", ("rare", "usual")), tw.Variable("x"), *map(tw.Variable, names)])
    dag = tw.Dag(schema, [("state", name) for name in ("x", *names)])
    lines = {name: Lines([FAR, 0.0], {}, [1.0, 1.0]) for name in ("x", *names)}
    return tw.models.ConditionalGaussianNetwork(dag, {"state": [rare, 1 - rare]}, lines)


def logs(rare, values):
    """Log density of the values in each of the two states."""
    return [
        math.log(share) - sum((x - mean) ** 2 for x in values) / 2 - len(values) * math.log(2 * math.pi) / 2
        for share, mean in ((rare, FAR), (1 - rare, 0.0))
    ]


@pytest.mark.parametrize("rare", RARE)
@pytest.mark.parametrize("x", [-5.0, 0.0, 15.0, 20.0, 30.0, 36.0, 38.0, 45.0])
def test_a_rare_state_given_a_number(rare, x):
    one, other = logs(rare, [x])
    total = np.logaddexp(one, other)
    found = model(rare).query("state", given={"x": x})
    for state, log in (("rare", one), ("usual", other)):
        share = math.exp(log - total)
        if share >= 1e-280:
            assert found[state] == pytest.approx(share, rel=1e-9, abs=0.0)
        else:
            assert 0 <= found[state] <= 2e-280
    assert model(rare).log_density_of({"x": x}) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("rare", RARE)
def test_evidence_of_almost_no_density(rare):
    """Ten numbers far from both states: the density itself is no float, its logarithm is right."""
    values = [500.0] * 10
    given = dict(zip(["x", *(f"n{i}" for i in range(9))], values, strict=True))
    total = np.logaddexp(*logs(rare, values))
    assert total < -1e5
    assert model(rare, 9).log_density_of(given) == pytest.approx(total, rel=1e-12)
    assert model(rare, 9).query("state", given=given)["rare"] == pytest.approx(1.0, abs=1e-15)
