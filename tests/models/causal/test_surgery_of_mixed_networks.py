"""Setting states and numbers of a mixed network: the same as seeing them where nothing leads into them."""

import numpy as np
import pytest
from tests.reference.models.mixtures import random_mixed

import treewright as tw
from treewright.errors import EvidenceError
from treewright.models import ConditionalGaussianNetwork, Lines


def uprooted(model, name):
    """The same network with a variable that no arc leads into, all its states or numbers possible."""
    dag = tw.Dag(model.schema, [arc for arc in model.dag.edges() if arc[1] != name])
    tables = {v: np.asarray(model.table(v)) for v in model.discrete.schema.names}
    lines = {v: model.lines(v) for v in model.continuous}
    if name in tables:
        tables[name] = np.full(model.schema[name].cardinality, 1 / model.schema[name].cardinality)
    else:
        lines[name] = Lines(0.25, {}, 2.0)
    return ConditionalGaussianNetwork(dag, tables, lines)


@pytest.mark.parametrize("seed", range(12))
def test_setting_is_seeing_once_no_arc_leads_into_it(seed):
    rng = np.random.default_rng(seed)
    model = random_mixed(rng, 3, 4)
    for v in model.schema:
        value = v.states[-1] if v.is_discrete else 1.5
        done, seen = model.do({v.name: value}), uprooted(model, v.name)
        for other in model.schema:
            if other.name == v.name:
                continue
            ours, theirs = done.query(other.name), seen.query(other.name, given={v.name: value})
            if other.is_discrete:
                np.testing.assert_allclose(ours.array, theirs.array, atol=1e-12)
            else:
                assert ours.mean == pytest.approx(theirs.mean, abs=1e-10)
                assert ours.variance == pytest.approx(theirs.variance, rel=1e-9)


def test_several_are_set_at_once_and_one_after_the_other():
    model = random_mixed(np.random.default_rng(5), 3, 4)
    state = next(v for v in model.schema if v.is_discrete)
    number, other = model.continuous[:2]
    at_once = model.do({state.name: state.states[0], number: -1.0, other: 2.0})
    assert at_once == model.do({number: -1.0}).do({state.name: state.states[0]}).do({other: 2.0})
    assert at_once.mpe()[number] == -1.0
    assert repr(at_once).endswith(
        f"after do({', '.join(sorted([state.name, number, other]))}), if arcs are causes>"
    )


def test_states_are_set_by_lot(tmp_path):
    model = random_mixed(np.random.default_rng(7), 3, 4)
    state = next(v for v in model.schema if v.is_discrete)
    lot = dict.fromkeys(state.states, 1 / state.cardinality)
    by_lot = model.do({state.name: lot})
    number = model.continuous[0]
    each = [model.do({state.name: one}).query(number).mean for one in state.states]
    assert by_lot.query(number).mean == pytest.approx(np.mean(each))
    by_lot.save(tmp_path / "m.twm")
    assert tw.load(tmp_path / "m.twm") == by_lot


@pytest.mark.parametrize(("value", "found"), [("x", "'x'"), ({"low": 1.0}, "{'low': 1.0}")])
def test_a_number_is_set_to_a_number(value, found):
    model = random_mixed(np.random.default_rng(3), 2, 3)
    name = model.continuous[0]
    with pytest.raises(EvidenceError, match="is not a finite number") as refusal:
        model.do({name: value})
    assert f"{name}={found}" in str(refusal.value)
