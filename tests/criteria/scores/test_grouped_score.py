"""The score of merged states: laws of a score, and hubs of many states."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting import criteria as slow

import treewright as tw
from treewright.criteria.scores.native_scores import native_scores


def hub_table(seed, n_rows=300, states=40, n_effects=8):
    """A hub whose state matters through four groups; its effects depend on nothing else."""
    rng = np.random.default_rng(seed)
    hub = rng.integers(states, size=n_rows)
    tables = [rng.dirichlet([0.3] * 3, size=4) for _ in range(n_effects)]
    rows = {f"e{i}": _draw(rng, table[hub % 4]) for i, table in enumerate(tables)}
    return tw.read_table({"hub": [f"s{h}" for h in hub], **rows})


def _draw(rng, rows):
    return (rng.random(len(rows))[:, None] > rows.cumsum(1)[:, :2]).sum(1)


def test_effects_of_a_hub_are_joined_with_the_hub():
    table = hub_table(0)
    counter, truth = tw.count(table), tw.Dag(table.schema, [("hub", f"e{i}") for i in range(8)])
    score = tw.criteria.GroupedQNML(counter)
    learned = tw.learn_hill_climbing(score)
    assert tw.compare(truth, learned.cpdag).skeleton.fp == 0
    plain = tw.learn_hill_climbing(tw.SparseQNML(counter))
    assert tw.shd(truth, learned.cpdag) <= 1 < tw.shd(truth, plain.cpdag)
    assert repr(score) == "GroupedQNML(9 variables, 1 of them merged)"


def test_structures_keep_all_states():
    counter = tw.count(hub_table(1))
    score = tw.criteria.GroupedQNML(counter)
    learned = tw.learn_hill_climbing(score, knowledge=tw.Knowledge(forbidden=[("hub", "e0"), ("e0", "hub")]))
    assert learned.structure.schema == counter.schema
    assert not learned.structure.has_arc("hub", "e0")
    assert not learned.structure.has_arc("e0", "hub")
    model = tw.fit(learned.structure, counter)
    assert len(model.marginals().array("hub")) == 40
    assert learned.score == score.score(learned.structure)


def test_without_many_states_it_is_sparse_qnml():
    table = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))
    grouped, sparse = tw.criteria.GroupedQNML(tw.count(table)), tw.SparseQNML(tw.count(table))
    assert grouped.groups == {}
    for family in [("dysp", ()), ("dysp", ("bronc", "either")), ("xray", ("lung",))]:
        assert grouped.local(*family) == sparse.local(*family)


@pytest.mark.slow
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_equivalent_graphs_tie_exactly(seed):
    table = hub_table(seed % 5, n_rows=120, n_effects=4)
    score = tw.criteria.GroupedQNML(tw.count(table))
    rng = np.random.default_rng(seed)
    order = rng.permutation(table.schema.names).tolist()
    dag = tw.Dag(
        table.schema, [(order[i], order[j]) for j in range(5) for i in range(j) if rng.random() < 0.6]
    )
    plain = slow.PlainDag(table.schema, [[u for u in range(5) if dag.has_arc(u, v)] for v in range(5)])
    total = sum(score.local(v, plain.parents(v)) for v in range(5))
    for y, x in plain.covered_arcs():
        turned = plain.reversed(y, x)
        assert sum(score.local(v, turned.parents(v)) for v in range(5)) == total


def test_native_answers_are_the_same():
    counter = tw.count(hub_table(2))
    score = tw.criteria.GroupedQNML(counter)
    native, order = native_scores(score), counter.schema.name_order
    for child, parents in [(0, []), (8, [0]), (3, [8, 1]), (0, [8])]:
        assert native.local(child, parents) == score.local(order[child], [order[p] for p in parents])


def test_column_order_and_counters_do_not_matter():
    table = hub_table(3, n_rows=200)
    expected = tw.learn_hill_climbing(tw.criteria.GroupedQNML(tw.count(table))).cpdag
    for seed in range(3):
        names = np.random.default_rng(seed).permutation(table.schema.names).tolist()
        counter = tw.count(table.reordered(names))
        found = tw.learn_hill_climbing(tw.criteria.GroupedQNML(counter)).cpdag
        assert found.directed_edges() == expected.directed_edges()
        assert found.undirected_edges() == expected.undirected_edges()
    sharded = tw.criteria.GroupedQNML(tw.ShardedCounter([tw.count(part) for part in table.shards(2)]))
    assert sharded.groups == tw.criteria.GroupedQNML(tw.count(table)).groups
    assert sharded.local("e1", ["hub"]) == tw.criteria.GroupedQNML(tw.count(table)).local("e1", ["hub"])


def test_given_groups():
    table = hub_table(4)
    groups = {"hub": tuple(tuple(f"s{i}" for i in range(40) if i % 4 == g) for g in range(4))}
    score = tw.criteria.GroupedQNML(tw.count(table), groups=groups)
    assert score.groups == groups
    merged = tw.SparseQNML(tw.statistics.MergedCounter(tw.count(table), groups))
    assert score.local("e0", ["hub"]) == merged.local("e0", ["hub"])


def test_by_name():
    from treewright.criteria.registry import score_named

    assert isinstance(score_named("grouped-qnml", tw.count(hub_table(0, n_rows=50))), tw.criteria.GroupedQNML)
    with pytest.raises(ValueError, match="above must be 2 or more"):
        tw.criteria.GroupedQNML(tw.count(hub_table(0, n_rows=50)), above=0)
