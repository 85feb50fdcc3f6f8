"""Markov networks in files: the native one, UAI, and formats that have no word for them."""

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.formats.samples import collider
from tests.models.undirected.random_markov import random_markov_network
from tests.nonsense import plant

import treewright as tw
from treewright.errors import FormatError
from treewright.models import MarkovNetwork
from treewright.models.formats import uai
from treewright.models.formats.text import Source
from treewright.models.formats.twm.document import _checksum, from_bytes, to_bytes

SCHEMA = tw.Schema([tw.Variable("a", ("no", "yes")), tw.Variable("b", (1, 2, 3), ordered=True)])
MODEL = MarkovNetwork(SCHEMA, [(("a", "b"), [[1, 2, 0.5], [0, 4, 1e-9]]), ("b", [1, 1, 7])])

FILE = """MARKOV
2
2 3
2
2 0 1
1 1

6
 1.0 2.0 0.5
 0.0 4.0 0.000000001

3
 1.0 1.0 7.0
"""


def signed(change):
    """The file of the model with an edit and a checksum that fits it."""
    content = json.loads(to_bytes(MODEL))
    content.pop("checksum")
    change(content)
    return json.dumps({**content, "checksum": _checksum(content)}).encode()


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_models_survive_the_native_trip(seed):
    model, _ = random_markov_network(seed)
    assert from_bytes(to_bytes(model)) == model
    assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)


def test_the_fitting_is_kept(tmp_path):
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    cycle = tw.UndirectedGraph(schema, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    rows = np.random.default_rng(1).integers(0, 2, size=(50, 4))
    counter = tw.count(tw.read_table({name: rows[:, i] for i, name in enumerate("abcd")}))
    model = tw.fit(cycle, counter)
    model.save(tmp_path / "m.twm")
    again = tw.load(tmp_path / "m.twm")
    assert again == model
    assert again.fitting == model.fitting


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (signed(lambda c: c.pop("factors")), "the keys are not factors, format, kind, variables, version"),
        (signed(lambda c: c.update(arcs=[])), "the keys are not factors"),
        (signed(lambda c: c.update(factors={})), "factors is not a list"),
        (signed(lambda c: c["factors"].append([])), 'a factor has the keys "scope", "table"'),
        (signed(lambda c: c["factors"][0].update(scope=["a", 1])), "a scope is a list of names"),
        (signed(lambda c: c["factors"][0].update(scope=["a", "z"])), "contradicts itself"),
        (signed(lambda c: c["factors"][0].update(scope=["a", "a"])), "contradicts itself"),
        (signed(lambda c: c["factors"][1].update(table=[1.0])), "over 'b' is not a list of 3 numbers"),
        (signed(lambda c: c["factors"][1].update(table=[1.0, -1.0, 0.0])), "holds something negative"),
        (signed(lambda c: c.update(fitting=3)), 'a fitting has the keys "method"'),
    ],
)
def test_other_content_is_refused(data, message):
    with pytest.raises(FormatError) as error:
        from_bytes(data)
    assert message in str(error.value)


def test_the_uai_file(tmp_path):
    assert uai.write(MODEL, uai.export(SCHEMA)).decode() == FILE
    report = tw.write_model(MODEL, tmp_path / "m.uai")
    assert report.names_file
    again, found = tw.models.read_model_with_report(tmp_path / "m.uai")
    assert again == MODEL
    assert (found.n_variables, found.n_arcs, found.format) == (2, 1, "uai")
    plain = tw.read_model(tmp_path / "m.uai", names=False)
    assert plain.schema.names == ("x0", "x1")
    np.testing.assert_allclose(plain.marginals().cells, MODEL.marginals().cells)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_factors_survive_uai(seed):
    model, _ = random_markov_network(seed)
    again = uai.read(Source("m.uai", uai.write(model, uai.export(model.schema)))).finish()
    assert [f.scope for f in again.factors] == [f.scope for f in model.factors]
    assert all(np.array_equal(a.table, b.table) for a, b in zip(again.factors, model.factors, strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MARKOV 1 2 1 1 0 2 1 -1", "line 1, column 14: the factor over 'x0' holds something negative"),
        ("MARKOV 1 2 1 1 0 2 0 0", "the factor over 'x0' is zero everywhere"),
        ("MARKOV 1 2 1 1 1 2 1 1", "there is no variable 1; there are 1, counted from 0"),
        ("MARKOV 1 2 1 1 0 3 1 1 1", "its scope asks for another number"),
        ("MARKOV 1 2 1 1 0 2 1 1 9", "there is something behind the last table"),
        ("MARKOV 2 70000 2 0", "variable 0 has 70,000 states, and no table mentions it"),
        ("MARKOV 0 0", "the file declares no variable"),
    ],
)
def test_uai_refusals(text, message):
    with pytest.raises(FormatError) as error:
        uai.read(Source("m.uai", text.encode())).finish()
    assert message in str(error.value)


def test_constants_and_lonely_variables_are_read():
    model = uai.read(Source("m.uai", b"MARKOV 2 2 3 2 0 1 0 1 5 2 1 3")).finish()
    assert [f.scope for f in model.factors] == [(), (0,)]
    assert np.exp(model.log_partition) == pytest.approx(5 * 4 * 3)
    assert model.query("x1")["2"] == pytest.approx(1 / 3)


def test_other_formats_say_what_to_do(tmp_path):
    for ending in ("bif", "net", "xdsl", "xmlbif"):
        with pytest.raises(FormatError) as error:
            tw.write_model(MODEL, tmp_path / f"m.{ending}")
        assert str(error.value).startswith(f"{ending.upper()} holds Bayesian networks; write this Markov")
    tw.write_model(MarkovNetwork.of(collider()).to_bayesian_network(), tmp_path / "m.bif")


values = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-1, 1) | st.text(max_size=3) | st.just([])


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_signed_nonsense_is_refused_or_a_model(data):
    with suppress(FormatError):
        assert isinstance(from_bytes(signed(lambda content: plant(data, content, values))), MarkovNetwork)
