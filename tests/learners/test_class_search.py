"""The search over equivalence classes: its steps, its optimum, what it may not depend on."""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.class_search import TwinSearch, class_of, classes_one_move_away
from tests.reference.directed import all_dags, dags, random_dag

import treewright as tw
from treewright import _core
from treewright.criteria.native_scores import native_scores
from treewright.criteria.score import PluralScore, as_families
from treewright.errors import SchemaError, SettingError
from treewright.graphs.arcs import as_array

SCORES = [tw.AIC, tw.BIC, tw.QNML, tw.BDeu, tw.SparseQNML]


def marks_from(native):
    directed, undirected = native
    return frozenset(map(tuple, directed.tolist())), frozenset(map(tuple, undirected.tolist()))


def sampled_table(seed, n=5, n_rows=300, density=0.5):
    """Rows of a random network over scrambled names."""
    rng = np.random.default_rng(seed)
    dag = random_dag(n, density, rng)
    columns = {}
    for v in dag.topological_order:
        key = sum((i + 2) * columns[p] for i, p in enumerate(dag.parents(v))) if dag.parents(v) else 0
        noise = rng.integers(2 + v % 2, size=n_rows)
        columns[v] = np.where(rng.random(n_rows) < 0.75, (key + v) % (2 + v % 2), noise)
    return tw.read_table({dag.schema.names[v]: columns[v] for v in range(n)})


def native_search(score, **settings_):
    scores = native_scores(score)
    n = len(score.schema)
    return _core.ClassSearch(scores, settings_.get("max_parents", n), settings_.get("largest_set", n))


def member_at_random(dag, rng):
    """Another member of the class, by random covered reversals."""
    for _ in range(3 * dag.n_edges):
        covered = dag.covered_arcs()
        if not covered:
            break
        dag = dag.with_reversed(*covered[rng.integers(len(covered))])
    return dag


# steps


def test_steps_lead_to_the_classes_one_move_away_four_variables():
    classes = {class_of(4, dag) for dag in all_dags(4)}
    assert len(classes) == 185
    for marks in classes:
        found = _core.class_steps(4, as_array(marks[0]), as_array(marks[1]))
        assert {marks_from(after) for _, after in found} - {marks} == classes_one_move_away(4, marks)


@settings(max_examples=25)
@given(dag=dags(min_size=5, max_size=5))
def test_steps_lead_to_the_classes_one_move_away_five_variables(dag):
    marks = class_of(5, frozenset(dag.index_edges()))
    found = _core.class_steps(5, as_array(marks[0]), as_array(marks[1]))
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

    learned = tw.class_search(score, effort=effort)
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


def trapped():
    """Rows on which the first search ends in an optimum that reopening does not leave."""
    rng = np.random.default_rng(16)
    return tw.random_network(12, 3, states=(2, 4), rng=rng).sample(2_000, rng=rng)


def test_a_second_start_leaves_an_optimum_that_reopening_cannot():
    score = tw.BIC(tw.count(trapped()))
    learned = tw.class_search(score)
    phases = learned.trace.phases
    assert [phase.name for phase in phases[-3:]] == ["reopen nodes", "second start", "reopen nodes"]
    assert phases[-2].tallies["improved"] == 1
    assert learned.score > tw.class_search(score, effort=1).score + 50
    assert tw.class_search(score, effort=3).score >= learned.score


def test_a_second_start_keeps_to_allowed_pairs_and_parents():
    score = tw.BIC(tw.count(trapped()))
    names = score.schema.names
    free = tw.class_search(score).cpdag.skeleton()
    gone = free.edges()[::3]
    allowed = tw.UndirectedGraph(
        score.schema, [pair for pair in combinations(names, 2) if pair not in gone and pair[::-1] not in gone]
    )
    for effort in (2, 3):
        learned = tw.class_search(score, effort=effort, allow=allowed, max_parents=1)
        assert all(allowed.adjacent(u, v) for u, v in learned.structure.edges())
        assert max(len(learned.structure.parents(v)) for v in range(12)) == 1
        inside = tw.class_search(score, effort=effort, first=allowed, certificate=False)
        assert all(allowed.adjacent(u, v) for u, v in inside.structure.edges())
    assert tw.class_search(score, max_parents=0).structure.n_edges == 0


@pytest.mark.parametrize("effort", [0, 2, 3])
def test_no_single_move_on_any_member_improves(effort):
    score = tw.BIC(tw.count(tw.load_network("alarm").sample(800, rng=np.random.default_rng(7))))
    learned = tw.class_search(score, effort=effort)
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


def test_more_effort_never_scores_less():
    score = tw.BIC(tw.count(tw.load_network("alarm").sample(500, rng=np.random.default_rng(1))))
    first = tw.class_search(score, effort=0)
    scores = [first.score]
    scores += [tw.class_search(score, effort=effort, start=first.cpdag).score for effort in (1, 2, 3)]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]


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
        counter = tw.JointCounts(model.schema, np.rint(joint * 1e7).astype(np.int64))
        learned = tw.class_search(tw.BIC(counter))
        assert learned.cpdag == tw.Cpdag.of(model.dag)


# what must not matter


@pytest.mark.parametrize("copies", [False, True])
def test_columns_rows_labels_and_threads_do_not_matter(copies):
    table = tw.load_network("alarm").sample(1_000, rng=np.random.default_rng(11))
    names = list(table.schema.names)
    columns = dict(zip(names, table.columns, strict=True))
    if copies:
        columns["copy"] = (columns["HR"] + 1) % 3
        names.append("copy")
    rng = np.random.default_rng(2)

    def learn(order, rows, relabel):
        data = {
            name: [f"{relabel}{c if relabel == 's' else 9 - c}" for c in columns[name][rows]]
            for name in order
        }
        return tw.class_search(tw.BIC(tw.count(tw.read_table(data))))

    everything = np.arange(table.n_rows)
    expected = learn(names, everything, "s")
    for relabel in "st":
        other = learn(list(rng.permutation(names)), rng.permutation(everything), relabel)
        assert (other.cpdag, other.score, other.copies) == (expected.cpdag, expected.score, expected.copies)
        assert other.structure == expected.structure
    before = _core.threads()
    try:
        _core.set_threads(2)
        assert learn(names, everything, "s").cpdag == expected.cpdag
    finally:
        _core.set_threads(before)
    assert bool(expected.copies) == copies


@pytest.mark.parametrize("effort", [2, 3])
@pytest.mark.parametrize("kind", [tw.BIC, tw.SparseQNML])
def test_second_starts_depend_on_nothing_else_either(kind, effort):
    table = trapped()
    columns = dict(zip(table.schema.names, table.columns, strict=True))
    columns["copy"] = (columns[table.schema.names[0]] + 1) % 4
    rng = np.random.default_rng(3)

    def learn(order, rows, shift):
        data = {name: [f"s{(c + shift) % 4}" for c in columns[name][rows]] for name in order}
        return tw.class_search(kind(tw.count(tw.read_table(data))), effort=effort)

    expected = learn(list(columns), np.arange(table.n_rows), 0)
    assert expected.trace.total("improved") > 0
    assert len(expected.copies) == 1
    for shift in (1, 3):
        other = learn(list(rng.permutation(list(columns))), rng.permutation(table.n_rows), shift)
        assert (other.cpdag, other.score, other.copies) == (expected.cpdag, expected.score, expected.copies)


@settings(max_examples=20)
@given(dag=dags(min_size=5, max_size=5), seed=st.integers(0, 50))
def test_covered_reversals_leave_the_score_as_it_is(dag, seed):
    table = sampled_table(seed)
    names = dict(zip(dag.schema.names, table.schema.names, strict=True))
    arcs = [(names[u], names[v]) for u, v in dag.edges()]
    for kind in [*SCORES, tw.LogLikelihood]:
        score = kind(tw.count(table))
        graph = tw.Dag(table.schema, arcs)
        turned = member_at_random(graph, np.random.default_rng(seed))
        assert score.score(graph) == score.score(turned)


# who answers


class Plain(PluralScore):
    """A user's score: no resolution, asked through Python."""

    is_score_equivalent = True

    def __init__(self, inner):
        self.inner = inner

    @property
    def schema(self):
        return self.inner.schema

    def local_many(self, families):
        return self.inner.local_many(families)


def test_a_score_in_python_leads_to_the_same_class():
    counter = tw.count(tw.load_network("asia").sample(2_000, rng=np.random.default_rng(3)))
    for kind in (tw.BIC, tw.SparseQNML):
        expected = tw.class_search(kind(counter))
        assert tw.class_search(Plain(kind(counter))).cpdag == expected.cpdag
        sharded = tw.ShardedCounter([counter])
        assert tw.class_search(kind(sharded)).cpdag == expected.cpdag
    uniform = tw.BDe(counter, tw.UniformPrior(counter.schema))
    assert tw.class_search(uniform).cpdag == tw.class_search(tw.BDeu(counter)).cpdag


def test_weighted_rows_count_as_often_as_they_weigh():
    table = sampled_table(8, n=6)
    rng = np.random.default_rng(8)
    weights = rng.integers(0, 4, size=table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    expected = tw.class_search(tw.BIC(tw.count(repeated)))
    weighted = tw.class_search(tw.BIC(tw.count(table.with_weights(weights))))
    assert (weighted.cpdag, weighted.score) == (expected.cpdag, expected.score)
    real = tw.class_search(tw.BIC(tw.count(table.with_weights(weights.astype(float)))))
    assert real.cpdag == expected.cpdag


def test_gaussian_classes():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 4_000))
    c = a + b + 0.5 * rng.normal(size=4_000)
    d = c + 0.5 * rng.normal(size=4_000)
    e = 2 * d + rng.normal(size=4_000)
    score = tw.GaussianBIC(tw.moments(tw.read_table({"e": e, "c": c, "a": a, "d": d, "b": b})))
    learned = tw.class_search(score)
    assert learned.cpdag.directed_edges() == [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")]
    assert tw.class_search(Plain(score)).cpdag == learned.cpdag


# settings


def asia_score(n_rows=3_000):
    return tw.BIC(tw.count(tw.load_network("asia").sample(n_rows, rng=np.random.default_rng(4))))


def test_edges_stay_among_the_allowed_pairs():
    score = asia_score()
    free = tw.class_search(score)
    names = score.schema.names
    allowed = tw.UndirectedGraph(
        score.schema, [pair for pair in combinations(names, 2) if "either" not in pair]
    )
    learned = tw.class_search(score, allow=allowed)
    assert learned.cpdag.skeleton().degree("either") == 0
    assert learned.score < free.score
    matrix = np.array([[allowed.adjacent(u, v) if u != v else False for v in names] for u in names])
    assert tw.class_search(score, allow=matrix).cpdag == learned.cpdag
    assert tw.class_search(score, allow=tw.UndirectedGraph.complete(score.schema)).cpdag == free.cpdag


def test_first_pairs_and_the_certificate():
    score = asia_score()
    free = tw.class_search(score)
    few = tw.UndirectedGraph(score.schema, [("smoke", "lung"), ("smoke", "bronc")])
    inside = tw.class_search(score, first=few, certificate=False)
    assert set(inside.cpdag.skeleton().edges()) <= set(few.edges())
    assert not inside.certified
    certified = tw.class_search(score, first=few)
    assert certified.certified
    assert certified.cpdag == free.cpdag
    continued = tw.class_search(score, start=inside.cpdag)
    assert continued.cpdag == free.cpdag


def test_a_start_is_gone_on_from():
    score = asia_score()
    free = tw.class_search(score)
    again = tw.class_search(score, start=free.cpdag)
    assert again.cpdag == free.cpdag
    assert again.score == free.score
    assert again.trace.total("improved") == 0
    full = tw.Dag(score.schema, combinations(sorted(score.schema.names), 2))
    from_full = tw.class_search(score, start=full)
    assert from_full.structure.n_edges < full.n_edges
    assert from_full.trace.total("deletes") > 0


@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_child_has_more_parents_than_allowed(most):
    score = tw.BIC(tw.count(tw.load_network("alarm").sample(3_000, rng=np.random.default_rng(6))))
    learned = tw.class_search(score, max_parents=most)
    n_parents = [len(learned.structure.parents(v)) for v in range(len(score.schema))]
    assert max(n_parents) == most


def test_progress_and_trace():
    calls = []
    learned = tw.class_search(asia_score(), effort=3, progress=lambda *news: calls.append(news))
    phases = [phase.name for phase in learned.trace.phases]
    assert phases[:5] == ["pairs", "first pairs", "all pairs", "reopen nodes", "second start"]
    assert len(calls) == len(phases)
    assert calls[-1][0] == sum(learned.trace.total(key) for key in ("inserts", "deletes", "turns"))
    assert calls[-1][1] > 0
    assert learned.trace.total("scores") > 0


# copies


def test_a_relabelled_column_changes_no_other_edge():
    table = tw.load_network("asia").sample(3_000, rng=np.random.default_rng(4))
    columns = dict(zip(table.schema.names, table.columns, strict=True))
    plain = tw.class_search(tw.BIC(tw.count(tw.read_table(columns))))
    columns["a_copy"] = 1 - columns["bronc"]
    columns["z_copy"] = np.array(["x", "y"])[columns["bronc"]]
    learned = tw.class_search(tw.BIC(tw.count(tw.read_table(columns))))
    assert learned.copies == (("a_copy", "bronc"), ("a_copy", "z_copy"))
    renamed = {"bronc": "a_copy"}
    expected = {frozenset(renamed.get(v, v) for v in edge) for edge in plain.cpdag.edges()}
    found = {frozenset(edge) for edge in learned.cpdag.edges()}
    assert found == expected | {frozenset(("a_copy", "bronc")), frozenset(("a_copy", "z_copy"))}


def test_constant_columns_are_no_copies():
    rows = {"a": [0] * 8, "b": ["x"] * 8, "c": [0, 1] * 4}
    learned = tw.class_search(tw.BIC(tw.count(tw.read_table(rows))))
    assert learned.copies == ()
    assert learned.structure.n_edges == 0


def test_a_copy_that_may_not_be_joined_searches_for_itself():
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=500)
    c = np.where(rng.random(500) < 0.9, a, 1 - a)
    score = tw.BIC(tw.count(tw.read_table({"a": a, "b": 1 - a, "c": c})))
    apart = tw.UndirectedGraph(score.schema, [("a", "c"), ("b", "c")])
    learned = tw.class_search(score, allow=apart)
    assert learned.copies == ()
    assert learned.cpdag.skeleton() == apart


def test_of_copies_the_one_that_the_knowledge_names_takes_part():
    rng = np.random.default_rng(0)
    b = rng.integers(2, size=500)
    noisy = {name: np.where(rng.random(500) < 0.9, b, 1 - b) for name in "xyz"}
    score = tw.BIC(tw.count(tw.read_table({"a": b, "b": 1 - b, "c": b, **noisy})))
    assert tw.learn_hill_climbing(score).copies == (("a", "b"), ("a", "c"))
    barred = tw.Knowledge(forbidden=[("x", "b")])
    assert tw.learn_hill_climbing(score, knowledge=barred).copies == (("b", "a"), ("b", "c"))
    both = tw.Knowledge(forbidden=[("x", "b")], required=[("c", "y")])
    learned = tw.learn_hill_climbing(score, knowledge=both)
    assert learned.copies == (("c", "a"), ("c", "b"))
    assert {"x", "y", "z"} <= {v for edge in learned.structure.edges() if "c" in edge for v in edge}
    assert tw.learn_hybrid(score, knowledge=both).copies == learned.copies


# refusals


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"effort": 4}, "effort is 0, 1, 2 or 3; found 4"),
        ({"max_parents": -1}, "max_parents must be 0 or more, or None for no limit; found -1"),
        (
            {"allow": np.ones((2, 2), bool)},
            "allow must be an undirected graph or a symmetric matrix of 8 x 8 truth values; found the shape "
            "(2, 2)",
        ),
        (
            {"first": np.triu(np.ones((8, 8), bool))},
            "first must be an undirected graph or a symmetric matrix of 8 x 8 truth values; found the shape "
            "(8, 8), not symmetric",
        ),
    ],
)
def test_settings_are_refused(settings_, message):
    with pytest.raises(SettingError) as refused:
        tw.class_search(asia_score(100), **settings_)
    assert str(refused.value) == message


def test_a_score_that_prefers_directions_is_refused():
    score = tw.K2(asia_score(100).counter)
    with pytest.raises(SettingError) as refused:
        tw.class_search(score)
    assert str(refused.value) == (
        "a search over equivalence classes needs a score that is score-equivalent; K2(8 variables, 100 rows) "
        "prefers some members of a class to others: use BIC, BDeu or QNML"
    )


def test_a_start_of_other_variables_is_refused():
    other = tw.Cpdag.empty(tw.Schema([tw.Variable("smoke"), tw.Variable("fire")]))
    with pytest.raises(SchemaError, match=r"^start and the score must have the same variables; only one of"):
        tw.class_search(asia_score(100), start=other)


# large


@pytest.mark.skipif("TREEWRIGHT_DATA" not in os.environ, reason="TREEWRIGHT_DATA names no data folder")
def test_pigs_is_found_without_an_error():
    model = tw.read_model(Path(os.environ["TREEWRIGHT_DATA"]) / "networks" / "pigs.bif.gz")
    table = model.sample(5_000, rng=np.random.default_rng(1))
    learned = tw.class_search(tw.BIC(tw.count(table)), effort=0)
    assert tw.shd(tw.Cpdag.of(model.dag), learned.cpdag) == 0


def test_a_start_in_which_copies_hang_already():
    rng = np.random.default_rng(5)
    table = tw.load_network("asia").sample(2_000, rng=rng)
    labels = table.to_dict()
    labels["a copy"] = [{"yes": "ja", "no": "nein"}[label] for label in labels["xray"]]
    score = tw.BIC(tw.count(tw.read_table(labels)))
    learned = tw.learn_hill_climbing(score)
    assert learned.copies == (("a copy", "xray"),)
    for start in (learned.structure, learned.cpdag, tw.learn_dag_climbing(score).structure):
        again = tw.learn_hill_climbing(score, start=start)
        assert again.score >= score.score(start.to_dag() if isinstance(start, tw.Cpdag) else start) - 1e-6
    assert tw.learn_hill_climbing(score, start=learned.structure).cpdag == learned.cpdag


def test_pairs_may_be_looked_at_again_before_others_are_let_in():
    table = tw.load_network("alarm").sample(800, rng=np.random.default_rng(5))
    score = tw.SparseQNML(tw.count(table))
    nobody = np.zeros((37, 37), dtype=bool)
    quick = tw.class_search(score, effort=2, again=nobody)
    assert quick.certified
    assert quick.score >= tw.class_search(score, effort=0).score
    names = [phase.name for phase in quick.trace.phases]
    assert names.index("reopen nodes") < names.index("all pairs")
    everybody = tw.class_search(score, effort=2, again=~np.eye(37, dtype=bool), then=nobody)
    assert [phase.name for phase in everybody.trace.phases][-1] == "further pairs"
    assert not tw.class_search(score, effort=0, then=nobody).certified


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

    assert tw.class_search(Rounded(), effort=3).cpdag == tw.class_search(inner, effort=3).cpdag


def test_cheaper_edges_never_end_lower_and_find_what_pays_only_together():
    everybody = ~np.eye(50, dtype=bool)
    gained = []
    for seed in (0, 3, 4):
        network = tw.random_network(50, 4, states=(2, 2), rng=np.random.default_rng(seed))
        score = tw.SparseQNML(tw.count(network.sample(400, rng=np.random.default_rng(seed))))
        plain = tw.class_search(score, effort=2, again=everybody)
        loose = tw.class_search(score, effort=2, again=everybody, loosely=everybody)
        assert loose.score == pytest.approx(score.score(loose.structure), abs=1e-6)
        assert loose.cpdag == tw.class_search(score, effort=0, start=loose.cpdag).cpdag
        gained.append(loose.score - plain.score)
    assert min(gained) >= 0
    assert max(gained) > 1
    bic = score.inner  # charges nothing for an edge
    found = tw.class_search(bic, effort=2, again=everybody, loosely=everybody)
    assert "cheaper edges" not in [phase.name for phase in found.trace.phases]
