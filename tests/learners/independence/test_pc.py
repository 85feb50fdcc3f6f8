"""PC: exact with an oracle, an equivalence class from any data, obedient to knowledge."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs.directed import random_dag

import treewright as tw
from treewright.errors import KnowledgeError, SettingError
from treewright.graphs import find_consistent_extension

RULES = ("contest", "majority", "conservative", "first")


def numbered_dag(text):
    arcs = [tuple(arc.split(">")) for arc in text.split()]
    names = sorted({name for arc in arcs for name in arc})
    return tw.Dag(tw.Schema([tw.Variable(name, (0, 1)) for name in names]), arcs)


def asia_rows(n=2_000, seed=1):
    return tw.load_network("asia").sample(n, rng=np.random.default_rng(seed))


def noise(seed, n=8, rows=60, states=3):
    """Columns that lean on each other without any model behind them: answers contradict each other."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, states, rows)]
    for _ in range(n - 1):
        source = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(rows) < 0.5, source, rng.integers(0, states, rows)))
    names = [f"v{i}" for i in rng.permutation(n)]
    schema = tw.Schema([tw.Variable(name, tuple(range(states))) for name in names])
    return tw.Table(schema, [column.astype(np.uint8) for column in columns])


# ------------------------------------------------------------------ exact answers
def test_the_worked_example_of_xie_geng_and_zhao():
    truth = numbered_dag("1>2 1>3 1>5 2>4 3>4 4>7 5>6 6>7")
    learned = tw.learn_pc(tw.DSeparationOracle(truth), depth=None)
    assert learned.structure.directed_edges() == [("2", "4"), ("3", "4"), ("4", "7"), ("6", "7")]
    assert learned.structure.undirected_edges() == [("1", "2"), ("1", "3"), ("1", "5"), ("5", "6")]
    assert learned.separators["5", "2"] == ("1",)
    assert set(learned.separators["4", "1"]) == {"2", "3"}
    assert learned.conflicts == ()


@pytest.mark.slow
@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6), n=st.integers(1, 9), density=st.floats(0, 0.6), rule=st.sampled_from(RULES)
)
def test_an_oracle_gives_the_true_class(seed, n, density, rule):
    truth = random_dag(n, density, np.random.default_rng(seed))
    learned = tw.learn_pc(tw.DSeparationOracle(truth), depth=None, collider_rule=rule)
    assert learned.structure == tw.Cpdag.of(truth)
    assert isinstance(learned.structure, tw.Cpdag)
    assert tw.Cpdag.of(learned.dag) == learned.structure
    assert (learned.conflicts, learned.skipped, learned.functional) == ((), (), ())


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_an_oracle_gives_the_true_class_of_the_examples(name):
    truth = tw.load_network(name).dag
    learned = tw.learn_pc(tw.DSeparationOracle(truth), depth=None)
    assert learned.structure == tw.Cpdag.of(truth)


# ------------------------------------------------------------------ data
@pytest.mark.slow
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), rule=st.sampled_from(RULES), alpha=st.sampled_from([0.01, 0.05, 0.3]))
def test_what_is_learned_from_any_data_is_an_equivalence_class(seed, rule, alpha):
    learned = tw.learn_pc(tw.GTest(tw.count(noise(seed)), alpha), collider_rule=rule)
    assert isinstance(learned.structure, tw.Cpdag)
    assert find_consistent_extension(learned.structure) is not None
    assert learned.structure.skeleton() == learned.skeleton
    apart = set(learned.separators)
    joined = {tuple(sorted(edge)) for edge in learned.skeleton.edges()}
    assert apart | joined == set(combinations(sorted(learned.skeleton.schema.names), 2))
    assert not apart & joined
    for (u, v), separator in learned.separators.items():
        assert not {u, v} & set(separator)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_columns_rows_and_states_does_not_matter(rule, seed):
    table = noise(seed, n=9, rows=300)
    rng = np.random.default_rng(seed)
    first = tw.learn_pc(tw.GTest(tw.count(table)), collider_rule=rule)
    columns = [table.schema.names[i] for i in rng.permutation(9)]
    turned = table.take(rng.permutation(table.n_rows)).reordered(columns)
    other = tw.learn_pc(tw.GTest(tw.count(turned)), collider_rule=rule)
    assert other.structure == first.structure
    assert dict(other.separators) == dict(first.separators)
    for record in ("dropped", "added", "skipped", "ambiguous", "functional"):
        assert getattr(other, record) == getattr(first, record)


def test_any_number_of_threads(monkeypatch):
    from treewright import _core

    test = tw.GTest(tw.count(noise(4, n=20, rows=4_000)))
    found = []
    for threads in (1, 2, 5):
        _core.set_threads(threads)
        found.append(tw.learn_pc(test))
    _core.set_threads(0)
    assert found[0].structure == found[1].structure == found[2].structure


def test_asia_from_rows():
    learned = tw.learn_pc(tw.GTest(tw.count(asia_rows(10_000)), 0.01))
    assert {("lung", "smoke"), ("bronc", "smoke"), ("bronc", "dysp")} <= {
        tuple(sorted(edge)) for edge in learned.structure.edges()
    }
    assert [phase.name for phase in learned.trace.phases][:2] == ["level 0", "level 1"]
    assert learned.trace.phases[0].tallies["tests"] == 28
    assert tw.fit(learned.dag, tw.count(asia_rows())).schema == learned.dag.schema


@pytest.mark.parametrize("rows", [100_000, 10_000_000, 10**12])
def test_many_rows(rows):
    # the counts that a network with generic tables expects: independences hold exactly, dependences all show
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    roots = np.outer([0.6, 0.4], [0.5, 0.5])
    c_given = np.array([[[0.8, 0.2], [0.8, 0.2]], [[0.8, 0.2], [0.2, 0.8]]])
    d_given = np.array([[0.7, 0.3], [0.3, 0.7]])
    counts = np.rint(np.einsum("ab,abc,cd->abcd", roots, c_given, d_given) * rows).astype(np.int64)
    states = np.indices((2, 2, 2, 2)).reshape(4, -1).astype(np.uint8)
    table = tw.Table(schema, list(states)).with_weights(counts.ravel())
    assert tw.count(table).n_rows == rows
    learned = tw.learn_pc(tw.GTest(tw.count(table), 0.01))
    assert learned.structure == tw.Cpdag.of(tw.Dag(schema, [("a", "c"), ("b", "c"), ("c", "d")]))


def test_functional_columns_are_reported():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, 500)).astype(np.uint8)
    c, d = a & b, (a & b) ^ (rng.random(500) < 0.1)
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    learned = tw.learn_pc(tw.GTest(tw.count(tw.Table(schema, [a, b, c, d.astype(np.uint8)]))))
    assert ("c", ("a", "b")) in learned.functional
    constant = tw.Table(schema, [a, b, np.zeros_like(a), d.astype(np.uint8)])
    assert tw.learn_pc(tw.GTest(tw.count(constant))).functional == (("c", ()),)


def test_results_travel():
    learned = tw.learn_pc(tw.GTest(tw.count(noise(3))))
    back = pickle.loads(pickle.dumps(learned))
    assert back.structure == learned.structure
    assert dict(back.separators) == dict(learned.separators)


# ------------------------------------------------------------------ rules
def test_conservative_leaves_open_what_majority_decides():
    found = {}
    for seed in range(30):
        test = tw.GTest(tw.count(noise(seed, rows=150)), 0.05)
        careful = tw.learn_pc(test, collider_rule="conservative").ambiguous
        found[seed] = (len(careful), len(tw.learn_pc(test, collider_rule="majority").ambiguous))
    assert all(careful >= most for careful, most in found.values())
    assert any(careful > 0 for careful, _ in found.values())


def test_the_first_separator_asks_one_test_for_each_pair_it_ranks():
    test = tw.GTest(tw.count(asia_rows(5_000)), 0.01)
    first, contest = (tw.learn_pc(test, collider_rule=rule).trace for rule in ("first", "contest"))
    tests = [next(p for p in t.phases if p.name == "colliders").tallies["tests"] for t in (first, contest)]
    assert tests[0] < tests[1]


def test_a_score_decides_inside_the_skeleton():
    counter = tw.count(asia_rows(10_000))
    test, score = tw.GTest(counter, 0.01), tw.BIC(counter)
    learned = tw.learn_pc(test, collider_rule="score", score=score)
    assert isinstance(learned.structure, tw.Cpdag)
    assert set(learned.structure.skeleton().edges()) <= set(learned.skeleton.edges())
    assert tw.Cpdag.of(learned.dag) == learned.structure
    contest = tw.learn_pc(test)
    assert learned.skeleton == contest.skeleton
    assert score.score(learned.dag) >= score.score(contest.dag)


@pytest.mark.slow
@settings(max_examples=20)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_a_score_obeys_knowledge(data, seed):
    table = noise(seed, n=6, rows=120)
    counter = tw.count(table)
    knowledge = data.draw(told(sorted(table.schema.names)))
    learned = tw.learn_pc(
        tw.GTest(counter, 0.1), collider_rule="score", score=tw.BIC(counter), knowledge=knowledge
    )
    bound = knowledge.on(table.schema)
    assert bound.obeyed_by(learned.dag)
    assert bound.obeyed_by(learned.structure)
    assert set(learned.structure.directed_edges()) <= set(learned.dag.edges())
    assert set(learned.dag.skeleton().edges()) <= set(learned.skeleton.edges())


# ------------------------------------------------------------------ knowledge
@st.composite
def told(draw, names):
    """Knowledge that may be about anything but does not contradict itself."""
    order = draw(st.permutations(names))
    pairs = list(combinations(order, 2))
    some = st.lists(st.sampled_from(pairs), unique=True, max_size=3)
    required = draw(some)
    forbidden = [
        p for p in draw(st.lists(st.sampled_from(pairs), unique=True, max_size=4)) if p not in required
    ]
    backward = [(v, u) for u, v in draw(some)]
    apart = [p for p in draw(some) if p not in required]
    tiers = draw(st.sampled_from([None, [order[:3], order[3:]]]))
    return tw.Knowledge(required=required, forbidden=forbidden + backward, forbidden_edges=apart, tiers=tiers)


@pytest.mark.slow
@settings(max_examples=50)
@given(data=st.data(), seed=st.integers(0, 1000), rule=st.sampled_from(RULES))
def test_knowledge_is_obeyed(data, seed, rule):
    table = noise(seed, n=6, rows=120)
    knowledge = data.draw(told(sorted(table.schema.names)))
    bound = knowledge.on(table.schema)
    asked = Recorder(tw.GTest(tw.count(table), 0.1))
    learned = tw.learn_pc(asked, collider_rule=rule, knowledge=knowledge)
    assert bound.obeyed_by(learned.structure)
    assert bound.obeyed_by(learned.dag)
    assert all(bound.allowed_pairs[u, v] for u, v, _ in asked.asked)
    assert learned.dag.skeleton() == learned.structure.skeleton() == learned.skeleton
    directed = set(learned.structure.directed_edges())
    assert directed <= set(learned.dag.edges())


class Recorder:
    def __init__(self, test):
        self.test, self.asked = test, []

    @property
    def schema(self):
        return self.test.schema

    def independent(self, x, y, given=()):
        return bool(self.independent_many([(x, y, given)])[0])

    def independent_many(self, queries):
        self.asked += queries
        return self.test.independent_many(queries)


@pytest.mark.slow
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 1))
def test_true_knowledge_and_an_oracle_give_the_class_with_what_follows(seed, share):
    rng = np.random.default_rng(seed)
    truth = random_dag(7, 0.4, rng)
    some = [arc for arc in truth.edges() if rng.random() < share]
    learned = tw.learn_pc(tw.DSeparationOracle(truth), depth=None, knowledge=tw.Knowledge(required=some))
    marks = tw.graphs.Pdag(
        truth.schema,
        {*tw.Cpdag.of(truth).directed_edges(), *some},
        [e for e in tw.Cpdag.of(truth).undirected_edges() if e not in some and e[::-1] not in some],
    )
    from treewright.graphs import close_under_meek

    assert learned.structure == close_under_meek(marks)


def test_directions_that_only_a_cycle_could_have_lose_their_weakest_edge():
    truth = numbered_dag("a>b a>c b>c")
    bans = tw.Knowledge(forbidden=[("a", "b"), ("b", "c"), ("c", "a")])
    learned = tw.learn_pc(tw.DSeparationOracle(truth), knowledge=bans)
    assert len(learned.unobeyed) == 1
    assert learned.dag.n_edges == 2


# ------------------------------------------------------------------ refusals
def test_refusals(asia):
    oracle = tw.DSeparationOracle(asia)
    with pytest.raises(SettingError) as caught:
        tw.learn_pc(oracle, collider_rule="last")
    assert str(caught.value) == (
        "collider_rule must be one of 'contest', 'score', 'majority', 'conservative', 'first'; found 'last'"
    )
    with pytest.raises(SettingError) as caught:
        tw.learn_pc(oracle, collider_rule="score")
    assert str(caught.value) == ("collider_rule='score' needs a score: pass score=, such as BIC(counter)")
    with pytest.raises(SettingError) as caught:
        tw.learn_pc(oracle, score=tw.BIC(tw.count(asia_rows())))
    assert str(caught.value) == "a score is for collider_rule='score'; found collider_rule='contest'"
    with pytest.raises(KnowledgeError, match="knowledge is a Knowledge object or None; found 3"):
        tw.learn_pc(oracle, knowledge=3)
    with pytest.raises(SettingError, match="depth must be a whole number from 0 on"):
        tw.learn_pc(oracle, depth=-2)
