"""The pipeline of knots: one cluster, threads, merge rules, knowledge, odd tables, refusals."""

import numpy as np
import pytest

import treewright as tw
from treewright.criteria.scores.native_scores import PartScore, restrict_score
from treewright.graphs import Clusters
from treewright.graphs.undirected.clusters import Star
from treewright.learners import KnotSettings
from treewright.learners.independence.answers import SharedTest

ENGINES = ["pc", "tpda", "class", "exact"]


def alarm(rows=500, seed=0):
    return tw.load_network("alarm").sample(rows, rng=np.random.default_rng(seed))


def one_cluster(schema):
    everything = tuple(range(len(schema)))
    return Clusters(schema, [Star(0, everything)], [everything])


@pytest.mark.parametrize("combine", ["dag", "cpdag"])
def test_one_cluster_of_all_variables_gives_what_the_engine_gives(combine):
    counter = tw.count(tw.load_network("asia").sample(1_000, rng=np.random.default_rng(3)))
    test, score = tw.GTest(counter, 0.05), tw.SparseQNML(counter)
    expected = {
        "pc": tw.learn_pc(test).structure,
        "tpda": tw.learn_tpda(test).structure,
        "class": tw.learners.class_search(score, effort=1).cpdag,
        "exact": tw.learners.learn_exact(score).cpdag,
    }
    for engine, graph in expected.items():
        learned = tw.learners.learn_paper_knots(
            counter, one_cluster(counter.schema), engine=engine, combine=combine
        )
        assert learned.cpdag == graph, engine
        assert learned.conflicts == learned.turned == learned.removed == ()
        assert [knot.engine for knot in learned.knots] == [engine]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_number_of_threads_does_not_matter(engine):
    counter = tw.count(alarm())
    one, four = (
        tw.learners.learn_paper_knots(
            counter, engine=engine, combine="dag", settings=KnotSettings(threads=threads)
        )
        for threads in (1, 4)
    )
    assert one.structure == four.structure
    assert one.n_tests == four.n_tests
    assert [knot.evidence for knot in one.knots] == [knot.evidence for knot in four.knots]
    assert [(k.graph, k.dag, k.n_scores) for k in one.knots] == [
        (k.graph, k.dag, k.n_scores) for k in four.knots
    ]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_columns_does_not_matter(engine):
    table = alarm(rows=300, seed=1)
    shuffled = table.reordered(np.random.default_rng(5).permutation(table.schema.names).tolist())
    for combine in ("dag", "cpdag"):
        first, second = (
            tw.learners.learn_paper_knots(tw.count(one), engine=engine, combine=combine)
            for one in (table, shuffled)
        )
        assert first.cpdag == second.cpdag
        assert first.structure.edges() == second.structure.edges()
        assert first.n_tests == second.n_tests


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_joins_two_independent_networks(engine):
    halves = [tw.load_network("asia").sample(5_000, rng=np.random.default_rng(s)) for s in (0, 1)]
    rows = {
        f"{name}{half}": table.labels(name)
        for half, table in enumerate(halves)
        for name in table.schema.names
    }
    learned = tw.learners.learn_paper_knots(
        tw.count(tw.read_table(rows)), engine=engine, settings=KnotSettings(alpha=0.001)
    )
    assert len(learned.structure.edges()) > 8
    assert all(u[-1] == v[-1] for u, v in learned.structure.edges())


def test_tests_are_shared_between_clusters():
    counter = tw.count(alarm())
    learned = tw.learners.learn_paper_knots(counter)
    shared = SharedTest(tw.GTest(counter, 0.05))
    alone = 0
    for scope in learned.clusters.cluster_scopes:
        single = SharedTest(tw.GTest(counter, 0.05))
        for test in (shared, single):
            tw.learn_pc(test.part(scope))
        alone += single.n_conditional
    assert learned.n_tests == 666 + shared.n_conditional
    assert shared.n_conditional < alone


def test_merge_rules():
    counter = tw.count(alarm(rows=2_000))
    union, strict, verified = (
        tw.learners.learn_paper_knots(counter, merge=rule) for rule in ("union", "all", "verify")
    )
    edges = set(union.skeleton.edges())
    assert edges == {e for knot in union.knots for e in knot.graph.skeleton().edges()}
    assert union.removed == ()
    for fewer in (strict, verified):
        assert set(fewer.skeleton.edges()) | set(fewer.removed) == edges
        assert fewer.removed
    for u, v in strict.removed:  # some cluster with both ends found a separator
        both = [k for k in strict.knots if {u, v} <= set(k.variables)]
        assert not all(k.graph.adjacent(u, v) for k in both)
    truth = tw.load_network("alarm").dag
    wrong = [tw.compare(truth, learned.cpdag).skeleton.fp for learned in (union, verified)]
    assert wrong[1] < wrong[0]


def test_large_clusters_are_not_searched_exactly():
    learned = tw.learners.learn_paper_knots(tw.count(alarm()), engine="exact")
    assert {k.engine for k in learned.knots} == {"exact", "class"}
    assert all((len(k.variables) <= 14) == (k.engine == "exact") for k in learned.knots)
    assert learned.trace.total("scores") == sum(k.n_scores for k in learned.knots) > 0


@pytest.mark.slow
def test_knowledge_is_obeyed_within_and_between_clusters():
    counter = tw.count(alarm())
    free = tw.learners.learn_paper_knots(counter)
    apart = next(
        (u, v) for u in counter.schema.names for v in counter.schema.names
        if u < v and not free.clusters.share(u, v)
    )  # fmt: skip
    (lost, also), turned = free.skeleton.edges()[0], free.structure.edges()[-1]
    knowledge = tw.Knowledge(required=[apart], forbidden=[(lost, also), (also, lost), turned])
    for engine in ENGINES:
        for merge in ("union", "all", "verify"):
            learned = tw.learners.learn_paper_knots(counter, engine=engine, merge=merge, knowledge=knowledge)
            assert learned.structure.has_arc(*apart)
            assert not learned.skeleton.adjacent(lost, also)
            assert not learned.structure.has_arc(*turned)


def test_chance_can_be_asked_for_and_repeated():
    counter = tw.count(alarm())
    results = [
        tw.learners.learn_paper_knots(
            counter, combine="dag", settings=KnotSettings(tie="random"), rng=np.random.default_rng(seed)
        ).structure
        for seed in (1, 1)
    ]
    assert results[0] == results[1]


def test_an_oracle_and_continuous_columns():
    network = tw.load_network("asia")
    counter = tw.count(network.sample(5_000, rng=np.random.default_rng(0)))
    oracle = tw.DSeparationOracle(network.dag)
    learned = tw.learners.learn_paper_knots(
        counter, one_cluster(counter.schema), test=oracle, settings=KnotSettings(depth=None)
    )
    assert learned.cpdag == tw.Cpdag.of(network.dag)
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 2_000))
    c = a + b + 0.5 * rng.normal(size=2_000)
    moments = tw.moments(tw.read_table({"a": a, "b": b, "c": c, "d": c + rng.normal(size=2_000)}))
    for engine in ENGINES:
        found = tw.learners.learn_paper_knots(moments, engine=engine, settings=KnotSettings(alpha=0.001))
        assert found.cpdag.directed_edges() == [("a", "c"), ("b", "c"), ("c", "d")]


def test_odd_tables():
    for engine in ENGINES:
        one = tw.learners.learn_paper_knots(tw.count(tw.read_table({"a": [0, 1] * 5})), engine=engine)
        assert one.structure.edges() == []
        rows = {"a": [0, 1] * 9, "b": [0, 1] * 9, "c": [3] * 18, "d": [0, 0, 1] * 6}
        few = tw.learners.learn_paper_knots(tw.count(tw.read_table(rows)), engine=engine)
        assert few.skeleton.edges() == [("a", "b")]
        line = np.random.default_rng(0).normal(size=50)
        copies = tw.moments(
            tw.read_table({"a": line, "b": line.copy(), "c": 2 * line, "d": line[::-1].copy()})
        )
        assert len(tw.learners.learn_paper_knots(copies, engine=engine).skeleton.edges()) < 4


def test_scores_of_parts():
    counter = tw.count(alarm())
    names = counter.schema.names[3:9]
    rng = np.random.default_rng(0)
    scores = (
        tw.criteria.CachedScore(tw.K2(counter)),
        tw.BDeu(counter, ess=3),
        tw.SparseQNML(counter),
        tw.BIC(counter),
    )
    for score in scores:
        part = restrict_score(score, names)
        plain = PartScore(score, names)
        assert part.schema.names == plain.schema.names == names
        for _ in range(20):
            child, *parents = rng.permutation(names)[: rng.integers(1, 5)].tolist()
            assert part.local(child, parents) == plain.local(child, parents) == score.local(child, parents)
    assert tw.learners.class_search(plain, effort=0).score == pytest.approx(
        tw.learners.class_search(part, effort=0).score
    )


def test_refusals():
    counter = tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}))
    other = tw.count(tw.read_table({"a": [0, 1], "c": [0, 1]}))
    with pytest.raises(tw.errors.SettingError) as refused:
        tw.learners.learn_paper_knots(counter, engine="magic")
    assert str(refused.value) == "engine must be one of 'pc', 'tpda', 'class', 'exact'; found 'magic'"
    with pytest.raises(tw.errors.SettingError, match="combine must be one of 'cpdag', 'dag'; found 'x'"):
        tw.learners.learn_paper_knots(counter, combine="x")
    with pytest.raises(tw.errors.SettingError, match="merge must be one of 'union', 'all', 'verify'"):
        tw.learners.learn_paper_knots(counter, merge="x")
    with pytest.raises(tw.errors.SettingError, match="a threshold is for engine='tpda'; found engine='pc'"):
        tw.learners.learn_paper_knots(counter, settings=KnotSettings(threshold=0.1))
    with pytest.raises(tw.errors.SettingError, match="tie must be one of 'evidence', 'random'; found 'x'"):
        tw.learners.learn_paper_knots(counter, settings=KnotSettings(tie="x"))
    with pytest.raises(tw.errors.SettingError, match="tie='random' is for combine='dag'"):
        tw.learners.learn_paper_knots(
            counter, settings=KnotSettings(tie="random"), rng=np.random.default_rng(0)
        )
    with pytest.raises(tw.errors.SettingError, match="threads must be 1 or more; found 0"):
        tw.learners.learn_paper_knots(counter, settings=KnotSettings(threads=0))
    with pytest.raises(tw.errors.SchemaError, match="the test and the data must be of the same variables"):
        tw.learners.learn_paper_knots(counter, test=tw.GTest(other))
    with pytest.raises(tw.errors.SchemaError, match="the score and the data must be of the same variables"):
        tw.learners.learn_paper_knots(counter, score=tw.BIC(other))
    with pytest.raises(
        tw.errors.SchemaError, match="the clusters and the data must be of the same variables"
    ):
        tw.learners.learn_paper_knots(counter, one_cluster(other.schema))


def test_what_it_reports():
    counter = tw.count(alarm())
    by_pc = tw.learners.learn_paper_knots(counter)
    chosen = tw.learners.learn_paper_knots(counter, engine="class", combine="dag", merge="all", expansion=1.0)
    assert chosen.score == tw.SparseQNML(counter).score(chosen.structure)
    assert not chosen.certified
    assert [stage.name for stage in chosen.report.stages] == ["dependencies", "knots"]
    assert chosen.report.inside == 1.0
    assert (by_pc.report.score, chosen.report.score) == ("", "SparseQNML(37 variables)")


@pytest.mark.parametrize("setting", [{"engine": "pc"}, {"combine": "dag"}, {"merge": "all"}])
def test_learn_knots_sends_settings_of_knots_here(setting):
    counter = tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}))
    with pytest.raises(tw.errors.SettingError, match=r"learned one by one: use learners.learn_paper_knots;"):
        tw.learn_knots(counter, **setting)
    with pytest.raises(TypeError, match="unexpected keyword argument 'mode'"):
        tw.learn_knots(counter, mode="paper")
