"""A wider bound never ends below a narrower one, and the default works on as long as that pays."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.bounded_treewidth.helpers import dependent_table
from tests.reference.learners import bounded as slow

from treewright import (
    BIC,
    K2,
    Knowledge,
    Schema,
    Table,
    _core,
    count,
    learn_bounded_treewidth,
)
from treewright.errors import TreewidthError
from treewright.graphs import bind_knowledge
from treewright.learners.bounded_treewidth import search
from treewright.learners.bounded_treewidth.default_search import search_from, search_widths
from treewright.learners.bounded_treewidth.search import (
    BoundedSettings,
    BoundedStart,
    first_network,
    is_cheap,
    price_of_kicks,
)

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


@pytest.mark.parametrize(
    ("treewidth", "rows", "kicks", "cheap"),
    [(4, 100, 12, True), (9, 100, 0, True), (4, 10**6, 12, False), (4, 10**6, 0, False)],
)
def test_what_costs_little(treewidth, rows, kicks, cheap):
    score = RowsTold(BIC(count(dependent_table(1, 12, 50))), rows)
    shared = BoundedSettings(score, bind_knowledge(None, score.schema), treewidth, None)
    assert is_cheap(shared, kicks) == cheap


@pytest.fixture
def costly(monkeypatch):
    """As if a tenth of a second were nothing: every search goes from width to width."""
    monkeypatch.setattr(search, "_LITTLE", 0)


@pytest.mark.usefixtures("costly")
@pytest.mark.parametrize("effort", [None, 0, 1, 5])
@pytest.mark.parametrize("kind", [BIC, K2])
@pytest.mark.parametrize("seed", range(2))
def test_nor_where_searches_are_costly(seed, kind, effort):
    score = kind(count(dependent_table(seed, 13, 300)))
    path = [learn_bounded_treewidth(score, treewidth=k, effort=effort, searches=2) for k in range(1, 6)]
    assert all(a.score <= b.score for a, b in pairwise(path))
    for bound, learned in enumerate(path, start=1):
        tree = learned.certificate
        assert not slow.certificate_violations(learned.structure, tree.clusters, tree.edges, bound)
        assert learned.score == pytest.approx(score.score(learned.structure), abs=1e-6)


@pytest.mark.usefixtures("costly")
@pytest.mark.parametrize("effort", [None, 2])
def test_a_costly_search_counts_everything_anew_and_agrees(effort):
    score = BIC(count(dependent_table(3, 12, 400)))
    known = bind_knowledge(None, score.schema)
    settings = BoundedSettings(score, known, 4, None, checks=True)
    learned = search_widths(settings, [1], effort=effort, wide=None, seconds=None, progress=None)
    assert learned.width <= 4
    assert [phase.name for phase in learned.trace.phases][:2] == ["narrower", "tree"]


@pytest.mark.usefixtures("costly")
def test_a_costly_search_is_the_same_for_any_order_and_any_number_of_threads():
    table = dependent_table(5, 14, 300)
    order = rng(1).permutation(len(table.schema))
    mixed = Table(Schema(table.schema[v] for v in order), [table.columns[v] for v in order])
    one, other = (learn_bounded_treewidth(BIC(count(t)), treewidth=4, searches=3) for t in (table, mixed))
    _core.set_threads(3)
    try:
        threaded = learn_bounded_treewidth(BIC(count(table)), treewidth=4, searches=3)
    finally:
        _core.set_threads(0)
    assert one.structure.edges() == other.structure.edges() == threaded.structure.edges()
    assert one.score == other.score == threaded.score


@pytest.mark.usefixtures("costly")
def test_arcs_that_need_a_wider_bound_are_where_a_costly_search_begins():
    score = BIC(count(dependent_table(2, 10, 300)))
    a, b, c, d = score.schema.names[:4]
    known = Knowledge(required=[(a, d), (b, d), (c, d)])
    learned = learn_bounded_treewidth(score, treewidth=4, knowledge=known)
    assert {(a, d), (b, d), (c, d)} <= set(learned.structure.edges())
    with pytest.raises(TreewidthError, match="treewidth=2 is too narrow"):
        learn_bounded_treewidth(score, treewidth=2, knowledge=known)


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
