"""The best tree against exhaustive search, on scores of both kinds."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright import (
    AIC,
    BIC,
    K2,
    BDeu,
    Cpdag,
    Dag,
    GaussianBIC,
    Knowledge,
    LogLikelihood,
    ShardedCounter,
    SigmoidBIC,
    SparseQNML,
    Table,
    count,
    learn_chow_liu,
    load_network,
    moments,
)
from treewright.criteria import CachedScore, EdgePrior
from treewright.errors import CycleError, GraphError, KnowledgeError, SchemaError
from treewright.learners.classes.chow_liu import (
    bind_in_order,
    obedient_branching,
    required_parts,
    without_noise,
)
from treewright.tables import Schema, Variable

SCORES = [LogLikelihood, AIC, BIC, BDeu, K2, SparseQNML]


def dependent_table(seed, cardinalities, n_rows):
    rng = np.random.default_rng(seed)
    columns = []
    for r in cardinalities:
        codes = rng.integers(0, r, n_rows)
        if columns:
            source = columns[rng.integers(len(columns))]
            codes = np.where(rng.random(n_rows) < 0.4, source % r, codes)
        columns.append(codes)
    schema = Schema(Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(cardinalities))
    return Table(schema, [c.astype(np.uint8) for c in columns])


def best_single_parent_score(score, known=None):
    """Every choice of at most one parent that is acyclic and obeys."""
    n = len(score.schema)
    best = -np.inf
    for parents in itertools.product(range(-1, n), repeat=n):
        try:
            dag = Dag(score.schema, [(p, v) for v, p in enumerate(parents) if p >= 0])
        except (CycleError, ValueError):
            continue
        if known is None or known.obeyed_by(dag):
            best = max(best, score.score(dag))
    return best


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("seed", range(4))
def test_no_network_with_single_parents_scores_higher(kind, seed):
    score = kind(count(dependent_table(seed, [2, 3, 2, 4], 60)))
    learned = learn_chow_liu(score).structure
    assert all(len(learned.parents(v)) <= 1 for v in range(4))
    assert score.score(learned) == pytest.approx(best_single_parent_score(score), abs=1e-9)


def test_continuous_columns_with_both_scores():
    rng = np.random.default_rng(0)
    a = rng.normal(size=80)
    columns = [a, a + rng.normal(size=80), rng.normal(size=80), np.tanh(3 * a) + 0.1 * rng.normal(size=80)]
    table = Table(Schema(Variable(name) for name in "abcd"), columns)
    for score in (GaussianBIC(moments(table)), SigmoidBIC(table)):
        learned = learn_chow_liu(score).structure
        assert score.score(learned) == pytest.approx(best_single_parent_score(score), abs=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.permutations(range(6)))
def test_the_order_of_columns_and_rows_changes_nothing(seed, order):
    table = dependent_table(seed, [2, 3, 2, 4, 2, 2], 150)
    names = [table.schema.names[v] for v in order]
    shuffled = table.reordered(names).take(np.random.default_rng(seed).permutation(150))
    for kind in (BIC, K2):
        expected = learn_chow_liu(kind(count(table))).structure.edges()
        assert learn_chow_liu(kind(count(shuffled))).structure.edges() == expected


def test_wrappers_and_shards_learn_the_same_tree():
    table = dependent_table(3, [2, 3, 2, 4, 2], 300)
    plain = BIC(count(table))
    expected = learn_chow_liu(plain).structure
    sharded = BIC(ShardedCounter(count(shard) for shard in table.shards(3)))
    for score in (sharded, CachedScore(plain), EdgePrior(plain, 0.0)):
        assert learn_chow_liu(score).structure == expected
        np.testing.assert_array_equal(score.pair_gains(), plain.pair_gains())


def test_a_price_for_edges_removes_the_weakest():
    score = BIC(count(dependent_table(5, [2, 2, 2, 2], 400)))
    gains = score.pair_gains()
    tree = learn_chow_liu(score).structure
    weakest = min(gains[u, v] for u, v in tree.index_edges())
    assert learn_chow_liu(EdgePrior(score, weakest + 1e-6)).structure.n_edges == tree.n_edges - 1
    assert learn_chow_liu(EdgePrior(score, 1e6)).structure.n_edges == 0


@pytest.mark.parametrize("kind", [BIC, BDeu])
def test_real_weights_leave_noise_in_the_gains(kind):
    noisy = 0
    for seed in range(12):
        table = dependent_table(seed, [2, 3] * 6, 500)
        weighted = Table(
            table.schema, table.columns, weights=np.random.default_rng(seed).uniform(0, 3, table.n_rows)
        )
        score = kind(count(weighted))
        gains = score.pair_gains()
        noisy += bool((gains != gains.T).any())
        assert learn_chow_liu(score).structure.n_edges > 0
    assert noisy > 0


def test_gains_that_really_differ_are_refused():
    class Turned(BIC):
        def pair_gains(self):
            return np.triu(super().pair_gains() + 1)

    score = Turned(count(dependent_table(1, [2, 2, 2], 100)))
    with pytest.raises(GraphError, match="weights of pairs must be symmetric numbers; found"):
        learn_chow_liu(score)


def test_trees_point_away_from_the_first_name():
    table = dependent_table(1, [2, 2, 2, 2, 2], 500)
    learned = learn_chow_liu(LogLikelihood(count(table))).structure
    assert learned.n_edges == 4
    assert learned.parents("v0") == ()


def test_with_an_order_parents_come_first():
    score = BIC(count(dependent_table(2, [2, 3, 2, 2, 2], 400)))
    order = ["v3", "v1", "v4", "v0", "v2"]
    learned = learn_chow_liu(score, order=order).structure
    gains = score.pair_gains()
    for position, name in enumerate(order):
        child = score.schema.index(name)
        before = [score.schema.index(p) for p in order[:position]]
        best = max((gains[p, child] for p in before), default=0)
        parents = learned.parents(name)
        assert (
            (len(parents) == 1 and gains[score.schema.index(parents[0]), child] == best)
            if best > 0
            else parents == ()
        )
    with pytest.raises(SchemaError, match="an order names every variable; it lacks 'v1'"):
        learn_chow_liu(score, order=["v0", "v2", "v3", "v4"])


@pytest.mark.parametrize("n_columns", [0, 1])
def test_nothing_to_join(n_columns):
    schema = Schema(Variable(f"v{i}", (0, 1)) for i in range(n_columns))
    table = Table(schema, [np.zeros(3, np.uint8)] * n_columns)
    assert learn_chow_liu(BIC(count(table))).structure.edges() == []


def test_a_tree_of_alarm_finds_mostly_true_edges():
    alarm = load_network("alarm")
    counter = count(alarm.sample(20_000, rng=np.random.default_rng(1)))
    learned = learn_chow_liu(BIC(counter))
    true_edges = set(map(frozenset, alarm.dag.edges()))
    found = list(map(frozenset, learned.structure.edges()))
    assert len(found) >= 34
    assert sum(edge in true_edges for edge in found) >= 28
    assert learned.trace.total("scores") == 37 * 37
    assert [phase.name for phase in learned.trace.phases] == ["pairs", "tree"]
    assert Cpdag.of(learned.structure).directed_edges() == []


def test_continuous_columns_are_refused_by_discrete_scores():
    table = Table(Schema([Variable("a", (0, 1)), Variable("heat")]), [np.zeros(2, np.uint8), np.zeros(2)])
    with pytest.raises(SchemaError, match="BIC judges states; 'heat' is continuous: read it with bins="):
        BIC(count(table))


KNOWN = [
    Knowledge(forbidden_edges=[("v0", "v1"), ("v1", "v2")]),
    Knowledge(required=[("v3", "v0")]),
    Knowledge(required=[("v3", "v0"), ("v0", "v1")], forbidden=[("v2", "v3")]),
    Knowledge(forbidden=[("v0", "v1"), ("v3", "v1"), ("v2", "v1")]),
    Knowledge(tiers=[["v3"], ["v1", "v2"], ["v0"]]),
    Knowledge(tiers=[["v3"], ["v1", "v2", "v0"]], forbid_within_tiers=True),
    Knowledge(order=["v2", "v0", "v3", "v1"]),
    Knowledge(parents={"v1": [], "v2": ["v3"]}),
]


@pytest.mark.parametrize("kind", [BIC, K2])
@pytest.mark.parametrize("knowledge", KNOWN)
@pytest.mark.parametrize("seed", range(2))
def test_no_tree_that_obeys_scores_higher(kind, knowledge, seed):
    score = kind(count(dependent_table(seed, [2, 3, 2, 4], 60)))
    known = knowledge.on(score.schema)
    learned = learn_chow_liu(score, knowledge=knowledge).structure
    known.check(learned)
    assert score.score(learned) == pytest.approx(best_single_parent_score(score, known), abs=1e-9)


def test_a_tree_cannot_obey_two_required_parents():
    score = BIC(count(dependent_table(0, [2, 3, 2, 4], 60)))
    knowledge = Knowledge(required=[("v2", "v1"), ("v0", "v1")])
    message = "the knowledge requires of 'v1' the parents 'v0', 'v2'"
    with pytest.raises(KnowledgeError, match=message):
        learn_chow_liu(score, knowledge=knowledge)
    with pytest.raises(KnowledgeError, match="holds an order already"):
        learn_chow_liu(score, order=["v0", "v1", "v2", "v3"], knowledge=KNOWN[-2])


def test_gains_that_differ_by_more_than_noise_stay_as_they_are():
    class Rounded:
        resolution = 0.1

    gains = np.array([[0, 3.0], [3.5, 0]])
    assert without_noise(gains, object()) is gains
    assert without_noise(gains, Rounded()).tolist() == [[0, 3.25], [3.25, 0]]
    noisy = np.array([[0, 3.0], [3.0 + 1e-7, 0]])
    found = without_noise(noisy, object())
    assert found[0, 1] == found[1, 0]


def test_knowledge_that_is_bound_holds_its_order():
    schema = Schema([Variable(name, (0, 1)) for name in "ab"])
    bound = Knowledge(required=[("a", "b")]).on(schema)
    assert bind_in_order(bound, schema, None).required_arcs() == bound.required_arcs()
    with pytest.raises(KnowledgeError, match="is bound to its variables already; leave out order="):
        bind_in_order(bound, schema, ["a", "b"])


def test_parts_are_entered_where_nothing_is_required_above():
    schema = Schema([Variable(name, (0, 1)) for name in "dcba"])
    known = Knowledge(required=[("b", "a"), ("d", "c")]).on(schema)
    part_of, entries = required_parts(known)
    assert [schema.names[v] for v in entries] == ["b", "d"]
    assert {schema.names[v]: part for v, part in part_of.items()} == {"a": 0, "b": 0, "c": 1, "d": 1}


def test_of_equal_gains_the_first_by_name_is_the_parent():
    schema = Schema([Variable(name, (0, 1)) for name in "cba"])
    known = Knowledge(required=[("b", "a")], forbidden=[("c", "b")]).on(schema)
    gains = np.ones((3, 3))
    assert set(obedient_branching(gains, known).edges()) == {("a", "c"), ("b", "a")}
