"""What moves answers of Gaussian networks: complex steps through dense matrices, and worked numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import EvidenceError, ImpossibleEvidence

STEP = 1e-40


def dense_answer(n, order, weights, offsets, noises, target, known):
    """Mean and variance of the target, by matrices of complex numbers; nothing is conjugated."""
    effect = np.linalg.inv(np.eye(n) - weights)
    mean = effect @ offsets
    covariance = effect @ np.diag(noises) @ effect.T
    seen = sorted(known)
    if not seen:
        return mean[target], covariance[target, target]
    gain = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[seen, target])
    values = np.array([known[v] for v in seen])
    return (
        mean[target] + gain @ (values - mean[seen]),
        covariance[target, target] - gain @ covariance[seen, target],
    )


def slow_derivatives(model, target, known):
    """By each number: the imaginary part of the answer when the number has a tiny one."""
    n, index = len(model.schema), model.schema.index
    weights = np.zeros((n, n), dtype=complex)
    for v in range(n):
        for parent, weight in model.coefficients(v).items():
            weights[v, index(parent)] = weight
    numbers = weights, np.array(model.intercepts, dtype=complex), np.array(model.variances, dtype=complex)

    def moved(which, at):
        parts = [part.copy() for part in numbers]
        parts[which][at] += STEP * 1j
        mean, variance = dense_answer(n, model.dag.topological_order, *parts, target, known)
        return mean.imag / STEP, variance.imag / STEP

    for v, name in enumerate(model.schema.names):
        for parent in model.coefficients(v):
            yield (name, "coefficient", parent), moved(0, (v, index(parent)))
        yield (name, "intercept", None), moved(1, v)
        yield (name, "variance", None), moved(2, v)


def random_network(n, rng):
    names = [f"x{i}" for i in rng.permutation(n)]
    schema = tw.Schema([tw.Variable(name) for name in sorted(names)])
    weights = {
        names[i]: {names[j]: float(rng.normal()) for j in range(i) if rng.random() < 0.5} for i in range(n)
    }
    dag = tw.Dag(schema, [(p, c) for c, parents in weights.items() for p in parents])
    return tw.GaussianNetwork(dag, rng.normal(size=n), weights, rng.uniform(0.3, 2, size=n))


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_derivatives_agree_with_complex_steps(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    model = random_network(n, rng)
    target, *seen = rng.permutation(n)[: rng.integers(1, n + 1)].tolist()
    known = {v: float(rng.normal()) for v in seen}
    names = model.schema.names
    found = model.sensitivity(names[target], {names[v]: x for v, x in known.items()})
    answer = model.query(names[target], {names[v]: x for v, x in known.items()})
    assert (found.mean, found.variance) == (answer.mean, answer.variance)
    listed = {(one.variable, one.kind, one.parent): (one.mean, one.variance) for one in found}
    for key, expected in slow_derivatives(model, target, known):
        np.testing.assert_allclose(listed.get(key, (0.0, 0.0)), expected, rtol=1e-9, atol=1e-9, err_msg=key)


def test_numbers_without_a_say_are_left_out():
    schema = tw.Schema([tw.Variable(name) for name in "abc"])
    dag = tw.Dag(schema, [("a", "b"), ("b", "c")])
    model = tw.GaussianNetwork(dag, [0, 1, 2], {"b": {"a": 2.0}, "c": {"b": -1.0}}, [1.0, 0.5, 0.2])
    found = model.sensitivity("b", {"a": 1.0})
    assert {(one.variable, one.kind) for one in found} == {
        ("b", "intercept"), ("b", "coefficient"), ("b", "variance")
    }  # fmt: skip
    assert found.noise("b") == (0.0, 1.0)
    assert found.coefficients("b") == {"a": (1.0, 0.0)}
    assert found.coefficients("c") == {"b": (0.0, 0.0)}
    assert found.to_frame()["number"].tolist()[0] == "coefficient of a in b"
    assert "<table>" in found._repr_html_()


def test_what_cannot_be_asked_is_refused():
    schema = tw.Schema([tw.Variable("x"), tw.Variable("y"), tw.Variable("z")])
    dag = tw.Dag(schema, [("x", "y"), ("y", "z")])
    model = tw.GaussianNetwork(dag, [0, 1, 0], {"y": {"x": 2.0}, "z": {"y": 1.0}}, [1.0, 0.0, 1.0])
    with pytest.raises(EvidenceError) as refused:
        model.sensitivity("x", {"x": 1.0})
    assert str(refused.value) == "x is given, so no number moves it; ask about a variable that is not"
    with pytest.raises(EvidenceError) as refused:
        model.sensitivity("z", {"x": 1.0, "y": 3.0})
    assert str(refused.value) == (
        "the other values determine y already, so no number can move alone; leave it out of what is given"
    )
    with pytest.raises(ImpossibleEvidence):
        model.sensitivity("z", {"x": 1.0, "y": 4.0})
    assert repr(model.sensitivity("y", {"x": 1.0})).startswith("y: mean 3, standard deviation 0 moves most")


def test_what_moves_most_comes_first():
    """By the mean, or by the deviation, half of what moves the variance over the deviation."""
    schema = tw.Schema([tw.Variable("a"), tw.Variable("b")])
    model = tw.GaussianNetwork(tw.Dag(schema, [("a", "b")]), [1.0, 2.0], {"b": {"a": 3.0}}, [100.0, 400.0])
    moved = model.sensitivity("b")
    sizes = {}
    for one in moved:
        sizes[str(one)] = max(abs(one.mean), abs(one.variance) / (2 * np.sqrt(moved.variance)))
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    # 2 w var(a) / 2 sd(b); w^2 / 2 sd(b) and 1 / 2 sd(b), where sd(b)^2 = 9 * 100 + 400
    assert list(sizes.values()) == pytest.approx(
        [300 / np.sqrt(1300), 3.0, 1.0, 9 / (2 * np.sqrt(1300)), 1 / (2 * np.sqrt(1300))]
    )
