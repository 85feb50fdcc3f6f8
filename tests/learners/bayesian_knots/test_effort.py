"""How much knots look at by default."""

import numpy as np
import pytest

import treewright as tw
from treewright.learners import PairSchedule
from treewright.learners.bayesian_knots.knots import loose_level, reopens_edges, rescue_level, suited_effort


def rows_of(name, n_rows, seed=0):
    return tw.load_network(name).sample(n_rows, rng=np.random.default_rng(seed))


@pytest.fixture(scope="module")
def wide():
    """More variables than rows are worth: 120 of them, 150 rows."""
    rng = np.random.default_rng(4)
    network = tw.random_network(120, 2, states=(2, 3), concentration=0.3, rng=rng)
    return network.sample(150, rng=rng)


def test_near_certain_tables_are_searched_longer():
    counter = tw.count(rows_of("alarm", 300))
    assert suited_effort(tw.criteria.EdgePrior(tw.BDeu(counter), 3.0), everything=True) == 3
    assert suited_effort(tw.SparseQNML(counter), everything=True) == 2
    assert suited_effort(tw.BIC(counter), everything=True) == 2
    assert suited_effort(tw.BDeu(counter), everything=False) == 1


def test_groups_of_states_are_not():
    counter = tw.count(rows_of("alarm", 100))
    groups = {"HR": (("LOW", "NORMAL"), ("HIGH",))}
    assert suited_effort(tw.criteria.GroupedScore(tw.BDeu, counter, groups={}), everything=True) == 3
    assert suited_effort(tw.criteria.GroupedScore(tw.BDeu, counter, groups=groups), everything=True) == 2


def test_few_rows_for_many_variables(wide):
    counter = tw.count(wide)
    score = tw.SparseQNML(counter)
    assert reopens_edges(score, 240)
    assert not reopens_edges(score, 241)
    assert not reopens_edges(tw.BIC(counter), 150)
    assert not reopens_edges(tw.SparseQNML(tw.count(rows_of("alarm", 50))), 50)
    learned = tw.learn_knots(counter)
    assert [phase.name for phase in learned.trace.phases][-2:] == ["reopen edges", "all pairs"]
    assert learned.certified
    plain = tw.learn_knots(counter, effort=2)
    assert "reopen edges" not in [phase.name for phase in plain.trace.phases]


@pytest.mark.slow
def test_columns_do_not_matter(wide):
    names = np.random.default_rng(0).permutation(wide.schema.names).tolist()
    shuffled = tw.learn_knots(tw.count(wide.reordered(names)))
    learned = tw.learn_knots(tw.count(wide))
    assert set(shuffled.cpdag.directed_edges()) == set(learned.cpdag.directed_edges())
    assert shuffled.score == learned.score


@pytest.mark.slow
def test_single_edges_never_lower_the_score_of_the_pairs_looked_at(wide):
    score = tw.SparseQNML(tw.count(wide))
    pairs = score.pair_gains() > -2
    without = tw.learners.class_search(
        score, schedule=PairSchedule(again=pairs, loosely=pairs), certificate=False
    )
    singly = tw.learners.class_search(
        score, schedule=PairSchedule(again=pairs, loosely=pairs, singly=True), certificate=False
    )
    assert singly.score >= without.score


@pytest.mark.parametrize(("concentration", "is_bdeu"), [(0.05, True), (3.0, False)])
def test_the_choice_of_the_score_decides(concentration, is_bdeu):
    rng = np.random.default_rng(1)
    network = tw.random_network(12, 2, states=(3, 4), concentration=concentration, rng=rng)
    learned = tw.learn_knots(tw.count(network.sample(500, rng=rng)))
    assert learned.report.score.startswith("sparse-bdeu") == is_bdeu
    assert ("reopen edges" in [phase.name for phase in learned.trace.phases]) == is_bdeu


def test_levels():
    assert [rescue_level(None, n) for n in (1_000, 1_001)] == [0.2, 0.05]
    assert rescue_level(0.1, 5_000) == 0.1
    assert loose_level(0.2, 99, 200) == 0
    assert loose_level(0.2, 100, 200) == 0.2
    assert loose_level(0.2, 2_000, 200) == pytest.approx(0.05)
