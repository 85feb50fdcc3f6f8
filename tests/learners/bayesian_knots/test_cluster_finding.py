"""The dependency tree, its stars, and the clusters that grow from them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.graphs import clusters as slow

import treewright as tw
from treewright.errors import GraphError, SettingError
from treewright.graphs import Star
from treewright.learners import (
    Dependencies,
    discover_stars,
    expand_clusters,
    find_clusters,
    measure_dependencies,
)

MANY_ROWS = 10_000.0


def dependencies(weights, names=None, n_rows=MANY_ROWS):
    weights = np.asarray(weights, dtype=float)
    n = len(weights)
    names = [f"v{i:03}" for i in range(n)] if names is None else names
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in names])
    return Dependencies(schema, 2 * n_rows * weights, np.ones(n), n_rows)


def symmetric(n, pairs, rest):
    weights = np.full((n, n), float(rest))
    np.fill_diagonal(weights, 0)
    for (u, v), w in pairs.items():
        weights[u, v] = weights[v, u] = w
    return weights


TEN = symmetric(
    10,
    {
        (0, 1): 0.9, (0, 2): 0.8, (0, 3): 0.7, (3, 4): 0.6, (4, 5): 0.5, (4, 6): 0.45, (6, 7): 0.4,
        (7, 8): 0.35, (7, 9): 0.3, (1, 2): 0.25, (5, 6): 0.2, (2, 5): 0.15, (8, 9): 0.12,
    },
    0.01,
)  # fmt: skip


def stars_of(found):
    return [(star.centre, sorted(star.members)) for star in found]


def clusters_of(clusters):
    return [sorted(scope) for scope in clusters.cluster_scopes]


class TestWorkedExample:
    def test_tree(self):
        expected = [(0, 1), (0, 2), (0, 3), (3, 4), (4, 5), (4, 6), (6, 7), (7, 8), (7, 9)]
        assert dependencies(TEN).tree.index_edges() == expected

    def test_stars_before_any_is_taken(self):
        edges = slow.spanning_tree(TEN)
        found = [slow.star(v, edges) for v in range(10)]
        assert [sorted(s) for s in found] == [
            [0, 1, 2, 3], [0, 1, 2], [0, 1, 2], [0, 1, 2, 3, 4, 5], [3, 4, 5, 6], [4, 5], [4, 5, 6, 7, 8, 9],
            [6, 7, 8, 9], [7, 8, 9], [7, 8, 9],
        ]  # fmt: skip
        weigh = [
            [slow.star_weight(v, s, edges, TEN, kind) for v, s in enumerate(found)]
            for kind in ("tree", "centre")
        ]
        assert weigh[0] == pytest.approx([2.4, 1.7, 1.7, 3.5, 1.55, 0.5, 2.0, 1.05, 0.65, 0.65])
        assert weigh[1] == pytest.approx([2.4, 1.15, 1.05, 1.33, 1.55, 0.5, 1.07, 1.05, 0.47, 0.42])

    @pytest.mark.parametrize(
        ("weight", "expected"),
        [
            ("tree", [(3, [0, 1, 2, 3, 4, 5]), (6, [6, 7, 8, 9])]),
            ("centre", [(0, [0, 1, 2, 3]), (6, [4, 5, 6, 7, 8, 9])]),
        ],
    )
    def test_stars(self, weight, expected):
        assert stars_of(discover_stars(dependencies(TEN), weight=weight)) == expected

    @pytest.mark.parametrize(
        ("weight", "epsilon", "expected"),
        [
            ("tree", 0.25, [[*range(8)], [4, 6, 7, 8, 9]]),
            ("tree", 0.5, [[*range(9)], [4, 5, 6, 7, 8, 9]]),
            ("centre", 0.25, [[*range(5)], [*range(2, 10)]]),
            ("centre", 0.5, [[*range(6)], [0, 2, 3, 4, 5, 6, 7, 8, 9]]),
        ],
    )
    def test_expansion(self, weight, epsilon, expected):
        found = find_clusters(dependencies(TEN), expansion=epsilon, weight=weight)
        assert clusters_of(found) == expected
        assert len(found.regions) == 1
        assert found.bridges == ()

    def test_isolated_regions_are_joined_by_their_strongest_tie(self):
        inside = {(i, i + 1): 0.9 for i in (0, 2, 4, 6)}
        weights = symmetric(8, {**inside, (1, 2): 0.3, (5, 6): 0.3, (3, 4): 0.1}, 0.01)
        stars = [Star(i, (i, i + 1)) for i in (0, 2, 4, 6)]
        found = expand_clusters(stars, dependencies(weights), expansion=0.5)
        assert clusters_of(found) == [[0, 1, 2], [1, 2, 3, 4], [4, 5, 6], [5, 6, 7]]
        assert [(b.anchor, b.variable, b.weight) for b in found.bridges] == [("v003", "v004", 0.1)]
        assert len(found.regions) == 1

    def test_independent_regions_stay_apart(self):
        inside = {(0, 1): 0.5, (2, 3): 0.5}
        weights = symmetric(4, inside, 1e-6)
        stars = [Star(0, (0, 1)), Star(2, (2, 3))]
        apart = expand_clusters(stars, dependencies(weights), expansion=0)
        assert apart.regions == (("v000", "v001"), ("v002", "v003"))
        joined = expand_clusters(stars, dependencies(weights), expansion=0, require_significant=False)
        assert clusters_of(joined) == [[0, 1, 2], [2, 3]]
        assert len(joined.regions) == 1

    def test_adaptive_expansion_takes_what_is_sure_and_no_more_than_its_size_and_four(self):
        # G2 of 0.01 nats at 10,000 rows is 200; of 1e-5 nats 0.2
        weights = symmetric(20, {(0, 1): 0.5, **{(0, v): 0.01 for v in range(2, 20)}}, 0)
        found = expand_clusters(
            [Star(0, (0, 1)), *(Star(v, (v,)) for v in range(2, 20))],
            dependencies(weights),
            expansion="adaptive",
        )
        assert clusters_of(found)[0] == [0, 1, *range(2, 8)]
        weak = symmetric(4, {(0, 1): 0.5, (0, 2): 0.01, (1, 3): 1e-5}, 0)
        stars = [Star(0, (0, 1)), Star(2, (2,)), Star(3, (3,))]
        found = expand_clusters(stars, dependencies(weak), expansion="adaptive")
        assert clusters_of(found) == [[0, 1, 2], [3]]
        assert found.regions == (("v000", "v001", "v002"), ("v003",))


@st.composite
def weight_matrices(draw, largest=9):
    n = draw(st.integers(1, largest))
    # eighths: sums are exact, and ties are frequent
    above = draw(st.lists(st.integers(0, 12), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    weights = np.zeros((n, n))
    weights[np.triu_indices(n, 1)] = np.array(above, dtype=float) / 8
    return weights + weights.T


class TestLaws:
    @pytest.mark.slow
    @settings(max_examples=150, deadline=None)
    @given(weight_matrices(), st.sampled_from(["tree", "centre"]))
    def test_stars_equal_their_slow_twin(self, weights, weight):
        measured = dependencies(weights)
        assert measured.tree.index_edges() == slow.spanning_tree(weights)
        assert stars_of(discover_stars(measured, weight=weight)) == slow.discover_stars(weights, weight)

    @pytest.mark.slow
    @settings(max_examples=150, deadline=None)
    @given(weight_matrices(), st.sampled_from([0, 0.2, 0.5, 1]), st.booleans())
    def test_clusters_equal_their_slow_twin(self, weights, epsilon, require):
        measured = dependencies(weights, n_rows=20.0)
        stars = discover_stars(measured)
        found = expand_clusters(stars, measured, expansion=epsilon, require_significant=require)
        level = 0.05 / len(weights)
        expected, added = slow.expand(
            [star.members for star in stars],
            weights,
            epsilon,
            lambda u, v: not require or measured.p_value(u, v) <= level,
        )
        assert clusters_of(found) == expected
        names = measured.schema.names
        assert [(b.anchor, b.variable) for b in found.bridges] == [(names[u], names[v]) for u, v in added]

    @pytest.mark.slow
    @settings(max_examples=100, deadline=None)
    @given(weight_matrices(), st.sampled_from([0.2, 0.5, 1, "adaptive"]), st.booleans())
    def test_what_always_holds(self, weights, expansion, merge):
        measured = dependencies(weights, n_rows=20.0)
        stars = discover_stars(measured, merge_singletons=merge)
        n = len(weights)
        assert sorted(v for star in stars for v in star.members) == list(range(n))
        assert all(star.centre in star.members for star in stars)
        if merge and n > 1:
            assert all(len(star.members) > 1 for star in stars)
        found = expand_clusters(stars, measured, expansion=expansion, require_significant=False)
        sets = [set(scope) for scope in found.cluster_scopes]
        for position, cluster in zip(found.grown_from, sets, strict=True):
            core = stars[position].members
            assert cluster >= set(core)
            if expansion != "adaptive":
                assert len(cluster) >= min(n, len(core) + math.ceil(expansion * len(core) - 1e-12))
        assert len(found.regions) == 1
        assert not any(a < b for a in sets for b in sets)
        assert set().union(*sets) == set(range(n))

    @pytest.mark.slow
    @settings(max_examples=60, deadline=None)
    @given(weight_matrices(), st.randoms(use_true_random=False), st.sampled_from(["tree", "centre"]))
    def test_order_of_columns_plays_no_part(self, weights, random, weight):
        n = len(weights)
        order = list(range(n))
        random.shuffle(order)
        names = [f"v{i:03}" for i in range(n)]
        plain = find_clusters(dependencies(weights), expansion=0.5, weight=weight)
        shuffled = dependencies(weights[np.ix_(order, order)], [names[v] for v in order])
        found = find_clusters(shuffled, expansion=0.5, weight=weight)
        assert found.to_dict() == plain.to_dict()


class TestPairPass:
    def test_numbers_of_a_table(self):
        rows = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 0, 1, 1, 1], "c": ["x"] * 6}
        counter = tw.count(tw.read_table(rows))
        found = measure_dependencies(counter)
        test = tw.GTest(counter, reliability=0)
        result = test.test("a", "b")
        assert found.statistic[0, 1] == pytest.approx(result.statistic)
        assert found.weights[0, 1] == pytest.approx(tw.mutual_information(counter, "a", "b"))
        assert found.p_value("a", "b") == pytest.approx(result.p_value)
        assert found.p_value("a", "c") == 1 == found.p_value("a", "a")
        assert not found.significant(0.5)[0, 2]
        assert found.n_rows == 6

    def test_significant_is_the_test_of_every_pair(self):
        table = tw.load_network("asia").sample(300, rng=np.random.default_rng(3))
        found = measure_dependencies(tw.count(table))
        names = table.schema.names
        for alpha in (0.001, 0.2):
            expected = [[u != v and found.is_significant(u, v, alpha) for v in names] for u in names]
            assert found.significant(alpha).tolist() == expected

    def test_any_counter_gives_the_same(self):
        table = tw.load_network("asia").sample(200, rng=np.random.default_rng(4))
        whole = tw.count(table)
        other = tw.statistics.CachedCounter(
            tw.ShardedCounter([tw.count(table.take(np.arange(k, 200, 2))) for k in (0, 1)])
        )
        assert (measure_dependencies(other).statistic == measure_dependencies(whole).statistic).all()

    def test_moments(self):
        rng = np.random.default_rng(5)
        x = rng.normal(size=500)
        table = tw.read_table(
            {"x": x, "y": x + rng.normal(size=500), "z": rng.normal(size=500), "k": np.ones(500) * 2.5}
        )
        found = measure_dependencies(tw.moments(table))
        r = np.corrcoef(table.columns[0], table.columns[1])[0, 1]
        assert found.weights[0, 1] == pytest.approx(-0.5 * math.log(1 - r * r))
        assert found.is_significant("x", "y")
        assert not found.is_significant("x", "z", 0.01)
        assert found.p_value("x", "k") == 1

    def test_weighted_rows(self):
        rng = np.random.default_rng(0)
        table = tw.load_network("alarm").sample(300, rng=rng).with_weights(rng.random(300))
        found = measure_dependencies(tw.count(table))
        np.testing.assert_array_equal(found.weights, found.weights.T)
        assert found.tree.n_edges == 36

    def test_correction(self):
        rows = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 1, 0, 1, 0, 1]}
        counter = tw.count(tw.read_table(rows))
        plain = measure_dependencies(counter)
        corrected = measure_dependencies(counter, correction="miller-madow")
        assert corrected.weights[0, 1] == max(0.0, plain.weights[0, 1] - 2 / 12)
        assert (corrected.statistic == plain.statistic).all()

    def test_small_and_odd_tables(self):
        one = find_clusters(tw.count(tw.read_table({"a": [0, 1]})))
        assert one.overlapping == (("a",),)
        assert one.regions == (("a",),)
        constant = find_clusters(tw.count(tw.read_table({"a": [0, 0], "b": [1, 1]})), expansion=0.5)
        assert constant.disjoint == (("a", "b"),)
        twins = {name: [0, 1, 2] * 40 for name in "abcd"}
        assert find_clusters(tw.count(tw.read_table(twins))).overlapping == (("a", "b", "c", "d"),)


class TestRefusals:
    def test_expansion(self):
        with pytest.raises(
            SettingError, match=r"expansion is 'adaptive' or the share .* from 0 to 1; found 1.5"
        ):
            find_clusters(dependencies(TEN), expansion=1.5)

    def test_weight(self):
        with pytest.raises(SettingError, match="weight must be one of 'tree', 'centre'; found 'best'"):
            discover_stars(dependencies(TEN), weight="best")

    def test_level(self):
        with pytest.raises(SettingError, match="alpha must lie between 0 and 1"):
            find_clusters(dependencies(TEN), alpha=0)

    def test_continuous_columns_are_not_counted(self):
        counter = tw.count(tw.read_table({"a": [0, 1, 1], "x": [0.1, 0.5, 2.5]}))
        with pytest.raises(SettingError, match=r"'x' is continuous: read it with bins="):
            measure_dependencies(counter)

    def test_stars_that_are_none(self):
        measured = dependencies(TEN)
        with pytest.raises(GraphError, match="every variable lies in one star; 'v009' lies in 0"):
            expand_clusters([Star(0, tuple(range(9)))], measured)
        with pytest.raises(GraphError, match="a star holds its centre; 'v000' is not in its star"):
            expand_clusters([Star(0, (1,)), Star(2, (0, *range(2, 10)))], measured)
        with pytest.raises(GraphError, match="the cluster of 'v000' lacks 'v001'"):
            tw.graphs.Clusters(measured.schema, [Star(0, tuple(range(10)))], [(0, *range(2, 10))])
