"""Hybrid search: inside the skeleton, then beyond it, and honest about which of the two ran."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import SchemaError, SettingError
from treewright.learners.classes import hybrid


def rows(n=12, n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    return tw.random_network(n, 3, states=(2, 3), rng=rng).sample(n_rows, rng=rng)


@pytest.mark.parametrize("seed", range(3))
def test_without_a_certificate_the_edges_stay_among_those_that_tests_left(seed):
    score = tw.BIC(tw.count(rows(seed=seed)))
    inside = tw.learn_hybrid(score, certificate=False, effort=0)
    assert set(inside.structure.skeleton().edges()) <= set(inside.skeleton.edges())
    assert not inside.certified
    assert not inside.reopened
    assert inside.notes[-1] == (
        f"searched among the {inside.skeleton.n_edges} pairs that tests left, and not beyond (no "
        "certificate); reopening did not run"
    )
    whole = tw.learn_hybrid(score)
    assert whole.certified
    assert whole.reopened
    assert whole.score >= inside.score
    assert tw.Cpdag.of(whole.structure) == whole.cpdag


def test_columns_in_any_order():
    table = rows(seed=4)
    turned = table.reordered(table.schema.names[::-1])
    first, second = (tw.learn_hybrid(tw.BIC(tw.count(one))) for one in (table, turned))
    assert first.cpdag == second.cpdag
    assert first.skeleton.edges() == second.skeleton.edges()


def test_what_is_too_much_is_left_out_and_said(monkeypatch):
    score = tw.BIC(tw.count(rows()))
    monkeypatch.setattr(hybrid, "_REOPENING", 0)
    monkeypatch.setattr(hybrid, "_CERTIFICATE", 0)
    learned = tw.learn_hybrid(score)
    assert (learned.certified, learned.reopened) == (False, False)
    forced = tw.learn_hybrid(score, effort=2, certificate=True)
    assert (forced.certified, forced.reopened) == (True, True)


def test_the_trace_has_both_halves():
    learned = tw.learn_hybrid(tw.BIC(tw.count(rows())), progress=(lines := []).append)
    names = [phase.name for phase in learned.trace.phases]
    assert names[:3] == ["level 0", "level 1", "pairs"]
    assert [step.phase for step in lines[:2]] == ["separators of size 0", "separators of size 1"]
    assert lines[-1].score == pytest.approx(learned.score)


def test_tests_follow_from_the_score():
    rng = np.random.default_rng(1)
    a = rng.normal(size=300)
    schema = tw.Schema([tw.Variable(name) for name in "abc"])
    columns = [a, a + rng.normal(size=300), rng.normal(size=300)]
    learned = tw.learn_hybrid(tw.GaussianBIC(tw.moments(tw.Table(schema, columns))))
    assert learned.structure.skeleton().edges() == [("a", "b")]
    counter = tw.count(rows())
    plain = tw.learn_hybrid(tw.BIC(counter)).cpdag
    assert tw.learn_hybrid(tw.criteria.CachedScore(tw.BIC(counter))).cpdag == plain
    assert tw.learn_hybrid(tw.BIC(counter), tw.GTest(counter, 0.01), depth=3).skeleton.n_edges > 0


@settings(max_examples=15)
@given(seed=st.integers(0, 100), certificate=st.booleans(), directed=st.booleans())
def test_knowledge_is_obeyed(seed, certificate, directed):
    table = rows(n=7, n_rows=150, seed=seed)
    names = list(np.random.default_rng(seed).permutation(sorted(table.schema.names)))
    names = [str(name) for name in names]
    knowledge = tw.Knowledge(
        forbidden_edges=[(names[0], names[1])],
        required=[(names[2], names[3])] if directed else (),
        tiers=[names[:4], names[4:]] if directed else None,
    )
    learned = tw.learn_hybrid(tw.BIC(tw.count(table)), knowledge=knowledge, certificate=certificate)
    assert knowledge.on(table.schema).obeyed_by(learned.structure)


def test_refusals():
    table = rows()

    class Own:
        schema = table.schema
        local_many = None

    with pytest.raises(SettingError, match="there is no default test for Own; pass test="):
        tw.learn_hybrid(Own())
    counter = tw.count(table)
    other = tw.GTest(tw.count(table.reordered(table.schema.names[::-1])))
    with pytest.raises(SchemaError, match="the score and the test must be of the same variables"):
        tw.learn_hybrid(tw.BIC(counter), other)
