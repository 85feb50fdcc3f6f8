import numpy as np
import pytest
from tests.statistics.cluster.pools import HerePool

import treewright as tw
from treewright.errors import SettingError
from treewright.learners import learn_dag_climbing, learn_paper_knots
from treewright.statistics import ClusterCounter, KeptCounter
from treewright.statistics.cluster import cut_into_pieces

ROWS = tw.load_network("asia").sample(1500, rng=np.random.default_rng(3))
WHOLE = tw.count(ROWS)


@pytest.fixture
def counter(tmp_path):
    return cluster_of(tmp_path, HerePool())


def cluster_of(folder, pool, table=ROWS):
    for i, shard in enumerate(table.shards(3)):
        tw.pack(shard, folder / f"piece-{i}.twp")
    return ClusterCounter(cut_into_pieces(str(folder / "piece-*.twp")), pool)


LEARNERS = {
    "chow-liu": lambda counter: tw.learn_chow_liu(tw.BIC(counter)),
    "hill climbing": lambda counter: tw.learn_hill_climbing(tw.BDeu(counter)),
    "bounded": lambda counter: tw.learn_bounded_treewidth(
        tw.BIC(counter), treewidth=2, rng=np.random.default_rng(0)
    ),
    "pc": lambda counter: tw.learn_pc(tw.GTest(counter, alpha=0.01)),
    "knots": tw.learn_knots,
    "paper knots": lambda counter: learn_paper_knots(counter, expansion=0.15),
    "paper knots by classes": lambda counter: learn_paper_knots(counter, expansion=0.15, engine="class"),
    "blocks": tw.learn_blocks,
    "blankets": lambda counter: tw.learn_blankets(tw.MarginalPseudoLikelihood(counter)),
    "rows": lambda counter: tw.learn_cutset_network(counter, rng=np.random.default_rng(0)),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_find_what_they_find_in_one_table(counter, name):
    here, there = LEARNERS[name](WHOLE), LEARNERS[name](counter)
    assert there.structure == here.structure
    assert getattr(there, "score", None) == getattr(here, "score", None)
    if hasattr(here, "dag"):
        assert tw.fit(there.dag, counter).score(ROWS) == tw.fit(here.dag, WHOLE).score(ROWS)


def test_knots_are_learned_by_workers(tmp_path):
    table = tw.load_network("alarm").sample(800, rng=np.random.default_rng(0))
    pool = HerePool("a", "b", lost={9, 11})
    pool.takes = False
    counter = cluster_of(tmp_path, pool, table)
    there, here = learn_paper_knots(counter), learn_paper_knots(tw.count(table))
    assert len(here.knots) > 2
    assert (there.structure, there.knots) == (here.structure, here.knots)
    assert there.n_tests >= here.n_tests > 666


def test_workers_that_are_lost_change_nothing(tmp_path):
    pool = HerePool(*"abcdefgh", lost={4, 10, 11, 25})
    found = tw.learn_hill_climbing(tw.BIC(cluster_of(tmp_path, pool)))
    assert found.structure == tw.learn_hill_climbing(tw.BIC(WHOLE)).structure
    assert len(pool.names) == 4


def test_rounds_are_few(counter):
    tw.learn_chow_liu(tw.BIC(counter))
    assert counter.n_rounds <= 2


def test_a_checkpoint_of_workers(tmp_path, counter):
    for _ in range(2):
        with KeptCounter(counter, tmp_path / "run.twc") as kept:
            learned = tw.learn_hill_climbing(tw.BIC(kept))
    assert kept.n_counted == 0
    assert learned.structure == tw.learn_hill_climbing(tw.BIC(WHOLE)).structure


def learn_table(table):
    return learn_dag_climbing(tw.BIC(tw.count(table)))


def learn_counter(counter):
    return learn_dag_climbing(tw.BIC(counter))


def test_replicas_are_learned_by_workers(tmp_path, counter):
    def confidence(rows, learn, **how):
        return tw.edge_confidence(rows, learn, repetitions=6, rng=np.random.default_rng(5), **how).counts

    here = confidence(ROWS, learn_table)
    packed = tw.pack(ROWS, tmp_path / "rows.twp")
    np.testing.assert_array_equal(confidence(packed, learn_table, client=HerePool(lost={2})), here)
    np.testing.assert_array_equal(confidence(counter, learn_counter), here)
    weighted = ROWS.with_weights(np.arange(1500) % 3)
    (tmp_path / "weighted").mkdir()
    there = cluster_of(tmp_path / "weighted", HerePool(), weighted)
    np.testing.assert_array_equal(confidence(there, learn_counter), confidence(weighted, learn_table))
    with pytest.raises(SettingError, match="tasks for workers name files, and this table is in memory"):
        confidence(ROWS, learn_table, client=HerePool())


def learn_model(table):
    return tw.fit(tw.Dag(table.schema), tw.count(table))


def test_folds_are_judged_by_workers(tmp_path):
    ways = {"tree": tw.ChowLiuTree(), "independent": learn_model}
    packed = tw.pack(ROWS, tmp_path / "rows.twp")
    here = tw.cross_validate(ways, ROWS, folds=3, rng=np.random.default_rng(1))
    there = tw.cross_validate(ways, packed, folds=3, rng=np.random.default_rng(1), client=HerePool(lost={1}))
    np.testing.assert_array_equal(there.logs, here.logs)
    with pytest.raises(SettingError, match="tasks for workers name files"):
        tw.cross_validate(ways, ROWS, folds=3, client=HerePool())


def test_rows_of_workers_are_learned_from_in_part(counter):
    some = tw.learn(counter, rows=300)
    assert some.notes[-1].startswith("structure from 300 of 1,500 rows, evenly taken in 64 runs; parameters")
    whole = tw.learn(counter, rows=300, certify=True)
    assert "then searched on with all rows" in whole.notes[-1]
    assert whole.learned.score >= tw.automatic.sampled.score_like(some.learned.criterion, WHOLE).score(
        some.structure
    )
    assert repr(counter) == "ClusterCounter(8 variables, 3 pieces)"
