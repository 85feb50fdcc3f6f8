"""Rounds of structural EM with searches that are told what they find: when they go on, and what is kept."""

from types import SimpleNamespace

import numpy as np
import pytest

import treewright as tw
from treewright.automatic import structural_em
from treewright.automatic.gap_starts import list_starts
from treewright.automatic.structural_em import (
    ROUNDS,
    GapsFilled,
    LabelsWithGaps,
    _Stand,
    fill,
    search_on_gaps,
)
from treewright.learners import LearnedNetwork, Trace

SCHEMA = tw.Schema(tw.Variable(f"v{i}", (0, 1)) for i in range(8))
PAIRS = [(f"v{i}", f"v{j}") for i in range(8) for j in range(i + 1, 8)]
TABLE = tw.Table(SCHEMA, [np.zeros(100, dtype=np.int64)] * 8)
WITHOUT_GAPS = SimpleNamespace(table=TABLE, there=lambda: None, whole=None)
LEAST = structural_em._LEAST_GAIN * 100


def network(n_arcs):
    return LearnedNetwork(tw.Dag(SCHEMA, PAIRS[:n_arcs]), Trace())


@pytest.fixture
def scored(monkeypatch):
    """The score of a network is that of its number of arcs; what the k-th search finds has k arcs."""

    def stands(*scores):
        def stand_of(gaps, learned, size, judge, facts=None):
            seen = SimpleNamespace(counter=learned, log_likelihood=0.0, model=None)
            return _Stand(learned, size, learned.dag, seen, scores[learned.dag.n_edges])

        monkeypatch.setattr(structural_em, "stand_of", stand_of)
        monkeypatch.setattr(structural_em, "size_of_learned", lambda learned, counter: None)
        return stand_of(None, network(0), None, None)

    return stands


def one_more(learned):
    return network(learned.dag.n_edges + 1)


def rounds(first, search=one_more, **options):
    scores, heard = [first.score], []
    gaps = SimpleNamespace(table=TABLE)
    best, is_own = search_on_gaps(gaps, search, first, scores, judge=None, progress=heard.append, **options)
    assert [step.score for step in heard[: len(scores) - 1]] == scores[1:]
    return best.dag.n_edges, is_own, scores


def test_rounds_end_when_nothing_is_gained(scored):
    assert rounds(scored(0.0, 1.0, 2.0, 2.0, 9.0)) == (2, True, [0.0, 1.0, 2.0])
    assert rounds(scored(0.0, 1.0, 0.5, 9.0)) == (1, True, [0.0, 1.0])
    assert rounds(scored(5.0, 1.0, 9.0)) == (0, False, [5.0])


def test_the_least_gain_is_one_for_each_row(scored):
    assert rounds(scored(0.0, LEAST, 9.0)) == (0, False, [0.0])
    assert rounds(scored(0.0, 1.5 * LEAST, 1.6 * LEAST)) == (1, True, [0.0, 1.5 * LEAST])


def test_so_many_rounds_and_no_more(scored):
    first = scored(*map(float, range(30)))
    assert rounds(first) == (ROUNDS, True, [float(k) for k in range(ROUNDS + 1)])


def test_the_first_of_a_search_may_be_kept_whatever_it_scores(scored):
    first = scored(5.0, 1.0, 2.0, 0.5, 9.0)
    assert rounds(first, keeps_first=True) == (2, True, [5.0, 1.0, 2.0])


def test_a_search_that_finds_the_same_again_owns_it(scored):
    assert rounds(scored(0.0, 1.0), lambda learned: network(min(learned.dag.n_edges + 1, 1))) == (
        1,
        True,
        [0.0, 1.0],
    )


def test_the_best_of_what_is_found_and_what_is_near_goes_on(scored):
    first = scored(0.0, 1.0, 5.0, 2.0, 3.0, 9.0)
    near = lambda facts, present: [network(present.n_edges + 2), network(present.n_edges)]  # noqa: E731
    assert rounds(first, near=near) == (2, True, [0.0, 5.0])


def test_the_best_start_is_gone_on_with(scored, monkeypatch):
    scored(3.0, 1.0, 8.0, 7.0)
    begun = [("no arc", network(0)), ("one", network(1)), ("a third", network(2))]
    monkeypatch.setattr(structural_em, "list_starts", lambda *words, **more: iter(begun))
    found = fill(WITHOUT_GAPS, one_more, None, adopt=lambda learned, counter: learned)
    assert (found.start, found.scores) == ("a third", (8.0,))


def test_what_is_said_of_rounds():
    found = GapsFilled(network(1), None, None, (1.0, 3.5, 6.0), -3.0, "the complete rows", 6.0)
    assert found.about(TABLE) == (
        "structure and tables from all 100 rows, 100 of which miss nothing, by structural EM from the "
        "complete rows (2 rounds, which gained 5.0 nats on the cells that are there)"
    )


@pytest.mark.parametrize("n", [39, 40, 41])
def test_complete_rows_begin_where_there_are_five_for_each_variable(n):
    rng = np.random.default_rng(0)
    missing = {"v0": np.arange(200) >= n}
    table = tw.Table(SCHEMA, rng.integers(0, 2, (8, 200)), missing=missing)
    gaps = LabelsWithGaps(table)
    said = [one for one, _ in list_starts(table, gaps.there(), gaps.whole, lambda counter: network(0))]
    assert ("the complete rows" in said) == (n >= 40)


def test_without_a_prior_rows_expect_with_one_imagined_row():
    """What is impossible in the rows at hand is no zero in what they expect; the model keeps its zeros."""
    columns = {"a": [0, 0, 1, None], "b": [0, 0, 1, 1], "c": [0, 1, None, 0]}
    table = tw.read_table(columns, missing="em")
    dag = tw.Dag(table.schema, [("a", "b")])
    bare, with_prior = LabelsWithGaps(table, None).explain(dag), LabelsWithGaps(table).explain(dag)
    assert np.asarray(bare.model.table("b")).min() == 0.0
    assert bare.counter.model != bare.model
    assert np.asarray(with_prior.model.table("b")).min() > 0.0
    assert with_prior.counter.model == with_prior.model
