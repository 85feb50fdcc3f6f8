"""The default for rows in which variables were set."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SchemaError, SettingError


@pytest.fixture(scope="module")
def made():
    asia = tw.load_network("asia")
    quiet = asia.sample(2_000, rng=np.random.default_rng(1)).to_dict()
    acted = asia.do(smoke="yes").sample(2_000, rng=np.random.default_rng(2)).to_dict()
    rows = {name: [*quiet[name], *acted[name]] for name in asia.schema.names}
    return {**rows, "set": ["none"] * 2_000 + ["smoke"] * 2_000}


def test_what_was_set_has_arrows_and_its_own_frequency(made):
    result = tw.learn(made, set_by="set")
    assert "set" not in result.model.schema
    assert {("smoke", "lung"), ("smoke", "bronc")} <= set(result.model.pattern.directed_edges())
    smokes = result.model.query("smoke")["yes"]
    assert smokes == pytest.approx(np.mean([one == "yes" for one in made["smoke"][:2_000]]), abs=0.01)
    assert len(result.model.effects("smoke", "lung")) == 1
    assert any("what was set directs" in note for note in result.notes)


def test_gaps_of_the_column_say_that_nothing_was_set(made):
    marks = [None if one == "none" else one for one in made["set"]]
    assert tw.learn({**made, "set": marks}, set_by="set").dag == tw.learn(made, set_by="set").dag


def test_rows_with_gaps_are_left_out_and_counted(made):
    holes = {**made, "asia": [None, None, *made["asia"][2:]]}
    result = tw.learn(holes, set_by="set")
    assert "2 rows with gaps left out" in result.notes


def test_a_bound_is_kept(made):
    assert tw.learn(made, set_by="set", treewidth=1).width == 1


def test_refusals(made):
    with pytest.raises(SettingError, match="leave rows= and missing= out"):
        tw.learn(made, set_by="set", rows=100)
    with pytest.raises(SettingError, match="set_by= says how rows are read"):
        tw.learn(tw.count(tw.read_table(made)), set_by="set")
    with pytest.raises(SchemaError, match="nothing"):
        tw.learn(made, set_by="nothing")
    with pytest.raises(SchemaError, match="should name the columns that were set"):
        tw.learn({**made, "set": ["smoke", "smok"] * 2_000}, set_by="set")
