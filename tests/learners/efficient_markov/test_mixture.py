"""Mixtures: the twin of a weighted tree, EM, the automatic stack, and what must not matter."""

import numpy as np
import pytest
from tests.learners.efficient_markov.test_hidden_tree import CARDINALITIES, clustered, every_row
from tests.learners.interrupts import needs_a_timer, seconds_to_stop
from tests.reference.learners.mixture import weighted_tree

import treewright as tw
from treewright import _core
from treewright.learners.efficient_markov import everything, hidden_tree
from treewright.learners.efficient_markov.density import LearningRows, checked_rows
from treewright.learners.efficient_markov.mixture import remembered
from treewright.models.features.feature_network import FeatureNetwork


def rows_of(table):
    return checked_rows(tw.count(table))


def scored(learned, table):
    return FeatureNetwork(learned.structure).log_probability(table)


@pytest.mark.parametrize("cardinalities", [CARDINALITIES, [2] * 7])
@pytest.mark.parametrize(("alpha", "shrinkage"), [(1.0, 0.0), (0.5, 4.0)])
def test_one_component_is_the_tree_of_the_twin(cardinalities, alpha, shrinkage):
    table = clustered(250, cardinalities, seed=3)
    learned = tw.learn_mixture(
        tw.count(table), components=1, of=tw.learners.TreeComponents(alpha, shrinkage), steps=1, valid=table
    )
    codes = np.array(table.columns).T
    _, logs = weighted_tree(codes, np.ones(250), cardinalities, alpha, shrinkage)
    np.testing.assert_allclose(scored(learned, table), logs(codes), atol=1e-9)
    if alpha == 1.0:
        plain, _ = weighted_tree(codes, np.ones(250), cardinalities, 0.0)
        assert sorted(tuple(sorted(e)) for e in _core.learn_edges(rows_of(table), None)) == plain


def test_a_tree_from_weighted_rows_is_that_of_the_twin():
    weights = np.random.default_rng(0).integers(0, 5, 250)
    table = clustered(250, seed=5, weights=weights)
    learned = tw.learn_mixture(
        tw.count(table), components=1, of=tw.learners.TreeComponents(1.0, 0.0), steps=1, valid=table
    )
    codes = np.array(table.columns).T
    _, logs = weighted_tree(codes, weights, CARDINALITIES)
    np.testing.assert_allclose(scored(learned, table), logs(codes), atol=1e-9)


def test_following_sparse_rows_gives_what_the_graph_gives():
    table = clustered(300, seed=2)
    rows = rows_of(table)
    clusters = _core.find_clusters(rows, 4, 10, 1)
    mixture = _core.mixture_of_trees(rows, clusters, 0.7, 2.0)
    mixture.maximise()
    model = FeatureNetwork(tw.graphs.FeatureGraph(table.schema, *mixture.arrays()))
    logs = mixture.log_likelihoods(rows)
    assert model.score(table) == pytest.approx(float((logs * rows.weights).sum() / rows.total), abs=1e-12)


@pytest.mark.parametrize("of", ["trees", "cutsets"])
def test_em_climbs_and_sums_to_one(of):
    table = clustered(600, seed=4)
    rows = rows_of(table)
    clusters = _core.find_clusters(rows, 3, 2, 0)
    family = tw.learners.efficient_markov.mixture_plan.component_family(of)
    mixture = family.start(LearningRows(table.schema, rows, rows, held_out=False), clusters, 0)
    scores = []
    for _ in range(6):
        mixture.maximise()
        scores.append(mixture.expect())
    assert scores[-1] > scores[0]
    if of == "trees":
        assert min(np.diff(scores)) > -1e-3  # smoothing is not what EM climbs
    learned = tw.learn_mixture(tw.count(table), components=3, of=of)
    assert np.exp(scored(learned, every_row(CARDINALITIES))).sum() == pytest.approx(1.0, abs=1e-12)


def test_clusters_are_a_mixture_of_products():
    table = clustered(200, seed=6)
    rows = rows_of(table)
    clusters = _core.find_clusters(rows, 4, 5, 3)
    joint = np.log(clusters.weights) + sum(
        np.log(clusters.emissions(v)[np.asarray(rows.codes)[:, v]]) for v in range(len(CARDINALITIES))
    )
    shares = np.exp(joint - joint.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(clusters.responsibilities(rows), shares, atol=1e-4)
    assert clusters.weights.sum() == pytest.approx(1.0)
    for v in range(len(CARDINALITIES)):
        np.testing.assert_allclose(clusters.emissions(v).sum(axis=0), 1.0, atol=1e-9)


@pytest.mark.parametrize("of", ["trees", "cutsets"])
def test_what_does_not_matter_to_a_mixture(of):
    table = clustered(400, seed=9, weights=np.random.default_rng(1).integers(0, 3, 400))
    repeated = clustered(400, seed=9).take(np.repeat(np.arange(400), table.weights))
    expected = scored(tw.learn_mixture(tw.count(table), components=3, of=of), table)
    before = _core.threads()
    for threads, other in (
        (1, table),
        (3, repeated),
        (2, table.take(np.random.default_rng(0).permutation(400))),
        (2, table.reordered(table.schema.names[::-1])),
    ):
        _core.set_threads(threads)
        found = scored(tw.learn_mixture(tw.count(other), components=3, of=of), table)
        np.testing.assert_array_equal(found, expected)
    _core.set_threads(before)


@pytest.mark.slow
def test_the_stack_is_reproducible_and_never_worse_than_its_best_member():
    table, valid = clustered(500, seed=1), clustered(150, seed=11)
    seen = []
    options = {"components": "auto", "budget": 0.02, "valid": valid}
    learned = tw.learn_mixture(tw.count(table), **options, progress=seen.append)
    assert learned.structure == tw.learn_mixture(tw.count(table), **options).structure
    assert learned.valid_log_likelihood >= max(member.log_likelihood for member in learned.members)
    assert learned.valid_log_likelihood == pytest.approx(
        FeatureNetwork(learned.structure).score(valid), abs=1e-5
    )
    assert sum(member.weight for member in learned.members) == pytest.approx(1.0)
    assert np.exp(scored(learned, every_row(CARDINALITIES))).sum() == pytest.approx(1.0, abs=1e-12)
    assert {phase.name for phase in learned.trace.phases} >= {"hidden trees", "mixtures of trees", "stack"}
    assert learned.trace.stopped_by == ""
    assert len({step.phase for step in seen}) > 3


def test_a_larger_budget_learns_more_and_the_clock_is_told():
    table = clustered(300, seed=2)
    counts = [
        tw.learn_mixture(tw.count(table), components="auto", budget=budget).trace.total("models")
        for budget in (1e-5, 0.02)
    ]
    assert counts[0] < counts[1]
    late = tw.learn_mixture(tw.count(table), components="auto", seconds=1e-9)
    assert late.trace.stopped_by == "seconds"
    assert late.members


@pytest.mark.slow
def test_compact_keeps_few_members():
    table = clustered(400, seed=3)
    few = tw.learn_mixture(tw.count(table), components="auto", budget=0.02, compact=2)
    assert 1 <= len(few.members) <= 2


def test_memory_is_off_unless_asked_for_and_sums_to_one():
    table = clustered(300, [2, 2, 3], seed=3)
    plain = tw.learn_mixture(tw.count(table), components="auto", budget=0.005)
    assert "rows" not in plain.structure.kinds()
    keen = tw.learn_mixture(tw.count(table), components="auto", budget=0.005, memory=True)
    assert np.exp(scored(keen, every_row([2, 2, 3]))).sum() == pytest.approx(1.0, abs=1e-12)
    rows = rows_of(table)
    leaf = remembered(LearningRows(table.schema, rows, rows, held_out=False))
    model = FeatureNetwork(tw.graphs.FeatureGraph(table.schema, *leaf.arrays))
    assert np.exp(model.log_probability(every_row([2, 2, 3]))).sum() == pytest.approx(1.0, abs=1e-12)
    assert model.score(table) == pytest.approx(leaf.score, abs=1e-12)
    for v, r in enumerate([2, 2, 3]):
        frequencies = np.bincount(table.column(v), minlength=r) / 300
        np.testing.assert_allclose(list(model.query(f"v{v}").values()), frequencies, atol=1e-12)


def test_models_whose_numbers_break_down_never_enter_the_stack(monkeypatch):
    monkeypatch.setattr(hidden_tree, "mean_log", lambda *_: float("nan"))
    learned = tw.learn_mixture(tw.count(clustered(200)), components="auto", budget=0.01)
    assert not any(member.name.startswith("hidden") for member in learned.members)
    assert np.isfinite(learned.valid_log_likelihood)


def noise(n_rows, n_columns, seed):
    """Columns that have nothing to do with each other: no two rows are alike."""
    return tw.Table.from_codes(
        np.random.default_rng(seed).integers(2, size=(n_rows, n_columns)), [2] * n_columns
    )


def test_work_stays_within_the_budget_however_many_rows_there_are():
    for n_rows, budget in ((30_000, 0.5), (30_000, 4.0), (3_000, 0.5)):
        learned = tw.learn_mixture(tw.count(noise(n_rows, 30, 0)), components="auto", budget=budget)
        assert learned.trace.total("work") < 1.1 * budget
        assert {phase.name for phase in learned.trace.phases} >= {"bounded networks", "what still gains"}


def test_a_model_without_memory_keeps_no_row():
    """Rows of noise say nothing about each other: whoever gives them more than others has kept them."""
    train, test = noise(600, 40, 0), noise(600, 40, 1)
    plain = tw.learn_mixture(tw.count(train), components="auto", budget=0.5)
    assert "rows" not in plain.structure.kinds()
    gap = scored(plain, train).mean() - scored(plain, test).mean()
    assert gap < 2  # a stored row would gain 40 ln 2 - ln 600 = 21 nats
    assert (scored(plain, train) - scored(plain, test).mean()).max() < 10


def test_what_one_more_model_adds_is_the_best_weight():
    rng = np.random.default_rng(0)
    rows = rows_of(clustered(50, seed=1))
    gains = everything.Gains(LearningRows(None, rows, rows, held_out=False))
    for trial in range(20):
        mixed, logs = rng.normal(-3, 1 + trial % 3, (2, rows.n_rows))
        found = (gains.shares * gains.with_another(mixed, logs)).sum()
        weights = np.linspace(0, 1, 2_001)[:-1, None]
        every = (gains.shares * np.log((1 - weights) * np.exp(mixed) + weights * np.exp(logs))).sum(axis=1)
        assert every.max() - 1e-6 <= found <= every.max() + 1e-5


def test_wide_tables_have_a_plan_of_their_own(monkeypatch):
    monkeypatch.setattr(everything, "_WIDE", 3)
    learned = tw.learn_mixture(tw.count(clustered(200)), components="auto", budget=0.02)
    assert "cutset networks" not in {phase.name for phase in learned.trace.phases}


@pytest.mark.parametrize("rows", [1, 2, 15])
def test_few_rows_and_constant_columns(rows):
    table = tw.Table.from_codes(np.zeros((rows, 3), dtype=int), [2, 1, 3], ["a", "b", "c"])
    for options in ({"components": 2}, {"components": "auto", "budget": 1e-3}):
        model = FeatureNetwork(tw.learn_mixture(tw.count(table), **options).structure)
        total = np.exp(model.log_probability(every_row_of(table))).sum()
        assert total == pytest.approx(1.0, abs=1e-12)
    one = tw.Table.from_codes(np.array([[0], [1], [1]]), [2], ["a"])
    assert np.isfinite(tw.learn_mixture(tw.count(one), components="auto", budget=1e-3).valid_log_likelihood)


def every_row_of(table):
    plain = every_row(table.schema.cardinalities)
    return tw.Table(table.schema, plain.columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"components": 0}, 'components= is a number of at least 1, or "auto"; found 0'),
        ({"steps": 0}, "steps= is a number of at least 1; found 0"),
        (
            {"components": "auto", "of": "cutsets"},
            'components="auto" tries every kind of component; leave out of=',
        ),
        ({"memory": True}, 'memory= and compact= belong to components="auto"'),
        ({"components": "auto", "budget": 0}, "budget= is a number of nominal seconds above 0; found 0"),
        (
            {"components": "auto", "compact": -1},
            "compact= is a number of members to keep, True or False; found -1",
        ),
        (
            {"of": "forests"},
            "of= says what components are: 'trees', 'cutsets', TreeComponents(...) or CutsetComponents(...); "
            "found 'forests'",
        ),
        (
            {"of": tw.learners.TreeComponents(smoothing=-1.0)},
            "smoothing and shrinkage are numbers of pseudo-rows from 0 on; found "
            "TreeComponents(smoothing=-1.0, shrinkage=3.0)",
        ),
    ],
)
def test_settings_that_make_no_sense(options, message):
    with pytest.raises(tw.errors.SettingError) as refusal:
        tw.learn_mixture(tw.count(clustered(20)), **options)
    assert str(refusal.value) == message


def test_counts_of_pairs_that_would_not_fit_are_refused():
    table = tw.Table.from_codes(np.array([[0, 0], [1, 1]]), [60_000, 60_000], ["a", "b"])
    with pytest.raises(tw.errors.TableTooLarge, match="counts of all pairs of 120,000 states need"):
        tw.learn_mixture(tw.count(table), components=2)


@pytest.mark.slow
@needs_a_timer
@pytest.mark.parametrize(
    "learn",
    [
        lambda counter: tw.learn_mixture(counter, components="auto"),
        lambda counter: tw.learn_mixture(counter, components=200, steps=1_000),
        lambda counter: tw.learn_hidden_tree(counter, states=64, epochs=1_000),
        lambda counter: tw.learners.learn_cutset_bag(counter, n_networks=10_000),
    ],
    ids=["stack", "trees", "hidden tree", "bag of cutsets"],
)
def test_an_interrupt_is_obeyed_within_half_a_second(learn):
    counter = tw.count(tw.load_network("alarm").sample(5_000, rng=np.random.default_rng(0)))
    assert seconds_to_stop(lambda: learn(counter)) < 0.5
