"""Effects over a class, surgery and front doors, in the corners: sets named, states that never occur."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SchemaError, SingularError
from treewright.models.causal.effects import adjusted
from treewright.models.causal.front_door import through_front_door

ASIA = tw.load_network("asia")
FULL = {"state": "yes", "to": "yes", "since": "no"}


def asked(found, state=None, to=None, since=None):
    return found.bounds(state, to=to, since=since)


def test_bounds_are_the_least_and_the_greatest_change():
    found = ASIA.effects("smoke", "dysp")
    changes = [one.effect.change("yes", to="yes", since="no") for one in found.items]
    assert asked(found, **FULL) == (min(changes), max(changes))


@pytest.mark.parametrize("left", FULL)
def test_bounds_of_tables_need_three_states(left):
    with pytest.raises(SchemaError, match="two of the treatment"):
        asked(ASIA.effects("smoke", "dysp"), **{name: value for name, value in FULL.items() if name != left})


def line(variances=(1.0, 1.0, 1.0)):
    schema = tw.Schema(map(tw.Variable, "xyz"))
    dag = tw.Dag(schema, [("z", "x"), ("z", "y"), ("x", "y")])
    return tw.GaussianNetwork(dag, [0, 0, 0], {"x": {"z": 1.0}, "y": {"x": 2.0, "z": 3.0}}, list(variances))


def test_bounds_of_lines_need_nothing():
    found = line().effects("x", "y")
    slopes = [one.effect.slope for one in found.items]
    assert found.bounds() == (min(slopes), max(slopes))
    assert min(slopes) < max(slopes)


def test_sets_are_named_in_their_order():
    assert ASIA.effect("bronc", "dysp", adjust_for=["smoke", "asia"]).adjusted_for == ("asia", "smoke")


def test_adjusting_for_the_outcome_is_no_effect():
    model = line()
    found = adjusted(model, "x", "y", ("z", "y"))
    assert (found.slope, found.adjusted_for) == (0.0, None)
    found = adjusted(model, "x", "y", ("z",))
    assert (found.slope, found.adjusted_for) == (pytest.approx(2.0), ("z",))


def test_what_does_not_vary_tells_no_effect():
    still = line((1.0, 1.0, 0.0)).do({"x": 1.0})
    with pytest.raises(SingularError, match="'x' does not vary once nothing is known"):
        adjusted(still, "x", "y", ())
    with pytest.raises(SingularError, match="'x' does not vary once 'z' is known"):
        adjusted(line((0.0, 1.0, 1.0)), "x", "y", ("z",))


def network(arcs, tables):
    schema = tw.Schema(tw.Variable(name, ("a", "b")) for name in tables)
    return tw.BayesianNetwork(tw.Dag(schema, arcs), tables)


ODDS = np.array([[0.25, 0.75], [0.5, 0.5]])


def test_a_state_of_the_set_that_never_occurs_has_no_say():
    model = network(
        [("z", "x"), ("z", "y"), ("x", "y")],
        {"x": ODDS, "y": np.array([ODDS, ODDS[::-1]]), "z": [1.0, 0.0]},
    )
    found = adjusted(model, "x", "y", ("z",))
    expected = [model.do({"x": state}).query("y").array for state in "ab"]
    np.testing.assert_allclose(found.table, expected)


def test_a_state_of_the_treatment_that_never_occurs_leaves_the_others():
    model = network(
        [("u", "x"), ("u", "y"), ("x", "m"), ("m", "y")],
        {"x": [[1.0, 0.0]] * 2, "m": ODDS, "y": np.array([ODDS, ODDS[::-1]]), "u": [0.5, 0.5]},
    )
    rows = through_front_door(model, "x", "y", ("m",))
    np.testing.assert_allclose(rows[0], model.do({"x": "a"}).query("y").array)
    assert np.isnan(rows[1]).all()


def test_what_is_set_is_no_longer_unseen():
    table = tw.read_table({"x": ["a", "b", "a"], "y": ["a", "b", "b"]})
    fitted = tw.fit(tw.Dag(table.schema, [("x", "y")]), tw.count(table))
    model = tw.BayesianNetwork(fitted.dag, fitted.tables, unseen={"x": 2, "y": 1})
    assert dict(model.do({"x": "a"}).unseen) == {"y": 1}
