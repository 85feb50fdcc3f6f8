import numpy as np
import pytest
from tests.statistics.cluster.pools import HerePool

import treewright as tw
from treewright.errors import SchemaError, SettingError
from treewright.reports import cross_validation

ASIA = tw.load_network("asia")
ROWS = ASIA.sample(200, rng=np.random.default_rng(2))


def independent(table):
    return tw.fit(tw.Dag(table.schema), tw.count(table))


def tree(table):
    counter = tw.count(table)
    return tw.fit(tw.learn_chow_liu(tw.BIC(counter)).structure, counter)


def test_every_row_is_judged_by_a_model_that_has_not_seen_it():
    found = tw.cross_validate({"tree": tree, "independent": independent}, ROWS, folds=7)
    parts = cross_validation._deal(ROWS.n_rows, 7, np.random.default_rng(0))
    assert sorted(np.concatenate(parts)) == list(range(200))
    for w, way in enumerate((tree, independent)):
        logs = np.empty(200)
        for part in parts:
            rest = sorted(set(range(200)) - set(part.tolist()))
            logs[part] = way(ROWS.take(rest)).log_probability(ROWS.take(part))
        np.testing.assert_array_equal(found.logs[w], logs)
        assert found.means[w] == pytest.approx(logs.mean())
        assert found.errors[w] == pytest.approx(logs.std(ddof=1) / np.sqrt(200))
        np.testing.assert_allclose(found.folds[w], [logs[part].mean() for part in parts])
    away = found.logs[0] - found.logs[1]
    assert found.best == "tree"
    assert found.behind.tolist() == pytest.approx([0.0, away.mean()])
    assert found.behind_errors[1] == pytest.approx(away.std(ddof=1) / np.sqrt(200))
    assert repr(found).startswith("log-likelihood per row, 7 folds of 200 rows\n  tree         -")
    assert list(found.to_frame()["method"]) == ["tree", "independent"]


def test_the_same_folds_each_time_unless_a_generator_deals():
    first, again = (tw.cross_validate(tree, ROWS, folds=3) for _ in range(2))
    np.testing.assert_array_equal(first.logs, again.logs)
    other = tw.cross_validate(tree, ROWS, folds=3, rng=np.random.default_rng(9))
    assert not np.array_equal(first.logs, other.logs)


def test_the_default_is_a_way_of_learning():
    found = tw.cross_validate({"auto": tw.learn, "independent": independent}, ROWS, folds=2)
    assert found.best == "auto"


def test_frames_estimators_weights_and_gaps():
    frame = ROWS.to_pandas()
    by_estimator = tw.cross_validate(tw.ChowLiuTree(), frame, folds=3)
    assert by_estimator.names == ("ChowLiuTree",)
    np.testing.assert_allclose(by_estimator.means, tw.cross_validate(tree, ROWS, folds=3).means)
    weights = np.arange(200.0)
    weighed = tw.cross_validate(independent, ROWS.with_weights(weights), folds=3)
    assert weighed.means[0] == pytest.approx(np.average(weighed.logs[0], weights=weights))
    gaps = tw.read_table(
        frame.astype(str).mask(np.random.default_rng(1).random(frame.shape) < 0.1), missing="em"
    )
    found = tw.cross_validate(lambda table: tw.fit_em(tw.Dag(table.schema), table).model, gaps, folds=3)
    assert np.isfinite(found.means[0])
    assert found.means[0] > weighed.means[0]  # fewer cells to explain


def test_a_way_that_says_never_is_infinitely_behind():
    never = tw.BayesianNetwork(
        ASIA.dag, [np.eye(t.shape[-1])[np.zeros(t.shape[:-1], int)] for t in ASIA.tables]
    )
    found = tw.cross_validate({"never": lambda table: never, "tree": tree}, ROWS, folds=2)
    assert found.best == "tree"
    assert found.means[0] == -np.inf
    assert found.behind[0] == np.inf


@pytest.mark.parametrize(
    ("ways", "folds", "error", "message"),
    [
        ({}, 3, SettingError, "one way of learning at least"),
        ({"x": 7}, 3, SettingError, "an estimator or a function from a table to a model; 'x' is a int"),
        (tree, 1, SchemaError, r"2 folds at least .*\(200\) at most; found folds=1"),
        (tree, 201, SchemaError, "found folds=201"),
    ],
)
def test_what_cannot_be_judged_is_refused(ways, folds, error, message):
    with pytest.raises(error, match=message):
        tw.cross_validate(ways, ROWS, folds=folds)


def climbed(counter):
    return tw.fit(tw.learn_hill_climbing(tw.BIC(counter)).dag, counter)


def climbed_from_table(table):
    return climbed(tw.count(table))


@pytest.mark.parametrize("weights", [None, np.arange(200) % 3])
def test_pieces_are_dealt_where_they_are(tmp_path, weights):
    rows = ROWS.with_weights(weights)
    for i, shard in enumerate(rows.shards(3)):
        tw.pack(shard, tmp_path / f"{i}.twp")
    pool = HerePool("a", "b", lost={3})  # whatever that worker had is done by the other
    pieces = tw.open_source(str(tmp_path / "*.twp"), client=pool)
    there = tw.cross_validate(climbed, pieces, folds=4)
    here = tw.cross_validate(climbed_from_table, rows, folds=4)
    np.testing.assert_array_equal(there.logs, here.logs)
    assert (there.means, there.n_rows) == (here.means, here.n_rows)
    with pytest.raises(SchemaError, match="found folds=201"):
        tw.cross_validate(climbed, pieces, folds=201)


def test_rows_to_learn_from_are_not_copied(tmp_path, monkeypatch):
    tw.pack(ROWS, tmp_path / "rows.twp")
    pieces = tw.open_source(tmp_path / "rows.twp", client=HerePool())
    taken, take = [], tw.Table.take
    monkeypatch.setattr(tw.Table, "take", lambda self, rows: taken.append(take(self, rows)) or taken[-1])
    tw.cross_validate(climbed, pieces, folds=4)
    assert [table.n_rows for table in taken] == [50] * 4
