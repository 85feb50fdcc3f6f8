"""Native files of continuous models: every bit survives, whatever is damaged is refused."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.models import normal as slow

import treewright as tw
from treewright.errors import FormatError, SchemaError
from treewright.models.formats.twm.document import _checksum, from_bytes, read_provenance, save, to_bytes

finite = st.floats(allow_nan=False, allow_infinity=False)


def sigmoid_model():
    schema = tw.Schema([tw.Variable('"x"\n'), tw.Variable("é")])
    return tw.models.SigmoidNetwork(
        tw.Dag(schema, [("é", '"x"\n')]),
        [
            tw.statistics.SigmoidFamily("é", (), 0.1, 0, 0, (), 1e-300),
            tw.statistics.SigmoidFamily('"x"\n', ("é",), 1, 2, 3, (0.3,), 1),
        ],
    )


def signed(model, change):
    content = json.loads(to_bytes(model))
    content.pop("checksum")
    change(content)
    return json.dumps({**content, "checksum": _checksum(content)}).encode()


@settings(max_examples=50)
@given(finite, finite, finite.map(abs), finite)
def test_every_double_survives(a, b, variance, c):
    schema = tw.Schema([tw.Variable("y"), tw.Variable("x")])
    model = tw.GaussianNetwork(tw.Dag(schema, [("x", "y")]), [a, b], {"y": {"x": c}}, [variance, 1.0])
    again = from_bytes(to_bytes(model))
    assert again == model
    assert again.intercepts.tobytes() == model.intercepts.tobytes()
    assert again.variances.tobytes() == model.variances.tobytes()
    assert to_bytes(again) == to_bytes(model)


@pytest.mark.parametrize("make", [lambda: slow.random_network(8, 2), sigmoid_model])
def test_files_pickles_and_copies(make, tmp_path):
    model = make()
    for name in ("m.twm", "m.twm.gz"):
        save(model, tmp_path / name, provenance={"seed": 7})
        assert tw.load(tmp_path / name) == model
        assert read_provenance(tmp_path / name) == {"seed": 7}
    assert pickle.loads(pickle.dumps(model)) == model == copy.deepcopy(model)
    assert tw.read_model(tmp_path / "m.twm") == model
    assert tw.write_model(model, tmp_path / "n.twm").format == "twm"
    assert tw.models.convert_model(tmp_path / "n.twm", tmp_path / "k.twm").written.format == "twm"
    assert tw.load(tmp_path / "k.twm") == model
    with pytest.raises(SchemaError, match=r"bif is for networks of discrete variables; found \w+: write"):
        tw.write_model(model, tmp_path / "m.bif")


def test_what_fit_said_survives():
    x = np.arange(20.0)
    table = tw.Table(tw.Schema([tw.Variable("x"), tw.Variable("y")]), [x, 2 * x])
    model = tw.fit(tw.Dag(table.schema, [("x", "y")]), tw.moments(table))
    assert from_bytes(to_bytes(model)).floored == model.floored == ("y",)


CHANGES = {
    "a model of kind 'neural' is not known here": lambda c: c.update(kind="neural"),
    "the keys are not arcs, families": lambda c: c.update(tables={}),
    "there is not one family per variable": lambda c: c["families"].pop("v00"),
    "the family of 'v00' is not made of numbers": lambda c: c["families"]["v00"].update(variance=1),
    "variables is not a list of names": lambda c: c.update(variables=[1]),
    "an arc is a pair of names": lambda c: c.update(arcs=[["v00"]]),
    "the content contradicts itself: these arcs close a directed cycle": lambda c: c.update(
        arcs=[["v00", "v01"], ["v01", "v00"]]
    ),
    "the content contradicts itself: a variance is not negative": lambda c: c["families"]["v00"].update(
        variance=-1.0
    ),
    "floored variables are a list of names": lambda c: c.update(floored=3),
    "redundant parents are lists of names": lambda c: c.update(redundant={"v00": "v01"}),
}


@pytest.mark.parametrize("message", CHANGES)
def test_damage_is_refused(message):
    with pytest.raises(FormatError, match=message):
        from_bytes(signed(slow.random_network(3, 0), CHANGES[message]))


def test_an_edit_without_a_checksum_is_noticed():
    data = to_bytes(sigmoid_model()).replace(b"0.3", b"0.4")
    with pytest.raises(FormatError, match="the checksum does not match"):
        from_bytes(data)
    with pytest.raises(FormatError, match="needs finite numbers and a positive variance"):
        from_bytes(signed(sigmoid_model(), lambda c: c["families"]["é"].update(s2=0.0)))
