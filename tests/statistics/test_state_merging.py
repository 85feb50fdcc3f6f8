"""Merging states: groups that are there are found, groups that are not are left alone."""

import math

import numpy as np
import pytest
from tests.reference.counting.counting import SlowCounter, plain_schema
from tests.reference.counting.criteria import approximate_regret

import treewright as tw
from treewright.statistics.state_merging import _Merging, compared_states, log_partitions, merge_states


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


def merged_step_by_step(counter, declared):
    """The same greedy walk in plain words: after each merge, what the edges are worth less both prices."""
    codes, table = counter.columns[0].copy(), counter.columns[1:]
    groups = [[state] for state in range(declared)]

    def codes_of(parts):
        lookup = np.empty(declared, dtype=int)
        for number, part in enumerate(parts):
            lookup[part] = number
        return lookup[codes]

    def fit(parts):
        rows = codes_of(parts)
        total = 0.0
        for other in table:
            joint = np.zeros((len(parts), 3))
            np.add.at(joint, (rows, other), 1)
            total += sum(x * math.log(x) for x in joint.ravel() if x > 0)
            total -= sum(x * math.log(x) for x in joint.sum(1) if x > 0)
        return total

    best = (worth(table, codes, len(table) + 1), declared, groups)
    while len(groups) > 2:
        pairs = [(i, j) for i in range(len(groups)) for j in range(i + 1, len(groups))]
        together = [
            [[*groups[i], *groups[j]] if k == i else g for k, g in enumerate(groups) if k != j]
            for i, j in pairs
        ]
        groups = max(together, key=fit)
        value = worth(table, codes_of(groups), len(table) + 1) - log_partitions(declared)[len(groups)]
        best = max(best, (value, len(groups), groups))
    return sorted(tuple(sorted(group)) for group in best[2])


@pytest.mark.parametrize("groups", [[0, 1, 2] * 3, [0, 0, 1, 2, 3, 4, 5, 5, 6], [3, 2, 2, 1, 0, 0, 0, 1, 3]])
@pytest.mark.parametrize(("seed", "n_rows"), [(s, n) for s in range(4) for n in (50, 120, 500)])
def test_groups_are_those_of_the_plain_walk(seed, n_rows, groups):
    counter = effects_of_groups(seed, groups, n_rows=n_rows, n_effects=4)
    assert np.bincount(counter.columns[0], minlength=9).min() > 0
    found = merge_states(counter, rounds=1).get("x0", tuple((s,) for s in range(9)))
    assert sorted(map(tuple, found)) == merged_step_by_step(counter, 9)


def test_an_edge_costs_what_the_formula_says():
    counter = effects_of_groups(6, [0, 1] * 5, n_rows=80, n_effects=3)
    cells = np.concatenate(counter.counts_many([(0, 1), (0, 2), (0, 3)]), axis=1)
    merging = _Merging(cells, [3, 3, 3], math.log(4))
    assert merging.worth(10) == pytest.approx(worth(counter.columns[1:], counter.columns[0], 4))
    cheap = _Merging(cells.copy(), [3, 3, 3], 0.0).worth(10)
    assert cheap == pytest.approx(worth(counter.columns[1:], counter.columns[0], 1))
    assert cheap > merging.worth(10)


def test_at_first_only_small_variables_judge():
    # a copy of the codes themselves would keep all of them apart
    counter = effects_of_groups(5, [0, 1, 2] * 7, n_rows=900)
    columns = [*counter.columns, counter.columns[0]]
    both = SlowCounter(plain_schema([*counter.schema.cardinalities, 21]), columns)
    assert [len(groups) for groups in merge_states(both, rounds=1).values()] == [3, 3]


def test_two_states_that_were_seen_are_compared():
    counter = effects_of_groups(2, [0, 1], n_rows=200)
    wide = SlowCounter(plain_schema([10] + [3] * 12), counter.columns)
    (alone,) = [g for g in merge_states(wide)["x0"] if len(g) == 1]
    rarer = int(np.bincount(counter.columns[0])[1] < 100)
    assert alone == (rarer,)  # the other one took in what was never seen
