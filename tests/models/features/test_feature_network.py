"""Feature networks: the worked example, what is exact and what is a bound, every verb, refusals."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.features.random_features import DETERMINISTIC, random_features
from tests.reference.models.enumeration import with_evidence
from tests.reference.models.feature_graphs import joint_table

import treewright as tw
from treewright.errors import ArgumentError, ImpossibleEvidence, NoExactAnswer, SchemaError, SettingError
from treewright.inference import Evidence
from treewright.models import BoundedExplanation

seeds = st.integers(0, 10**6)
NAMES = [f"x{v}" for v in range(6)]
SCHEMA = tw.Schema([tw.Variable(name, (0, 1)) for name in NAMES])


def worked_rows():
    """64 rows: x0=0: x2=x1, x5 = x3 xor x4; x0=1: x3 = 1-x1, the others free."""
    rows = [(0, a, a, b, c, b ^ c) for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 4
    rows += [(1, a, b, 1 - a, c, d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)] * 2
    return tw.Table(SCHEMA, [np.array(column, np.uint8) for column in zip(*rows, strict=True)])


def worked_graph():
    """The graph that the example has: one split, two products, six tables."""
    builder = tw.graphs.FeatureGraphBuilder(SCHEMA)

    def even(*names):
        return builder.table(names, np.full((2,) * len(names), 0.5 ** len(names)))

    left = builder.product([even("x1", "x2"), even("x3", "x4", "x5")])
    right = builder.product([even("x1", "x3"), even("x2"), even("x4"), even("x5")])
    return builder.graph(builder.split("x0", {0: (0.5, left), 1: (0.5, right)}))


@pytest.fixture(scope="module")
def likeliest():
    return tw.fit(worked_graph(), tw.count(worked_rows()), prior=None)


@pytest.fixture(scope="module")
def smoothed():
    return tw.fit(worked_graph(), tw.count(worked_rows()), prior=tw.Dirichlet(1.0))


def probability(model, text):
    return model.probability_of({name: int(digit) for name, digit in zip(NAMES, text, strict=True)})


def test_worked_example_at_maximum_likelihood(likeliest):
    assert likeliest.graph.n_nodes == 9
    assert likeliest.graph.kinds() == {"table": 6, "split": 1, "and": 2}
    assert probability(likeliest, "000000") == pytest.approx(1 / 16, abs=1e-12)
    assert probability(likeliest, "100100") == pytest.approx(1 / 32, abs=1e-12)
    assert probability(likeliest, "001000") == 0
    assert likeliest.score(worked_rows()) == pytest.approx(-3.1191623125, abs=1e-9)
    assert likeliest.entropy() == pytest.approx(3.1191623125, abs=1e-9)
    answer = likeliest.marginals({"x1": 1, "x3": 1})
    assert answer.probability_of_evidence == pytest.approx(0.125, abs=1e-12)
    assert answer["x0"][0] == pytest.approx(1, abs=1e-12)
    assert answer["x2"][1] == pytest.approx(1, abs=1e-12)
    answer = likeliest.marginals({"x2": 1, "x5": 0})
    assert answer.probability_of_evidence == pytest.approx(0.25, abs=1e-12)
    assert answer["x0"][1] == pytest.approx(0.5, abs=1e-12)
    assert answer["x1"][1] == pytest.approx(0.75, abs=1e-12)
    best = likeliest.mpe({"x3": 1, "x4": 1})
    assert [best[name] for name in NAMES] == [0, 0, 0, 1, 1, 0]  # x1 = x2 = 1 is as good; lower states first
    assert best.probability == pytest.approx(1 / 16, abs=1e-12)


def test_worked_example_with_a_prior(smoothed):
    expected = {
        "000000": 0.0606204086,
        "100100": 0.0307765152,
        "001000": 0.0009326217,
        "110100": 0.0004734848,
    }
    for row, p in expected.items():
        assert probability(smoothed, row) == pytest.approx(p, abs=1e-9)
    assert smoothed.score(worked_rows()) == pytest.approx(-3.1420635207, abs=1e-9)
    assert smoothed.entropy() == pytest.approx(3.2369359587, abs=1e-9)
    answer = smoothed.marginals({"x1": 1, "x3": 1})
    assert answer.probability_of_evidence == pytest.approx(0.1287878788, abs=1e-9)
    assert answer["x0"][0] == pytest.approx(0.9705882353, abs=1e-9)
    assert answer["x2"][1] == pytest.approx(0.9705882353, abs=1e-9)
    assert answer["x4"][1] == pytest.approx(0.5, abs=1e-12)
    assert answer["x5"][1] == pytest.approx(0.5, abs=1e-12)
    answer = smoothed.marginals({"x2": 1, "x5": 0})
    assert answer.probability_of_evidence == pytest.approx(0.25, abs=1e-9)
    assert answer["x1"][1] == pytest.approx(0.7424242424, abs=1e-9)


def test_every_verb_agrees_on_the_worked_example(smoothed):
    joint = joint_table(smoothed.graph)
    table = worked_rows()
    assert smoothed.query(["x3", "x0"])[1, 0] == pytest.approx(joint[0, :, :, 1].sum(), abs=1e-12)
    assert smoothed.query("x4", given={"x3": 1, "x5": {0: 0.5, 1: 0.25}}).array.sum() == pytest.approx(1)
    many = smoothed.marginals_many([{"x1": 1, "x3": 1}, {}])
    assert many[0]["x0"][0] == pytest.approx(0.9705882353, abs=1e-9)
    assert smoothed.predict(table, "x2")[:8].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert smoothed.marginal_map(["x1", "x2"], {"x0": 0})["x1"] == 0
    assert smoothed.joint(["x0"]).tolist() == pytest.approx([0.5, 0.5])
    assert smoothed.structure.n_edges == 5 + 1 + 3 + 1
    assert smoothed.n_parameters == 1 + 3 + 7 + 3 + 3
    cost = smoothed.cost()
    assert (cost.width, cost.largest_table, cost.refused) == (2, ("x3", "x4", "x5"), False)
    sample = smoothed.sample(50, given={"x0": 1}, rng=np.random.default_rng(3))
    assert set(sample.labels("x0").tolist()) == {1}
    assert "<svg" in smoothed._repr_html_()
    assert repr(smoothed) == "<FeatureNetwork: 6 variables, 9 nodes, deterministic>"


@pytest.mark.slow
@settings(max_examples=60)
@given(seeds)
def test_entropy_agrees_with_enumeration(seed):
    graph = random_features(seed, DETERMINISTIC)
    model, rng = tw.FeatureNetwork(graph), np.random.default_rng(seed)
    joint = joint_table(graph)
    likelihood = rng.random(joint.shape[0]) * 3 + 0.01
    evidence = Evidence([], [], [0], [likelihood.tolist()])
    masked = with_evidence(joint, evidence)
    posterior = masked[masked > 0] / masked.sum()
    given_ = {"x0": dict(zip(graph.schema["x0"].states, likelihood.tolist(), strict=True))}
    assert model.entropy(given_) == pytest.approx(-(posterior @ np.log(posterior)), abs=1e-10)
    positive = joint[joint > 0]
    assert model.entropy() == pytest.approx(-(positive @ np.log(positive)), abs=1e-10)


def hidden_model():
    builder = tw.graphs.FeatureGraphBuilder(SCHEMA.select(["x0", "x1"]))
    parts = [
        builder.product([builder.table("x0", [0.9, 0.1]), builder.table("x1", [0.9, 0.1])]),
        builder.product([builder.table("x0", [0.2, 0.8]), builder.table("x1", [0.3, 0.7])]),
    ]
    return tw.FeatureNetwork(builder.graph(builder.mixture(parts, [0.5, 0.5])))


def test_what_is_not_exact_is_said():
    model = hidden_model()
    assert not model.is_exact
    with pytest.raises(NoExactAnswer, match="mpe_bound gives a good row with a lower and an upper bound"):
        model.mpe()
    with pytest.raises(NoExactAnswer, match="entropy_estimate draws rows and gives it with a standard error"):
        model.entropy()
    with pytest.raises(NoExactAnswer, match=r"fit_em\(graph, table\) run expectation maximisation"):
        model.refit(tw.count(worked_rows()))
    answer = model.mpe_bound()
    assert isinstance(answer, BoundedExplanation)
    assert dict(answer) == {"x0": 0, "x1": 0}
    assert answer.probability == pytest.approx(0.5 * 0.81 + 0.5 * 0.06)
    assert math.exp(answer.log_upper_bound) == pytest.approx(0.5 * 0.81 + 0.5 * 0.56)
    assert not answer.is_exact
    assert repr(answer).splitlines()[0] == "log-probability -0.832409, at most -0.378336"
    estimate = model.entropy_estimate(20_000, rng=np.random.default_rng(1))
    joint = joint_table(model.graph)
    assert abs(estimate.nats + (joint * np.log(joint)).sum()) < 5 * estimate.standard_error
    assert estimate.n_rows == 20_000
    with pytest.raises(SettingError, match="needs at least 2 rows; asked for 1"):
        model.entropy_estimate(1, rng=np.random.default_rng(1))


def test_a_bound_is_exact_on_a_deterministic_graph(smoothed):
    answer = smoothed.mpe_bound({"x3": 1})
    assert answer.is_exact
    assert dict(answer) == dict(smoothed.mpe({"x3": 1}))


def test_missing_cells_are_summed_out(smoothed):
    rows = {name: [None, 1, None] if name != "x3" else [None, 1, 1] for name in NAMES}
    table = tw.read_table(rows, schema=SCHEMA, missing="em")
    logs = smoothed.log_evidence(table)
    assert logs[0] == pytest.approx(0, abs=1e-12)
    assert logs[1] == pytest.approx(math.log(probability(smoothed, "111111")))
    assert math.exp(logs[2]) == pytest.approx(smoothed.query("x3")[1])
    assert smoothed.log_evidence(worked_rows()) == pytest.approx(smoothed.log_probability(worked_rows()))


@settings(max_examples=30)
@given(seeds)
def test_marginalising_in_two_steps_is_one_step(seed):
    graph = random_features(seed, n=4)
    model = tw.FeatureNetwork(graph)
    pair, single = model.joint(["x0", "x2"]), model.joint(["x0"])
    np.testing.assert_allclose(pair.sum(axis=1), single, atol=1e-12)


def test_models_are_values(smoothed):
    assert pickle.loads(pickle.dumps(smoothed)) == copy.copy(smoothed) == smoothed
    assert hash(copy.copy(smoothed)) == hash(smoothed)
    assert smoothed != tw.FeatureNetwork(worked_graph())
    assert smoothed.with_provenance({"seed": 1}).provenance == {"seed": 1}
    assert smoothed != 7


def test_refusals(likeliest):
    with pytest.raises(ImpossibleEvidence, match="x0=0, x1=0, x2=1 cannot happen together"):
        likeliest.query("x5", given={"x5": 0, "x0": 0, "x1": 0, "x2": 1, "x3": 1})
    with pytest.raises(ImpossibleEvidence, match="has probability zero"):
        likeliest.mpe_bound({"x0": 0, "x1": 0, "x2": 1})
    with pytest.raises(ArgumentError, match="FeatureNetwork takes a feature graph; found a Schema"):
        tw.FeatureNetwork(SCHEMA)
    with pytest.raises(SchemaError, match="the model needs a column 'x0'"):
        likeliest.log_probability(tw.read_table({"y": [1]}))
    with pytest.raises(SettingError, match="Gibbs chains walk over tables, and a FeatureNetwork has none"):
        tw.models.sample_gibbs(likeliest, 10, rng=np.random.default_rng(1))
