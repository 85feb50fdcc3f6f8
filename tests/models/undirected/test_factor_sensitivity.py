"""What moves answers of Markov networks: enumeration, where both masses are linear in each number."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.inference.random_questions import random_evidence, random_potentials, random_schema
from tests.reference.models.enumeration import product_table, summed_to, with_evidence

import treewright as tw
from treewright.errors import EvidenceError, ImpossibleEvidence
from treewright.inference import Factor
from treewright.models import MarkovNetwork


def masses(model, factors, evidence, t, code):
    """Of the evidence with the state, and without it."""
    product = with_evidence(product_table(model.schema.cardinalities, factors), evidence)
    shares = summed_to(product, (t,))
    return float(shares[code]), float(shares.sum())


def slow_derivatives(model, evidence, t, code):
    """By the logarithm of each number: that times the slope by the number, from two points of a line each."""
    joint, whole = masses(model, model.factors, evidence, t, code)
    for place, factor in enumerate(model.factors):
        found = np.zeros(factor.table.shape)
        for cell in np.ndindex(factor.table.shape):
            table = factor.table.copy()
            table[cell] = 0.0
            factors = [*model.factors]
            factors[place] = Factor(factor.scope, table)
            other = masses(model, factors, evidence, t, code)
            slopes = np.array([joint, whole]) - other  # times the number
            found[cell] = (slopes[0] - joint / whole * slopes[1]) / whole
        yield found


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_derivatives_agree_with_enumeration(seed):
    rng = np.random.default_rng(seed)
    schema = random_schema(rng, most=4)
    model = MarkovNetwork(schema, [f for f in random_potentials(schema, rng) if f.table.any()])
    evidence = random_evidence(schema, rng, 0.2)
    free = [v for v in range(len(schema)) if v not in evidence.observed]
    assume(free)
    t = int(rng.choice(free))
    code = int(rng.integers(schema.cardinalities[t]))
    assume(masses(model, model.factors, evidence, t, code)[1] > 0)
    words = {
        schema.names[v]: schema[v].states[s] for v, s in zip(evidence.observed, evidence.states, strict=True)
    }
    for v, likelihood in zip(evidence.weighted, evidence.likelihoods, strict=True):
        words[schema.names[v]] = dict(zip(schema[v].states, likelihood, strict=True))
    found = model.sensitivity(schema.names[t], schema[t].states[code], words)
    for place, expected in enumerate(slow_derivatives(model, evidence, t, code)):
        np.testing.assert_allclose(np.asarray(found.factor(place)), expected, rtol=1e-9, atol=1e-9)


def test_a_worked_example():
    """P(bob | ann=yes) = 3/4: multiplying 3 by x gives 3x / (3x + 1), whose derivative by ln x is 3/16."""
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in ("ann", "bob")])
    model = MarkovNetwork(schema, {("ann", "bob"): [[3.0, 1.0], [1.0, 3.0]], "ann": [1.0, 0.5]})
    found = model.sensitivity("bob", "yes", {"ann": "yes"})
    assert found.probability == pytest.approx(0.75)
    np.testing.assert_allclose(np.asarray(found.factor(0)), [[0, 0], [-3 / 16, 3 / 16]], atol=1e-15)
    assert [(str(one), one.value) for one in found] == [
        ("factor(ann=yes, bob=no)", 1.0),
        ("factor(ann=yes, bob=yes)", 3.0),
    ]
    assert found.to_frame()["value"].tolist() == [1.0, 3.0]
    assert "moves most with the logarithms of\n" in repr(found)


def test_what_is_known_does_not_move():
    model = MarkovNetwork.of(tw.load_network("asia"))
    with pytest.raises(EvidenceError, match="lung is given"):
        model.sensitivity("lung", "yes", {"lung": "no"})
    with pytest.raises(ImpossibleEvidence):
        model.sensitivity("smoke", "yes", {"tub": "yes", "either": "no"})
    assert len(model.sensitivity("either", "no", {"tub": "yes"})) == 0  # it is certain
