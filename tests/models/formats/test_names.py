import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.formats.samples import LABELS, labelled

import treewright as tw
from treewright.errors import FormatError
from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork
from treewright.models.formats import bif, net, read_model, write_model, xdsl, xmlbif
from treewright.models.formats.names import export_names, names_path
from treewright.tables.schema import Schema, Variable

RULES = (bif.NAMES, net.NAMES, xdsl.NAMES, xmlbif.NAMES)


def single(states, *, name="x", ordered=False):
    schema = Schema([Variable(name, states, ordered=ordered)])
    return BayesianNetwork(Dag(schema, []), [[1 / len(states)] * len(states)])


@pytest.mark.slow
@given(
    st.lists(
        st.text(min_size=1, max_size=6).filter(lambda name: "\0" not in name),
        min_size=1,
        max_size=6,
        unique=True,
    ),
    st.lists(
        st.text(max_size=6) | st.integers(-3, 3) | st.sampled_from(["a b", "a_b", "a-b", "type"]),
        min_size=1,
        max_size=6,
        unique_by=lambda label: (isinstance(label, str), label),
    ),
)
def test_what_stands_in_the_file_is_distinct_and_can_be_said(names, states):
    schema = Schema([Variable(name, tuple(states)) for name in names])
    for rules in RULES:
        exported = export_names(schema, rules)
        assert len(set(exported.names)) == len(names)
        assert all(map(rules.says(rules.variable), exported.names))
        for labels in exported.states:
            assert len(set(labels)) == len(states)
            assert all(map(rules.says(rules.state), labels))
        assert exported == export_names(schema, rules)


def test_renamed_texts_resemble_the_originals():
    schema = Schema([Variable("größe (cm)", ("< 5", "5", "type", "a b", "a_b", "中"))])
    exported = export_names(schema, bif.NAMES)
    assert exported.names == ("groe_cm",)
    assert exported.states == (("s_5", "5", "s_type", "a_b_2", "a_b", "s"),)
    assert str(exported.renamed[0]) == "variable 'größe (cm)' is written as groe_cm"
    assert str(exported.renamed[1]) == "state '< 5' of 'größe (cm)' is written as s_5"


@pytest.mark.parametrize("ending", ["bif", "xmlbif", "xdsl", "net", "uai"])
def test_types_and_order_come_back(ending, tmp_path):
    states = (1, "1", 2.5, True, float("inf"), "é\ud800") if ending != "x" else ()
    model = single(tuple(s for s in states if s is not True), ordered=True)
    report = write_model(model, tmp_path / f"m.{ending}")
    assert "'x' has labels that are no texts" in report.notes
    assert "the states of 'x' are ordered" in report.notes
    again = read_model(tmp_path / f"m.{ending}")
    assert again == model
    assert [type(s) for s in again.schema["x"].states] == [type(s) for s in model.schema["x"].states]
    assert again.schema["x"].ordered
    plain = read_model(tmp_path / f"m.{ending}", names=False)
    assert all(isinstance(state, str) for state in plain.schema.variables[0].states)


def test_truth_values_come_back(tmp_path):
    write_model(single((True, False)), tmp_path / "m.bif")
    assert read_model(tmp_path / "m.bif").schema["x"].states == (True, False)
    assert read_model(tmp_path / "m.bif", names=False).schema["x"].states == ("True", "False")


def test_strict_refuses_what_the_file_alone_cannot_say(tmp_path):
    path = tmp_path / "m.bif"
    with pytest.raises(FormatError) as error:
        write_model(labelled(LABELS["intervals"]), path, strict=True)
    assert "BIF cannot say everything about this model: the name '(2,3]1'; the state '(1,2]' of" in str(
        error.value
    )
    assert "and 8 more; without strict=True such names are replaced" in str(error.value)
    with pytest.raises(FormatError, match="'x' has labels that are no texts"):
        write_model(single((1, 2)), path, strict=True)
    with pytest.raises(FormatError, match="UAI cannot say everything about this model: the name 'x'"):
        write_model(single(("0", "1")), tmp_path / "m.uai", strict=True)
    assert list(tmp_path.iterdir()) == []
    write_model(single(("0", "1"), name="x0"), tmp_path / "m.uai", strict=True)
    write_model(labelled(LABELS["plain"]), path, strict=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.bif", "m.uai"]


def test_a_names_file_of_an_older_model_goes(tmp_path):
    write_model(labelled(LABELS["spaces"]), tmp_path / "m.bif")
    assert names_path(tmp_path / "m.bif").exists()
    write_model(labelled(LABELS["plain"]), tmp_path / "m.bif")
    assert not names_path(tmp_path / "m.bif").exists()
    names_path(tmp_path / "m.bif").write_text("somebody else's notes")
    write_model(labelled(LABELS["plain"]), tmp_path / "m.bif")
    assert names_path(tmp_path / "m.bif").read_text() == "somebody else's notes"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: d["variables"].pop(),
            "the names do not belong to the model beside them: it has 2 variables, the model 3",
        ),
        (
            lambda d: d["variables"][0].update(written="other"),
            "the names do not belong to the model beside them",
        ),
        (lambda d: d["variables"][0]["states"].pop(), "the names do not belong to the model beside them"),
        (lambda d: d["variables"][0].update(name=d["variables"][1]["name"]), "column names must differ"),
        (lambda d: d["variables"][0].update(name=""), "the names contradict themselves"),
        (
            lambda d: d["variables"][0]["states"][0].update(label=None),
            "the names contradict themselves: None is not a state",
        ),
        (lambda d: d["variables"].append(7), "the names contradict themselves"),
        (lambda d: d.update(version=2), "version 2 is not known here, only 1"),
        (lambda d: d.update(format="x"), 'not a file of names: "format" is not'),
    ],
)
def test_names_that_do_not_fit_are_refused(change, message, tmp_path):
    write_model(labelled(LABELS["spaces"]), tmp_path / "m.bif")
    beside = names_path(tmp_path / "m.bif")
    document = json.loads(beside.read_text())
    change(document)
    beside.write_text(json.dumps(document))
    with pytest.raises(FormatError) as error:
        read_model(tmp_path / "m.bif")
    assert message in str(error.value)
    assert str(error.value).startswith(str(beside))
    assert len(read_model(tmp_path / "m.bif", names=False).schema) == 3


@pytest.mark.parametrize("data", [b"", b"[" * 100_000, b"\xff", b"[1]", b"{}"])
def test_other_bytes_are_no_names(data, tmp_path):
    write_model(labelled(LABELS["spaces"]), tmp_path / "m.bif")
    names_path(tmp_path / "m.bif").write_bytes(data)
    with pytest.raises(FormatError, match="not a file of names"):
        read_model(tmp_path / "m.bif")


def test_a_long_list_of_renamed_states_is_told_in_part(tmp_path):
    states = tuple(f"{k}.5" for k in range(60))
    table = tw.Table(tw.Schema([tw.Variable("age", states)]), [np.arange(60)])
    written = tw.write_model(tw.fit(tw.Dag(table.schema), tw.count(table)), tmp_path / "m.xdsl")
    said = str(written).splitlines()
    assert len(written.renamed) == 60
    assert len(said) == 23
    assert said[-1] == "  and 40 more, all of them in the file of originals"
