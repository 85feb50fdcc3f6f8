"""A wider bound never ends below a narrower one, and the default works on as long as that pays."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.bounded_treewidth.helpers import dependent_table
from tests.reference.learners import bounded as slow

from treewright import BIC, count, learn_bounded_treewidth
from treewright.graphs import bind_knowledge
from treewright.learners.bounded_treewidth import search
from treewright.learners.bounded_treewidth.default_search import first_network, search_from, search_widths
from treewright.learners.bounded_treewidth.search import (
    BoundedSettings,
    BoundedStart,
    narrower_bound,
    price_of_kicks,
)
from treewright.networks.generate import random_network

rng = np.random.default_rng


class RowsTold:
    """A score that tells another number of rows."""

    def __init__(self, inner, n_rows):
        self.schema, self.counter = inner.schema, self
        self.n_rows = n_rows


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(5, 11), st.sampled_from([None, 0.0, 1.0, 2.0]))
def test_a_wider_bound_never_ends_below_a_narrower_one(seed, n, effort):
    score = BIC(count(dependent_table(seed, n, 400)))
    path = [learn_bounded_treewidth(score, treewidth=k, effort=effort) for k in range(1, 5)]
    assert all(a.score <= b.score for a, b in pairwise(path))
    for bound, learned in enumerate(path, start=1):
        tree = learned.certificate
        assert not slow.certificate_violations(learned.structure, tree.clusters, tree.edges, bound)
        assert learned.score == pytest.approx(score.score(learned.structure), abs=1e-6)


@pytest.mark.slow
def test_nor_does_it_among_many_variables_of_many_states():
    network = random_network(120, 4, states=(2, 12), max_parents=2, concentration=0.05, rng=rng(3))
    score = BIC(count(network.sample(1_000, rng=rng(4))))
    found = [learn_bounded_treewidth(score, treewidth=k) for k in (2, 4, 8)]
    assert all(a.score <= b.score for a, b in pairwise(found))


@pytest.mark.parametrize(
    ("treewidth", "rows", "kicks", "narrower"),
    [
        (1, 100, 12, (0, True)),
        (4, 100, 12, (3, True)),
        (9, 100, 0, (8, True)),
        (1, 10**6, 12, (0, False)),
        (2, 10**6, 12, (1, False)),
        (4, 10**6, 12, (2, False)),
        (5, 10**6, 12, (4, False)),
        (8, 10**6, 12, (4, False)),
        (4, 10**6, 0, (0, False)),  # a local optimum alone costs no more than one
    ],
)
def test_which_narrower_bound_is_searched(treewidth, rows, kicks, narrower):
    score = RowsTold(BIC(count(dependent_table(1, 12, 50))), rows)
    shared = BoundedSettings(score, bind_knowledge(None, score.schema), treewidth, None)
    assert narrower_bound(shared, kicks) == narrower


def costly(monkeypatch):
    """Whatever is searched from here on is thought to cost much."""
    monkeypatch.setattr(search, "_LITTLE", 0)


def test_a_costly_narrower_bound_gives_its_local_optimum_where_the_wider_one_is_ahead(monkeypatch):
    costly(monkeypatch)
    score = BIC(
        count(random_network(30, 4, states=(2, 2), concentration=0.3, rng=rng(5)).sample(3_000, rng=rng(6)))
    )
    shared = BoundedSettings(score, bind_knowledge(None, score.schema), 4, None)
    found = search_widths(shared, [1], effort=1, wide=None, seconds=None, progress=None)
    narrower = [phase for phase in found.trace.phases if phase.name == "narrower"]
    local = next(phase for phase in found.trace.phases if phase.name == "settle")
    assert local.tallies["score"] - narrower[0].tallies["score"] >= price_of_kicks(shared, 30)
    assert [phase.tallies["iterations"] for phase in narrower] == [0]
    assert found.score >= local.tallies["score"]


@pytest.mark.parametrize("seed", range(3))
def test_and_all_that_it_finds_where_kicks_may_turn_them_round(monkeypatch, seed):
    """Three bounds beyond the width of the truth: no local optimum is far ahead, and the order holds."""
    costly(monkeypatch)
    score = BIC(count(random_network(20, 2, states=(2, 4), rng=rng(seed)).sample(500, rng=rng(seed + 9))))
    found = [learn_bounded_treewidth(score, treewidth=k, effort=1) for k in (2, 4, 8)]
    assert all(a.score <= b.score for a, b in pairwise(found))
    narrower = [phase for phase in found[2].trace.phases if phase.name == "narrower"]
    assert [phase.tallies["iterations"] > 0 for phase in narrower] == [False, True]
    assert narrower[1].tallies["score"] == found[1].score


def search_of(seed, effort):
    score = BIC(count(dependent_table(seed, 12, 1_200)))
    shared = BoundedSettings(score, bind_knowledge(None, score.schema), 3, None)
    start = BoundedStart.of(first_network(shared), 3)
    return shared, search_from(start, shared, [1], effort=effort)


@pytest.mark.parametrize("seed", range(4))
def test_the_default_goes_on_only_from_what_one_kick_for_each_variable_found(seed):
    shared, once = search_of(seed, 1)
    _, default = search_of(seed, None)
    assert default.score >= once.score
    rounds = [phase for phase in default.trace.phases if phase.name in ("iterate", "iterate on")]
    assert 1 <= len(rounds) <= 5
    assert all(phase.tallies["iterations"] == 12 for phase in rounds)
    finals = [phase.tallies["score"] for phase in default.trace.phases if phase.name == "final"]
    reached = [default.trace.phases[3].tallies["score"], *finals]
    price = price_of_kicks(shared, 12)
    assert all(b - a >= price for a, b in pairwise(reached[:-1]))
    assert len(rounds) == 5 or reached[-1] - reached[-2] < price


def test_a_better_narrow_network_is_where_the_search_goes_on():
    """The trace tells of all that was done, and the score is that of the better start at least."""
    shared, _ = search_of(2, 0)
    found = search_widths(shared, [1], effort=0, wide=None, seconds=None, progress=None)
    narrow = next(phase for phase in found.trace.phases if phase.name == "narrower")
    assert found.score >= narrow.tallies["score"]
    hurried = search_widths(shared, [1], effort=0, wide=None, seconds=1e6, progress=None)
    assert "narrower" not in [phase.name for phase in hurried.trace.phases]
