"""Merging states: groups that are there are found, groups that are not are left alone."""

import math

import numpy as np
import pytest
from tests.reference.counting.counting import SlowCounter, plain_schema
from tests.reference.counting.criteria import approximate_regret

import treewright as tw
from treewright.statistics.state_merging import compared_states, log_partitions, merge_states


def effects_of_groups(seed, groups, n_rows=400, n_effects=12):
    """A variable x0 whose state matters to all others through its group only."""
    rng = np.random.default_rng(seed)
    code = rng.integers(len(groups), size=n_rows)
    rows = [rng.dirichlet([0.4] * 3, size=max(groups) + 1) for _ in range(n_effects)]
    hidden = np.array(groups)[code]
    effects = [(rng.random(n_rows)[:, None] > row.cumsum(1)[hidden][:, :2]).sum(1) for row in rows]
    return SlowCounter(plain_schema([len(groups)] + [3] * n_effects), [code, *effects])


def worth(table, rows, n_variables):
    """Sum over effects of the positive gains of an edge, from the plain formula."""
    total = 0.0
    for other in table:
        joint = np.zeros((rows.max() + 1, 3))
        np.add.at(joint, (rows, other), 1)
        parts = [joint, joint.sum(1), joint.sum(0), joint.sum()]
        h = [sum(x * math.log(x) for x in np.ravel(part) if x > 0) for part in parts]
        k, n = joint.shape[0], len(rows)
        cost = approximate_regret(n, 3 * k) - approximate_regret(n, k) - approximate_regret(n, 3)
        total += max(0.0, h[0] - h[1] - h[2] + h[3] - cost - math.log(n_variables))
    return total


@pytest.mark.parametrize("seed", range(3))
def test_groups_that_are_there_are_found(seed):
    truth = [0, 1, 2, 3] * 8
    counter = effects_of_groups(seed, truth, n_rows=600)
    found = merge_states(counter)["x0"]
    assert sorted(found) == sorted(tuple(s for s in range(32) if truth[s] == g) for g in range(4))


def test_the_groups_are_worth_more_than_the_states():
    counter = effects_of_groups(4, [0, 1, 2] * 7, n_rows=150)
    groups = merge_states(counter)["x0"]
    codes = np.empty(21, dtype=int)
    for number, group in enumerate(groups):
        codes[list(group)] = number
    merged = worth(counter.columns[1:], codes[counter.columns[0]], 13)
    assert merged - log_partitions(21)[len(groups)] > worth(counter.columns[1:], counter.columns[0], 13)


def test_noise_is_not_merged():
    rng = np.random.default_rng(2)
    columns = [rng.integers(40, size=150), *(rng.integers(3, size=150) for _ in range(15))]
    assert merge_states(SlowCounter(plain_schema([40] + [3] * 15), columns)) == {}


def test_small_variables_and_plenty_of_rows_stay():
    assert merge_states(effects_of_groups(1, list(range(8)))) == {}
    assert merge_states(effects_of_groups(1, list(range(12)), n_rows=60_000)) == {}
    assert "x0" in merge_states(effects_of_groups(1, [0, 1, 2, 0]), above=3)


def test_column_order_does_not_matter():
    counter = effects_of_groups(3, [0, 1, 2] * 7)
    large = effects_of_groups(9, [0, 1] * 6)
    columns = [*counter.columns, large.columns[0] % 12, (counter.columns[0] * 2 + large.columns[1]) % 11]
    schema = plain_schema([*counter.schema.cardinalities, 12, 11])
    expected = merge_states(SlowCounter(schema, columns))
    assert {"x0", "x14"} <= expected.keys()
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(columns))
        shuffled = plain_schema([schema.cardinalities[v] for v in order], [schema.names[v] for v in order])
        assert merge_states(SlowCounter(shuffled, [columns[v] for v in order])) == expected


def test_unseen_states_join_the_commonest_and_the_rarest_each_other():
    assert compared_states(np.array([3, 0, 5, 1])).tolist() == [0, 1, 1, 2]
    codes = compared_states(np.concatenate([np.full(255, 9), [1, 2, 0]]))
    assert codes[:255].tolist() == list(range(255))
    assert codes[255:].tolist() == [255, 255, 0]


def test_ways_to_part_things():
    assert np.exp(log_partitions(5)) == pytest.approx([0, 1, 15, 25, 10, 1])
    assert log_partitions(1001)[2] == pytest.approx(1000 * math.log(2), abs=1e-9)
    assert log_partitions(1000)[3] == pytest.approx(1000 * math.log(3) - math.log(6), rel=1e-9)


def test_any_counter_and_few_columns():
    table = tw.read_table({"code": list("abcdefghij") * 20, "even": [1, 0] * 100})
    whole = merge_states(tw.count(table))
    assert merge_states(tw.ShardedCounter([tw.count(part) for part in table.shards(3)])) == whole
    assert whole == {"code": (tuple("acegi"), tuple("bdfhj"))}
    assert merge_states(tw.count(table.select(["code"]))) == {}
    assert merge_states(tw.count(table.take(slice(0, 0)))) == {}


def test_refusals():
    counter = effects_of_groups(1, [0, 1])
    with pytest.raises(ValueError, match="above must be 2 or more and rounds 1 or more; found above=1, rou"):
        merge_states(counter, above=1)
    with pytest.raises(ValueError, match="found above=8, rounds=0"):
        merge_states(counter, rounds=0)
