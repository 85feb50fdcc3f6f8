"""Hill climbing: classes where they suffice, single networks where directions are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.classes.test_dag_climbing import knowledge_of, random_table

from treewright import (
    BIC,
    K2,
    Cpdag,
    Dag,
    GaussianBIC,
    Knowledge,
    count,
    learn_hill_climbing,
    load_network,
    moments,
)
from treewright.errors import KnowledgeError, SettingError
from treewright.learners import class_search, learn_dag_climbing
from treewright.learners.classes.hill_climbing import obedient_member
from treewright.tables import Schema, Table, Variable

ABCD = Schema(Variable(name, (0, 1)) for name in "abcd")


def asia_score(n_rows=2_000):
    return BIC(count(load_network("asia").sample(n_rows, rng=np.random.default_rng(0))))


def test_without_knowledge_it_is_the_class_search():
    score = asia_score()
    expected = class_search(score)
    for knowledge in (None, Knowledge()):
        found = learn_hill_climbing(score, knowledge=knowledge)
        assert found.cpdag == expected.cpdag
        assert found.certified


def test_forbidden_pairs_stay_among_classes():
    score = asia_score()
    known = Knowledge(forbidden_edges=[("bronc", "dysp"), ("smoke", "lung")])
    found = learn_hill_climbing(score, knowledge=known)
    known.on(score.schema).check(found.cpdag)
    assert found.certified
    assert found.structure == found.cpdag.to_dag()


@pytest.mark.parametrize(
    "known",
    [
        Knowledge(required=[("asia", "smoke")]),
        Knowledge(forbidden=[("smoke", "bronc"), ("tub", "either")]),
        Knowledge(tiers=[["xray", "dysp"], ["asia", "smoke"]]),
        Knowledge(order=["dysp", "xray", "either", "tub", "lung", "bronc", "smoke", "asia"]),
        Knowledge(parents={"smoke": ["bronc"], "either": ["tub", "lung"]}),
    ],
)
def test_directed_knowledge_is_obeyed_and_the_result_is_a_local_optimum(known):
    score = asia_score()
    found = learn_hill_climbing(score, knowledge=known)
    known.on(score.schema).check(found.structure)
    assert found.cpdag == Cpdag.of(found.structure)
    assert found.score == score.score(found.structure)
    assert not found.certified
    assert [phase.name for phase in found.trace.phases][-1] == "climb"
    again = learn_dag_climbing(score, knowledge=known, start=found.structure)
    assert again.structure == found.structure


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 10_000), st.data())
def test_any_knowledge_is_obeyed_in_any_column_order(seed, data):
    table = random_table(seed, [2, 3, 2, 2, 2], 80)
    known = data.draw(knowledge_of(table.schema, data))
    turned = table.reordered(data.draw(st.permutations(table.schema.names)))
    for kind in (BIC, K2):
        found = learn_hill_climbing(kind(count(table)), knowledge=known)
        known.on(table.schema).check(found.structure)
        assert learn_hill_climbing(kind(count(turned)), knowledge=known).structure == found.structure


def test_scores_that_tell_members_apart_climb_single_networks():
    score = K2(asia_score().counter)
    found = learn_hill_climbing(score)
    assert found.structure == learn_dag_climbing(score).structure
    begin = Cpdag.of(found.structure)
    assert learn_hill_climbing(score, start=begin).score >= score.score(begin.to_dag())


def test_continuous_columns_with_tiers():
    rng = np.random.default_rng(2)
    a = rng.normal(size=300)
    b = a + rng.normal(size=300)
    table = Table(Schema(Variable(name) for name in "abc"), [a, b, b + rng.normal(size=300)])
    known = Knowledge(tiers=[["c"], ["a", "b"]])
    found = learn_hill_climbing(GaussianBIC(moments(table)), knowledge=known)
    assert found.structure.edges() == [("b", "a"), ("c", "b")]


def test_an_obedient_member_directs_what_the_class_leaves_open():
    chain = Cpdag.of(Dag(ABCD, [("a", "b"), ("b", "c")]))
    member = obedient_member(chain, Knowledge(required=[("c", "b")]).on(ABCD))
    assert member.edges() == [("b", "a"), ("c", "b")]
    with_more = obedient_member(chain, Knowledge(required=[("c", "b"), ("d", "c")]).on(ABCD))
    assert with_more.edges() == [("b", "a"), ("c", "b"), ("d", "c")]


def test_a_class_whose_members_all_disobey_has_none():
    chain = Cpdag.of(Dag(ABCD, [("a", "b"), ("b", "c")]))
    assert obedient_member(chain, Knowledge(required=[("a", "b"), ("c", "b")]).on(ABCD)) is None
    collider = Cpdag.of(Dag(ABCD, [("a", "b"), ("c", "b")]))
    assert obedient_member(collider, Knowledge(forbidden=[("a", "b")]).on(ABCD)) is None
    assert obedient_member(chain, Knowledge(required=[("b", "c"), ("c", "a")]).on(ABCD)) is None


def test_contradictions_are_refused_before_anything_is_counted():
    class NotToBeAsked:
        schema = ABCD
        is_score_equivalent = True
        local_many = None

    with pytest.raises(KnowledgeError, match="the required arcs close a cycle: a -> b -> a"):
        learn_hill_climbing(NotToBeAsked(), knowledge=Knowledge(required=[("a", "b"), ("b", "a")]))
    with pytest.raises(SettingError, match=r"'b' begins with 2 parents.*; max_parents is 1"):
        learn_hill_climbing(NotToBeAsked(), knowledge=Knowledge(parents={"b": ["a", "c"]}), max_parents=1)
    with pytest.raises(KnowledgeError, match="the graph has a -> b, which is not allowed"):
        learn_hill_climbing(
            NotToBeAsked(),
            knowledge=Knowledge(forbidden_edges=[("a", "b")]),
            start=Dag(ABCD, [("a", "b")]),
        )


def test_required_arcs_are_not_added_beyond_the_limit_on_parents():
    chain = Cpdag.of(Dag(ABCD, [("a", "b"), ("b", "c")]))
    known = Knowledge(required=[("d", "c")], forbidden=[("c", "b")]).on(ABCD)
    assert obedient_member(chain, known).edges() == [("a", "b"), ("b", "c"), ("d", "c")]
    assert obedient_member(chain, known, 1) is None
