"""Knowledge: what it allows and requires, the contradictions it refuses, the files it is read from."""

import contextlib
import itertools
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import Cpdag, Dag, Knowledge, Schema, UndirectedGraph, Variable
from treewright.errors import FileMissingError, FormatError, KnowledgeError
from treewright.graphs import bind_knowledge

ABCD = Schema(Variable(name, (0, 1)) for name in "abcd")
EVERY = [(u, v) for u, v in itertools.permutations("abcd", 2)]


def allowed_arcs(bound):
    names = bound.schema.names
    return {(names[u], names[v]) for u, v in np.argwhere(bound.allowed).tolist()}


def test_nothing_known_allows_everything():
    bound = Knowledge().on(ABCD)
    assert allowed_arcs(bound) == set(EVERY)
    assert bound.is_symmetric
    assert bound.is_empty
    assert not bound.required.any()
    assert not bound.allowed.diagonal().any()


@pytest.mark.parametrize(
    ("knowledge", "gone", "symmetric"),
    [
        (Knowledge(forbidden=[("a", "b")]), {"ab"}, False),
        (Knowledge(forbidden=[("a", "b"), ("b", "a")]), {"ab", "ba"}, True),
        (Knowledge(forbidden_edges=[("b", "a")]), {"ab", "ba"}, True),
        (Knowledge(required=[("a", "b")]), {"ba"}, False),
        (Knowledge(tiers=[["a"], ["b", "c"]]), {"ba", "ca"}, False),
        (
            Knowledge(tiers=[["a"], ["b", "c"]], forbid_within_tiers=True),
            {"ba", "ca", "bc", "cb"},
            False,
        ),
        (
            Knowledge(tiers=[["a", "b", "c"]], forbid_within_tiers=True),
            {"ab", "ba", "ac", "ca", "bc", "cb"},
            True,
        ),
        (Knowledge(order=list("dcba")), {"ab", "ac", "ad", "bc", "bd", "cd"}, False),
        (Knowledge(parents={"b": ["a"]}), {"ba", "cb", "db"}, False),
        (Knowledge(parents={"b": []}), {"ab", "cb", "db"}, False),
    ],
)
def test_each_part_rules_out_what_it_says(knowledge, gone, symmetric):
    bound = knowledge.on(ABCD)
    assert {u + v for u, v in set(EVERY) - allowed_arcs(bound)} == gone
    assert bound.is_symmetric is symmetric
    assert (bound.allowed_pairs == (bound.allowed | bound.allowed.T)).all()


def test_fixed_parents_are_required():
    bound = Knowledge(required=[("d", "c")], parents={"b": ["a", "c"]}).on(ABCD)
    assert bound.required_dag().edges() == [("a", "b"), ("c", "b"), ("d", "c")]


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (
            {"required": [("a", "b")], "forbidden": [("a", "b")]},
            "a -> b is required, but the arc is forbidden",
        ),
        (
            {"required": [("a", "b")], "forbidden_edges": [("b", "a")]},
            "a -> b is required, but the edge between them is forbidden",
        ),
        (
            {"required": [("b", "a")], "tiers": [["a"], ["c"], ["b"]]},
            "b -> a is required, but 'b' is in tier 3 and 'a' in tier 1",
        ),
        (
            {"required": [("b", "a")], "tiers": [["d"], ["a", "b"]], "forbid_within_tiers": True},
            "b -> a is required, but both are in tier 2 and arcs within a tier are forbidden",
        ),
        (
            {"required": [("b", "a"), ("d", "c")], "order": ["a", "b", "c", "d"]},
            "b -> a is required, but the order puts 'a' before 'b'; "
            "d -> c is required, but the order puts 'c' before 'd'",
        ),
        (
            {"required": [("a", "b")], "parents": {"b": ["c", "d"]}},
            "a -> b is required, but the parents of 'b' are fixed to be 'c', 'd'",
        ),
        (
            {"required": [("a", "b")], "parents": {"b": []}},
            "a -> b is required, but 'b' is fixed to have no parents",
        ),
        (
            {"forbidden": [("c", "b")], "parents": {"b": ["c", "d"]}},
            "the fixed parents of 'b' include 'c', but the arc is forbidden",
        ),
        (
            {"parents": {"b": ["c"], "a": ["d"]}, "tiers": [["b"], ["c"]]},
            "the fixed parents of 'b' include 'c', but 'c' is in tier 2 and 'b' in tier 1",
        ),
        (
            {"required": [("b", "c"), ("c", "a"), ("a", "b")]},
            "the required arcs close a cycle: a -> b -> c -> a",
        ),
        ({"required": [("b", "a")], "parents": {"b": ["a"]}}, "the required arcs close a cycle: a -> b -> a"),
        (
            {"order": ["a", "c"]},
            "an order names every variable; it lacks 'b', 'd'; use tiers for some",
        ),
        (
            {"forbidden": [("a", "e")]},
            "the knowledge names 'e', which is not a variable; there are 'a', 'b', 'c', 'd'",
        ),
    ],
)
def test_contradictions_are_refused_by_name(knowledge, message):
    with pytest.raises(KnowledgeError) as refused:
        Knowledge(**knowledge).on(ABCD)
    assert str(refused.value) == message


def test_an_unknown_name_is_answered_with_the_nearest():
    schema = Schema(Variable(name, (0, 1)) for name in ("smoker", "cancer"))
    for part in ({"required": [("smokr", "cancer")]}, {"tiers": [["smokr"]]}, {"parents": {"smokr": []}}):
        with pytest.raises(KnowledgeError, match=r"'smokr', which is not a variable.*did you mean 'smoker'"):
            Knowledge(**part).on(schema)


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        ({"required": [("a", "a")]}, "required: 'a' cannot be joined with itself"),
        ({"forbidden": ["ab"]}, "forbidden holds pairs of names; found 'ab'"),
        (
            {"forbidden_edges": [("a", "b", "c")]},
            "forbidden_edges holds pairs of names; found ('a', 'b', 'c')",
        ),
        ({"required": "ab"}, "required is a list; found 'ab'"),
        ({"required": [("a", 1)]}, "required: a variable is given by its name; found 1"),
        ({"tiers": [["a"], ["b", "a"]]}, "tiers: each variable has one place; found more than once: 'a'"),
        ({"order": ["a", "a"]}, "order: each variable has one place; found more than once: 'a'"),
        ({"parents": [("a", "b")]}, "parents gives a list of names for each child; found [('a', 'b')]"),
        ({"parents": {"a": ["a"]}}, "parents: 'a' cannot be joined with itself"),
        (
            {"parents": {"a": ["b", "b"]}},
            "parents of 'a': each variable has one place; found more than once: 'b'",
        ),
        ({"forbid_within_tiers": True}, "forbid_within_tiers needs tiers; found none"),
    ],
)
def test_what_is_no_knowledge_is_refused_at_once(knowledge, message):
    with pytest.raises(KnowledgeError) as refused:
        Knowledge(**knowledge)
    assert str(refused.value) == message


def test_graphs_are_checked_by_name_whatever_their_columns():
    bound = Knowledge(required=[("a", "b")], forbidden_edges=[("c", "d")]).on(ABCD)
    turned = Schema(ABCD.variables[::-1])
    bound.check(Dag(turned, [("a", "b"), ("b", "c")]))
    bound.check(Cpdag.of(Dag(turned, [("a", "b")])))
    with pytest.raises(KnowledgeError) as refused:
        bound.check(Dag(turned, [("b", "a"), ("d", "c")]))
    assert str(refused.value) == (
        "against the knowledge: the graph has b -> a, which is not allowed; "
        "has d -> c, which is not allowed; lacks a -> b, which is required"
    )
    with pytest.raises(KnowledgeError, match="has c - d, which is not allowed"):
        bound.check(UndirectedGraph(turned, [("a", "b"), ("c", "d")]))
    with pytest.raises(KnowledgeError, match="are about different variables"):
        bound.check(Dag(Schema(ABCD.variables[:2]), []))


def test_binding_once_or_not_at_all():
    bound = Knowledge(forbidden=[("a", "b")]).on(ABCD)
    assert bind_knowledge(bound, ABCD) is bound
    assert bind_knowledge(None, ABCD).is_empty
    with pytest.raises(
        KnowledgeError, match="was bound to other variables: 'a', 'b', 'c', 'd' instead of 'a'"
    ):
        bind_knowledge(bound, Schema(ABCD.variables[:1]))
    with pytest.raises(KnowledgeError, match=r"knowledge is a Knowledge object or None; found \[\]"):
        bind_knowledge([], ABCD)


def test_it_is_a_value():
    lists = Knowledge(required=[["a", "b"]], parents={"c": ["a"]}, tiers=[["a"], ["b"]])
    tuples = Knowledge(required=(("a", "b"),), parents={"c": ("a",)}, tiers=(("a",), ("b",)))
    assert lists == tuples
    assert hash(lists) == hash(tuples)
    assert pickle.loads(pickle.dumps(lists)) == lists
    with pytest.raises(ValueError, match="read-only"):
        lists.on(ABCD).allowed[0, 1] = False


NAMES = st.sampled_from("abcd")
PAIRS = st.lists(st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1]), max_size=3)
KNOWLEDGE = st.builds(
    Knowledge,
    required=PAIRS,
    forbidden=PAIRS,
    forbidden_edges=PAIRS,
    tiers=st.none() | st.permutations("abcd").map(lambda p: [list(p[:1]), list(p[1:3])]),
    order=st.none() | st.permutations("abcd"),
    parents=st.none() | st.sampled_from([{"a": []}, {"b": ["a"]}, {"c": ["b", "d"], "a": ["d"]}]),
)


@pytest.mark.slow
@settings(max_examples=150)
@given(KNOWLEDGE)
def test_what_binds_can_be_obeyed_and_what_is_refused_cannot(knowledge):
    """Against the definition: the arcs that each part rules out, one by one, and acyclicity."""
    families = dict(knowledge.parents or {})
    demanded = set(knowledge.required) | {(p, c) for c, ps in families.items() for p in ps}
    tier = {name: k for k, names in enumerate(knowledge.tiers or ()) for name in names}
    place = {name: k for k, name in enumerate(knowledge.order or ())}

    def banned(u, v):
        return (
            (u, v) in knowledge.forbidden
            or (u, v) in knowledge.forbidden_edges
            or (v, u) in knowledge.forbidden_edges
            or (u in tier and v in tier and tier[u] > tier[v])
            or bool(place and place[u] > place[v])
            or (v in families and u not in families[v])
        )

    possible = not any(banned(u, v) for u, v in demanded)
    if possible:
        try:
            Dag(ABCD, demanded)
        except ValueError:
            possible = False
    if not possible:
        with pytest.raises(KnowledgeError):
            knowledge.on(ABCD)
        return
    bound = knowledge.on(ABCD)
    assert set(bound.required_dag().edges()) == demanded
    bound.check(bound.required_dag())
    assert allowed_arcs(bound) == {(u, v) for u, v in EVERY if not banned(u, v) and (v, u) not in demanded}


@settings(max_examples=40)
@given(knowledge=KNOWLEDGE)
def test_files_keep_everything(knowledge, tmp_path_factory):
    path = tmp_path_factory.mktemp("knowledge") / "k.json"
    knowledge.to_json(path)
    assert Knowledge.from_json(path) == knowledge


def test_a_file_by_hand(tmp_path):
    path = tmp_path / "k.json"
    path.write_text(
        '\ufeff{"required": [["a","b"]], "tiers": [["a"],["b","c"]], "order": null}', encoding="utf-8"
    )
    assert Knowledge.from_json(path) == Knowledge(required=[("a", "b")], tiers=[["a"], ["b", "c"]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"required": [', "line 1, column 15: Expecting value"),
        ("[1]", "knowledge is a JSON object with keys such as required, forbidden"),
        ('{"requird": []}', "'requird' is not known; keys are .*; did you mean 'required'?"),
        ('{"required": ["ab"]}', "'required' must be a list of lists of names"),
        ('{"tiers": {"a": 1}}', "'tiers' must be a list of lists of names"),
        ('{"order": ["a", 1]}', "'order' must be a list of names"),
        ('{"parents": {"a": "b"}}', "'parents' must be an object with a list of names for each child"),
        ('{"forbid_within_tiers": 1}', "'forbid_within_tiers' must be true or false"),
        ('{"order": ["a"], "order": ["b"]}', "a key occurs twice: 'order'"),
        ("[" * 100_000, "cannot be read as JSON"),
        ('{"order": ' + "9" * 10_000 + "}", "knowledge|order"),
    ],
)
def test_files_of_another_shape_are_refused(tmp_path, text, message):
    path = tmp_path / "k.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        Knowledge.from_json(path)


def test_files_that_are_missing_or_no_text(tmp_path):
    with pytest.raises(FileMissingError, match=r"there is no file '.*none\.json' of knowledge"):
        Knowledge.from_json(tmp_path / "none.json")
    (tmp_path / "k.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(FormatError, match="not text in UTF-8"):
        Knowledge.from_json(tmp_path / "k.json")
    with pytest.raises(FormatError, match="the file cannot be read"):
        Knowledge.from_json(tmp_path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["required", "forbidden", "tiers", "order", "parents", "forbidden_edges", "x"])


@pytest.mark.slow
@settings(max_examples=150)
@given(document=st.dictionaries(KEYS, JSON, max_size=4) | JSON, cut=st.none() | st.integers(0, 40))
def test_any_file_is_read_or_refused(document, cut, tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "k.json"
    path.write_text(json.dumps(document)[:cut], encoding="utf-8")
    with contextlib.suppress(FormatError, KnowledgeError):
        Knowledge.from_json(path).on(ABCD)


@pytest.mark.parametrize(
    "parts", [{"tiers": []}, {"order": []}, {"parents": {}}, {"forbidden": [("a", "\ud800")]}]
)
def test_files_keep_what_is_empty_and_what_is_odd(tmp_path, parts):
    known = Knowledge(**parts)
    known.to_json(tmp_path / "k.json")
    assert Knowledge.from_json(tmp_path / "k.json") == known


def test_names_do_not_end_in_the_middle():
    with pytest.raises(KnowledgeError, match="required: no name has the character NUL"):
        Knowledge(required=[("a\0", "b")])
