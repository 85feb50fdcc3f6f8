"""Mixed networks under a bound: the strong width is kept and proved, answers stay exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.classes.test_mixed_climbing import allowed_networks, rows_of
from tests.reference.models.mixtures import brute_force, random_mixed

import treewright as tw
from treewright.criteria import MixedBIC, make_sparse_mixed_score
from treewright.errors import SettingError, TreewidthError
from treewright.graphs import build_strong_graph, prove_treewidth
from treewright.learners import learn_bounded_mixed, learn_mixed
from treewright.statistics import mixed_moments


def strong_width(dag):
    return prove_treewidth(build_strong_graph(dag.moral_graph()))


def check(learned, score, bound):
    """The proof holds: numbers first, every family in a cluster, labels around numbers in one."""
    dag, tree = learned.structure, learned.certificate
    assert strong_width(dag) <= learned.width <= bound
    assert build_strong_graph(dag.moral_graph()).is_subgraph_of(tree.graph())
    assert build_strong_graph(tree.graph()) == tree.graph()
    assert all(dag.schema[u].is_discrete or not dag.schema[v].is_discrete for u, v in dag.edges())
    assert learned.score == score.score(dag)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(0, 4), st.integers(0, 4), st.integers(1, 4))
def test_the_width_is_kept_and_answers_are_exact(seed, n_discrete, n_continuous, bound):
    if n_discrete + n_continuous == 0:
        return
    table = rows_of(seed, 200, n_discrete, n_continuous)
    moments = mixed_moments(table)
    score = MixedBIC(moments)
    learned = learn_bounded_mixed(score, treewidth=bound)
    check(learned, score, bound)
    if not (n_discrete and n_continuous):
        return
    model = tw.fit(learned.structure, moments)
    number, state = model.continuous[0], model.discrete.schema.names[0]
    expected = brute_force(model, {})
    total = sum(weight for _, weight, *_ in expected)
    mean = sum(weight * centre[0] for _, weight, centre, _ in expected) / total
    assert model.query(number).mean == pytest.approx(mean, rel=1e-9, abs=1e-9)
    given_number = {model.continuous[-1]: 0.5}
    expected = brute_force(model, given_number)
    total = sum(weight for _, weight, *_ in expected)
    for code, label in enumerate(model.schema[state].states):
        share = sum(weight for at, weight, *_ in expected if at[state] == code) / total
        assert model.query(state, given=given_number)[label] == pytest.approx(share, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("bound", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_small_cases_are_solved(seed, bound):
    score = MixedBIC(mixed_moments(rows_of(seed)))
    narrow = [dag for dag in allowed_networks(score.schema) if strong_width(dag) <= bound]
    learned = learn_bounded_mixed(score, treewidth=bound)
    check(learned, score, bound)
    assert learned.score == max(map(score.score, narrow))


def test_a_bound_that_does_not_bind_costs_nothing():
    score = make_sparse_mixed_score(mixed_moments(rows_of(7, 1_000, 4, 4)))
    free = learn_mixed(score)
    bounded = learn_bounded_mixed(score, treewidth=7)
    assert bounded.score >= free.score - 1e-9
    assert strong_width(free.structure) > 2
    assert learn_bounded_mixed(score, treewidth=2).score < free.score


@pytest.mark.parametrize("bound", [1, 2, 4])
def test_larger_networks_are_narrow_whatever_the_order(bound):
    rng = np.random.default_rng(5)
    table = random_mixed(rng, 8, 8, density=0.2).sample(1_500, rng=rng)
    score = make_sparse_mixed_score(mixed_moments(table))
    learned = learn_bounded_mixed(score, treewidth=bound, perturbations=1)
    check(learned, score, bound)
    mixed_up = table.select(rng.permutation(table.schema.names).tolist()).take(rng.permutation(table.n_rows))
    again = learn_bounded_mixed(
        make_sparse_mixed_score(mixed_moments(mixed_up)), treewidth=bound, perturbations=1
    )
    assert again.structure.edges() == learned.structure.edges()
    assert again.certificate.clusters == learned.certificate.clusters


def test_a_saved_network_has_its_proof(tmp_path):
    moments = mixed_moments(rows_of(3, 400, 3, 3))
    learned = learn_bounded_mixed(MixedBIC(moments), treewidth=2)
    model = tw.fit(learned.structure, moments)
    model.save(tmp_path / "m.twm", certificate=learned.certificate, treewidth=2)
    report = tw.verify(tmp_path / "m.twm")
    assert (report.valid, report.width) == (True, learned.width)


def test_labels_around_numbers_that_no_cluster_holds_are_found(tmp_path):
    schema = tw.Schema([*(tw.Variable(c, ("u", "v")) for c in "ab"), tw.Variable("x"), tw.Variable("y")])
    dag = tw.Dag(schema, [("a", "x"), ("x", "y"), ("b", "y")])
    lines = tw.models.Lines
    model = tw.models.ConditionalGaussianNetwork(
        dag,
        {"a": [0.5, 0.5], "b": [0.5, 0.5]},
        {"x": lines([0.0, 1.0], {}, [1.0, 1.0]), "y": lines([0.0, 1.0], {"x": [1.0, 1.0]}, [1.0, 1.0])},
    )
    moral = tw.JunctionTree.of(dag.moral_graph())
    with pytest.raises(tw.errors.GraphError, match="none holds 'a', 'b'"):
        model.save(tmp_path / "m.twm", certificate=moral)
    model.save(tmp_path / "m.twm")
    assert tw.verify(tmp_path / "m.twm").width == 2
    strong = tw.JunctionTree.of(tw.graphs.triangulate_strongly(dag.moral_graph()))
    model.save(tmp_path / "m.twm", certificate=strong, treewidth=2)
    assert tw.verify(tmp_path / "m.twm").valid


def test_knowledge_is_kept_and_what_cannot_be_is_refused():
    table = rows_of(11, 300, 3, 3)
    score = MixedBIC(mixed_moments(table))
    labels = [v.name for v in table.schema if v.is_discrete]
    numbers = [v.name for v in table.schema if not v.is_discrete]
    known = tw.Knowledge(required=[(labels[0], numbers[0]), (numbers[0], numbers[1])], forbidden=[labels[:2]])
    learned = learn_bounded_mixed(score, treewidth=2, knowledge=known)
    check(learned, score, 2)
    assert {(labels[0], numbers[0]), (numbers[0], numbers[1])} <= set(learned.structure.edges())
    many = tw.Knowledge(required=[(label, numbers[0]) for label in labels])
    with pytest.raises(TreewidthError) as refused:
        learn_bounded_mixed(score, treewidth=2, knowledge=many)
    assert str(refused.value) == (
        "treewidth=2 is too narrow for the arcs that the knowledge requires; allow a wider network or "
        "require fewer arcs"
    )
    check(learn_bounded_mixed(score, treewidth=3, knowledge=many), score, 3)
    with pytest.raises(TreewidthError, match="at least 1"):
        learn_bounded_mixed(score, treewidth=0)
    with pytest.raises(SettingError, match="perturbations"):
        learn_bounded_mixed(score, treewidth=2, perturbations=-1)
    only = learn_bounded_mixed(score, treewidth=3, max_parents=1)
    assert max(len(only.structure.parents(v)) for v in score.schema.names) <= 1
