"""Things of another kind in the place of the arguments that are required are refused in words."""

import inspect
import typing
from contextlib import suppress
from importlib import import_module

import pytest
from tests.doors import within

import treewright as tw
from treewright.errors import TreewrightError

ROOMS = ("tables", "statistics", "graphs", "criteria", "learners", "inference", "models", "networks")
ROOMS = (*ROOMS, "reports", "verification", "estimators")
# Records that functions return and nobody makes by hand, and pairs that are made for every edge.
MADE_BY_US = {"BoundKnowledge", "BoundedExplanation", "Certified", "Distribution", "EdgeConfidence", "edge"}
MADE_BY_US |= {"EdgePosterior", "Explanation", "JointNormal", "LabelledTable", "ManyMarginals", "Marginals"}
MADE_BY_US |= {"MixedMarginals", "NormalMarginals", "NormalMixture", "Predictions", "ClusterCounter"}
# Parts of longer work, whose arguments come from the part before.
PARTS = {"bind_knowledge", "Clusters", "fits", "JunctionTreeEngine", "choose_width"}
PARTS |= {"discover_stars", "distinct_rows", "expand_clusters", "expected_failed_checks", "from_pyagrum"}


def is_asked(name, thing):
    is_record = name.startswith("Learned") or name in MADE_BY_US | PARTS
    is_promise = inspect.isclass(thing) and (
        issubclass(thing, BaseException) or getattr(thing, "_is_protocol", False)
    )
    is_ours = callable(thing) and (getattr(thing, "__module__", None) or "").startswith("treewright")
    return is_ours and not is_record and not is_promise and typing.get_origin(thing) is None


def everything():
    rooms = [tw, *(import_module(f"treewright.{room}") for room in ROOMS)]
    names = {room: getattr(room, "__all__", [name for name in dir(room) if name[0] != "_"]) for room in rooms}
    found = {name: getattr(room, name) for room in rooms for name in names[room]}
    return {name: thing for name, thing in sorted(found.items()) if is_asked(name, thing)}


def needed(thing):
    """How many arguments stand first and have no default, and the names of those that are keywords."""
    every = inspect.signature(thing).parameters.values()
    required = [one for one in every if one.default is one.empty and one.kind not in (2, 4)]
    return sum(one.kind in (0, 1) for one in required), [one.name for one in required if one.kind == 3]


VALUES = (
    3, "x", None, 0.5, float("nan"), b"x", [], [3], {}, {"a": 3}, set(), object(), object, len, ..., 1j,
    10**400, "a\0b", "\ud800", ["a\0b"], tw.Schema([tw.Variable("a", ("x", "y"))]),
    tw.read_table({"a": [1, 2]}),
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name, thing in everything().items() if any(needed(thing))])
def test_another_kind_of_thing_is_refused_in_words(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    thing = everything()[name]
    first, named = needed(thing)
    for value in VALUES:
        with within(2.0), suppress(TreewrightError):
            thing(*[value] * first, **dict.fromkeys(named, value))


@pytest.mark.parametrize(
    "call",
    [
        lambda value: tw.BIC(tw.count(tw.read_table({"a": [1, 2]}))).score(value),
        lambda value: tw.Knowledge().on(value),
        tw.Knowledge.from_json,
        tw.MarkovNetwork.of,
        tw.load_network("asia").dag.with_pattern,
        lambda value: tw.Dag.empty(tw.read_table({"a": [1, 2]}).schema).is_d_separated(value, value),
    ],
)
@pytest.mark.parametrize("value", [3, None, "x", [3], {"a": 3}, object()])
def test_methods_refuse_in_words_too(call, value):
    with pytest.raises(TreewrightError):
        call(value)


def test_the_walk_meets_everybody():
    assert len(everything()) > 200
    assert {"Table", "load", "is_chordal", "learn_pc", "BDe", "to_report", "verify"} <= everything().keys()
