"""Colliders judged from separators: who is claimed, who is left open, and in which order."""

import numpy as np
import pytest

import treewright as tw
from treewright.learners.independence.collider_rules import (
    RULES,
    Evidence,
    clearest_first,
    conservative,
    contest,
    majority,
)

TRIPLES = [(0, 1, 2), (0, 3, 2), (1, 0, 4), (2, 5, 4), (3, 2, 5)]  # by name


def evidence(n_with, n_without, p_with, p_without):
    numbers = [np.array(n) for n in (n_with, n_without, p_with, p_without)]
    return Evidence(TRIPLES, *numbers, n_tests=17)


def test_a_contest_is_won_by_the_clearer_separator():
    claims = contest(evidence([1] * 5, [1] * 5, [0.2, 0.5, 0.1, 0.9, 0.3], [0.6, 0.5, 0.9, 0.2, 0.7]))
    # leads of 0.4, 0, 0.8, less than 0, 0.4: the strongest first, equals by name, no lead no claim
    assert claims.colliders == [TRIPLES[2], TRIPLES[0], TRIPLES[4]]
    assert claims.ambiguous == []
    assert claims.n_tests == 17


def test_a_majority_leaves_open_what_is_even():
    claims = majority(evidence([0, 2, 3, 0, 1], [1, 2, 1, 0, 2], [0.0] * 5, [0.3, 0.9, 0.8, 0.0, 0.3]))
    assert claims.colliders == [TRIPLES[0], TRIPLES[4]]
    assert claims.ambiguous == [TRIPLES[1]]  # no separator at all is no doubt


def test_the_conservative_want_all():
    claims = conservative(evidence([0, 1, 2, 0, 0], [1, 5, 0, 0, 3], [0.0] * 5, [0.2, 0.9, 0.0, 0.0, 0.4]))
    assert claims.colliders == [TRIPLES[4], TRIPLES[0]]
    assert claims.ambiguous == [TRIPLES[1]]


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_equal_claims_come_by_name(rule):
    many = [(u, v, w) for u in range(6) for v in range(6) for w in range(u + 1, 6) if v not in (u, w)]
    n = len(many)  # so many that a sort which is not stable would show
    same = Evidence(many, np.zeros(n, int), np.ones(n, int), np.zeros(n), np.full(n, 0.5), 0)
    assert rule(same).colliders == many


def test_the_clearest_separation_comes_first():
    separators = {(0, 2): (), (1, 4): (0,), (2, 4): (1, 3), (3, 5): ()}
    asked = []

    def clarity(queries):
        asked.extend(queries)
        return np.array([0.3, 0.9, 0.3, 0.9])

    ranked, n_tests = clearest_first(TRIPLES, separators, clarity)
    assert ranked == [TRIPLES[2], TRIPLES[4], TRIPLES[0], TRIPLES[1], TRIPLES[3]]
    assert (n_tests, asked) == (4, [(0, 2, ()), (1, 4, (0,)), (2, 4, (1, 3)), (3, 5, ())])


def test_stronger_claims_win_over_weaker_ones():
    # a -> c <- b and c -> d <- e want c - d both ways; the rows of the first are the clearer ones
    rng = np.random.default_rng(1)
    a, b, e = (rng.integers(0, 2, 4_000) for _ in range(3))
    c = (a + b + (rng.random(4_000) < 0.05)) % 2 + (a & b)
    d = (c + e + (rng.random(4_000) < 0.05)) % 3
    table = tw.read_table({"a": a, "b": b, "c": c, "d": d, "e": e})
    for rule in RULES:
        found = tw.learn_pc(tw.GTest(tw.count(table), alpha=0.01), collider_rule=rule).cpdag
        assert {("a", "c"), ("b", "c")} <= set(found.directed_edges())


def test_one_separator_is_enough_to_doubt():
    claims = conservative(evidence([1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0.0] * 5, [0.1] * 5))
    assert (claims.colliders, claims.ambiguous) == ([TRIPLES[2]], [TRIPLES[0], TRIPLES[1]])
    claims = majority(evidence([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0.0] * 5, [0.1] * 5))
    assert (claims.colliders, claims.ambiguous) == ([TRIPLES[1]], [TRIPLES[0]])


def test_the_first_separator_has_a_rule_of_its_own():
    table = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(3))
    test = tw.GTest(tw.count(table), alpha=0.01)
    first, best = (tw.learn_pc(test, collider_rule=rule).trace for rule in ("first", "contest"))
    asked = [{p.name: p.tallies.get("tests", 0) for p in trace.phases} for trace in (first, best)]
    assert sum(asked[0].values()) < sum(asked[1].values())  # one question for each pair, not one for each set
