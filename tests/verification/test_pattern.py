"""Edges without direction: the independent check against the classes of the library, and its refusals."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs import directed as slow
from tests.reference.graphs.directed import dags
from tests.verification.signed import edited, sign

import treewright as tw
from treewright.models.formats.twm import to_bytes
from treewright.verification.door import check_bytes
from treewright.verification.pattern import check_pattern
from treewright.verification.report import Findings

ASIA = tw.load_network("asia")


def parents_of(dag):
    return {name: list(dag.schema.names_of(dag.parents(name))) for name in dag.schema.names}


def violations(value, parents):
    findings = Findings()
    check_pattern(value, parents, findings)
    return [violation.message for violation in findings.violations]


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(dags(max_size=6, max_arcs=10), st.data())
def test_what_members_share_passes_and_nothing_that_hides_a_direction(dag, data):
    """Some arcs known: what follows from them is a pattern. A line that all members direct alike is found."""
    known = {arc for arc in dag.index_edges() if data.draw(st.integers(0, 2)) == 0}
    members = [m for m in slow.equivalent_dags(len(dag.schema), dag.index_edges()) if known <= m]
    _, lines = slow.marks_of_class(members)
    names, parents = dag.schema.names, parents_of(dag)
    listed = [[names[u], names[v]] for u, v in sorted(lines)]
    assert violations(listed, parents) == []
    free, _ = slow.marks_of_class(slow.equivalent_dags(len(dag.schema), dag.index_edges()))
    if free:
        u, v = data.draw(st.sampled_from(sorted(free)))
        assert violations([*listed, [names[u], names[v]]], parents)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, '"undirected" is not a list'),
        ([["smoke"]], "['smoke'] is not a pair of names that an arc joins"),
        ([["smoke", "asia"]], "['smoke', 'asia'] is not a pair of names that an arc joins"),
        ([["smoke", "nobody"]], "['smoke', 'nobody'] is not a pair of names that an arc joins"),
        ([["lung", "smoke"], ["smoke", "lung"]], "'smoke' - 'lung' is there twice"),
        (
            [["lung", "either"]],
            "'lung' - 'either' has a direction: 'tub' points at 'either' as well and is not joined with "
            "'lung'",
        ),
        (
            [["either", "xray"]],
            "'either' - 'xray' has a direction: 'lung' points at 'either' and is not joined with 'xray'",
        ),
    ],
)
def test_what_is_no_pattern_is_named(value, message):
    data = edited(ASIA, lambda content: content.update(undirected=value))
    report = check_bytes(data, "asia")
    assert [violation.message for violation in report.violations] == [message]
    assert "pattern" in report.checks


def test_a_way_round_and_a_pair_at_its_end_are_named():
    shielded = {"a": [], "c": ["a"], "b": ["a", "c"]}
    assert violations([["a", "b"]], shielded) == [
        "'a' - 'b' has a direction: there is a way from 'a' over 'c' to 'b'"
    ]
    pair = {"a": [], "c": ["a"], "d": ["a"], "b": ["a", "c", "d"]}
    assert violations([["a", "c"], ["a", "d"], ["a", "b"]], pair) == [
        "'a' - 'b' has a direction: 'c' and 'd', which are not joined, both point at 'b'"
    ]
    far = {"a": [], "d": ["a"], "c": ["a", "d"], "b": ["a", "c"]}
    assert violations([["a", "d"], ["a", "c"], ["a", "b"]], far) == [
        "'a' - 'b' has a direction: there is a way from 'd' over 'c' to 'b', which is not joined with 'd'"
    ]


def test_files_with_and_without_a_class_are_valid():
    learned = ASIA.dag.with_pattern(tw.Cpdag.of(ASIA.dag))
    model = tw.BayesianNetwork(learned, ASIA.tables)
    content = json.loads(to_bytes(model))
    assert content["undirected"] == [["asia", "tub"], ["bronc", "smoke"], ["lung", "smoke"]]
    assert check_bytes(sign(content), "m").valid
    del content["undirected"]
    assert check_bytes(sign(content), "m").valid
