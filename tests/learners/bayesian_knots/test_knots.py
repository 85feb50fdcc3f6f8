"""Large networks from few rows: the default search, its settings, and what it reports."""

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import FormatError, SchemaError, SettingError
from treewright.learners import PairSchedule
from treewright.learners.bayesian_knots.dependency_tree import measure_dependencies
from treewright.learners.bayesian_knots.knots import strongest_partners
from treewright.models.formats.twm.content import read_graph
from treewright.networks.generate import sparse_network


def rows_of(name, n_rows, seed):
    network = tw.load_network(name)
    return network, tw.count(network.sample(n_rows, rng=np.random.default_rng(seed)))


@pytest.fixture(scope="module")
def alarm():
    return rows_of("alarm", 600, 1)


class TestDefault:
    def test_it_is_the_class_search_with_the_sparse_score(self, alarm):
        _, counter = alarm
        learned = tw.learn_knots(counter, score=tw.SparseQNML(counter))
        measured = measure_dependencies(counter)
        clear, weak = measured.significant(0.001), measured.significant(0.2 * 500 / 600)
        plain = tw.learners.class_search(
            tw.SparseQNML(counter), effort=2, schedule=PairSchedule(again=clear, loosely=weak)
        )
        assert learned.cpdag == plain.cpdag
        assert learned.score == plain.score
        assert learned.certified

    def test_the_rows_choose_the_score(self, alarm):
        _, counter = alarm
        chosen = tw.choose_score(counter, effort=0, certificate=False)
        learned = tw.learn_knots(counter)
        assert learned.cpdag == tw.learn_knots(counter, score=chosen.score).cpdag
        assert learned.report.score == f"sparse-{chosen.name}"
        assert str(learned.report).startswith(f"score: sparse-{chosen.name}; ")
        tables = next(stage.tables for stage in learned.report.stages if stage.name == "score")
        assert tables == chosen.tables > 0

    def test_many_states_are_seen_in_groups(self):
        rng = np.random.default_rng(0)
        hub = rng.integers(0, 60, 600)
        rows = {f"x{i}": (hub // 20 + (rng.random(600) < 0.1)) % 3 for i in range(4)}
        counter = tw.count(tw.read_table({"hub": hub.astype(str), **rows}))
        assert tw.learn_knots(counter).report.score == "grouped-qnml"

    def test_few_errors(self):
        errors = []
        for seed in (2, 3, 4):
            network, counter = rows_of("alarm", 500, seed)
            errors.append(tw.shd(network.dag, tw.learn_knots(counter).cpdag))
        assert np.mean(errors) <= 12

    def test_score_is_exchangeable(self, alarm):
        _, counter = alarm
        for score in (tw.BIC(counter), tw.criteria.EdgePrior(tw.BDeu(counter), 0.0)):
            learned = tw.learn_knots(counter, score=score, effort=1)
            assert learned.cpdag == tw.learners.class_search(score, effort=1).cpdag

    def test_report(self, alarm):
        _, counter = alarm
        report = tw.learn_knots(counter, score=tw.SparseQNML(counter)).report
        names = ["dependencies", "first pairs", "pairs to look at again", "reopen nodes", "second start"]
        assert [stage.name for stage in report.stages[:5]] == names
        first, everything = report.stages[1], report.stages[-1]
        assert everything.name == "all pairs"
        assert report.stages[0].tables == 37 * 36 // 2 == everything.pairs
        assert first.pairs == int((np.triu(tw.SparseQNML(counter).pair_gains(), 1) > 0).sum())
        assert 0 < report.tables == sum(stage.tables for stage in report.stages[1:])
        assert report.certificate
        assert json.loads(json.dumps(report.to_dict()))["inside_clusters"] == report.inside
        assert "all pairs were let in" in str(report)

    def test_share_of_edges_inside_clusters(self, alarm):
        _, counter = alarm
        learned = tw.learn_knots(counter, expansion=0)
        edges = learned.structure.edges()
        inside = [any({u, v} <= set(names) for names in learned.clusters.overlapping) for u, v in edges]
        assert learned.report.inside == sum(inside) / len(inside) < 1

    def test_structure_carries_its_clusters(self, alarm):
        _, counter = alarm
        learned = tw.learn_knots(counter, expansion=0.5)
        assert (
            learned.structure.clusters
            == learned.clusters
            == tw.learners.find_clusters(counter, expansion=0.5)
        )
        assert learned.structure == tw.Dag(counter.schema, learned.structure.edges())
        again = pickle.loads(pickle.dumps(learned.structure))
        assert again == learned.structure
        assert again.clusters == learned.clusters

    def test_progress(self, alarm):
        _, counter = alarm
        told = []
        learned = tw.learn_knots(counter, progress=told.append)
        assert told == sorted(told, key=lambda step: (step.done, step.score))
        assert len(told) == len(learned.trace.phases) - 3


class TestRescue:
    def test_fast_looks_at_fewer_pairs(self, alarm):
        _, counter = alarm
        fast, full = tw.learn_knots(counter, fast=True), tw.learn_knots(counter)
        rescued = next(stage for stage in fast.report.stages if stage.name == "further pairs")
        assert rescued.pairs < 37 * 36 // 2
        assert fast.report.tables < full.report.tables
        assert not fast.certified
        assert not fast.report.certificate
        assert "not all pairs were let in" in str(fast.report)

    def test_level_chooses_the_pairs(self, alarm):
        _, counter = alarm
        useful = tw.SparseQNML(counter).pair_gains() > 0
        weak = measure_dependencies(counter).significant(0.01)
        sparse = tw.SparseQNML(counter)
        last = tw.learn_knots(counter, score=sparse, fast=True, rescue=0.01).report.stages[-1]
        assert last.pairs == int(np.triu(useful | weak, 1).sum())

    def test_no_rescue_stays_with_the_first_pairs(self, alarm):
        _, counter = alarm
        learned = tw.learn_knots(counter, score=tw.SparseQNML(counter), fast=True, rescue=0, effort=1)
        plain = tw.learners.class_search(tw.SparseQNML(counter), effort=1, certificate=False)
        assert learned.cpdag == plain.cpdag

    def test_all_pairs_are_let_in_however_many_variables(self):
        network = sparse_network(2_010, np.random.default_rng(0))
        counter = tw.count(network.sample(60, rng=np.random.default_rng(1)))
        assert tw.learn_knots(counter, score=tw.SparseQNML(counter)).certified

    def test_certificate_may_be_asked_for_or_declined(self, alarm):
        _, counter = alarm
        assert tw.learn_knots(counter, certificate="always", effort=0).certified
        assert not tw.learn_knots(counter, certificate="never", effort=0).certified


class TestFilters:
    @pytest.mark.parametrize("name", ["pc1", "clusters", "partners"])
    def test_edges_stay_inside(self, alarm, name):
        _, counter = alarm
        learned = tw.learn_knots(counter, filter=name, expansion=0.2)
        if name == "clusters":
            assert learned.report.inside == 1
        if name == "partners":
            pairs = strongest_partners(measure_dependencies(counter), 5)
            assert all(pairs[u, v] for u, v in learned.structure.index_edges())
        if name == "pc1":
            skeleton = tw.learn_pc(tw.GTest(counter, 0.05), depth=1).structure.skeleton()
            assert learned.cpdag.skeleton().is_subgraph_of(skeleton)


class TestKnowledge:
    def test_pairs_and_directions_are_obeyed(self, alarm):
        _, counter = alarm
        edges = tw.learn_knots(counter).structure.edges()
        gone, turned = edges[0], edges[5]
        known = tw.Knowledge(forbidden=[gone, gone[::-1], turned])
        found = tw.learn_knots(counter, knowledge=known)
        assert not {gone, gone[::-1], turned} & set(found.structure.edges())
        required = tw.Knowledge(required=[turned[::-1]])
        assert turned[::-1] in tw.learn_knots(counter, knowledge=required, fast=True).structure.edges()

    def test_required_arcs_pass_every_filter(self, alarm):
        _, counter = alarm
        schema, pairs = counter.schema, strongest_partners(measure_dependencies(counter), 5)
        u, v = np.argwhere(~pairs & ~np.eye(len(schema), dtype=bool))[0]
        arc = (schema.names[u], schema.names[v])
        found = tw.learn_knots(counter, filter="partners", knowledge=tw.Knowledge(required=[arc]))
        assert arc in found.structure.edges()


class TestLaws:
    @settings(max_examples=10, deadline=None)
    @given(st.integers(0, 2**32 - 1), st.booleans())
    def test_order_of_columns_and_rows_plays_no_part(self, seed, fast):
        rng = np.random.default_rng(seed)
        table = tw.load_network("asia").sample(300, rng=rng)
        shuffled = table.take(rng.permutation(300)).select(rng.permutation(table.schema.names).tolist())
        one, other = (tw.learn_knots(tw.count(t), fast=fast) for t in (table, shuffled))
        assert one.cpdag == other.cpdag
        assert one.structure == other.structure
        assert one.score == other.score
        assert one.clusters.to_dict() == other.clusters.to_dict()

    def test_two_networks_side_by_side_stay_apart(self):
        rng = np.random.default_rng(7)
        left = tw.load_network("asia").sample(5_000, rng=rng)
        right = tw.load_network("asia").sample(5_000, rng=rng)
        both = {f"l_{name}": left.column(name) for name in left.schema.names}
        both |= {f"r_{name}": right.column(name) for name in right.schema.names}
        learned = tw.learn_knots(tw.count(tw.read_table(both)))
        assert all(u[0] == v[0] for u, v in learned.structure.edges())
        assert all(len({name[0] for name in region}) == 1 for region in learned.clusters.regions)

    def test_odd_tables(self):
        one = tw.learn_knots(tw.count(tw.read_table({"a": [0, 1] * 9})))
        assert one.structure.edges() == []
        assert one.report.inside == 1
        rows = {"a": [0, 1, 1] * 6, "b": [0, 1, 1] * 6, "k": [0] * 18, "c": [1, 0, 1] * 6}
        learned = tw.learn_knots(tw.count(tw.read_table(rows)))
        assert ("a", "b") in learned.copies
        assert not any("k" in edge for edge in learned.structure.edges())

    def test_moments(self):
        rng = np.random.default_rng(3)
        x, z = rng.normal(size=(2, 800))
        y = x + z + 0.3 * rng.normal(size=800)
        w = y + 0.3 * rng.normal(size=800)
        table = tw.read_table({"x": x, "z": z, "y": y, "w": w})
        learned = tw.learn_knots(tw.moments(table))
        assert learned.cpdag.directed_edges() == [("x", "y"), ("y", "w"), ("z", "y")]
        assert learned.clusters.share("x", "y")


class TestRefusals:
    def test_settings(self, alarm):
        _, counter = alarm
        with pytest.raises(SettingError, match="certificate must be one of 'auto', 'always', 'never'"):
            tw.learn_knots(counter, certificate="yes")
        with pytest.raises(SettingError, match="filter must be one of 'pc1', 'clusters', 'partners'"):
            tw.learn_knots(counter, filter="best")
        with pytest.raises(SettingError, match=r"rescue is a level from 0 to 1, 1 excluded, .* found 1.5"):
            tw.learn_knots(counter, rescue=1.5)
        with pytest.raises(SettingError, match="fast=True leaves the certificate out"):
            tw.learn_knots(counter, fast=True, certificate="always")
        with pytest.raises(SettingError, match="needs a score that is score-equivalent"):
            tw.learn_knots(counter, score=tw.K2(counter))

    def test_score_of_other_variables(self, alarm):
        _, counter = alarm
        _, other = rows_of("asia", 50, 0)
        with pytest.raises(SchemaError, match="the score and the counts must be of the same variables"):
            tw.learn_knots(counter, score=tw.BIC(other))


def test_report_with_known_directions(alarm):
    _, counter = alarm
    learned = tw.learn_knots(counter, knowledge=tw.Knowledge(forbidden=[("CO", "BP")]))
    assert not learned.report.certificate
    assert "; all pairs were let in before known directions were obeyed; " in str(learned.report)


class TestClusteredDag:
    def test_clusters_of_other_variables(self, alarm):
        _, counter = alarm
        _, other = rows_of("asia", 50, 0)
        with pytest.raises(SchemaError, match="clusters are about the variables of their graph"):
            tw.graphs.ClusteredDag(counter.schema, [], tw.learners.find_clusters(other))

    def test_a_model_keeps_them_in_its_file(self, alarm, tmp_path):
        _, counter = alarm
        learned = tw.learn_knots(counter, expansion=0.2)
        model = tw.fit(learned.structure, counter)
        model.save(tmp_path / "m.twm")
        again = tw.load(tmp_path / "m.twm")
        assert again == model
        assert again.structure.clusters == learned.clusters
        assert tw.verify(tmp_path / "m.twm").valid

    def test_a_file_with_clusters_that_are_none(self, alarm):
        _, counter = alarm
        model = tw.fit(tw.learn_knots(counter, effort=0).structure, counter)
        told = model.structure.clusters.to_dict()
        broken = ({**told, "disjoint": told["disjoint"][1:]}, {**told, "centres": ["nobody"]}, [1], {})
        for section in broken:
            with pytest.raises(FormatError, match="the clusters of the file are none"):
                read_graph(model.schema, {"arcs": [], "clusters": section})


@pytest.mark.slow
@pytest.mark.skipif("TREEWRIGHT_DATA" not in os.environ, reason="TREEWRIGHT_DATA names no folder")
def test_pigs_from_500_rows_without_error():
    network = tw.read_model(Path(os.environ["TREEWRIGHT_DATA"]) / "networks" / "pigs.bif.gz")
    counter = tw.count(network.sample(500, rng=np.random.default_rng(5)))
    assert tw.shd(network.dag, tw.learn_knots(counter).cpdag) == 0
