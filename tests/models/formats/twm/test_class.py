"""A model keeps the class that it was learned as, in its file, its pickle and its copies."""

import copy
import json
import pickle

import numpy as np
import pytest
from tests.verification.signed import sign

import treewright as tw
from treewright.errors import FormatError
from treewright.models.formats.twm import from_bytes, to_bytes

ASIA = tw.load_network("asia")
ROWS = ASIA.sample(2_000, rng=np.random.default_rng(3))


def learned_model():
    return tw.fit(tw.learn_hill_climbing(tw.BIC(tw.count(ROWS))).structure, tw.count(ROWS))


def test_the_class_survives_the_trip(tmp_path):
    model = learned_model()
    assert model.pattern.undirected_edges() == [("bronc", "smoke"), ("lung", "smoke")]
    model.save(tmp_path / "m.twm")
    for twin in (tw.load(tmp_path / "m.twm"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin == model
        assert twin.pattern == model.pattern
    assert to_bytes(tw.load(tmp_path / "m.twm")) == to_bytes(model)


def test_a_file_without_a_class_loads_as_before():
    content = json.loads(to_bytes(learned_model()))
    del content["undirected"]
    old = from_bytes(sign(content))
    assert old == learned_model()
    assert old.pattern is None
    assert "undirected" not in json.loads(to_bytes(ASIA))


def test_numbers_keep_their_class():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    table = tw.read_table({"x": x, "y": x + rng.normal(size=400), "z": rng.normal(size=400)})
    moments = tw.moments(table)
    gauss = tw.fit(tw.learn_hill_climbing(tw.GaussianBIC(moments)).structure, moments)
    assert gauss.pattern.undirected_edges() == [("x", "y")]
    assert from_bytes(to_bytes(gauss)).pattern == gauss.pattern
    bend = tw.models.fit_sigmoid(gauss.dag, table)
    assert from_bytes(to_bytes(bend)).pattern == gauss.pattern


def test_an_equivalence_class_that_is_fitted_is_kept():
    counter = tw.count(ROWS)
    learned = tw.learn_pc(tw.GTest(counter, alpha=0.01))
    for structure in (learned.structure, learned.dag):
        assert tw.fit(structure, counter).pattern == learned.structure
    marks = tw.graphs.Pdag(ROWS.schema, [("smoke", "lung")], [("smoke", "bronc")])
    assert tw.fit(marks, counter).pattern == marks
    less = tw.graphs.Pdag(ROWS.schema, [("smoke", "lung")], [("lung", "either")])  # lung -> either follows
    kept = tw.fit(less, counter)
    assert kept.pattern.directed_edges() == [("lung", "either"), ("smoke", "lung")]
    assert from_bytes(to_bytes(kept)).pattern == kept.pattern


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("none", "undirected is not a list"),
        ([["lung"]], "an edge without direction is a pair of names"),
        ([["lung", "smoke"], ["lung", "smoke"]], "an edge without direction is there twice"),
        ([["lung", "asia"]], "a pattern has the edges of its graph; asia -> lung is in one only"),
        ([["lung", "smoke"], ["either", "xray"]], "the edge either - xray has a direction"),
        ([["lung", "nobody"]], "there is no variable 'nobody'"),
        ([["lung", "smoke"], ["smoke", "lung"]], "an edge without direction is there twice"),
    ],
)
def test_what_is_no_class_is_refused(value, message):
    content = json.loads(to_bytes(learned_model()))
    content["undirected"] = value
    with pytest.raises(FormatError, match=message):
        from_bytes(sign(content))
