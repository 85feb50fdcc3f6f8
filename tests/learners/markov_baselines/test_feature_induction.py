"""Feature induction: gains against numeric maximisation, the twin of the pseudo-likelihood, recovery."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from tests.reference.models.pseudolikelihood import literals_of, pseudo_log_likelihood

import treewright as tw
from treewright import _core
from treewright.errors import SchemaError, SettingError


def rng(seed=0):
    return np.random.default_rng(seed)


def random_field(seed, n_rows=25):
    chance = rng(seed)
    cardinalities = chance.integers(1, 4, size=int(chance.integers(2, 5)), endpoint=True).tolist()
    codes = np.array([chance.integers(0, r, size=n_rows) for r in cardinalities], dtype=np.uint32)
    weights = chance.integers(1, 4, size=n_rows).astype(float)
    literals = literals_of(cardinalities)
    features = [(i,) for i in range(len(literals))]
    for _ in range(4):
        chosen = {}
        for i in chance.permutation(len(literals))[:3].tolist():
            chosen.setdefault(literals[i][0], i)
        if len(chosen) > 1 and tuple(sorted(chosen.values())) not in features:
            features.append(tuple(sorted(chosen.values())))
    design = _core.FeatureDesign(codes, weights, cardinalities)
    for feature in features:
        design.add(list(feature))
    return codes, weights, cardinalities, features, design, chance


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_the_pseudo_likelihood_is_that_of_the_twin(seed):
    codes, row_weights, cardinalities, features, design, chance = random_field(seed)
    weights = chance.normal(size=len(features))
    value, gradient = design.evaluate(weights)
    assert value == pytest.approx(pseudo_log_likelihood(codes, row_weights, cardinalities, features, weights))
    for f in range(len(features)):
        step = np.eye(len(features))[f] * 1e-5
        slope = (design.evaluate(weights + step)[0] - design.evaluate(weights - step)[0]) / 2e-5
        assert gradient[f] == pytest.approx(slope, abs=1e-3)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000))
def test_gains_are_maxima_along_one_weight(seed):
    codes, row_weights, cardinalities, features, design, chance = random_field(seed)
    weights = chance.normal(size=len(features))
    before = design.evaluate(weights)[0]
    candidates = design.candidates(3)
    gains, best = design.gains(candidates, 5.0)
    for one in chance.permutation(len(candidates))[:3].tolist():

        def loss(weight, more=tuple(candidates[one])):
            value = pseudo_log_likelihood(
                codes, row_weights, cardinalities, [*features, more], [*weights, weight]
            )
            return before - value + weight**2 / 10

        numeric = minimize_scalar(loss, bounds=(-40, 40), method="bounded", options={"xatol": 1e-7})
        assert gains[one] == pytest.approx(-numeric.fun, abs=1e-5)
        assert best[one] == pytest.approx(numeric.x, abs=1e-3)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_candidates_hold_somewhere_and_are_new(seed):
    codes, _, cardinalities, features, design, _ = random_field(seed)
    literals = literals_of(cardinalities)
    wanted = set()
    for feature in features:
        for i, (v, _) in enumerate(literals):
            longer = tuple(sorted((*feature, i)))
            if v in {literals[j][0] for j in feature} or len(longer) > 3 or longer in features:
                continue
            if np.all([codes[literals[j][0]] == literals[j][1] for j in longer], axis=0).any():
                wanted.add(longer)
    assert [tuple(c) for c in design.candidates(3)] == sorted(wanted)


@pytest.mark.slow
def test_a_factor_over_three_variables_is_found():
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    parity = np.exp(np.array([[[0.8, -0.8], [-0.8, 0.8]], [[-0.8, 0.8], [0.8, -0.8]]]))
    truth = tw.MarkovNetwork(schema, {("a", "b", "c"): parity, "d": [1.0, 2.0]})
    train, valid = (tw.count(truth.sample(n, rng=rng(n))) for n in (4_000, 1_000))
    learned = tw.learn_feature_induction(train, valid, patience=3)
    assert {"a", "b", "c"} in [set(f.variables) for f in learned.features]
    assert learned.structure.is_complete(("a", "b", "c"))
    model = tw.models.LogLinearModel(schema, learned.features, learned.weights)
    test = truth.sample(5_000, rng=rng(9))
    assert model.score(test) == pytest.approx(truth.score(test), abs=0.01)


@pytest.mark.slow
def test_the_best_round_is_kept_and_figures_are_those_of_the_model():
    table = tw.networks.random_markov_network(tw.networks.load_graph("six_split"), rng=rng(2)).sample(
        900, rng=rng(3)
    )
    train, valid = table.take(slice(0, 600)), table.take(slice(600, 900))
    seen = []
    learned = tw.learn_feature_induction(tw.count(train), tw.count(valid), patience=2, progress=seen.append)
    history = [one.valid_pseudo_log_likelihood for one in learned.rounds]
    assert learned.valid_pseudo_log_likelihood == max(history)
    assert [step.score for step in seen] == history
    assert all(later < max(history) for later in history[history.index(max(history)) + 1 :])
    model = tw.models.LogLinearModel(table.schema, learned.features, learned.weights).network
    for rows, wanted in (
        (train, learned.pseudo_log_likelihood),
        (valid, learned.valid_pseudo_log_likelihood),
    ):
        assert tw.models.pseudo_log_likelihood(model, rows) == pytest.approx(wanted, abs=1e-9)
    assert all(one.gain > 0 for one in learned.rounds)


@pytest.mark.slow
def test_the_order_of_rows_and_columns_does_not_matter():
    table = tw.networks.random_markov_network(
        tw.networks.hub_graph(1, leaves=3, states=3), rng=rng(2)
    ).sample(300, rng=rng(3))
    turned = table.reordered(table.schema.names[::-1]).take(rng(4).permutation(300))
    first, second = (
        tw.learn_feature_induction(tw.count(one), tw.count(one), most_features=4) for one in (table, turned)
    )
    assert list(map(str, first.features)) == list(map(str, second.features))
    assert np.array_equal(first.weights, second.weights)


def test_bounds_are_kept():
    counter = tw.count(
        tw.networks.random_markov_network(tw.networks.load_graph("six_star"), rng=rng(2)).sample(
            300, rng=rng(3)
        )
    )
    learned = tw.learn_feature_induction(counter, counter, most_features=5, most_literals=2)
    assert len(learned.rounds) <= 5
    assert max(len(f.variables) for f in learned.features) <= 2
    assert tw.learn_feature_induction(counter, counter, most_features=0).structure.n_edges == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variance": 0.0}, "the variance of the prior is a positive number; found 0.0"),
        ({"patience": 0}, "patience is at least 1; found 0"),
        ({"most_literals": 0}, "most_literals is at least 1; found 0"),
        ({"most_features": -1}, "most_features is at least 0; found -1"),
        ({"tolerance": 0.0}, "tolerance lies between 0 and 1, both excluded; found 0.0"),
    ],
)
def test_refusals(options, message):
    counter = tw.count(tw.read_table({"a": [0, 1], "b": [0, 1]}, bins=None))
    with pytest.raises(SettingError) as refused:
        tw.learn_feature_induction(counter, counter, **options)
    assert str(refused.value) == message


def test_rows_have_to_be_there_and_alike():
    counter, other = (tw.count(tw.read_table({name: ["x", "y"]})) for name in "ab")
    with pytest.raises(SchemaError, match="must have the same variables and states"):
        tw.learn_feature_induction(counter, other)
    empty = tw.count(tw.Table(counter.schema, [np.zeros(0, dtype=np.uint8)]))
    with pytest.raises(SchemaError, match="there are none to validate on"):
        tw.learn_feature_induction(counter, empty)
