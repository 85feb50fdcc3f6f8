"""Networks by width: never worse than the one before, and the choice among them."""

from itertools import pairwise

import numpy as np
import pytest
from tests.learners.bounded_treewidth.helpers import dependent_table
from tests.reference.learners import bounded as slow

from treewright import BIC, Dirichlet, count, fit, learn_chow_liu
from treewright.errors import SettingError, TreewidthError
from treewright.learners import choose_width, trace_widths


@pytest.fixture(scope="module")
def score():
    return BIC(count(dependent_table(5, 12, 2500)))


@pytest.fixture(scope="module")
def path(score):
    return trace_widths(score, treewidth=5, effort=0.5)


def test_every_width_is_certified_and_no_worse_than_the_one_before(score, path):
    assert path[0].score == pytest.approx(score.score(learn_chow_liu(score).structure))
    assert all(a.score <= b.score for a, b in pairwise(path))
    for bound, learned in enumerate(path, start=1):
        tree = learned.certificate
        assert not slow.certificate_violations(learned.structure, tree.clusters, tree.edges, bound)


def test_the_narrowest_of_the_best_is_chosen(path):
    chosen = choose_width(path)
    assert chosen.score == max(one.score for one in path)
    assert chosen is next(one for one in path if one.score == chosen.score)
    assert choose_width(path, judge=lambda dag: -dag.n_edges) is path[0]
    assert choose_width(path, judge=lambda dag: 0.0) is path[0]


def test_rows_held_back_choose(score, path):
    held_back = fit(path[2].structure, score.counter).sample(1000, rng=np.random.default_rng(1))

    def judge(dag):
        model = fit(dag, score.counter, prior=Dirichlet(1.0))
        return float(model.log_probability(held_back).sum())

    chosen = choose_width(path, judge)
    assert judge(chosen.structure) == max(judge(one.structure) for one in path)


def test_reruns_are_equal(score, path):
    again = trace_widths(score, treewidth=5, effort=0.5, rng=np.random.default_rng(0))
    assert [one.structure for one in again] == [one.structure for one in path]


def test_refusals(score):
    with pytest.raises(TreewidthError, match="treewidth= is a bound of at least 1"):
        trace_widths(score, treewidth=0)
    with pytest.raises(SettingError, match="a path has at least one network; found none"):
        choose_width([])
