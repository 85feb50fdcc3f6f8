"""The native file of a feature network: every kind survives the trip, what is wrong is refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.features.random_features import random_features
from tests.verification.signed import sign

import treewright as tw
from treewright.errors import FormatError
from treewright.models.formats import twm
from treewright.verification.door import check_bytes

MODEL = tw.FeatureNetwork(random_features(393))


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_every_graph_survives_the_trip(seed):
    model = tw.FeatureNetwork(random_features(seed))
    data = twm.to_bytes(model)
    again = twm.from_bytes(data)
    assert again == model
    assert twm.to_bytes(again) == data
    assert check_bytes(data, "m.twm").valid


def test_files(tmp_path):
    path = tmp_path / "m.twm.gz"
    model = MODEL.with_provenance({"seed": 7})
    model.save(path)
    again = tw.load(path)
    assert again == model
    assert again.provenance == {"seed": 7}
    np.testing.assert_array_equal(again.graph.numbers, model.graph.numbers)
    assert tw.read_model(path) == model


def test_a_node_is_a_line():
    lines = twm.to_bytes(MODEL).decode().splitlines()
    assert sum('"kind": "' in line for line in lines) == 1 + MODEL.graph.n_nodes
    zero = [node for node in json.loads("".join(lines))["nodes"] if None in node.get("numbers", ())]
    assert zero  # the logarithm of zero
    assert -math.inf in MODEL.graph.numbers


def edited(change):
    content = json.loads(twm.to_bytes(MODEL))
    change(content)
    return sign(content)


def first(content, kind):
    return next(node for node in content["nodes"] if node["kind"] == kind)


DAMAGES = [
    (lambda c: c.update(nodes=7), "nodes is not a list"),
    (lambda c: c["nodes"].append(3), 'a node has the keys "kind", "children", "integers", "numbers"'),
    (lambda c: first(c, "split").update(kind="plit"), "a node has no kind 'plit'; kinds are one, table"),
    (
        lambda c: first(c, "split").update(children=[0.5]),
        "the children of a node are not whole numbers",
    ),
    (lambda c: first(c, "split").update(integers=[2**32]), "the integers of a node are not whole numbers"),
    (lambda c: first(c, "table").update(numbers=[0]), "the numbers of a node are not numbers with a decimal"),
    (lambda c: first(c, "table").update(numbers=[0.0, 0.0]), "this is no feature graph: node 0"),
    (lambda c: c["nodes"].pop(), "this is no feature graph: node"),
    (lambda c: c["nodes"].clear(), "a feature graph has at least one node; found none"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_damage_is_refused(damage, message):
    data = edited(damage)
    with pytest.raises(FormatError, match=message):
        twm.from_bytes(data)
    assert not check_bytes(data, "m.twm").valid


def test_a_checked_file_names_the_node():
    def swap(content):
        first(content, "mix")["kind"] = "and"

    content = json.loads(edited(swap))
    report = check_bytes(sign(content), "m.twm")
    assert str(report.violations[0]).startswith("nodes: node 8 (and) ")
