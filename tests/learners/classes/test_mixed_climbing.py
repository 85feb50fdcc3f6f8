"""Climbing among mixed networks: the rule holds, small cases are solved, columns come in any order."""

import itertools

import numpy as np
import pytest
from tests.reference.models.mixtures import random_mixed

import treewright as tw
from treewright.criteria import MixedBIC
from treewright.errors import KnowledgeError, SettingError
from treewright.learners import learn_mixed
from treewright.statistics import mixed_moments


def rows_of(seed, n=300, n_discrete=2, n_continuous=2):
    rng = np.random.default_rng(seed)
    return random_mixed(rng, n_discrete, n_continuous, density=0.6).sample(n, rng=rng)


def allowed_networks(schema):
    """Every acyclic graph in which no number is above a state."""
    pairs = list(itertools.combinations(schema.names, 2))
    for marks in itertools.product((None, 0, 1), repeat=len(pairs)):
        arcs = [
            pair[::-1] if mark else pair for pair, mark in zip(pairs, marks, strict=True) if mark is not None
        ]
        if any(schema[head].is_discrete and not schema[tail].is_discrete for tail, head in arcs):
            continue
        try:
            yield tw.Dag(schema, arcs)
        except tw.errors.CycleError:
            continue


@pytest.mark.parametrize("seed", range(4))
def test_small_cases_are_solved(seed):
    score = MixedBIC(mixed_moments(rows_of(seed)))
    best = max(score.score(dag) for dag in allowed_networks(score.schema))
    learned = learn_mixed(score)
    assert learned.score == best
    assert score.score(learned.structure) == best


@pytest.mark.parametrize("seed", range(3))
def test_no_single_arc_improves_what_was_found(seed):
    score = MixedBIC(mixed_moments(rows_of(seed, 500, 4, 4)))
    learned = learn_mixed(score, perturbations=0)
    schema, found = score.schema, set(learned.structure.edges())
    for u, v in itertools.permutations(schema.names, 2):
        if schema[v].is_discrete and not schema[u].is_discrete:
            continue
        for arcs in (found ^ {(u, v)}, (found - {(v, u)}) | {(u, v)}):
            try:
                assert score.score(tw.Dag(schema, sorted(arcs))) <= learned.score
            except tw.errors.CycleError:
                continue


def test_the_order_of_columns_and_rows_is_nothing():
    table = rows_of(7, 400, 4, 4)
    names = list(table.schema.names)
    first = learn_mixed(MixedBIC(mixed_moments(table)))
    rng = np.random.default_rng(0)
    for _ in range(2):
        order = rng.permutation(names).tolist()
        other = table.select(order).take(rng.permutation(table.n_rows))
        again = learn_mixed(MixedBIC(mixed_moments(other)))
        assert again.structure.edges() == first.structure.edges()
        assert again.score == pytest.approx(first.score, rel=1e-9)
    shards = learn_mixed(MixedBIC(mixed_moments(table.shards(3))))
    assert shards.structure.edges() == first.structure.edges()


def test_arrows_that_the_rule_tells_are_arrows():
    rng = np.random.default_rng(0)
    state = rng.integers(2, size=500)
    x = state * 3 + rng.normal(size=500)
    table = tw.read_table({"s": np.where(state, "on", "off"), "x": x, "y": x + rng.normal(size=500)})
    learned = learn_mixed(MixedBIC(mixed_moments(table)))
    assert learned.pattern.directed_edges() == [("s", "x"), ("x", "y")]


def test_knowledge_and_refusals():
    score = MixedBIC(mixed_moments(rows_of(1)))
    a, b = [v.name for v in score.schema if v.is_discrete]
    x, y = [v.name for v in score.schema if not v.is_discrete]
    learned = learn_mixed(score, knowledge=tw.Knowledge(required=[(a, x)], forbidden=[(x, y), (y, x)]))
    assert learned.structure.has_arc(a, x)
    assert not learned.structure.adjacent(x, y)
    with pytest.raises(KnowledgeError, match=f"the knowledge requires {x} -> {b}"):
        learn_mixed(score, knowledge=tw.Knowledge(required=[(x, b)]))
    with pytest.raises(SettingError, match="perturbations"):
        learn_mixed(score, perturbations=-1)
    assert max(len(learn_mixed(score, max_parents=1).structure.parents(v)) for v in score.schema.names) <= 1
