"""Work of the class search that goes on side by side: it may change the time and nothing else."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.classes.class_examples import sampled_table
from tests.learners.classes.test_class_search import Plain

import treewright as tw
from treewright import _core
from treewright.errors import SettingError
from treewright.learners import find_clusters, measure_dependencies


@contextmanager
def on_threads(n):
    before = _core.threads()
    _core.set_threads(n)
    try:
        yield
    finally:
        _core.set_threads(before)


def work_of(learned):
    """Everything that was done, phase by phase, but for the time it took."""
    return [(phase.name, phase.tallies) for phase in learned.trace.phases]


def partition(names, seed, n_groups):
    rng = np.random.default_rng(seed)
    groups = [[] for _ in range(n_groups)]
    for name in names:
        groups[rng.integers(n_groups)].append(name)
    return [group for group in groups if group]


@pytest.fixture(scope="module")
def alarm():
    return tw.load_network("alarm").sample(700, rng=np.random.default_rng(5))


@pytest.mark.parametrize("effort", [1, 2, 3])
@pytest.mark.parametrize("n_groups", [1, 6, 37])
def test_the_number_of_threads_changes_neither_the_class_nor_what_is_counted(alarm, effort, n_groups):
    found = []
    for threads in (1, 2, 5):
        with on_threads(threads):
            groups = partition(alarm.schema.names, 3, n_groups)
            score = tw.SparseQNML(tw.count(alarm))
            found.append(tw.learners.class_search(score, effort=effort, clusters=groups))
    first, *others = found
    assert first.trace.total("improved") > 0
    for other in others:
        assert (other.structure, other.cpdag, other.score) == (first.structure, first.cpdag, first.score)
        assert work_of(other) == work_of(first)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000), n_groups=st.integers(1, 8), kind=st.sampled_from([tw.BIC, tw.QNML, tw.AIC])
)
def test_one_cluster_of_all_is_the_search_without_clusters(seed, n_groups, kind):
    table = sampled_table(seed, n=8, n_rows=150, density=0.6)
    counter = tw.count(table)
    for effort in (0, 1, 2, 3):
        alone = tw.learners.class_search(kind(counter), effort=effort)
        with on_threads(3):
            whole = tw.learners.class_search(kind(counter), effort=effort, clusters=[table.schema.names])
            cut = tw.learners.class_search(
                kind(counter), effort=effort, clusters=partition(table.schema.names, seed, n_groups)
            )
        assert (whole.structure, whole.score) == (alone.structure, alone.score)
        for tally in ("inserts", "deletes", "turns", "reopened", "improved"):
            assert whole.trace.total(tally) == alone.trace.total(tally)
        assert cut.certified
        if effort == 0:  # nothing is reopened, so there is no order to differ in
            assert (cut.structure, cut.score) == (alone.structure, alone.score)


def test_many_lists_at_once_are_those_of_one_after_the_other(alarm):
    counter = tw.count(alarm)
    alone = tw.learners.class_search(tw.BIC(counter), effort=0)
    stars = find_clusters(measure_dependencies(counter)).disjoint
    scattered = partition(alarm.schema.names, 1, len(stars))
    with on_threads(4):
        cuts = [
            tw.learners.class_search(tw.BIC(counter), effort=0, clusters=groups)
            for groups in (stars, scattered)
        ]
    for cut in cuts:
        assert (cut.structure, cut.score) == (alone.structure, alone.score)
        for tally in ("lists", "checks", "inserts", "deletes", "turns"):
            assert cut.trace.total(tally) == alone.trace.total(tally)
    # what two branches count at the same time is counted twice: little of that where clusters belong together
    tables = [found.trace.total("tables") for found in (alone, *cuts)]
    assert tables == sorted(tables)
    assert tables[1] < 1.1 * tables[0]


def test_scores_that_know_one_thread_only_go_the_same_way(alarm):
    names = alarm.schema.names[:20]
    counter = tw.count(alarm.select(names))
    groups = partition(names, 2, 5)
    for effort in (1, 2):
        expected = tw.learners.class_search(tw.BIC(counter), effort=effort, clusters=groups)
        asked = tw.learners.class_search(Plain(tw.BIC(counter)), effort=effort, clusters=groups)
        assert asked.cpdag == expected.cpdag


def test_continuous_and_really_weighted_rows_go_side_by_side_too():
    rng = np.random.default_rng(4)
    network = tw.load_network("alarm")
    rows = network.sample(400, rng=rng)
    weighted = tw.count(rows.with_weights(rng.integers(1, 3, size=400).astype(float)))
    noise = rng.normal(size=(300, 12))
    for v in range(2, 12):
        noise[:, v] += noise[:, v - 1] - 0.7 * noise[:, v // 2]
    moments = tw.moments(tw.read_table({f"x{v:02}": noise[:, v] for v in range(12)}))
    for score in (tw.BIC(weighted), tw.GaussianBIC(moments)):
        names = score.schema.names
        alone = tw.learners.class_search(score)
        with on_threads(3):
            assert tw.learners.class_search(score, clusters=[names]).cpdag == alone.cpdag
            cut = tw.learners.class_search(score, clusters=partition(names, 7, 4))
        with on_threads(1):
            assert tw.learners.class_search(score, clusters=partition(names, 7, 4)).cpdag == cut.cpdag


@pytest.mark.parametrize("engine_threads", [1, 3])
def test_columns_do_not_matter_to_knots_that_are_searched_side_by_side(alarm, engine_threads):
    rng = np.random.default_rng(9)
    with on_threads(engine_threads):
        expected = tw.learn_knots(tw.count(alarm))
        shuffled = alarm.select([str(name) for name in rng.permutation(alarm.schema.names)])
        other = tw.learn_knots(tw.count(shuffled))
    assert sorted(other.structure.edges()) == sorted(expected.structure.edges())
    assert other.report.tables == expected.report.tables


def test_empty_clusters_are_nobody():
    score = tw.BIC(tw.count(tw.read_table({"a": [0, 1, 1], "b": [1, 0, 1]})))
    assert tw.learners.class_search(score, clusters=[[], [], [], ["b"], [], ["a"]]).certified


@pytest.mark.parametrize("groups", [[["a"]], [["a", "b"], ["b"]], [["a"], ["b", "c"]], [["a", 3], ["b"]], []])
def test_clusters_must_be_a_partition(groups):
    score = tw.BIC(tw.count(tw.read_table({"a": [0, 1, 1], "b": [1, 0, 1]})))
    with pytest.raises(
        SettingError, match="clusters must hold every variable of the score, each in one of them"
    ):
        tw.learners.class_search(score, clusters=groups)
