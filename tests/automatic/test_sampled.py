import numpy as np
import pytest

import treewright as tw
from treewright import _core
from treewright.automatic.sampled import about_sample, some_of
from treewright.errors import SettingError
from treewright.learners.classes.score_choice import score_like
from treewright.statistics import CachedCounter, JointCounts, KeptCounter
from treewright.tables.packing import RUNS_OF_A_SAMPLE, evenly

ROWS = tw.load_network("asia").sample(6_000, rng=np.random.default_rng(0))


def test_a_sample_lies_evenly_among_all_rows():
    table = tw.Table.from_codes([np.arange(10_000) % 7], [7])
    marked = table.with_weights(np.arange(10_000))
    for n in (1, 63, 64, 65, 1_000, 9_999):
        rows = evenly(marked, n).weights
        assert len(rows) == n
        assert (np.diff(rows) > 0).all()
        runs = min(n, RUNS_OF_A_SAMPLE)
        assert 1 + np.count_nonzero(np.diff(rows) > 1) == 1 + min(runs - 1, (runs - 1) * (10_000 - n) // runs)
        assert rows[0] == 0
        assert np.diff([*rows, 10_000]).max() <= 10_000 / runs + 1


def test_the_structure_is_of_some_rows_and_the_parameters_of_all():
    some = tw.learn(ROWS, rows=800)
    assert some.structure == tw.learn(evenly(ROWS, 800)).structure
    whole = tw.fit(some.structure, tw.count(ROWS))
    assert some.model.score(ROWS) == whole.score(ROWS)
    said = "structure from 800 of 6,000 rows, evenly taken in 64 runs; parameters from all rows"
    assert said in some.notes
    assert some.model.provenance["settings"]["rows"] == 800
    assert some.model.provenance["settings"]["certify"] is False
    assert some.model.provenance["rows"] == 6_000


def test_the_search_goes_on_with_all_rows():
    some, certified = tw.learn(ROWS, rows=64), tw.learn(ROWS, rows=64, certify=True)
    score = score_like(some.learned.criterion, tw.count(ROWS))
    assert certified.learned.criterion == some.learned.criterion
    assert score.score(certified.structure) > score.score(some.structure)
    climbed = tw.learn_hill_climbing(score, start=certified.structure, effort=0)
    assert score.score(climbed.structure) == score.score(certified.structure)
    assert any("then searched on with all rows" in note for note in certified.notes)
    assert "searched on with all rows by the same score; kept whole, since" in certified.reason
    assert certified.reason.startswith(some.reason.partition("; ")[0] + "; searched on")
    bounded = tw.learn(ROWS, rows=300, certify=True, treewidth=1)
    assert bounded.width == 1


def test_threads_and_the_order_of_columns_change_nothing():
    expected = tw.learn(ROWS, rows=500, certify=True)
    before = _core.threads()
    try:
        for threads in (1, 2):
            _core.set_threads(threads)
            found = tw.learn(ROWS.select(ROWS.schema.names[::-1]), rows=500, certify=True)
            assert set(found.dag.edges()) == set(expected.dag.edges())
    finally:
        _core.set_threads(before)


def test_all_rows_are_all_rows():
    assert tw.learn(ROWS, rows=6_000, certify=True).structure == tw.learn(ROWS).structure
    assert about_sample(10, 10, certified=True) == []


def test_numbers_too():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2_000)
    lines = {"x": x, "y": x + 0.1 * rng.normal(size=2_000), "z": rng.normal(size=2_000)}
    found = tw.learn(lines, rows=200, certify=True)
    assert found.cpdag.undirected_edges() == [("x", "y")]
    assert "structure from 200 of 2,000 rows" in found.notes[-1]


def test_counters_that_have_rows(tmp_path):
    with KeptCounter(tw.count(ROWS), tmp_path / "run.twc") as kept:
        assert some_of(kept, 100).n_rows == 100
    with pytest.raises(SettingError, match="a CachedCounter only counts; leave it out, or learn from the"):
        some_of(CachedCounter(JointCounts(ROWS.schema.select(["lung"]), [3, 4])), 2)
    with pytest.raises(SettingError, match="and moments have none"):
        tw.learn(tw.moments(tw.read_table({"x": [0.5, 1.5, 2.5]})), rows=2)


def test_one_row_is_a_sample():
    assert tw.learn(ROWS, rows=1).model.provenance["settings"]["rows"] == 1


def test_what_makes_no_sense_is_refused():
    with pytest.raises(SettingError, match="rows= takes at least one row; found 0"):
        tw.learn(ROWS, rows=0)
    with pytest.raises(SettingError, match="certify= searches on with all rows from what rows= found"):
        tw.learn(ROWS, certify=True)
