"""Learning by blankets: worked paths, twins of the searches, rules, starts, refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.criteria.graph_scores.test_blanket_scores import HUB, hub_rows, native
from tests.learners.interrupts import needs_a_timer, seconds_to_stop
from tests.reference.counting.counting import counter_of_rows, random_counter
from tests.reference.learners.blankets import SlowBlankets

import treewright as tw
from treewright import _core
from treewright.graphs import UndirectedGraph
from treewright.graphs.undirected.triangulation import prove_treewidth

SCORES = [tw.BlanketsJointPosterior, tw.IndependenceBasedScore, tw.MarginalPseudoLikelihood]


@pytest.fixture(scope="module")
def hub():
    return native(counter_of_rows(hub_rows()))


def markov_rows(edges, n, rows, seed, r=2):
    """Rows of a Markov network with random factors on the maximal cliques of a graph."""
    rng = np.random.default_rng(seed)
    schema = tw.Schema([tw.Variable(f"v{i:02d}", tuple(range(r))) for i in range(n)])
    graph = UndirectedGraph(schema, edges)
    cliques = tw.graphs.undirected.triangulation.find_maximal_cliques(graph)
    factors = [(clique, rng.uniform(size=(r,) * len(clique))) for clique in cliques]
    return tw.MarkovNetwork(schema, factors).sample(rows, rng=rng), graph


TWO_CLIQUES = [*itertools.combinations(range(4), 2), *itertools.combinations(range(3, 7), 2), (6, 7), (7, 8)]


class TestWorked:
    @pytest.mark.parametrize(
        ("kind", "totals"),
        [
            (tw.BlanketsJointPosterior, (-39.391283008156286, -21.413199319763756, -0.790120108194209)),
            (tw.IndependenceBasedScore, (-60.00000732200418, -25.213995439215395, -1.731836267000709)),
        ],
    )
    def test_published_search_finds_the_hub(self, hub, kind, totals):
        learned = tw.learn_blankets(kind(hub), "ibmap")
        names = hub.schema.names
        assert [flip.edge for flip in learned.flips] == [(names[0], names[v]) for v in (1, 2, 3)]
        assert all(flip.added for flip in learned.flips)
        np.testing.assert_allclose([flip.score for flip in learned.flips], totals, rtol=0, atol=1e-9)
        assert learned.structure == UndirectedGraph(hub.schema, HUB)

    @pytest.mark.parametrize("kind", SCORES)
    @pytest.mark.parametrize("search", ["exhaustive", "auto", "fast", "walk", "tabu"])
    def test_every_search_finds_the_hub(self, hub, kind, search):
        learned = tw.learn_blankets(kind(hub), search)
        assert learned.structure == UndirectedGraph(hub.schema, HUB)
        assert learned.score == pytest.approx(learned.criterion.score(learned.structure), abs=1e-9)

    def test_the_hub_is_the_only_best_graph(self, hub):
        for kind in SCORES:
            assert len(tw.learn_blankets(kind(hub), "exhaustive").maximisers) == 1

    def test_ties_are_reported(self):
        counter = native(random_counter(0, (2, 2, 2), 0))
        score = tw.MarginalPseudoLikelihood(counter)
        learned = tw.learn_blankets(score, "exhaustive")
        assert len(learned.maximisers) == 8
        assert learned.structure.n_edges == 0


class TestTwins:
    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 10**6))
    def test_published_search(self, seed):
        slow = random_counter(seed, (2, 2, 3, 2, 2), 80)
        path = SlowBlankets(slow).ibmap()
        learned = tw.learn_blankets(tw.BlanketsJointPosterior(native(slow)), tw.learners.WorstPairClimb())
        names = slow.schema.names
        assert [flip.edge for flip in learned.flips] == [(names[u], names[v]) for (u, v), _ in path]
        np.testing.assert_allclose([f.score for f in learned.flips], [t for _, t in path], atol=1e-8)

    @pytest.mark.slow
    @settings(max_examples=10, deadline=None)
    @given(st.integers(0, 10**6))
    def test_walk(self, seed):
        slow = random_counter(seed, (2, 2, 3, 2, 2, 2), 80)
        graph, total = SlowBlankets(slow).walk(set())
        score = tw.BlanketsJointPosterior(native(slow), tie="mean")
        learned = tw.learn_blankets(score, tw.learners.WorstPairWalk(stall=15, tenure=10))
        assert learned.structure.index_edges() == sorted(graph)
        assert learned.score == pytest.approx(total, abs=1e-8)

    @settings(max_examples=10, deadline=None)
    @given(st.integers(0, 10**6), st.sampled_from(SCORES))
    def test_exhaustive_is_the_best_of_all(self, seed, kind):
        counter = native(random_counter(seed, (2, 3, 2, 2), 60))
        score = kind(counter)
        pairs = list(itertools.combinations(range(4), 2))
        every = [
            UndirectedGraph(counter.schema, chosen)
            for k in range(7)
            for chosen in itertools.combinations(pairs, k)
        ]
        best = max(every, key=score.score)
        assert tw.learn_blankets(score, "exhaustive").score == pytest.approx(score.score(best), abs=1e-8)


class TestSearches:
    @settings(max_examples=10, deadline=None)
    @given(st.integers(0, 10**6), st.sampled_from(SCORES))
    def test_patience_ends_at_a_local_optimum(self, seed, kind):
        counter = native(random_counter(seed, [2] * 6, 60))
        score = kind(counter)
        learned = tw.learn_blankets(score, tw.learners.WorstPairClimb(patience=None))
        totals = [flip.score for flip in learned.flips]
        assert totals == sorted(set(totals))
        judge = score.judge()
        judge.total(learned.structure.rows)
        for u, v in itertools.combinations(range(6), 2):
            assert judge.flip(u, v) <= learned.score + 1e-9
            judge.flip(u, v)

    def test_walk_passes_where_the_climb_stops(self):
        rows, truth = markov_rows(TWO_CLIQUES, 9, 4000, seed=3)
        score = tw.BlanketsJointPosterior(tw.count(rows))
        distance = {
            search: tw.compare(truth, tw.learn_blankets(score, search).structure).hamming
            for search in ("ibmap", "walk", "auto", "fast")
        }
        assert distance["auto"] <= 2
        assert distance["auto"] < distance["ibmap"]

    def test_flips_lead_from_start_to_structure(self):
        rows, _ = markov_rows(TWO_CLIQUES, 9, 1000, seed=4)
        for kind in SCORES:
            learned = tw.learn_blankets(kind(tw.count(rows)))
            edges = set(learned.start.edges())
            for flip in learned.flips:
                assert (flip.edge not in edges) == flip.added
                edges ^= {flip.edge}
            assert sorted(edges) == learned.structure.edges()

    def test_more_than_two_states(self):
        rows, truth = markov_rows([(0, 1), (1, 2), (2, 3), (3, 4)], 5, 6000, seed=6, r=3)
        for kind in SCORES:
            learned = tw.learn_blankets(kind(tw.count(rows)))
            assert tw.compare(truth, learned.structure).hamming <= 1

    def test_threads_and_copies_of_rows_do_not_matter(self):
        rows, _ = markov_rows(TWO_CLIQUES, 9, 600, seed=5)
        twice = rows.with_weights(np.full(rows.n_rows, 1, dtype=np.int64))
        found = []
        before = _core.threads()
        for table, threads in ((rows, 1), (rows, 3), (twice, 1)):
            _core.set_threads(threads)
            learned = tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(table)))
            found.append((learned.structure.edges(), learned.score))
        _core.set_threads(before)
        assert found[0] == found[1] == found[2]

    def test_phases_are_told(self):
        lines = []
        counter = native(random_counter(1, [2] * 5, 50))
        learned = tw.learn_blankets(tw.BlanketsJointPosterior(counter), progress=lines.append)
        assert [phase.name for phase in learned.trace.phases] == ["start", "search"]
        assert list(dict.fromkeys(step.phase for step in lines)) == ["start", "blankets", "search"]
        assert learned.trace.total("tests") > 0

    @pytest.mark.parametrize("mode", ["conflict", "or"])
    def test_three_phases(self, mode):
        rows, truth = markov_rows(TWO_CLIQUES, 9, 4000, seed=3)
        score = tw.MarginalPseudoLikelihood(tw.count(rows))
        learned = tw.learn_blankets(score, tw.learners.ThreePhases(mode))
        assert tw.compare(truth, learned.structure).hamming <= 4
        assert learned.score == pytest.approx(score.score(learned.structure), abs=1e-8)


class TestRules:
    @pytest.mark.parametrize("kind", SCORES)
    @pytest.mark.parametrize("search", ["auto", "fast", "ibmap", "tabu", "walk"])
    def test_width_and_blankets_are_bounded(self, kind, search):
        rows, _ = markov_rows(list(itertools.combinations(range(6), 2)), 8, 2000, seed=1)
        score = kind(tw.count(rows))
        learned = tw.learn_blankets(score, search, treewidth=2, max_blanket=3)
        assert learned.certificate is not None
        assert learned.certificate.width <= 2
        assert prove_treewidth(learned.structure) <= 2
        for clique in tw.graphs.undirected.triangulation.find_maximal_cliques(learned.structure):
            assert any(set(clique) <= set(cluster) for cluster in learned.certificate.cluster_scopes)
        assert learned.structure.degrees().max() <= 3

    def test_the_proof_is_as_narrow_as_the_graph(self):
        rows = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(1))
        for kind in SCORES:
            learned = tw.learn_blankets(kind(tw.count(rows)), treewidth=7)
            assert learned.certificate.width == prove_treewidth(learned.structure) < 4

    @pytest.mark.parametrize("kind", SCORES)
    @pytest.mark.parametrize("search", ["auto", "fast", "ibmap", "exhaustive"])
    def test_knowledge_is_obeyed(self, hub, kind, search):
        a, b, c, d = hub.schema.names
        knowledge = tw.Knowledge(required=[(c, d)], forbidden_edges=[(a, b)])
        structure = tw.learn_blankets(kind(hub), search, knowledge=knowledge).structure
        assert structure.adjacent(c, d)
        assert not structure.adjacent(a, b)

    def test_a_proof_of_the_start_is_taken_or_replaced(self, hub):
        judge = tw.BlanketsJointPosterior(hub).judge()
        chain = UndirectedGraph(hub.schema, [(0, 1), (1, 2), (2, 3)])
        movable = UndirectedGraph.complete(hub.schema).rows
        for proof in ((), (0, 1, 2, 3), (1, 2, 0, 3)):  # the last one is too wide
            *_, order = judge.climb(chain.rows, movable, None, 1, proof, 1, 0)
            assert sorted(order.tolist()) == [0, 1, 2, 3]
            assert tw.graphs.undirected.triangulation.eliminate(chain, order.tolist()).width == 1
        with pytest.raises(ValueError, match="vert"):
            judge.climb(chain.rows, movable, None, 1, (0, 0, 1, 2), 1, 0)

    def test_exhaustive_search_obeys_bounds(self, hub):
        learned = tw.learn_blankets(tw.BlanketsJointPosterior(hub), "exhaustive", max_blanket=2, treewidth=1)
        assert learned.structure.degrees().max() <= 2
        assert learned.certificate.width <= 1


class TestRefusals:
    def refused(self, error, message, *args, **kwargs):
        with pytest.raises(error) as found:
            tw.learn_blankets(*args, **kwargs)
        assert message in str(found.value)

    def test_searches_and_starts(self, hub):
        score = tw.BlanketsJointPosterior(hub)
        problem = tw.errors.SettingError
        self.refused(problem, "search 'wlk' is not known; searches are", score, "wlk")
        self.refused(problem, "search is a name or one of WorstPairClimb", score, 3)
        self.refused(problem, "three phases belong to MarginalPseudoLikelihood", score, "three-phase")
        self.refused(
            problem, "start is a graph or one of empty, chow-liu, mpl; found 'full'", score, start="full"
        )
        self.refused(problem, "max_blanket must be 0 or more", score, max_blanket=-1)
        pseudo = tw.MarginalPseudoLikelihood(hub)
        self.refused(problem, "the three phases find their own start", pseudo, start="empty")
        for make in (
            lambda: tw.learners.WorstPairClimb(patience=0),
            lambda: tw.learners.WorstPairWalk(stall=0),
        ):
            with pytest.raises(problem):
                make()

    def test_too_many_variables_for_all_graphs(self):
        counter = native(random_counter(0, [2] * 7, 10))
        message = "all graphs are judged up to 6 variables; found 7: use another search"
        self.refused(tw.errors.SettingError, message, tw.BlanketsJointPosterior(counter), "exhaustive")

    def test_starts_that_break_the_rules(self, hub):
        score, complete = tw.BlanketsJointPosterior(hub), UndirectedGraph.complete(hub.schema)
        self.refused(
            tw.errors.TreewidthError, "no elimination order of width 2", score, start=complete, treewidth=2
        )
        self.refused(tw.errors.SettingError, "max_blanket is 2", score, start=complete, max_blanket=2)
        a, b, *_ = hub.schema.names
        barred = tw.Knowledge(forbidden_edges=[(a, b)])
        self.refused(tw.errors.KnowledgeError, f"has {a} - {b}", score, start=complete, knowledge=barred)


class TestChoice:
    def test_shapes(self):
        from treewright.learners.blanket_scores import starts

        schema = tw.Schema([tw.Variable(f"v{i:02d}") for i in range(16)])
        ring = UndirectedGraph(schema, [(i, (i + k) % 16) for i in range(16) for k in (1, 2)])
        star = UndirectedGraph(schema, [(0, i) for i in range(1, 16)])
        empty = UndirectedGraph(schema)
        assert starts.clustering(ring) == pytest.approx(0.5)
        assert starts.degree_spread(ring) == 0
        assert starts.degree_spread(star) > starts.UNEVEN
        assert starts.is_even(ring, ring)
        assert not starts.is_even(star, ring)
        assert not starts.is_even(empty, empty)
        assert starts.is_even(empty, ring)

    def test_rings_are_left_to_the_other_score(self):
        rows, truth = markov_rows([(i, (i + k) % 14) for i in range(14) for k in (1, 2)], 14, 2000, seed=2)
        learned = tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(rows)))
        assert isinstance(learned.criterion, tw.IndependenceBasedScore)
        assert "independence-based score took over" in learned.notes[0]
        assert learned.score == pytest.approx(learned.criterion.score(learned.structure), abs=1e-9)
        assert [phase.name for phase in learned.trace.phases] == [
            "start",
            "search",
            "choice",
            "start",
            "search",
        ]
        assert tw.compare(truth, learned.structure).hamming <= 12

    def test_hubs_are_not(self, hub):
        assert tw.learn_blankets(tw.BlanketsJointPosterior(hub)).notes == ()


class TestConfidence:
    def test_resampled_edges(self):
        rows, truth = markov_rows(TWO_CLIQUES, 9, 2000, seed=3)

        def learn(table):
            return tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(table)))

        confidence = tw.edge_confidence(rows, learn, repetitions=8, rng=np.random.default_rng(0))
        assert tw.compare(truth, confidence.averaged_graph()).hamming <= 4
        assert confidence.averaged_graph(0.0).n_edges >= confidence.averaged_graph(1.0).n_edges
        with pytest.raises(tw.errors.SettingError, match="a threshold is a share from 0 to 1; found 2"):
            confidence.averaged_graph(2)


class TestPosterior:
    def test_shares_are_those_of_all_graphs(self, hub):
        score = tw.BlanketsJointPosterior(hub, prior=0.5)
        tuned = score.tuned()
        pairs = list(itertools.combinations(range(4), 2))
        wanted, mass = np.zeros((4, 4)), 0.0
        for code in range(64):
            edges = [pair for bit, pair in enumerate(pairs) if code >> bit & 1]
            weight = np.exp(tuned.score(UndirectedGraph(hub.schema, edges)))
            mass += weight
            for u, v in edges:
                wanted[u, v] += weight
        found = tw.learners.sample_edges(score, rng=np.random.default_rng(0), steps=60_000, start="empty")
        for u, v in pairs:
            assert found.strength(u, v) == pytest.approx(wanted[u, v] / mass, abs=0.02)
        assert 0 < found.acceptance < 1
        assert found.best == UndirectedGraph(hub.schema, HUB)

    @pytest.mark.parametrize("kind", SCORES)
    def test_rules_hold_all_the_way(self, hub, kind):
        a, b, c, d = hub.schema.names
        knowledge = tw.Knowledge(required=[(c, d)], forbidden_edges=[(a, b)])
        rng = np.random.default_rng(1)
        found = tw.learners.sample_edges(
            kind(hub), rng=rng, steps=500, knowledge=knowledge, max_blanket=2, treewidth=1
        )
        assert found.strength(c, d) == 1
        assert found.strength(a, b) == 0
        assert found.averaged_graph(0.5).adjacent(c, d)

    def test_a_seed_fixes_the_walk(self, hub):
        score = tw.IndependenceBasedScore(hub)
        one, two = (
            tw.learners.sample_edges(score, rng=np.random.default_rng(3), steps=300) for _ in range(2)
        )
        assert (one.counts == two.counts).all()

    def test_refusals(self, hub):
        score, rng = tw.BlanketsJointPosterior(hub), np.random.default_rng(0)
        for given_, message in (
            ({"steps": 0}, "steps must be 1 or more; found 0"),
            ({"burn_in": -1}, "burn_in must be 0 or more; found -1"),
            ({"temperature": 0}, "temperature must be a finite number above 0; found 0"),
        ):
            with pytest.raises(tw.errors.SettingError) as refused:
                tw.learners.sample_edges(score, rng=rng, **given_)
            assert message in str(refused.value)


@pytest.mark.slow
@needs_a_timer
@pytest.mark.parametrize(
    ("kind", "search", "treewidth"),
    [(SCORES[0], "auto", None), (SCORES[1], "tabu", 3), (SCORES[2], "auto", 3)],
)
def test_an_interrupt_is_obeyed_within_half_a_second(kind, search, treewidth):
    """In the start, the tests of all pairs and the walk of a large graph."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, (3000, 40))
    noisy = hidden[:, rng.integers(0, 40, 300)] ^ (rng.random((3000, 300)) < 0.25)
    table = tw.Table.from_codes(noisy.astype(np.uint8), [2] * 300)

    def learn_for_ever():
        while True:
            tw.learn_blankets(kind(tw.count(table)), search, treewidth=treewidth)

    for after in (0.1, 0.3):
        assert seconds_to_stop(learn_for_ever, after) < 0.5


def test_a_score_of_parents_is_refused():
    counter = tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}))
    with pytest.raises(tw.errors.SettingError, match="takes a score of undirected graphs; found a BIC"):
        tw.learn_blankets(tw.BIC(counter))
