"""No edges to noise: what chance gains between columns of many states, and the price that outbids it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import _core
from treewright._core import testing
from treewright.criteria.scores.chance import chance_prices, price_of_chance
from treewright.criteria.scores.edge_prior import EdgePrior, GroupedQNML, GroupedScore
from treewright.criteria.scores.native_scores import native_scores, restrict_score
from treewright.learners.classes.score_choice import suited_score


def independent(n_rows, states, seed):
    rng = np.random.default_rng(seed)
    return tw.count(
        tw.read_table({f"c{i:02d}": rng.integers(r, size=n_rows).astype(str) for i, r in enumerate(states)})
    )


def gain_of(x, y):
    """Nats that a column gains on another, from counts of pairs."""
    f = lambda counts: float((counts[counts > 0] * np.log(counts[counts > 0])).sum())  # noqa: E731
    joint = np.bincount(x * (y.max() + 1) + y)
    return f(joint) - f(np.bincount(x)) - f(np.bincount(y)) + len(x) * np.log(len(x))


class TestChanceGain:
    @pytest.mark.parametrize(
        ("n_rows", "r", "q"),
        [(300, 2, 100), (300, 4, 60), (100, 8, 8), (300, 20, 20), (1000, 2, 400), (60, 3, 60)],
    )
    def test_mean_and_deviation_are_those_of_shuffled_columns(self, n_rows, r, q):
        rng = np.random.default_rng(r * q)
        x, y = rng.integers(r, size=n_rows), rng.integers(q, size=n_rows)
        mean, deviation = testing.chance_gain(np.bincount(x, minlength=r), np.bincount(y, minlength=q))
        gains = [gain_of(x, rng.permutation(y)) for _ in range(400)]
        assert mean == pytest.approx(np.mean(gains), abs=4 * np.std(gains) / 20)
        assert deviation == pytest.approx(np.std(gains), rel=0.2)

    def test_many_rows_are_chi_square(self):
        shares = np.array([200_000, 300_000, 500_000])
        mean, deviation = testing.chance_gain(shares, shares[::-1].copy())
        assert (mean, deviation) == pytest.approx((2.0, np.sqrt(2.0)), rel=1e-3)

    def test_a_number_of_its_own_for_each_row_always_fits(self):
        ids, x = np.ones(50, dtype=np.int64), np.array([20, 30])
        mean, deviation = testing.chance_gain(ids, x)
        assert mean == pytest.approx(-20 * np.log(0.4) - 30 * np.log(0.6))
        assert deviation == pytest.approx(0, abs=1e-6)

    @given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.data())
    @settings(max_examples=60, deadline=None)
    def test_either_column_may_be_shuffled(self, counts, data):
        total = sum(counts)
        cuts = sorted(data.draw(st.lists(st.integers(0, total), max_size=10)))
        other = np.diff([0, *cuts, total]).astype(np.int64)
        here = np.array(counts, dtype=np.int64)
        there, back = testing.chance_gain(here, other), testing.chance_gain(other, here)
        assert there == pytest.approx(back, abs=1e-8)
        assert there[0] >= -1e-8


def bdeu_gain_of(x, y, ess):
    table = tw.count(tw.read_table({"x": x, "y": y}))
    score = tw.BDeu(table, ess=ess)
    return score.local("x", ["y"]) - score.local("x")


class TestBdeu:
    @pytest.mark.parametrize(
        ("n_rows", "r", "q", "ess"), [(100, 8, 8, 1.0), (200, 2, 60, 4.0), (60, 3, 20, 8.0), (500, 2, 2, 1.0)]
    )
    def test_its_mean_gain_is_that_of_shuffled_columns(self, n_rows, r, q, ess):
        rng = np.random.default_rng(r * q)
        x, y = (np.append(np.arange(k), rng.integers(k, size=n_rows - k)).astype(str) for k in (r, q))
        counts = [np.unique(column, return_counts=True)[1] for column in (x, y)]
        gains = [bdeu_gain_of(x, rng.permutation(y), ess) for _ in range(60)]
        error = 4 * np.std(gains) / np.sqrt(60) + 1e-6
        assert testing.bdeu_gain(*counts, ess) == pytest.approx(np.mean(gains), abs=error)

    def test_many_rows_of_a_cell(self):
        shares = np.array([200_000, 300_000, 500_000])
        few = testing.bdeu_gain(shares // 1_000, shares[::-1].copy() // 1_000, 1.0)
        many = testing.bdeu_gain(shares, shares[::-1].copy(), 1.0)
        assert few - many == pytest.approx(2 * np.log(1_000), abs=0.1)  # half a logarithm for each of four

    def test_what_it_asks_is_what_it_loses_at_independence(self):
        x, y = np.repeat([0, 1], [40, 160]), np.tile(np.repeat([0, 1, 2], [10, 20, 10]), 5)
        margins = [np.bincount(x), np.bincount(y), np.array([200]), np.array([199, 1])]
        asked = _core.bdeu_asked(margins, 2.0, 5)
        assert asked[1, 0] == pytest.approx(-bdeu_gain_of(x, y, 2.0), abs=1e-6)  # every cell as expected
        assert asked[2, 0] == asked[3, 0] == -1  # one state; a state that hardly occurs

    def test_sparse_pairs_cost_more_than_chance_gains(self):
        counter = independent(60, [8] * 12, 0)
        score = GroupedScore(lambda seen: tw.BDeu(seen, ess=30.0), counter, groups={})
        margins = counter.counts_many([(0,), (1,)])
        mean, deviation = testing.chance_gain(*margins)
        asked = mean - testing.bdeu_gain(*margins, 30.0)
        assert score.pairs[0, 1] + score.penalty + asked > mean + 3 * deviation
        assert tw.learn_hill_climbing(score).structure.n_edges == 0


class TestPriceOfEveryEdge:
    @pytest.mark.slow
    @pytest.mark.parametrize("make", [tw.SparseQNML, lambda counter: tw.choose_score(counter).score])
    def test_noise_has_a_false_edge_in_ten_data_sets_at_most(self, make):
        """0.3 to 0.45 in each before."""
        found = [
            tw.learn_hill_climbing(make(independent(300, [2] * 20, 500 + s))).structure.n_edges
            for s in range(60)
        ]
        assert sum(found) <= 6

    def test_numbers_too(self):
        rng = np.random.default_rng(0)
        found = 0
        for _ in range(20):
            rows = tw.moments(tw.read_table({f"x{i}": rng.normal(size=200) for i in range(30)}))
            score = suited_score(rows).score
            found += tw.learn_hill_climbing(score).structure.n_edges
            assert score.penalty > np.log(30)
        assert found <= 2

    def test_networks_with_many_edges_pay_what_they_paid(self):
        for name, n_rows in (("alarm", 200), ("asia", 500)):
            counter = tw.count(tw.load_network(name).sample(n_rows, rng=np.random.default_rng(1)))
            n = len(counter.schema)
            for inner in (tw.QNML(counter), *(tw.BDeu(counter, ess=ess) for ess in (1.0, 2.0, 4.0))):
                assert price_of_chance(inner, np.log(n)) == 0

    def test_a_strong_edge_among_noise_stays(self):
        rng = np.random.default_rng(4)
        columns = {f"x{i:02d}": rng.integers(2, size=300) for i in range(30)}
        columns["y"] = (columns["x00"] + (rng.random(300) < 0.2)) % 2
        score = tw.SparseQNML(tw.count(tw.read_table(columns)))
        assert score.penalty > np.log(31)
        assert tw.learn_hill_climbing(score).structure.edges() in ([("x00", "y")], [("y", "x00")])

    @given(st.integers(0, 10**6), st.randoms(use_true_random=False))
    @settings(max_examples=20, deadline=None)
    def test_the_order_of_columns_does_not_matter(self, seed, random):
        counter = independent(120, [2, 2, 3, 2, 4, 2, 3, 2], seed)
        names = list(counter.schema.names)
        random.shuffle(names)
        other = tw.count(counter.table.select(names))
        for kind in (tw.QNML, tw.BDeu):
            assert price_of_chance(kind(counter), 0.5) == price_of_chance(kind(other), 0.5)

    def test_other_scores_have_no_price_of_chance(self):
        assert price_of_chance(tw.BIC(independent(50, [2] * 10, 0)), 0.0) == 0


CELLS = [(300, 60), (300, 80), (300, 100), (300, 150), (300, 300), (1000, 400), (5000, 2000)]


@pytest.mark.parametrize(("n_rows", "n_states"), CELLS)
def test_no_edges_to_a_column_of_many_states(n_rows, n_states):
    """At most one in ten data sets; by chance alone qNML joined up to 18 of 20 columns."""
    seeds = 10 if n_rows <= 1000 else 3
    joined = 0
    for seed in range(seeds):
        counter = independent(n_rows, [n_states, *[2] * 20], seed)
        for score in (tw.SparseQNML(counter), GroupedQNML(counter)):
            found = tw.learn_hill_climbing(score).structure
            joined += len(found.parents("c00")) + len(found.children("c00"))
    assert joined <= 0.1 * 2 * seeds


@pytest.mark.parametrize("n_states", [80, 150])
def test_no_edges_by_the_score_that_rows_choose(n_states):
    joined = 0
    for seed in range(4):
        counter = independent(300, [n_states, *[2] * 12], seed)
        chosen = suited_score(counter).score
        for found in (
            tw.learn_knots(counter).structure,
            tw.learn_hill_climbing(tw.choose_score(counter).score).structure,
            tw.learn_bounded_treewidth(chosen, treewidth=3).structure,
        ):
            joined += len(found.parents("c00")) + len(found.children("c00"))
    assert joined <= 1


def test_all_columns_of_many_states():
    learned = [tw.learn_hill_climbing(tw.SparseQNML(independent(300, [20] * 10, s))) for s in range(10)]
    assert sum(one.structure.n_edges > 0 for one in learned) <= 1


def test_a_true_edge_of_a_column_of_many_states_stays():
    rng = np.random.default_rng(3)
    code = rng.integers(60, size=600)
    sign = (code % 2 + (rng.random(600) < 0.05)) % 2
    counter = tw.count(
        tw.read_table({"code": code.astype(str), "sign": sign, "noise": rng.integers(2, size=600)})
    )
    assert tw.learn_hill_climbing(tw.SparseQNML(counter)).structure.adjacent("code", "sign")


def test_tables_with_rows_enough_cost_nothing_more():
    counter = independent(300, [4, 4, 3, 2, 2, 15], 0)
    assert chance_prices(counter, 1.0) is None
    assert tw.SparseQNML(counter).pairs is None


@st.composite
def sparse_tables(draw):
    n_rows = draw(st.integers(20, 80))
    states = draw(st.lists(st.sampled_from([2, 3, 7, 12, 25]), min_size=3, max_size=5))
    return independent(n_rows, states, draw(st.integers(0, 10**6)))


class TestScore:
    @given(sparse_tables(), st.randoms(use_true_random=False))
    @settings(max_examples=40, deadline=None)
    def test_members_of_a_class_tie_exactly(self, counter, random):
        names = list(counter.schema.names)
        random.shuffle(names)
        pairs = [(u, v) for i, u in enumerate(names) for v in names[i + 1 :] if random.random() < 0.6]
        score = tw.SparseQNML(counter)
        dag = tw.Dag(counter.schema, pairs)
        members = {score.score(dag)}
        for u, v in pairs:  # turn covered arcs: all members of the class are reached that way
            if set(dag.parents(v)) - {dag.schema.index(u)} == set(dag.parents(u)):
                turned = [(b, a) if (a, b) == (u, v) else (a, b) for a, b in dag.edges()]
                members.add(score.score(tw.Dag(counter.schema, turned)))
        assert len(members) == 1

    @given(sparse_tables())
    @settings(max_examples=30, deadline=None)
    def test_every_way_of_asking_agrees(self, counter):
        score, schema = tw.SparseQNML(counter), counter.schema
        slow = EdgePrior(tw.QNML(counter), score.penalty, score.pairs)
        everybody = list(range(len(schema)))
        child, parent, *others = everybody
        base = score.local(child, [parent])
        assert score.local_additions(child, [parent], others).tolist() == [
            score.local(child, [parent, o]) for o in others
        ]
        assert score.local_deletions(child, everybody[1:]).tolist() == [
            score.local(child, [p for p in everybody[1:] if p != gone]) for gone in everybody[1:]
        ]
        gains = score.pair_gains()
        assert gains[parent, child] == base - score.local(child)
        native, rank = native_scores(score), list(schema.name_ranks)
        for family in [(), (parent,), tuple(everybody[1:])]:
            assert native.local(rank[child], [rank[p] for p in family]) == slow.local(child, family)

    def test_the_price_of_a_pair_is_paid_by_either_end(self):
        counter = independent(60, [30, 2, 2], 1)
        score, plain = tw.SparseQNML(counter), EdgePrior(tw.QNML(counter), tw.SparseQNML(counter).penalty)
        more = score.pairs[0, 1]
        assert more > 0
        assert plain.local(0, [1]) - score.local(0, [1]) == more == plain.local(1, [0]) - score.local(1, [0])
        assert score.pairs[1, 2] == 0

    def test_restricted_to_some_variables(self):
        counter = independent(60, [30, 2, 12, 2], 1)
        score = tw.SparseQNML(counter)
        part = restrict_score(score, ["c02", "c00"])
        assert part.local("c00", ["c02"]) == score.local("c00", ["c02"])

    def test_weights_and_several_tables(self):
        rng = np.random.default_rng(0)
        columns = {
            "code": rng.integers(40, size=120).astype(str),
            "x": rng.integers(2, size=120),
            "y": rng.integers(2, size=120),
        }
        twice = tw.read_table({**columns, "w": [2] * 120}, weights="w")
        doubled = tw.read_table({name: np.repeat(values, 2) for name, values in columns.items()})
        one, other = tw.SparseQNML(tw.count(twice)), tw.SparseQNML(tw.count(doubled))
        assert np.array_equal(one.pairs, other.pairs)
        pooled = tw.learn_from_databases(
            tw.read_databases([doubled.select(["code", "x"]), doubled.select(["x", "y"])])
        )
        assert not pooled.dag.adjacent("code", "x")


def rare_events(n_rows, seed, n=20):
    """Independent columns of events, of one in two hundred rows to one in twenty."""
    rng = np.random.default_rng(seed)
    shares = rng.choice([0.005, 0.01, 0.02, 0.05], size=n)
    return {f"e{i:02d}": rng.random(n_rows) < share for i, share in enumerate(shares)}


def price_by_counting(a, b, n_rows, edge_price, level, ess):
    """The least price that chance beats hardly ever, every table of two margins tried."""
    from math import comb, lgamma

    def rising(n, alpha):
        return lgamma(n + alpha) - lgamma(alpha)

    whole = sum(rising(n, ess / 2) for n in (a, n_rows - a, b, n_rows - b)) - rising(n_rows, ess)
    found = []
    for k in range(max(0, a + b - n_rows), min(a, b) + 1):
        gain = sum(rising(n, ess / 4) for n in (k, a - k, b - k, n_rows - a - b + k)) - whole
        if k * n_rows > a * b:
            found.append((gain, comb(a, k) * comb(n_rows - a, b - k) / comb(n_rows, b)))
    prices = [0.0, *(gain - edge_price for gain, _ in found if gain > edge_price)]
    return min(p for p in prices if sum(c for gain, c in found if gain - edge_price > p) <= level)


class TestRareStates:
    @given(
        st.integers(1, 30), st.integers(1, 30), st.sampled_from([150, 400, 1000]), st.sampled_from([1.0, 4.0])
    )
    @settings(max_examples=80, deadline=None)
    def test_the_price_is_that_of_trying_every_table(self, a, b, n_rows, ess):
        margins = [np.array([n_rows - a, a]), np.array([b, n_rows - b])]
        found = _core.rare_prices(margins, ess, 1.0, 0.01, 5.0, 1e-6)
        expected = price_by_counting(a, b, n_rows, 1.0, 0.01, ess) if a * b < 3 * n_rows else 0.0
        assert found[0, 1] == found[1, 0]
        assert found[0, 1] == pytest.approx(expected, abs=1e-5)
        assert found[0, 0] == found[1, 1] == 0

    def test_columns_that_meet_often_and_sparse_ones_are_left_to_the_other_prices(self):
        margins = [np.array([500, 500]), np.array([600, 400]), np.arange(1, 45), np.array([999, 1])]
        found = _core.rare_prices([m * 1000 // m.sum() for m in margins], 1.0, 1.0, 1e-6, 5.0, 1e-6)
        assert found[0, 1] == found[0, 2] == 0

    @pytest.mark.parametrize("n_rows", [200, 600, 2000])
    def test_rare_events_are_not_joined_for_a_row_that_they_share(self, n_rows):
        """0.3 to 0.6 edges in each data set before."""
        found = 0
        for seed in range(20):
            counter = tw.count(tw.read_table(rare_events(n_rows, seed)))
            score = GroupedScore(tw.BDeu, counter, groups={})
            found += tw.learn_hill_climbing(score).structure.n_edges
        assert found <= 4

    def test_rare_events_that_belong_together_are_joined(self):
        for seed in range(5):
            columns = rare_events(400, seed)
            fire = np.arange(400) < 8
            columns |= {"fire": fire, "alarm": fire & (np.arange(400) != 3)}
            score = GroupedScore(tw.BDeu, tw.count(tw.read_table(columns)), groups={})
            assert tw.learn_hill_climbing(score).structure.adjacent("fire", "alarm")

    def test_the_order_of_columns_does_not_matter(self):
        columns = rare_events(300, 1)
        names = list(columns)[::-1]
        one, other = (
            GroupedScore(tw.BDeu, tw.count(tw.read_table({n: columns[n] for n in order})), groups={}).pairs
            for order in (list(columns), names)
        )
        assert np.array_equal(one, other[::-1, ::-1])
