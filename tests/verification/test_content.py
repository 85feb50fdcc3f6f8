"""Files and models that are wrong: each violation is named; and the checker agrees with the reader."""

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.nonsense import plant
from tests.verification.signed import edited, sign

import treewright as tw
from treewright import verification
from treewright.errors import FormatError
from treewright.models.formats.twm import from_bytes, to_bytes
from treewright.verification.door import check_bytes
from treewright.verification.tables import find_cycle

ASIA = tw.load_network("asia")
PLAIN = to_bytes(ASIA)


def variable(content, name):
    return next(item for item in content["variables"] if item["name"] == name)


BROKEN_BYTES = {
    "nothing": (b"", "format: the file is not JSON text"),
    "no text": (b"\xff\xfe", "format: the file is not JSON text"),
    "deep": (b"[" * 200_000, "format: the file is not JSON text"),
    "a list": (b"[]", "format: the file holds no JSON object"),
    "not a number": (b'{"a": NaN}', "format: the file is not JSON text"),
    "a key twice": (b'{"a": 1, "a": 1}', "format: the key 'a' occurs twice in one object"),
    "another format": (sign({"format": "x"}), "format: \"format\" is not 'treewright model'"),
    "damaged": (PLAIN.replace(b"0.95", b"0.94", 1), "checksum: it does not fit the content"),
    "unsigned": (b'{"format": "treewright model", "version": 1}', "checksum: the file has none"),
    "out of range": (PLAIN.replace(b"0.95", b"1e999", 1), "checksum: the file holds a number that is out of"),
}


@pytest.mark.parametrize("name", BROKEN_BYTES)
def test_files_that_are_none(name):
    data, message = BROKEN_BYTES[name]
    report = check_bytes(data, "m.twm")
    assert not report.valid
    assert any(str(violation).startswith(message) for violation in report.violations), report


EDITS = {
    "version": (lambda c: c.update(version=2), "format: version 2 is not known here, only 1"),
    "kind": (lambda c: c.update(kind="riddle"), "kind: a model of kind 'riddle' is not known here"),
    "kind of a kind": (lambda c: c.update(kind=["x"]), "kind: a model of kind ['x'] is not known"),
    "missing section": (lambda c: c.pop("arcs"), "kind: a bayesian network has a section 'arcs'; there is"),
    "extra section": (lambda c: c.update(more=1), "kind: a bayesian network has no section 'more'; there is"),
    "provenance": (lambda c: c.update(provenance=3), "kind: the provenance is not an object"),
    "unseen": (lambda c: c.update(unseen={"asia": 0}), "kind: unseen configurations are not counts"),
    "no variables": (lambda c: c.update(variables=3), 'variables: "variables" is not a list'),
    "nameless": (lambda c: c["variables"].append({}), "variables: variable 8 (counted from 0) has no name"),
    "declared twice": (
        lambda c: c["variables"].append(variable(c, "tub")),
        "variables: 'tub' is declared twice",
    ),
    "states": (lambda c: variable(c, "tub").update(states=[]), "variables: 'tub' has no list of states"),
    "no states": (
        lambda c: variable(c, "tub").update(states=None),
        "variables: 'tub' has no states, and a table needs some",
    ),
    "a state is a list": (
        lambda c: variable(c, "tub").update(states=["a", []]),
        "variables: [] is no state of 'tub'",
    ),
    "a state twice": (
        lambda c: variable(c, "tub").update(states=[1, True]),
        "variables: a state of 'tub' is listed twice",
    ),
    "ordered": (lambda c: variable(c, "tub").update(ordered=0), "variables: 'tub' has not just"),
    "an arc to nobody": (
        lambda c: c["arcs"].append(["tub", "nobody"]),
        "arcs: 'tub' -> 'nobody': 'nobody' is no variable",
    ),
    "an arc twice": (
        lambda c: c["arcs"].append(["asia", "tub"]),
        "arcs: 'asia' -> 'tub' is there twice",
    ),
    "an arc of three": (lambda c: c["arcs"].append(["a", "b", "c"]), "arcs: ['a', 'b', 'c'] is not a pair"),
    "a loop": (
        lambda c: c["arcs"].append(["tub", "tub"]),
        "acyclic: the arcs close a cycle: 'tub' -> 'tub'",
    ),
    "a cycle": (
        lambda c: c["arcs"].append(["xray", "lung"]),
        "acyclic: the arcs close a cycle: 'either' -> 'xray' -> 'lung' -> 'either'",
    ),
    "no tables": (lambda c: c.update(tables=[]), 'tables: "tables" is not an object'),
    "a table is missing": (lambda c: c["tables"].pop("lung"), "tables: there is no table of 'lung'"),
    "a table too many": (
        lambda c: c["tables"].update(nobody=[1.0]),
        "tables: there is a table of 'nobody', which is no variable",
    ),
    "a short table": (
        lambda c: c["tables"]["lung"].pop(),
        "tables: the table of 'lung' has 3 numbers; the states ask for 4",
    ),
    "whole numbers": (
        lambda c: c["tables"].update(asia=[1, 0]),
        "tables: the table of 'asia' is not a list of numbers",
    ),
    "a negative number": (
        lambda c: c["tables"].update(lung=[0.5, 0.5, -0.5, 1.5]),
        "tables: the row of 'lung' given smoke='no' holds -0.5, which is no probability",
    ),
    "a wrong sum": (
        lambda c: c["tables"].update(dysp=[0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.1, 0.8]),
        "tables: the row of 'dysp' given bronc='no', either='no' sums to 0.9, not to 1",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_edited_models_are_caught_by_name(name):
    change, message = EDITS[name]
    report = check_bytes(edited(ASIA, change), "m.twm")
    assert not report.valid
    assert any(str(violation).startswith(message) for violation in report.violations), report


def test_every_violation_is_found_not_only_the_first():
    def change(content):
        content["tables"]["asia"] = [0.5, 0.4]
        content["tables"]["tub"][0] = 0.9
        content["arcs"].append(["dysp", "asia"])
        content["certificate"]["bound"] = 0

    report = check_bytes(edited(ASIA, change), "m.twm")
    assert {v.check for v in report.violations} == {"acyclic", "tables", "cover", "bound"}
    assert report.to_dict()["violations"][0].keys() == {"check", "message", "variables"}


def test_cycles_are_found_wherever_they_are():
    assert find_cycle({"a": [], "b": ["a"], "c": ["a", "b"]}) == []
    assert find_cycle({"a": ["b"], "b": ["a"], "c": ["b"], "d": ["c"]}) == ["a", "b"]
    ring = {f"v{i:04}": [f"v{(i - 1) % 3000:04}"] for i in range(3000)}
    assert len(find_cycle(ring)) == 3000


@pytest.mark.slow
@settings(max_examples=300)
@given(st.data())
def test_the_checker_and_the_reader_agree_on_signed_nonsense(data):
    content = json.loads(PLAIN)
    plant(data, content)
    nonsense = sign(content)
    try:
        from_bytes(nonsense)
        readable = True
    except FormatError:
        readable = False
    assert check_bytes(nonsense, "m.twm").valid == readable


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_random_bytes_are_reported(data):
    assert not check_bytes(data, "m.twm").valid


def test_the_rules_know_nothing_of_the_package():
    folder = Path(verification.__file__).parent
    names = {file.stem for file in folder.glob("*.py")} - {"__init__", "door"}
    assert {"clusters", "content", "features", "kinds", "report", "tables"} <= names
    for name in sorted(names):
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
        modules |= {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        ours = {module for module in modules if module.startswith("treewright")}
        assert all(module.startswith("treewright.verification.") for module in ours), name
        assert not ours & {"treewright.verification.door"}, name
        assert not modules & {"numpy", "scipy", "networkx"}, name
