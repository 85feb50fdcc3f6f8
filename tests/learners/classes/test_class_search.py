"""The search over equivalence classes: its steps, its optimum, who answers it."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.learners.classes.class_examples import (
    SCORES,
    Plain,
    marks_from,
    member_at_random,
    native_search,
    sampled_table,
    trapped,
)
from tests.reference.graphs.directed import all_dags, dags, random_dag
from tests.reference.learners.class_search import TwinSearch, class_of, classes_one_move_away

import treewright as tw
from treewright import _core
from treewright.criteria.scores.score import PluralScore, as_families
from treewright.graphs.edges import as_array
from treewright.learners import PairSchedule

# steps


@pytest.mark.slow
def test_steps_lead_to_the_classes_one_move_away_four_variables():
    classes = {class_of(4, dag) for dag in all_dags(4)}
    assert len(classes) == 185
    for marks in classes:
        found = _core.testing.class_steps(4, as_array(marks[0]), as_array(marks[1]))
        assert {marks_from(after) for _, after in found} - {marks} == classes_one_move_away(4, marks)


@pytest.mark.slow
@settings(max_examples=25)
@given(dag=dags(min_size=5, max_size=5))
def test_steps_lead_to_the_classes_one_move_away_five_variables(dag):
    marks = class_of(5, frozenset(dag.index_edges()))
    found = _core.testing.class_steps(5, as_array(marks[0]), as_array(marks[1]))
    assert {marks_from(after) for _, after in found} - {marks} == classes_one_move_away(5, marks)


@pytest.mark.parametrize("kind", SCORES)
def test_the_gain_of_a_step_is_the_difference_of_totals(kind):
    table = sampled_table(3, n=8, density=0.4)
    score = kind(tw.count(table))
    search = native_search(score)
    order = score.schema.name_order

    def current():
        directed, undirected = (np.array(order)[m.astype(int)].tolist() for m in search.marks())
        return tw.Cpdag(score.schema, directed, undirected)  # refuses marks that are not those of a class

    taken = 0
    for move in ("insert", "delete", "turn", "insert", "delete", "turn"):
        before = score.score(current().to_dag())
        while step := search.step(move):
            after = score.score(current().to_dag())
            assert step[-1] == after - before > 0
            before, taken = after, taken + 1
    assert taken > 5
    assert search.gained == before - score.score(tw.Dag.empty(score.schema))


# the whole search


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("effort", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_literal_search_ends_in_the_same_class(kind, effort, seed):
    table = sampled_table(seed, n=4 + seed % 2, n_rows=60 + 100 * seed, density=0.7)
    score = kind(tw.count(table))
    order = score.schema.name_order

    def local(child, parents):
        return score.local(order[child], [order[p] for p in parents])

    learned = tw.learners.class_search(score, effort=effort)
    assert not learned.copies
    names = sorted(score.schema.names)
    arcs, lines = TwinSearch(len(names), local).search(effort)
    assert learned.cpdag.directed_edges() == sorted((names[u], names[v]) for u, v in arcs)
    assert learned.cpdag.undirected_edges() == sorted((names[u], names[v]) for u, v in lines)


@pytest.mark.parametrize("how", ["step by step", "as sink", "as source"])
@pytest.mark.parametrize("seed", range(3))
def test_literal_reopenings_and_starts_end_in_the_same_class(how, seed):
    rng = np.random.default_rng(seed)
    score = tw.BIC(tw.count(sampled_table(seed + 20, n=5, n_rows=400, density=0.8)))
    order = score.schema.name_order
    twin = TwinSearch(5, lambda v, parents: score.local(order[v], [order[p] for p in parents]))
    native = native_search(score)
    twin.marks = class_of(5, frozenset(random_dag(5, 0.6, rng).index_edges()))
    native.start_from(as_array(twin.marks[0]), as_array(twin.marks[1]))
    for _ in range(2):
        assert native.start_again() == twin.start_again()
        assert marks_from(native.marks()) == twin.marks
        native.reopen_nodes(getattr(_core.Return, how.replace(" ", "_").upper()))
        twin.reopen_nodes(how)
        assert marks_from(native.marks()) == twin.marks


def test_a_second_start_leaves_an_optimum_that_reopening_cannot():
    score = tw.BIC(tw.count(trapped()))
    learned = tw.learners.class_search(score)
    phases = learned.trace.phases
    assert [phase.name for phase in phases[-3:]] == ["reopen nodes", "second start", "reopen nodes"]
    assert phases[-2].tallies["improved"] == 1
    assert learned.score > tw.learners.class_search(score, effort=1).score + 50
    assert tw.learners.class_search(score, effort=3).score >= learned.score


def test_a_second_start_keeps_to_allowed_pairs_and_parents():
    score = tw.BIC(tw.count(trapped()))
    names = score.schema.names
    free = tw.learners.class_search(score).cpdag.skeleton()
    gone = free.edges()[::3]
    allowed = tw.UndirectedGraph(
        score.schema, [pair for pair in combinations(names, 2) if pair not in gone and pair[::-1] not in gone]
    )
    for effort in (2, 3):
        learned = tw.learners.class_search(score, effort=effort, allow=allowed, max_parents=1)
        assert all(allowed.adjacent(u, v) for u, v in learned.structure.edges())
        assert max(len(learned.structure.parents(v)) for v in range(12)) == 1
        inside = tw.learners.class_search(
            score, effort=effort, certificate=False, schedule=PairSchedule(first=allowed)
        )
        assert all(allowed.adjacent(u, v) for u, v in inside.structure.edges())
    assert tw.learners.class_search(score, max_parents=0).structure.n_edges == 0


@pytest.mark.parametrize("effort", [0, 2, 3])
def test_no_single_move_on_any_member_improves(effort):
    score = tw.BIC(tw.count(tw.load_network("alarm").sample(800, rng=np.random.default_rng(7))))
    learned = tw.learners.class_search(score, effort=effort)
    rng = np.random.default_rng(0)
    for _ in range(5):
        dag = member_at_random(learned.structure, rng)
        assert tw.Cpdag.of(dag) == learned.cpdag
        assert score.score(dag) == learned.score
        families = {v: dag.parents(v) for v in range(len(dag.schema))}
        for v, parents in families.items():
            own = score.local(v, parents)
            others = [u for u in families if u != v and u not in parents]
            legal = [u for u in others if not dag.reachable(v, u)]
            assert (score.local_additions(v, parents, legal) <= own).all()
            if parents:
                fewer = score.local_deletions(v, parents)
                assert (fewer <= own).all()
                for u, without in zip(parents, fewer, strict=True):
                    if not any(dag.reachable(u, p) for p in parents if p != u):
                        turned = score.local(u, (*families[u], v)) - score.local(u, families[u])
                        assert without - own + turned <= 0


@pytest.mark.slow
def test_expected_counts_give_the_true_class():
    rng = np.random.default_rng(5)
    for _ in range(6):
        model = tw.random_network(6, 2, states=(2, 3), rng=rng)
        joint = np.ones(model.schema.cardinalities)
        for v in range(6):
            scope = (*model.dag.parents(v), v)
            axes = [scope.index(u) if u in scope else None for u in range(6)]
            shape = [model.schema.cardinalities[u] if u in scope else 1 for u in range(6)]
            table = model.tables[v].transpose([a for a in axes if a is not None])
            joint = joint * table.reshape(shape)
        counter = tw.statistics.JointCounts(model.schema, np.rint(joint * 1e7).astype(np.int64))
        learned = tw.learners.class_search(tw.BIC(counter))
        assert learned.cpdag == tw.Cpdag.of(model.dag)


# who answers


@pytest.mark.slow
def test_a_score_in_python_leads_to_the_same_class():
    counter = tw.count(tw.load_network("asia").sample(2_000, rng=np.random.default_rng(3)))
    for kind in (tw.BIC, tw.SparseQNML):
        expected = tw.learners.class_search(kind(counter))
        assert tw.learners.class_search(Plain(kind(counter))).cpdag == expected.cpdag
        sharded = tw.ShardedCounter([counter])
        assert tw.learners.class_search(kind(sharded)).cpdag == expected.cpdag
    uniform = tw.BDe(counter, tw.criteria.UniformPrior(counter.schema))
    assert tw.learners.class_search(uniform).cpdag == tw.learners.class_search(tw.BDeu(counter)).cpdag


def test_weighted_rows_count_as_often_as_they_weigh():
    table = sampled_table(8, n=6)
    rng = np.random.default_rng(8)
    weights = rng.integers(0, 4, size=table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    expected = tw.learners.class_search(tw.BIC(tw.count(repeated)))
    weighted = tw.learners.class_search(tw.BIC(tw.count(table.with_weights(weights))))
    assert (weighted.cpdag, weighted.score) == (expected.cpdag, expected.score)
    real = tw.learners.class_search(tw.BIC(tw.count(table.with_weights(weights.astype(float)))))
    assert real.cpdag == expected.cpdag


def test_gaussian_classes():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 4_000))
    c = a + b + 0.5 * rng.normal(size=4_000)
    d = c + 0.5 * rng.normal(size=4_000)
    e = 2 * d + rng.normal(size=4_000)
    score = tw.GaussianBIC(tw.moments(tw.read_table({"e": e, "c": c, "a": a, "d": d, "b": b})))
    learned = tw.learners.class_search(score)
    assert learned.cpdag.directed_edges() == [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")]
    assert tw.learners.class_search(Plain(score)).cpdag == learned.cpdag


# large


@pytest.mark.slow
@pytest.mark.skipif("TREEWRIGHT_DATA" not in os.environ, reason="TREEWRIGHT_DATA names no data folder")
def test_pigs_is_found_without_an_error():
    model = tw.read_model(Path(os.environ["TREEWRIGHT_DATA"]) / "networks" / "pigs.bif.gz")
    table = model.sample(5_000, rng=np.random.default_rng(1))
    learned = tw.learners.class_search(tw.BIC(tw.count(table)), effort=0)
    assert tw.shd(tw.Cpdag.of(model.dag), learned.cpdag) == 0


def test_a_score_that_carries_rounding_comes_to_an_end():
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 300))
    y = x + z + 0.3 * rng.normal(size=300)
    rows = {"x": x, "z": z, "y": y, "w": y + 0.3 * rng.normal(size=300), "u": z + rng.normal(size=300)}
    inner = tw.GaussianBIC(tw.moments(tw.read_table(rows)))

    class Rounded(PluralScore):
        """The same numbers, slightly off."""

        schema, is_score_equivalent = inner.schema, True

        def local_many(self, families):
            known = as_families(self.schema, families)
            off = [1e-9 * np.sin(17.0 * child + sum(parents)) for child, parents in known]
            return inner.local_many(families) + off

    assert (
        tw.learners.class_search(Rounded(), effort=3).cpdag == tw.learners.class_search(inner, effort=3).cpdag
    )
