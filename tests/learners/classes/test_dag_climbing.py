"""Climbing among DAGs: move for move against a slow twin, optima, knowledge, ties and determinism."""

import itertools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.learners.climbing import SlowClimb

from treewright import (
    AIC,
    BIC,
    K2,
    BDeu,
    Cpdag,
    Dag,
    GaussianBIC,
    Knowledge,
    ShardedCounter,
    SigmoidBIC,
    SparseQNML,
    Table,
    _core,
    count,
    load_network,
    moments,
    shd,
)
from treewright.criteria import EdgePrior
from treewright.criteria.scores.native_scores import native_scores
from treewright.errors import KnowledgeError, SettingError
from treewright.graphs import bind_knowledge
from treewright.learners import learn_dag_climbing, learn_tabu
from treewright.learners.classes.dag_climbing import climb_natively
from treewright.tables import Schema, Variable

SCORES = [BIC, AIC, BDeu, K2, SparseQNML]


def random_table(seed, cardinalities, n_rows):
    """Columns that depend on up to two earlier ones, under names in random order."""
    rng = np.random.default_rng(seed)
    columns = []
    for r in cardinalities:
        codes = rng.integers(0, r, n_rows)
        for _ in range(2):
            if columns:
                source = columns[rng.integers(len(columns))]
                codes = np.where(rng.random(n_rows) < 0.4, (source + codes) % r, codes)
        columns.append(codes)
    names = [f"v{i}" for i in rng.permutation(len(cardinalities))]
    schema = Schema(Variable(n, tuple(range(r))) for n, r in zip(names, cardinalities, strict=True))
    return Table(schema, [c.astype(np.uint8) for c in columns])


def gaussian_score(seed, n=5, n_rows=60):
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(n):
        column = rng.normal(size=n_rows)
        for other in columns:
            column = column + rng.choice([0, 0, 1]) * other
        columns.append(column)
    return GaussianBIC(moments(Table(Schema(Variable(f"v{i}") for i in rng.permutation(n)), columns)))


def settings_of(**options):
    chosen = _core.ClimbSettings()
    for name, value in options.items():
        setattr(chosen, name, value)
    return chosen


def by_rank(schema, matrix):
    order = np.array(schema.name_order)
    return [(u, v) for u, v in np.argwhere(matrix[np.ix_(order, order)]).tolist()]


def assert_same_way(score, known=None, *, max_parents=None, **options):
    """Native and slow climb from the required arcs: the same moves, gains and graph."""
    known = bind_knowledge(known, score.schema)
    native = native_scores(score)
    found = climb_natively(
        native, settings_of(**options), known, known.required_dag(), max_parents=max_parents
    )
    required = by_rank(score.schema, known.required)
    slow = SlowClimb(native, by_rank(score.schema, known.allowed), required, max_parents)
    moves, arcs = slow.climb(required, **options)
    assert [m[:3] for m in found.moves] == [m[:3] for m in moves]
    np.testing.assert_allclose([m[3] for m in found.moves], [m[3] for m in moves], rtol=0, atol=1e-6)
    assert [tuple(arc) for arc in found.arcs.tolist()] == arcs
    return found


WAYS = [
    {"look_ahead": False},
    {"look_ahead": True},
    {"look_ahead": False, "tabu": 5, "patience": 6},
    {"look_ahead": True, "tabu": 3, "patience": 4},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("seed", range(3))
def test_every_move_is_that_of_the_slow_twin(kind, way, seed):
    score = kind(count(random_table(seed, [2, 3, 2, 2, 4], 80)))
    assert_same_way(score, **way)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_gaussian_moves_are_those_of_the_slow_twin(way, seed):
    assert_same_way(gaussian_score(seed), **way)


@pytest.mark.parametrize("seed", range(3))
def test_scores_that_are_asked_in_python_take_the_same_way(seed):
    table = random_table(seed, [2, 3, 2, 2], 60)
    native = BIC(count(table))
    asked = BIC(ShardedCounter(count(shard) for shard in table.shards(2)))
    assert learn_dag_climbing(asked).structure == learn_dag_climbing(native).structure
    priced = EdgePrior(native, 1.5)
    assert_same_way(priced)
    assert learn_dag_climbing(priced).structure == learn_dag_climbing(EdgePrior(asked, 1.5)).structure


def test_a_continuous_score_without_a_grid():
    rng = np.random.default_rng(3)
    a = rng.normal(size=100)
    table = Table(
        Schema(Variable(name) for name in "abc"), [a, np.tanh(2 * a) + 0.1 * rng.normal(size=100), -a * a]
    )
    score = SigmoidBIC(table)
    learned = learn_dag_climbing(score).structure
    assert learned.n_edges >= 1
    assert score.score(learned) > score.score(Dag.empty(table.schema))


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 3, None]), st.sampled_from(WAYS), st.data())
def test_random_knowledge_is_obeyed_at_every_step(seed, max_parents, way, data):
    table = random_table(seed, [2, 3, 2, 2, 2], 60)
    known = data.draw(knowledge_of(table.schema, data))
    bound = known.on(table.schema)
    if max_parents is not None and bound.required.sum(axis=0).max() > max_parents:
        max_parents = None
    score = BIC(count(table))
    found = assert_same_way(score, bound, max_parents=max_parents, **way)
    order = table.schema.name_order
    arcs = set(by_rank(table.schema, bound.required))
    for kind, u, v, _ in found.moves:  # a Dag refuses cycles, check refuses the rest
        arcs = SlowClimb.after(None, arcs, kind, u, v)
        bound.check(Dag(table.schema, [(order[a], order[b]) for a, b in arcs]))


def knowledge_of(schema, data):
    """Knowledge of every kind that does not contradict itself: it is read off a random order."""
    order = data.draw(st.permutations(sorted(schema.names)))
    forward = list(itertools.combinations(order, 2))
    pairs = st.lists(st.sampled_from(forward), max_size=3, unique=True)
    required = data.draw(pairs)
    spare = [pair for pair in forward if pair not in required]
    cut = data.draw(st.integers(1, len(order) - 1))
    parts = {
        "tiers": st.just([list(order[:cut]), list(order[cut:])]),
        "order": st.just(list(order)),
        "forbidden": st.lists(st.sampled_from(spare + [(v, u) for u, v in forward]), max_size=6),
        "forbidden_edges": st.lists(st.sampled_from(spare), max_size=4),
    }
    chosen = data.draw(st.sets(st.sampled_from([*parts, "parents"]), max_size=3))
    given = {name: data.draw(parts[name]) for name in sorted(chosen - {"parents"})}
    if "parents" in chosen:
        child = order[-1]
        banned = {frozenset(p) for p in given.get("forbidden_edges", [])} | {
            frozenset(p) for p in given.get("forbidden", [])
        }
        family = [p for p in order[:-1] if (p, child) in required or frozenset((p, child)) not in banned]
        given["parents"] = {
            child: family[-2:] + [p for p, c in required if c == child and p not in family[-2:]]
        }
    return st.just(Knowledge(required=required, **given))


def all_dags(schema):
    pairs = list(itertools.combinations(range(len(schema)), 2))
    for marks in itertools.product((0, 1, 2), repeat=len(pairs)):
        arcs = [(u, v) if m == 1 else (v, u) for (u, v), m in zip(pairs, marks, strict=True) if m]
        try:
            yield Dag(schema, arcs)
        except ValueError:
            continue


@pytest.mark.parametrize("kind", [BIC, K2])
@pytest.mark.parametrize("seed", range(6))
def test_no_single_move_improves_and_small_optima_are_reached(kind, seed):
    score = kind(count(random_table(seed, [2, 3, 2], 100)))
    learned = learn_dag_climbing(score).structure
    best = max(score.score(dag) for dag in all_dags(score.schema))
    assert score.score(learned) == pytest.approx(best, abs=1e-9)


def test_the_result_is_a_local_optimum_on_more_variables():
    score = BIC(count(random_table(1, [2, 3, 2, 2, 3, 2, 2], 300)))
    native = native_scores(score)
    for learned in (learn_dag_climbing(score), learn_dag_climbing(score, ties="names")):
        rank = {v: i for i, v in enumerate(score.schema.name_order)}
        arcs = {(rank[u], rank[v]) for u, v in learned.structure.index_edges()}
        assert max(move[3] for move in SlowClimb(native).moves(arcs)) <= 0
        again = learn_dag_climbing(score, start=learned.structure)
        assert again.structure == learned.structure
        assert again.trace.total("steps") == 0


def test_looking_ahead_finds_the_collider():
    """x -> z <- y: the first arc may point either way, and only one way lets the other join."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (2, 4000))
    z = np.where(rng.random(4000) < 0.9, x | y, rng.integers(0, 2, 4000))
    for names in itertools.permutations("abc"):
        schema = Schema(Variable(name, (0, 1)) for name in names)
        score = BIC(count(Table(schema, [c.astype(np.uint8) for c in (x, y, z)])))
        truth = Dag(schema, [(names[0], names[2]), (names[1], names[2])])
        assert learn_dag_climbing(score).structure == truth
    assert learn_dag_climbing(score).trace.total("ties") >= 1


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.permutations(range(6)))
def test_columns_rows_and_threads_change_nothing(seed, order):
    table = random_table(seed, [2, 3, 2, 4, 2, 2], 150)
    shuffled = table.reordered([table.schema.names[v] for v in order])
    shuffled = shuffled.take(np.random.default_rng(seed).permutation(150))
    for kind in (BIC, K2):
        for learn in (learn_dag_climbing, learn_tabu):
            expected = learn(kind(count(table))).structure.edges()
            _core.set_threads(1 + seed % 3)
            try:
                assert learn(kind(count(shuffled))).structure.edges() == expected
            finally:
                _core.set_threads(0)


def test_tabu_never_ends_below_the_climb():
    for seed in range(5):
        score = BIC(count(random_table(seed, [2, 3, 2, 2, 3, 2], 120)))
        plain, walked = learn_dag_climbing(score), learn_tabu(score)
        assert score.score(walked.structure) >= score.score(plain.structure)
        assert walked.trace.total("steps") >= plain.trace.total("steps") + 10


def test_covered_reversals_stay_in_the_class_and_follow_their_seed():
    score = BIC(count(load_network("asia").sample(2_000, rng=np.random.default_rng(1))))
    first, second = (
        learn_dag_climbing(score, covered_reversals=True, rng=np.random.default_rng(7)) for _ in range(2)
    )
    assert first.structure == second.structure
    assert first.trace.total("gain") == pytest.approx(
        score.score(first.structure) - score.score(Dag.empty(score.schema)), abs=1e-6
    )
    plain = learn_dag_climbing(score, ties="names")
    assert score.score(first.structure) >= score.score(plain.structure)
    known = Knowledge(required=[("smoke", "lung")], forbidden=[("bronc", "smoke")])
    obedient = learn_dag_climbing(score, covered_reversals=True, knowledge=known)
    known.on(score.schema).check(obedient.structure)
    with pytest.raises(
        SettingError, match="covered reversals keep a score that is score-equivalent; K2 is not"
    ):
        learn_dag_climbing(K2(score.counter), covered_reversals=True)


def test_alarm_is_found_with_few_errors_in_any_column_order():
    alarm = load_network("alarm")
    table = alarm.sample(10_000, rng=np.random.default_rng(20260717))
    learned = learn_dag_climbing(BIC(count(table))).structure
    assert shd(alarm.dag, learned) <= 30  # 24 is the mean over samples; plain climbing has up to 44
    turned = table.reordered(table.schema.names[::-1])
    assert learn_dag_climbing(BIC(count(turned))).structure == learned
    assert Cpdag.of(learned).skeleton() == learned.skeleton()


def test_a_limit_on_parents_holds():
    score = AIC(count(random_table(4, [2] * 6, 400)))
    assert max(len(learn_dag_climbing(score).structure.parents(v)) for v in range(6)) > 1
    for limit in (0, 1):
        learned = learn_dag_climbing(score, max_parents=limit).structure
        assert max(len(learned.parents(v)) for v in range(6)) == limit


@pytest.mark.parametrize("n_columns", [0, 1])
def test_nothing_to_join(n_columns):
    schema = Schema(Variable(f"v{i}", (0, 1)) for i in range(n_columns))
    score = BIC(count(Table(schema, [np.zeros(3, np.uint8)] * n_columns)))
    assert learn_dag_climbing(score).structure.edges() == []
    assert learn_tabu(score).structure.edges() == []


def test_what_cannot_be_done_is_refused():
    score = BIC(count(random_table(0, [2, 2, 2], 30)))
    names = score.schema.names
    known = Knowledge(required=[(names[0], names[2]), (names[1], names[2])])
    with pytest.raises(SettingError) as refused:
        learn_dag_climbing(score, knowledge=known, max_parents=1)
    assert str(refused.value) == (
        f"{names[2]!r} begins with 2 parents, as its start or the knowledge has it; max_parents is 1"
    )
    with pytest.raises(SettingError, match="max_parents must be 0 or more; found -1"):
        learn_dag_climbing(score, max_parents=-1)
    with pytest.raises(SettingError, match="ties are broken by 'look-ahead' or by 'names'; found 'columns'"):
        learn_dag_climbing(score, ties="columns")
    with pytest.raises(KnowledgeError, match="against the knowledge: the graph lacks v0 -> v1, which is req"):
        learn_dag_climbing(score, knowledge=known, start=Dag.empty(score.schema))
    with pytest.raises(SettingError, match="patience must be 1 or more; found 0"):
        learn_tabu(score, patience=0)


@pytest.mark.slow
def test_progress_is_told_and_may_stop_the_work():
    class SlowScore:
        def __init__(self, inner):
            self.inner, self.schema, self.is_score_equivalent = inner, inner.schema, True

        def __getattr__(self, name):
            from time import sleep

            sleep(0.02)
            return getattr(self.inner, name)

    score = SlowScore(AIC(count(random_table(4, [2] * 4, 400))))
    told = []
    learn_dag_climbing(score, progress=told.append)
    assert told[0].score == pytest.approx(score.score(Dag(score.schema)))  # where it begins
    assert all(a.score < b.score for a, b in pairwise(told))
    assert len(told) > 1

    def stop(step):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        learn_dag_climbing(score, progress=stop)
