"""Derivatives by the numbers of feature graphs, against enumeration and against other models."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.models.features.random_features import RandomFeatures
from tests.reference.models.feature_graphs import row_probability

import treewright as tw
from treewright.errors import EvidenceError, ImpossibleEvidence


def masses(graph, evidence, t, code):
    """P(e, t) and P(e), row by row; evidence has a likelihood for each state."""
    joint = whole = 0.0
    for row in itertools.product(*map(range, graph.schema.cardinalities)):
        p = row_probability(graph, row)
        for v, likelihood in evidence.items():
            p *= likelihood[row[v]]
        whole += p
        joint += p * (row[t] == code)
    return np.array([joint, whole])


def slow_derivatives(model, evidence, t, code):
    """Both masses are linear in each number: two points give the slope. Estimating scales the rest."""
    graph, numbers = model.graph, np.exp(model.graph.numbers)
    joint, whole = before = masses(graph, evidence, t, code)
    found = np.zeros(len(numbers))
    for k, p in enumerate(numbers):
        if not 0 < p < 1 - 1e-12:
            continue  # what is never and what is always
        to = 0.5 if abs(p - 0.5) > 0.1 else 0.25
        counts = numbers.copy()
        counts[k] = to * (1 - p) / (1 - to)
        moved = graph.with_numbers(model._parameters.estimate(counts, 0.0))
        slopes = (masses(moved, evidence, t, code) - before) / (to - p)
        found[k] = (slopes[0] - joint / whole * slopes[1]) / whole
    return found


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_derivatives_agree_with_enumeration(seed):
    """All kinds of nodes, with zeros, single states and soft evidence, on the target too."""
    made = RandomFeatures(seed, n=int(np.random.default_rng(seed).integers(1, 4)))
    model, rng = tw.FeatureNetwork(made.graph()), made.rng
    schema = model.schema
    evidence, words = {}, {}
    for v, variable in enumerate(schema):
        if rng.random() < 0.5:
            hard = rng.random() < 0.5
            states = variable.states
            likelihood = np.eye(len(states))[rng.integers(len(states))] if hard else rng.random(len(states))
            evidence[v] = likelihood
            told = states[int(likelihood.argmax())]
            words[variable.name] = told if hard else dict(zip(states, likelihood.tolist(), strict=True))
    free = [v for v in range(len(schema)) if not isinstance(words.get(schema.names[v], {}), int)]
    assume(free)
    t = int(rng.choice(free))
    code = int(rng.integers(schema.cardinalities[t]))
    assume(masses(model.graph, evidence, t, code)[1] > 0)
    found = model.sensitivity(schema.names[t], schema[t].states[code], words)
    expected = slow_derivatives(model, evidence, t, code)
    np.testing.assert_allclose(found.derivatives, expected, rtol=1e-7, atol=1e-9)


def test_a_tree_moves_as_the_network_of_its_tables():
    rows = tw.load_network("asia").sample(500, rng=np.random.default_rng(0))
    learned = tw.learn_chow_liu(tw.BIC(tw.count(rows)))
    network = tw.fit(learned.structure, tw.count(rows), prior=tw.Dirichlet(1.0))
    dag, schema = network.dag, network.schema
    builder = tw.graphs.FeatureGraphBuilder(schema)
    order = [schema.names[v] for v in dag.topological_order]
    leaf = builder.tree({name: (dag.parents(name), np.asarray(network.table(name))) for name in order})
    model = tw.FeatureNetwork(builder.graph(leaf))
    found = model.sensitivity("lung", "yes", {"xray": "yes"})
    expected = network.sensitivity("lung", "yes", {"xray": "yes"})
    said = {f"{one} at node {leaf}": (one.probability, one.derivative) for one in expected}
    assert {str(one): pytest.approx((one.probability, one.derivative)) for one in found} == said


def test_numbers_are_told_by_what_they_say():
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in ("a", "b")])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    hidden = builder.hidden(
        {"a": None, "b": "a"},
        [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]],
        [[[0.7, 0.3], [0.4, 0.6]], [[[0.6, 0.4], [0.1, 0.9]], [[0.5, 0.5], [0.2, 0.8]]]],
        autoregressive=True,
    )
    both = builder.feature({"a": "yes", "b": "yes"}, 0.2, builder.one(), never_both(builder))
    rows = builder.rows(["a", "b"], np.array([[0, 1], [1, 0]], dtype=np.uint32), [0.4, 0.6])
    model = tw.FeatureNetwork(builder.graph(builder.mixture([hidden, both, rows], [0.5, 0.3, 0.2])))
    found = model.sensitivity("a", "yes", {"b": "yes"})
    said = {str(one).split(" at ")[0] for one in found}
    assert {
        "P(a=no | hidden of a=0)",
        "P(hidden of b=1 | hidden of a=0)",
        "P(b=yes | a=no, hidden of b=1)",
        "P(a=yes & b=yes)",
        "P(not a=yes & b=yes)",
        "weight of row 0",
        f"weight of node {both}",
    } <= said
    frame = found.to_frame()
    assert list(frame) == ["number", "probability", "derivative"]
    assert len(frame) == len(found)


def never_both(builder):
    return builder.table(["a", "b"], [[0.5, 0.25], [0.25, 0.0]])


def test_what_is_given_is_refused():
    schema = tw.Schema([tw.Variable("a", ("no", "yes"))])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    model = tw.FeatureNetwork(builder.graph(builder.table("a", [1.0, 0.0])))
    with pytest.raises(EvidenceError, match="a is given"):
        model.sensitivity("a", "yes", {"a": "no"})
    with pytest.raises(ImpossibleEvidence):
        model.sensitivity("a", "yes", {"a": {"no": 0.0, "yes": 1.0}})
    assert "does not move" in repr(model.sensitivity("a", "no"))
