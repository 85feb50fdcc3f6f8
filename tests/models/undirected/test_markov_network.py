"""Markov networks: every question against enumeration, refusals, and the way to and from directed ones."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.undirected.random_markov import random_markov_network
from tests.reference.models.enumeration import product_table, summed_to, with_evidence
from tests.reference.models.markov import distribution

import treewright as tw
from treewright.errors import GraphError, ImpossibleEvidence, SchemaError, TableTooLarge
from treewright.inference import Evidence, Factor
from treewright.models import MarkovNetwork
from treewright.networks import load_network, random_network

SCHEMA = tw.Schema([tw.Variable("a", ("no", "yes")), tw.Variable("b", ("x", "y", "z"))])
seeds = st.integers(0, 10**6)


def random_given(model, joint, rng):
    """Evidence that can happen, on some variables: states of a row, and a likelihood."""
    cell = np.unravel_index(int(rng.choice(joint.size, p=joint.ravel())), joint.shape)
    evidence, given = Evidence(), {}
    for v, variable in enumerate(model.schema):
        chance = rng.random()
        if chance < 0.25:
            evidence.observed.append(v)
            evidence.states.append(int(cell[v]))
            given[variable.name] = variable.states[cell[v]]
        elif chance < 0.35:
            likelihood = rng.random(variable.cardinality) + 0.01
            evidence.weighted.append(v)
            evidence.likelihoods.append(likelihood.tolist())
            given[variable.name] = dict(zip(variable.states, likelihood.tolist(), strict=True))
    return evidence, given


@pytest.mark.slow
@settings(max_examples=120)
@given(seeds)
def test_questions_agree_with_enumeration(seed):
    model, rng = random_markov_network(seed)
    joint = distribution(model)
    evidence, given_ = random_given(model, joint, rng)
    masked = with_evidence(joint, evidence)
    mass = masked.sum()
    n = len(model.schema)
    targets = [int(v) for v in rng.permutation(n)[: rng.integers(1, 4)]]
    names = list(model.schema.names_of(targets))

    answer = model.query(names, given_)
    np.testing.assert_allclose(answer.array, summed_to(masked, targets) / mass, rtol=1e-9, atol=1e-12)
    assert answer.log_probability_of_evidence == pytest.approx(math.log(mass), abs=1e-9)
    marginals = model.marginals(given_)
    for v, name in enumerate(model.schema.names):
        np.testing.assert_allclose(marginals.array(name), summed_to(masked, [v]) / mass, atol=1e-12)
    assert model.probability_of(given_) == pytest.approx(mass, rel=1e-9)
    best = model.mpe(given_)
    assert best.probability == pytest.approx(masked.max(), rel=1e-9)
    codes = tuple(model.schema[name].code(state) for name, state in best.items())
    assert masked[codes] == pytest.approx(masked.max(), rel=1e-9)
    some = model.marginal_map(names, given_)
    assert some.probability == pytest.approx(summed_to(masked, targets).max(), rel=1e-9)
    np.testing.assert_allclose(model.joint(targets), summed_to(joint, targets), rtol=1e-9, atol=1e-12)
    partition = product_table(model.schema.cardinalities, model.factors).sum()
    assert model.log_partition == pytest.approx(math.log(partition), abs=1e-9)


@pytest.mark.slow
@settings(max_examples=60)
@given(seeds)
def test_rows_agree_with_enumeration(seed):
    model, rng = random_markov_network(seed)
    joint = distribution(model)
    columns = [rng.integers(r, size=50).astype(np.uint8) for r in model.schema.cardinalities]
    table = tw.Table(model.schema, columns)
    with np.errstate(divide="ignore"):
        expected = np.log(joint[tuple(c.astype(int) for c in columns)])
    np.testing.assert_allclose(model.log_probability(table), expected, rtol=1e-9, atol=1e-9)
    possible = model.sample(40, rng=np.random.default_rng(seed))
    assert np.isfinite(model.log_probability(possible)).all()
    assert model.score(possible) == pytest.approx(model.log_probability(possible).mean())
    target = model.schema.names[0]
    others = tuple(np.asarray(c).astype(int) for c in possible.columns[1:])
    expected_states = joint[(slice(None), *others)].reshape(joint.shape[0], -1) * np.ones(40)
    predicted = [model.schema[0].code(state) for state in model.predict(possible, target).tolist()]
    best = expected_states.max(axis=0)
    np.testing.assert_allclose(expected_states[predicted, np.arange(40)], best, rtol=1e-9)
    many = model.marginals_many(possible)
    np.testing.assert_allclose(
        many.log_probability_of_evidence, model.log_probability(possible), rtol=1e-9, atol=1e-9
    )


@settings(max_examples=60)
@given(seeds)
def test_a_chordal_network_has_an_equal_bayesian_network(seed):
    model, _ = random_markov_network(seed)
    if not tw.graphs.triangulate(model.structure).fill:
        directed = model.to_bayesian_network()
        assert directed.dag.skeleton() == model.structure
        everything = range(len(model.schema))
        np.testing.assert_allclose(directed.joint(everything), distribution(model), atol=1e-12)


def test_a_bayesian_network_without_directions_is_the_same_distribution():
    network = random_network(12, 3, rng=np.random.default_rng(3))
    model = MarkovNetwork.of(network)
    table = network.sample(200, rng=np.random.default_rng(1))
    np.testing.assert_allclose(model.log_probability(table), network.log_probability(table), atol=1e-9)
    np.testing.assert_allclose(model.marginals().cells, network.marginals().cells, atol=1e-12)
    assert model.structure == network.dag.moral_graph()


def test_samples_given_evidence_have_the_right_frequencies():
    model = MarkovNetwork.of(load_network("asia"))
    rows = model.sample(40_000, given={"xray": "yes"}, rng=np.random.default_rng(5))
    exact = model.marginals(given={"xray": "yes"})
    assert set(rows.labels("xray").tolist()) == {"yes"}
    for v, name in enumerate(model.schema.names):
        share = np.bincount(rows.columns[v], minlength=2) / rows.n_rows
        assert np.abs(share - exact.array(name)).max() < 0.015


def test_axes_stand_in_schema_order_whatever_the_scope_says():
    table = np.arange(1.0, 7.0).reshape(3, 2)
    model = MarkovNetwork(SCHEMA, {("b", "a"): table})
    assert model.factors[0].scope == (0, 1)
    assert model.factors[0].table.tolist() == table.T.tolist()
    assert model == MarkovNetwork(SCHEMA, [Factor((0, 1), table.T)])
    assert model != MarkovNetwork(SCHEMA, [Factor((0, 1), table.T + 1)])
    assert hash(model) == hash(MarkovNetwork(SCHEMA, {("a", "b"): table.T}))
    with pytest.raises(ValueError, match="read-only"):
        model.factors[0].table[0, 0] = 3


def test_any_scale_is_the_same_distribution():
    cells = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    plain = MarkovNetwork(SCHEMA, {("a", "b"): cells})
    for scale in (1e-200, 1e250):
        scaled = MarkovNetwork(SCHEMA, [(("a", "b"), cells * scale), ("a", [scale, scale])])
        np.testing.assert_allclose(scaled.marginals().cells, plain.marginals().cells, rtol=1e-12)
        assert scaled.log_partition == pytest.approx(plain.log_partition + 2 * math.log(scale))


def test_no_factors_mean_a_uniform_distribution():
    model = MarkovNetwork(SCHEMA, {})
    assert model.log_partition == pytest.approx(math.log(6))
    assert model.query("b")["z"] == pytest.approx(1 / 3)
    assert model.n_parameters == 0
    assert repr(model) == "<MarkovNetwork: 2 variables, 0 edges, 0 factors>"


@pytest.mark.slow
def test_making_a_network_plans_nothing():
    grid = tw.Schema([tw.Variable(f"v{i:04}", (0, 1)) for i in range(3600)])
    pairs = [(i, i + 1) for i in range(3599) if i % 60 < 59] + [(i, i + 60) for i in range(3540)]
    model = MarkovNetwork(grid, [(pair, [[2.0, 1.0], [1.0, 2.0]]) for pair in pairs])
    assert model.structure.n_edges == len(pairs)
    with pytest.raises(TableTooLarge, match="above the memory limit"):
        _ = model.log_partition
    rows = tw.models.sample_gibbs(model, 2, rng=np.random.default_rng(1), chains=1, burn_in=5).table
    assert model.log_potential(rows).shape == (2,)


def test_copies_and_pickles_are_equal():
    model = MarkovNetwork(SCHEMA, {("a", "b"): [[1, 2, 3], [4, 5, 0]]})
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again == model


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ({("a", "c"): [[1]]}, "there is no variable 'c'"),
        ({("a", "a"): np.ones((2, 2))}, "a scope names each variable once"),
        ({"a": [1, 2, 3]}, "the factor over 'a' has the shape (3,); its states ask for (2,)"),
        ({"a": [1, -2]}, "the factor over 'a' holds something negative, infinite or not a number"),
        ({"a": [1, math.nan]}, "holds something negative, infinite or not a number"),
        ({"a": [1, math.inf]}, "holds something negative, infinite or not a number"),
        ({"a": ["x", 1]}, "the factor over 'a' is not an array of numbers"),
        ({"a": [0, 0]}, "the factor over 'a' is zero everywhere, which leaves no possible state"),
        ([((), 0.0)], "the factor over nothing is zero everywhere"),
    ],
)
def test_factors_that_are_none_are_refused(factors, message):
    with pytest.raises(SchemaError) as error:
        MarkovNetwork(SCHEMA, factors)
    assert message in str(error.value)


def test_other_refusals():
    with pytest.raises(SchemaError, match="discrete variables; 'x' is continuous"):
        MarkovNetwork(tw.Schema([tw.Variable("x")]), {})
    fighting = MarkovNetwork(SCHEMA, [("a", [1, 0]), ("a", [0, 1])])
    with pytest.raises(ImpossibleEvidence, match="the tables contradict each other"):
        fighting.query("b")
    with pytest.raises(ImpossibleEvidence, match="the tables contradict each other"):
        fighting.to_bayesian_network()
    with pytest.raises(ImpossibleEvidence, match="a='yes' has probability zero"):
        MarkovNetwork(SCHEMA, {"a": [1, 0]}).query("b", given={"a": "yes"})


def test_a_cycle_has_no_bayesian_network():
    square = tw.Schema([tw.Variable(name, (0, 1)) for name in "abcd"])
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    with pytest.raises(GraphError, match=r"same independences needs a chordal graph; .* chordless cycle"):
        MarkovNetwork(square, {pair: np.ones((2, 2)) for pair in pairs}).to_bayesian_network()
