"""Scores: worked numbers, twins, laws, edges, refusals."""

from __future__ import annotations

import math
import pickle
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting import criteria as slow
from tests.reference.counting.counting import SlowCounter, counter_of_rows, plain_schema, random_counter

from treewright import _core
from treewright.criteria import (
    AIC,
    BIC,
    K2,
    QNML,
    BDe,
    BDeu,
    CachedScore,
    EdgePrior,
    LocalScore,
    LogLikelihood,
    SparseQNML,
    UniformPrior,
)
from treewright.errors import SchemaError, TableTooLarge, UnknownNameError
from treewright.limits import set_memory_limit
from treewright.statistics.families import FamilyStatistics, FromTables, ScoreSettings, as_family_statistics

KINDS = {"log_likelihood": LogLikelihood, "aic": AIC, "bic": BIC, "bdeu": BDeu, "k2": K2, "qnml": QNML}
EQUIVALENT = [LogLikelihood, AIC, BIC, BDeu, QNML, SparseQNML]


@pytest.fixture
def eight_rows():
    return counter_of_rows(["000", "001", "011", "111", "111", "110", "101", "000"])


@pytest.mark.parametrize(
    ("child", "parents", "bic", "bdeu1", "bdeu10", "k2"),
    [
        ("x0", [], -6.5848982153, -6.8418596469, -5.8501478253, -6.4457198194),
        ("x2", [], -6.3322266761, -6.5905452186, -5.7323647896, -6.2225762681),
        ("x1", ["x0"], -6.5781226986, -7.2397731653, -5.6742544868, -5.9914645471),
        ("x2", ["x1"], -7.1013708424, -7.8275598302, -5.9255689150, -6.3969296552),
        ("x2", ["x0", "x1"], -7.9779680931, -8.7640532693, -6.2181219177, -6.3561076607),
    ],
)
def test_worked_numbers(eight_rows, child, parents, bic, bdeu1, bdeu10, k2):
    found = [
        score.local(child, parents)
        for score in (BIC(eight_rows), BDeu(eight_rows), BDeu(eight_rows, ess=10), K2(eight_rows))
    ]
    assert found == pytest.approx([bic, bdeu1, bdeu10, k2], abs=2e-10)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    cardinalities=st.lists(st.integers(1, 5), min_size=3, max_size=5),
    n_rows=st.sampled_from([0, 1, 2, 7, 50, 400]),
    kind=st.sampled_from(sorted(KINDS)),
    ess=st.sampled_from([0.01, 1.0, 20.0]),
)
def test_equal_to_the_plain_formula(seed, cardinalities, n_rows, kind, ess):
    counter = random_counter(seed, cardinalities, n_rows)
    score = BDeu(counter, ess) if kind == "bdeu" else KINDS[kind](counter)
    families = [(0, ()), (0, (1,)), (2, (0, 1)), (1, tuple(v for v in range(len(cardinalities)) if v != 1))]
    expected = [slow.local_score(kind, counter, child, parents, ess) for child, parents in families]
    assert score.local_many(families) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_occupied_cells_are_enough(kind, monkeypatch):
    counter = random_counter(3, [3, 4, 2, 5], 200)
    families = [(3, (0, 1, 2)), (0, (1,)), (2, ())]
    dense = FromTables(counter).score_families(ScoreSettings(kind), families)
    monkeypatch.setattr("treewright.statistics.families.DENSE_CELLS", 0)
    few_rows = SlowCounter(counter.schema, [c[:5] for c in counter.columns])
    sparse_calls = []
    monkeypatch.setattr(
        SlowCounter, "sparse_counts", _spy(SlowCounter.sparse_counts, sparse_calls), raising=True
    )
    small = FromTables(few_rows).score_families(ScoreSettings(kind), families)
    assert sparse_calls  # 120 cells against 5 rows
    expected = [slow.local_score(kind, few_rows, *family) for family in families]
    assert small == pytest.approx(expected, rel=1e-9)
    monkeypatch.setattr("math.ceil", lambda n: 0)
    assert (FromTables(counter).score_families(ScoreSettings(kind), families) == dense).all()


def _spy(method, calls):
    def wrapped(self, scope):
        calls.append(scope)
        return method(self, scope)

    return wrapped


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_real_weights(kind):
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, r, 60) for r in (2, 3, 2)]
    counter = SlowCounter(plain_schema([2, 3, 2]), columns, rng.gamma(0.5, size=60))
    families = [(0, (1, 2)), (1, ()), (2, (1,))]
    expected = [slow.local_score(kind, counter, *family) for family in families]
    assert KINDS[kind](counter).local_many(families) == pytest.approx(expected, rel=1e-8, abs=1e-8)
    # weights that sum to much less than the number of occupied cells still fit the arithmetic
    tiny = SlowCounter(counter.schema, columns, np.full(60, 1e-6))
    expected = [slow.local_score(kind, tiny, *family) for family in families]
    assert KINDS[kind](tiny).local_many(families) == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_whole_weights_are_repeated_rows(kind):
    rng = np.random.default_rng(6)
    columns, weights = [rng.integers(0, 3, 40) for _ in range(3)], rng.integers(0, 5, 40)
    weighted = SlowCounter(plain_schema([3] * 3), columns, weights)
    repeated = SlowCounter(plain_schema([3] * 3), [np.repeat(c, weights) for c in columns])
    score = KINDS[kind]
    assert score(weighted).local(0, (1, 2)) == score(repeated).local(0, (1, 2))


@pytest.mark.parametrize("make", EQUIVALENT)
def test_equivalent_graphs_tie_exactly(make):
    rng = np.random.default_rng(7)
    counter = random_counter(7, [2, 3, 2, 4, 2, 3], 1000, skew=0.7)
    score = make(counter)
    assert score.is_score_equivalent
    reversals = 0
    for _ in range(30):
        dag = slow.PlainDag(counter.schema, slow.random_dag(rng, 6))
        total = _plain_sum(score, dag)
        for y, x in dag.covered_arcs():
            assert _plain_sum(score, dag.reversed(y, x)) == total
            reversals += 1
    assert reversals > 50


def _plain_sum(score, dag):
    """Added up in doubles, in no special order, as a search does."""
    total = 0.0
    for v in range(len(dag.schema)):
        total += score.local(v, dag.parents(v))
    assert total == score.score(dag)
    return total


def test_k2_is_not_equivalent(eight_rows):
    score = K2(eight_rows)
    assert not score.is_score_equivalent
    forwards = score.local("x2") + score.local("x1", ["x2"])
    backwards = score.local("x1") + score.local("x2", ["x1"])
    assert abs(forwards - backwards) > 1e-3


@pytest.mark.parametrize("make", [*EQUIVALENT, K2])
def test_nothing_depends_on_the_order_of_parents_rows_or_threads(make):
    counter = random_counter(8, [2, 3, 2, 4, 2], 500)
    score = make(counter)
    assert score.local(0, (1, 2, 3)) == score.local(0, (3, 1, 2)) == score.local("x0", ["x2", "x3", "x1"])
    shuffle = np.random.default_rng(1).permutation(500)
    shuffled = make(SlowCounter(counter.schema, [column[shuffle] for column in counter.columns]))
    families = [(v, tuple(u for u in range(5) if u not in (v, w))) for v in range(5) for w in range(5)]
    expected = score.local_many(families)
    for threads in (1, 2, 4):
        _core.set_threads(threads)
        assert (shuffled.local_many(families) == expected).all()
    _core.set_threads(0)


@pytest.mark.parametrize("make", [*EQUIVALENT, K2, CachedScore, BDe])
def test_additions_and_deletions_are_families(make):
    counter = random_counter(9, [2, 3, 2, 4, 2], 300)
    score = _made(make, counter)
    added = score.local_additions("x0", ["x1"], ["x4", "x2"])
    assert added.tolist() == [score.local(0, (1, 4)), score.local(0, (1, 2))]
    deleted = score.local_deletions("x0", ["x4", "x1", "x2"])
    assert deleted.tolist() == [score.local(0, (1, 2)), score.local(0, (2, 4)), score.local(0, (1, 4))]
    assert score.local_additions(0, (), []).shape == score.local_deletions(0, ()).shape == (0,)
    assert score.local_many([]).shape == (0,)
    assert isinstance(score, LocalScore)


def _made(make, counter):
    if make is CachedScore:
        return CachedScore(BIC(counter))
    return BDe(counter, UniformPrior(counter.schema), 2.0) if make is BDe else make(counter)


@pytest.mark.parametrize("make", [*EQUIVALENT, K2])
def test_no_rows_and_constant_columns(make):
    empty = random_counter(0, [2, 3, 1], 0)
    assert np.isfinite(make(empty).local_many([(0, ()), (1, (0, 2))])).all()
    if make in (LogLikelihood, BDeu, K2, BIC):
        assert make(empty).local(1, (0,)) == 0
    constant = counter_of_rows(["000"] * 20, [2, 2, 1])
    assert LogLikelihood(constant).local(0, (1, 2)) == 0
    # a parent with one state changes nothing
    assert make(constant).local(0, (2,)) == pytest.approx(
        make(constant).local(0) - (make(constant).penalty if make is SparseQNML else 0), abs=1e-9
    )


def test_bdeu_pays_nothing_for_unseen_configurations(eight_rows):
    wide = SlowCounter(plain_schema([2, 2, 2, 2]), [*eight_rows.columns, np.zeros(8, dtype=int)])
    doubled = slow.local_score("bdeu", wide, 2, (0, 3))
    assert BDeu(wide).local(2, (0, 3)) == pytest.approx(doubled, abs=1e-10)
    assert BDeu(wide).local(2, (0, 3)) != BDeu(wide).local(2, (0,))


def test_bde_with_a_uniform_prior_is_bdeu():
    counter = random_counter(11, [2, 3, 4], 200)
    bde, bdeu = BDe(counter, UniformPrior(counter.schema), 3.0), BDeu(counter, 3.0)
    families = [(0, ()), (1, (0, 2)), (2, (0,))]
    assert bde.local_many(families) == pytest.approx(bdeu.local_many(families), abs=1e-9)


def test_bde_with_a_prior_network_ties_exactly():
    counter = random_counter(12, [2, 3, 2], 300)
    score = BDe(counter, _Prior(np.random.default_rng(0).dirichlet(np.ones(12)).reshape(2, 3, 2)), 5.0)
    chain = [score.local(0), score.local(1, (0,)), score.local(2, (1,))]
    back = [score.local(2), score.local(1, (2,)), score.local(0, (1,))]
    assert sum(chain) == sum(back)
    table = counter.counts((0, 1)).astype(float)
    prior = 5.0 * score.prior.joint((0, 1))
    expected = sum(
        math.lgamma(prior[j].sum())
        - math.lgamma(prior[j].sum() + table[j].sum())
        + sum(math.lgamma(a + n) - math.lgamma(a) for a, n in zip(prior[j], table[j], strict=True))
        for j in range(2)
    )
    assert score.local(1, (0,)) == pytest.approx(expected, abs=1e-8)


class _Prior:
    def __init__(self, table):
        self.table = table

    def joint(self, scope):
        away = tuple(v for v in range(self.table.ndim) if v not in scope)
        kept = sorted(scope)
        return self.table.sum(axis=away).transpose([kept.index(v) for v in scope])


def test_bde_refuses_what_is_no_prior(eight_rows):
    with pytest.raises(
        SchemaError, match="the prior and the counter must have the same variables in the same"
    ):
        BDe(eight_rows, UniformPrior(plain_schema([2, 2], ["a", "b"])))
    impossible = np.ones((2, 2, 2)) / 4
    impossible[1] = 0
    assert BDe(eight_rows, _Prior(impossible)).local(1, (0,)) == -math.inf
    with pytest.raises(
        SchemaError, match=r"the prior of \('x0',\) has the shape \(3,\); the table has \(2,\)"
    ):
        BDe(eight_rows, _Prior(np.ones(3) / 3)).local(0)
    with pytest.raises(ValueError, match="must hold probabilities from 0 on"):
        BDe(eight_rows, _Prior(np.array([[[-1.0, 2], [0, 0]], [[0, 0], [0, 0]]]))).local(0, (1, 2))


@pytest.mark.parametrize(("n", "k"), [(10, 2), (50, 2), (50, 7), (100, 30), (20, 200), (1000, 4)])
def test_regret_is_close_to_the_exact_one(n, k):
    assert _core.multinomial_regret(n, k) == pytest.approx(slow.approximate_regret(n, k), rel=1e-12)
    assert _core.multinomial_regret(n, k) == pytest.approx(slow.regret(n, k), abs=0.1)


def test_regret_at_its_limits():
    assert _core.multinomial_regret(100, 1) == _core.multinomial_regret(0, 5) == 0
    huge = [_core.multinomial_regret(1000, 10.0**e) for e in (20, 100, 299)]
    assert np.diff(huge) == pytest.approx(1000 * math.log(10) * np.array([80, 199]))


@pytest.mark.parametrize("make", [BIC, AIC, QNML, BDeu, K2])
def test_families_beyond_64_bits_stay_finite(make, monkeypatch):
    # 20 parents of 63 states: 10^36 configurations
    cardinalities = [63] * 21
    counter = random_counter(13, cardinalities, 40)
    with pytest.raises(TableTooLarge, match="more than 64-bit positions can number; use fewer variables"):
        make(counter).local(0, tuple(range(1, 21)))
    r, q = np.array([63, 63, 2]), np.array([63.0**20, math.inf, 1e308])
    tables = [np.eye(4, 63, dtype=np.int64), np.eye(4, 63, dtype=np.int64), np.ones((3, 2), dtype=np.int64)]
    settings = make(counter).settings
    local = _core.score_tables([(settings.kind, settings.ess)], 40.0, [], tables, r, q)[0]
    assert np.isfinite(local).all()
    assert (local <= 0).all()
    if make in (BIC, AIC):
        assert local[0] < -1e30
        assert local[1] == -1e300


def test_ten_million_rows():
    counts = np.array([[9_000_000, 500_000], [300_000, 200_000]], dtype=np.int64)
    local = _core.score_tables([("bic", 1.0)], 1e7, [], [counts], np.array([2]), np.array([2.0]))[0, 0]
    assert local == pytest.approx(slow.log_likelihood(counts) - math.log(1e7), rel=1e-12)


def test_edge_prior_and_sparse_qnml():
    counter = random_counter(14, [2, 3, 2, 4], 200)
    plain, sparse = QNML(counter), SparseQNML(counter)
    for child, parents in [(0, ()), (0, (1,)), (2, (0, 1, 3))]:
        price = len(parents) * sparse.penalty
        assert sparse.local(child, parents) == pytest.approx(plain.local(child, parents) - price, abs=1e-8)
    assert sparse.penalty > math.log(4)  # noise: beyond what an edge costs, what chance pays for it
    priced = EdgePrior(K2(counter), 0.25)
    assert not priced.is_score_equivalent
    assert priced.local(0, (1, 2)) == K2(counter).local(0, (1, 2)) - 0.5
    assert EdgePrior(plain, 0).local(0, (1,)) == plain.local(0, (1,))
    with pytest.raises(ValueError, match="the penalty for each edge must be a finite number of nats"):
        EdgePrior(plain, -1)


def test_deletions_ask_for_one_table():
    counter = random_counter(18, [2, 3, 2, 4], 100)
    expected = [BIC(counter).local(0, parents) for parents in ((2, 3), (1, 3), (1, 2))]
    counter.asked.clear()
    assert BIC(counter).local_deletions(0, (1, 2, 3)).tolist() == expected
    assert counter.asked == [(0, 1, 2, 3)]


def test_cached_score_asks_once():
    inner = BIC(random_counter(15, [2, 3, 2, 4], 100))
    score = CachedScore(inner)
    first = score.local_many([(0, (1, 2)), (0, (2, 1)), ("x1", ())])
    assert first[0] == first[1]
    assert (score.hits, score.misses) == (1, 2)
    inner.counter.asked.clear()
    score.local_additions(0, (1,), [2, 3])
    assert inner.counter.asked == [(0, 1, 3)]
    score.local_deletions(0, (1, 2))
    assert inner.counter.asked == [(0, 1, 3)]  # the others lie in tables that are known
    small = CachedScore(inner, max_entries=2)
    small.local_many([(0, ()), (1, ()), (2, ())])
    assert len(small._known) == 2
    assert small.local(0) == inner.local(0)
    with pytest.raises(ValueError, match="a cache must hold at least one family"):
        CachedScore(inner, max_entries=0)


def test_score_of_a_graph_goes_by_names():
    counter = random_counter(16, [2, 3, 2], 100)
    score = BIC(counter)
    expected = score.local(0) + score.local(1, (0,)) + score.local(2, (0, 1))
    assert score.score(slow.PlainDag(counter.schema, [[], [0], [0, 1]])) == expected
    other_order = plain_schema([2, 3, 2], ["x2", "x1", "x0"])
    assert score.score(slow.PlainDag(other_order, [["x0", "x1"], ["x0"], []])) == expected
    with pytest.raises(SchemaError, match="only one of them has 'x0', 'y'"):
        score.score(slow.PlainDag(plain_schema([2, 3, 2], ["y", "x1", "x2"]), [[], [], []]))


def test_refusals(eight_rows):
    score = BIC(eight_rows)
    with pytest.raises(UnknownNameError, match="there is no variable 'x9'; there are 'x0', 'x1', 'x2'"):
        score.local("x9")
    with pytest.raises(SchemaError, match="'x1' cannot be its own parent; found it among 'x0', 'x1'"):
        score.local("x1", ["x0", "x1"])
    with pytest.raises(SchemaError, match="a scope names each variable once; found twice: 'x0'"):
        score.local("x1", ["x0", "x0"])
    with pytest.raises(
        SchemaError, match="'x2' cannot be added to the parents of 'x1': it is a parent already"
    ):
        score.local_additions("x1", ["x2"], ["x2"])
    with pytest.raises(SchemaError, match="it is the child itself"):
        score.local_additions("x1", ["x2"], ["x1"])
    for ess, words in (
        (0, "ess (the equivalent sample size) must be a finite number above 0; found 0"),
        (-1.0, "ess (the equivalent sample size) must be a finite number above 0; found -1.0"),
        (math.inf, "ess= of BDeu is a finite number; found inf"),
        (math.nan, "ess= of BDeu is a finite number; found nan"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
            BDeu(eight_rows, ess)
    with pytest.raises(ValueError, match="there is no score kind 'x'"):
        _core.score_tables([("x", 1.0)], 1.0, [], [], np.empty(0, np.int64), np.empty(0))


def test_a_table_over_the_limit_is_refused(eight_rows):
    set_memory_limit(16)
    try:
        with pytest.raises(
            TableTooLarge, match=r"a table over x1 \(2 states\), x0 \(2 states\) would take 32"
        ):
            BIC(eight_rows).local(0, (1,))
    finally:
        set_memory_limit(None)


def test_a_counter_that_judges_itself_is_asked_itself(eight_rows):
    class Native(FromTables):
        schema = eight_rows.schema
        n_rows = 8

    native = Native(eight_rows)
    assert isinstance(native, FamilyStatistics)
    assert as_family_statistics(native) is native
    assert isinstance(as_family_statistics(eight_rows), FromTables)


def test_scores_can_be_pickled(eight_rows):
    score = pickle.loads(pickle.dumps(SparseQNML(eight_rows)))
    assert score.local(0, (1,)) == SparseQNML(eight_rows).local(0, (1,))


def test_large_batches_are_cut(monkeypatch):
    counter = random_counter(17, [2, 3, 2, 4], 100)
    families = [(v, tuple(u for u in range(4) if u not in (v, w))) for v in range(4) for w in range(4)]
    expected = BIC(counter).local_many(families)
    monkeypatch.setattr("treewright.statistics.families.CELLS_PER_CALL", 10)
    assert (BIC(counter).local_many(families) == expected).all()
    monkeypatch.setattr("treewright.statistics.families.DENSE_CELLS", 0)
    monkeypatch.setattr("math.ceil", lambda n: 0)
    assert (BIC(counter).local_many(families) == expected).all()


def test_bde_asks_for_sorted_sets_few_cells_at_a_time(monkeypatch):
    counter = random_counter(18, [2, 3, 2, 4], 100)
    asked = []

    class Noted(UniformPrior):
        def joint(self, scope):
            asked.append(tuple(scope))
            return super().joint(scope)

    score = BDe(counter, Noted(counter.schema), 2.0)
    families = [(v, tuple(u for u in range(4) if u not in (v, w))) for v in range(4) for w in range(4)]
    expected = score.local_many(families)
    assert asked == [tuple(sorted(scope)) for scope in asked]
    for most in (24, 36, 64):
        monkeypatch.setattr("treewright.criteria.scores.dirichlet_scores.CELLS_PER_CALL", most)
        chunks = score._chunks(families)
        sizes = [[math.prod((2, 3, 2, 4)[v] for v in (c, *p)) for c, p in chunk] for chunk in chunks]
        assert [family for chunk in chunks for family in chunk] == families
        assert all(sum(chunk) <= most or len(chunk) == 1 for chunk in sizes)
        assert all(sum(a) + b[0] > most for a, b in pairwise(sizes))  # and no fewer
    assert any(sum(chunk) == most and len(chunk) > 1 for chunk in sizes)  # some fit exactly
    assert (score.local_many(families) == expected).all()
