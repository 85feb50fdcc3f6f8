import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.nonsense import plant

from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork
from treewright.models.formats.twm.document import _checksum, from_bytes, load, to_bytes
from treewright.networks import load_network, random_network
from treewright.tables.schema import Schema, Variable

ASIA = to_bytes(load_network("asia"))


def signed(change):
    """The file of asia with an edit and a checksum that fits it."""
    content = json.loads(ASIA)
    content.pop("checksum")
    change(content)
    return json.dumps({**content, "checksum": _checksum(content)}).encode()


def test_models_survive_the_trip(tmp_path):
    for model in (
        load_network("alarm"),
        random_network(40, 3, concentration=0.05, rng=np.random.default_rng(1)),
    ):
        model.save(tmp_path / "m.twm")
        again = load(tmp_path / "m.twm")
        assert again == model
        assert all(a.tobytes() == b.tobytes() for a, b in zip(again.tables, model.tables, strict=True))
    assert [file.name for file in tmp_path.iterdir()] == ["m.twm"]


def test_labels_keep_their_types():
    states = ("1", 1, 2.0, 3, float("inf"), -float("inf"), "é\ud800\n", 0.1)
    schema = Schema([Variable("x", states, ordered=True), Variable('"quoted"', (True, False))])
    model = BayesianNetwork(Dag(schema, []), [np.full(8, 1 / 8), [0.3, 0.7]])
    again = from_bytes(to_bytes(model))
    assert again == model
    assert [type(s) for s in again.schema["x"].states] == [type(s) for s in states]
    assert [type(s) for s in again.schema['"quoted"'].states] == [bool, bool]
    assert again.schema["x"].ordered


def test_equal_models_give_equal_bytes():
    assert to_bytes(load_network("asia")) == ASIA
    assert ASIA.isascii()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is not JSON text"),
        (b"\x80\x04\x95", "the file is not JSON text"),
        (b"[" * 200_000, "the file is not JSON text"),
        (b"9" * 10_000, "the file is not JSON text"),
        (b"[]", "holds no JSON object"),
        (b"{}", '"format" is not'),
        (b'{"a": NaN}', "NaN is not a number of JSON"),
        (b'{"a": 1, "a": 2}', "a key occurs twice"),
        (ASIA.replace(b"0.95", b"0.94", 1), "the checksum does not match: the file was damaged or edited"),
        (signed(lambda c: c.update(version=2)), "version 2 of the format is not known here, only 1"),
        (signed(lambda c: c.update(version=True)), "version True of the format is not known here"),
        (signed(lambda c: c.update(kind="tree")), "kind 'tree' is not known here, only 'bayesian network'"),
        (signed(lambda c: c.update(kind=[])), "kind [] is not known here"),
        (signed(lambda c: c.update(kind="markov network")), "the keys are not factors, format, kind"),
        (signed(lambda c: c.update(extra=1)), "the keys are not"),
        (signed(lambda c: c["arcs"].append(["dysp", "asia"])), "contradicts itself"),
        (signed(lambda c: c["arcs"].append(["dysp", "nobody"])), "contradicts itself"),
        (signed(lambda c: c["arcs"].append([1, 2])), "an arc is a pair of names"),
        (signed(lambda c: c["arcs"].append(c["arcs"][0])), "an arc is there twice"),
        (signed(lambda c: c["tables"].pop("asia")), "there is not one table per variable"),
        (signed(lambda c: c["tables"].update(asia=[1.0])), "the table of 'asia' is not a list of 2 numbers"),
        (signed(lambda c: c["tables"].update(asia=[0.5, 0.4])), "the table of 'asia' sums to 0.9, not to 1"),
        (signed(lambda c: c["tables"].update(asia=[True, 0.0])), "is not a list of 2 numbers"),
        (signed(lambda c: c["variables"][0].update(states=[])), "needs at least one state"),
        (signed(lambda c: c["variables"][0].update(states=[None, {}])), "None is not a state"),
        (signed(lambda c: c["variables"][0].update(name=7)), "contradicts itself"),
        (signed(lambda c: c["variables"].append(3)), 'a variable has the keys "name", "states", "ordered"'),
    ],
)
def test_other_content_is_refused(data, message, tmp_path):
    (tmp_path / "m.twm").write_bytes(data)
    with pytest.raises(FormatError) as error:
        load(tmp_path / "m.twm")
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "m.twm"))


def test_more_parents_than_arrays_have_axes_are_read():
    def widen(content):
        names = [f"v{i}" for i in range(70)]
        content["variables"] = [{"name": name, "states": [0], "ordered": False} for name in names]
        content["arcs"] = [[name, "v69"] for name in names[:-1]]
        content["tables"] = {name: [1.0] for name in names}

    assert len(from_bytes(signed(widen)).dag.parents("v69")) == 69


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data):
    with pytest.raises(FormatError):
        from_bytes(data)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(ASIA) - 1), st.integers(0, 4), st.binary(max_size=4))
def test_damaged_files_are_refused_or_unchanged(position, removed, inserted):
    damaged = ASIA[:position] + inserted + ASIA[position + removed :]
    with suppress(FormatError):
        assert from_bytes(damaged) == load_network("asia")  # a space more or less does no harm


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_signed_nonsense_is_refused_or_a_model(data):
    with suppress(FormatError):
        assert isinstance(from_bytes(signed(lambda content: plant(data, content))), BayesianNetwork)
