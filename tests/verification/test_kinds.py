"""Kinds of models: each by a small file of its own, and what may be wrong with it."""

import copy
import json

import pytest
from tests.verification.signed import sign

import treewright as tw
from treewright.errors import FormatError
from treewright.models.formats.twm import from_bytes, to_bytes
from treewright.verification.door import check_bytes

HEAD = {"format": "treewright model", "version": 1}


def yes_no(name):
    return {"name": name, "states": ["no", "yes"], "ordered": False}


RING = {  # a cycle of four, whose treewidth is two
    **HEAD,
    "kind": "markov network",
    "variables": [yes_no(name) for name in "abcd"],
    "factors": [{"scope": list(pair), "table": [2.0, 1.0, 1.0, 2.0]} for pair in ("ab", "bc", "cd", "da")],
}
LINE = {
    **HEAD,
    "kind": "gaussian network",
    "variables": ["x", "y", "z"],
    "arcs": [["x", "z"], ["y", "z"]],
    "families": {
        "x": {"intercept": 0.0, "variance": 1.0, "coefficients": {}},
        "y": {"intercept": 1.5, "variance": 0.0, "coefficients": {}},
        "z": {"intercept": -1.0, "variance": 2.0, "coefficients": {"x": 0.5, "y": -2.0}},
    },
    "floored": ["y"],
    "redundant": {"z": ["y"]},
}
BEND = {
    **HEAD,
    "kind": "sigmoid network",
    "variables": ["x", "y"],
    "arcs": [["x", "y"]],
    "families": {
        "x": {"th0": 0.0, "th1": 1.0, "b": 0.0, "s2": 1.0, "w": {}},
        "y": {"th0": 0.0, "th1": 1.0, "b": 0.5, "s2": 0.25, "w": {"x": 3.0}},
    },
}


@pytest.mark.parametrize(("content", "width", "n_scopes"), [(RING, 2, 4), (LINE, 2, 3), (BEND, 1, 2)])
def test_models_of_every_kind(content, width, n_scopes):
    report = check_bytes(sign(content), "m.twm")
    assert report.valid, report
    assert (report.width, report.kind, report.n_scopes) == (width, content["kind"], n_scopes)


def test_the_certificate_of_an_undirected_model_holds_its_factors():
    good = {"clusters": [["a", "b", "c"], ["a", "c", "d"]], "edges": [[0, 1]], "bound": 2}
    assert check_bytes(sign({**RING, "certificate": good}), "m.twm").width == 2
    poor = {"clusters": [["a", "b", "c"], ["c", "d"]], "edges": [[0, 1]], "bound": 2}
    report = check_bytes(sign({**RING, "certificate": poor}), "m.twm")
    assert list(map(str, report.violations)) == ["cover: no cluster holds {a, d} together"]


EDITS = [
    (RING, lambda c: c.update(factors={}), 'factors: "factors" is not a list'),
    (RING, lambda c: c["factors"].append([]), 'factors: factor 4 has not just the keys "scope" and "table"'),
    (RING, lambda c: c["factors"][0].update(scope="ab"), "factors: the scope of factor 0 is not a list"),
    (RING, lambda c: c["factors"][0].update(scope=["a", "e"]), "factors: factor 0 is about 'e', which is no"),
    (RING, lambda c: c["factors"][0].update(scope=["a", "a"]), "factors: factor 0 lists a variable twice"),
    (RING, lambda c: c["factors"][1]["table"].pop(), "tables: the factor over {b, c} has 3 numbers; the"),
    (RING, lambda c: c["factors"][1].update(table=[0.0] * 4), "tables: the factor over {b, c} is zero every"),
    (
        RING,
        lambda c: c["factors"][1]["table"].__setitem__(0, -1.0),
        "tables: the factor over {b, c} holds -1.0",
    ),
    (
        RING,
        lambda c: c["variables"].__setitem__(0, "a"),
        "variables: 'a' has no states, and a table needs some",
    ),
    (RING, lambda c: c.update(fitting=1), 'kind: "fitting" is not an object'),
    (LINE, lambda c: c.update(families=[]), 'families: "families" is not an object'),
    (
        LINE,
        lambda c: c["families"].pop("x"),
        "families: the family of 'x' has not just coefficients, intercept",
    ),
    (LINE, lambda c: c["families"].update(q={}), "families: there is a family of 'q', which is no variable"),
    (LINE, lambda c: c["families"]["x"].update(variance=-1.0), "families: variance of 'x' is -1.0, and no"),
    (LINE, lambda c: c["families"]["x"].update(intercept=1), "families: intercept of 'x' is 1, which is no"),
    (LINE, lambda c: c["families"]["z"]["coefficients"].pop("x"), "families: coefficients of 'z' is not one"),
    (
        LINE,
        lambda c: c["families"]["z"]["coefficients"].update(x=[]),
        "families: coefficients of 'z' for 'x'",
    ),
    (LINE, lambda c: c["arcs"].append(["z", "x"]), "acyclic: the arcs close a cycle: 'x' -> 'z' -> 'x'"),
    (LINE, lambda c: c["variables"].__setitem__(0, yes_no("x")), "variables: 'x' has states, and this model"),
    (LINE, lambda c: c.update(floored=["q"]), 'kind: "floored" or "redundant" names something that is no'),
    (LINE, lambda c: c.update(redundant=[]), 'kind: "floored" or "redundant" names something that is no'),
    (
        BEND,
        lambda c: c["families"]["y"].pop("th1"),
        "families: the family of 'y' has not just b, s2, th0, th1",
    ),
    (BEND, lambda c: c["families"]["y"].update(s2=-0.5), "families: s2 of 'y' is -0.5, and no variance is"),
    (BEND, lambda c: c["families"]["y"].update(s2=0.0), "families: s2 of 'y' is 0.0, and no variance is"),
    (LINE, lambda c: c.update(floored=["x", "x"]), 'kind: "floored" or "redundant" names something that'),
    (LINE, lambda c: c.update(raw={"x": {"marks": 3}}), "kind: the form of the raw cells of 'x' is none"),
    (RING, lambda c: c.update(fitting={"method": "x"}), 'kind: "fitting" does not tell how the factors'),
    (RING, lambda c: c["variables"][0].update(name="a\0"), "variables: 'a\\x00' has the character NUL"),
]


@pytest.mark.parametrize("number", range(len(EDITS)))
def test_edits_are_caught(number):
    original, change, message = EDITS[number]
    content = copy.deepcopy(original)
    change(content)
    report = check_bytes(sign(content), "m.twm")
    assert not report.valid
    assert any(str(violation).startswith(message) for violation in report.violations), report


def counted(change=lambda counts: None):
    """The file of a model that keeps its counts, after a change of them."""
    table = tw.read_table({"a": ["n", "y", "y"], "b": ["n", "n", "y"]})
    model = tw.fit(tw.Dag(table.schema, [("a", "b")]), tw.count(table), keep_counts=True)
    content = json.loads(to_bytes(model))
    change(content["counts"])
    return check_bytes(sign(content), "m.twm")


def test_counts_behind_tables_are_checked():
    assert counted().valid  # they were taken for a section that no file has
    for change, message in (
        (lambda c: c.update(ess=-1.0), "counts: the weight of the prior is no positive number"),
        (lambda c: c["tables"].pop("a"), "counts: there are not counts for each variable"),
        (lambda c: c["tables"].update(a=[1]), "counts: the counts of 'a' are not 2 numbers from 0 on"),
        (lambda c: c["tables"].update(a=[1, 2**63]), "counts: the counts of 'a' are not 2 numbers from 0 on"),
        (lambda c: c.pop("ess"), 'counts: counts have the keys "ess" and "tables"'),
    ):
        assert [str(one)[: len(message)] for one in counted(change).violations] == [message]


@pytest.mark.parametrize(
    ("cells", "is_valid"),
    [
        ([1, 1e300], True),
        ([1, 2**63], False),
        ([0.5, 2**63], False),
        ([2**63 - 1, 0], True),
        ([0.5, 2], True),
    ],
)
def test_checker_and_reader_agree_about_large_counts(cells, is_valid):
    table = tw.read_table({"a": ["n", "y", "y"]})
    content = json.loads(to_bytes(tw.fit(tw.Dag(table.schema, []), tw.count(table), keep_counts=True)))
    content["counts"]["tables"]["a"] = cells
    assert check_bytes(sign(content), "m.twm").valid == is_valid
    if is_valid:
        model = from_bytes(sign(content))
        assert from_bytes(to_bytes(model)) == model
    else:
        with pytest.raises(FormatError, match="63 bits"):
            from_bytes(sign(content))
