"""Derivatives by the numbers of mixed networks, against differences of answers found by enumeration."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.models.discrete.test_sensitivity import moved_row
from tests.reference.models.mixtures import brute_force, moments_of, random_mixed

import treewright as tw
from treewright.errors import EvidenceError, SchemaError
from treewright.models import ConditionalGaussianNetwork, Lines

STEP = 1e-5


def answer_of(model, known, target, state):
    """A probability, or a mean and a variance, joint state by joint state."""
    found = brute_force(model, known)
    if state is not None:
        code = model.schema[target].states.index(state)
        shares = [weight * (one[target] == code) for one, weight, _, _ in found]
        return np.array([sum(shares) / sum(weight for _, weight, _, _ in found)])
    _, mean, spread = moments_of(found)
    at = model.continuous.index(target)
    return np.array([mean[at], spread[at, at]])


def with_number(model, name, kind, parent, at, value):
    """The same network with one number elsewhere; of a table, the rest of its row scaled."""
    tables = {n: np.array(model.discrete.table(n)) for n in model.schema.names if model.schema[n].is_discrete}
    lines = {n: model.lines(n) for n in model.continuous}
    if kind == "probability":
        tables[name][at[:-1]] = moved_row(tables[name][at[:-1]], at[-1], value)
    else:
        own = lines[name]
        parts = {"intercept": np.array(own.intercepts), "variance": np.array(own.variances)}
        slopes = {p: np.array(c) for p, c in own.coefficients.items()}
        (slopes[parent] if kind == "coefficient" else parts[kind])[at] = value
        lines[name] = Lines(parts["intercept"], slopes, parts["variance"])
    return ConditionalGaussianNetwork(model.dag, tables, lines)


def slow(model, known, target, state, key, at, value):
    """The difference of two answers; at the edge of a probability one of them lies there."""
    low, high = value - STEP, value + STEP
    if key[1] == "probability":
        low, high = max(low, 0.0), min(high, 1.0)
    ends = [answer_of(with_number(model, *key, at, x), known, target, state) for x in (low, high)]
    return (ends[1] - ends[0]) / (high - low)


def evidence_of(model, rng, share=0.5):
    row, known = model.sample(1, rng=rng), {}
    for name in model.schema.names:
        cell, states = row.column(name)[0], model.schema[name].states
        if rng.random() < share:
            known[name] = float(cell) if states is None else states[cell]
            if states is not None and rng.random() < 0.4:
                known[name] = dict(zip(states, rng.uniform(0.1, 1, len(states)).tolist(), strict=True))
    return known


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), n_discrete=st.integers(0, 3), n_continuous=st.integers(0, 4))
def test_derivatives_agree_with_differences(seed, n_discrete, n_continuous):
    rng = np.random.default_rng(seed)
    assume(n_discrete + n_continuous)
    model = random_mixed(rng, n_discrete, n_continuous, density=0.6)
    known = evidence_of(model, rng)
    free = [n for n in model.schema.names if not isinstance(known.get(n, {}), str | float)]
    assume(free)
    target = str(rng.choice(free))
    states = model.schema[target].states
    state = None if states is None else str(rng.choice(states))
    found = model.sensitivity(target, state, known)
    assert list(found.answer.values()) == pytest.approx(
        answer_of(model, known, target, state).tolist(), rel=1e-9, abs=1e-12
    )
    listed = sum(np.any(np.abs(found.derivatives(*key)) > 1e-12, axis=0).sum() for key in found._found.values)
    assert len(list(found)) == len(found) <= listed
    assert repr(found)
    for key, (values, _) in found._found.values.items():
        for at in np.ndindex(values.shape):
            told = [one[at] for one in found.derivatives(*key)]
            if key[1] == "probability" and values.shape[-1] == 1:
                assert told == [0.0] * len(told)
                continue
            expected = slow(model, known, target, state, key, at, float(values[at]))
            np.testing.assert_allclose(told, expected, rtol=2e-4, atol=2e-4 * (1 + abs(expected).max()))


def test_zeros_move_too():
    schema = tw.Schema(
        [tw.Variable("sky", ("clear", "grey")), tw.Variable("rain", ("no", "yes")), tw.Variable("sun")]
    )
    dag = tw.Dag(schema, [("sky", "rain"), ("sky", "sun"), ("rain", "sun")])
    lines = {"sun": Lines([[8.0, 4.0], [3.0, 1.0]], {}, [[1.0, 2.0], [1.0, 0.5]])}
    model = ConditionalGaussianNetwork(dag, {"sky": [0.3, 0.7], "rain": [[1.0, 0.0], [0.4, 0.6]]}, lines)
    for target, state in (("rain", "yes"), ("sun", None)):
        known = {"sun": 5.0} if state else {"sky": {"clear": 1.0, "grey": 0.2}}
        found = model.sensitivity(target, state, known)
        for at in np.ndindex(2, 2):
            told = [one[at] for one in found.derivatives("rain")]
            key, value = ("rain", "probability", None), float(model.discrete.table("rain")[at])
            expected = slow(model, known, target, state, key, at, value)
            np.testing.assert_allclose(told, expected, rtol=1e-4, atol=1e-6)


def test_what_is_said():
    schema = tw.Schema([tw.Variable("sky", ("clear", "grey")), tw.Variable("sun"), tw.Variable("heat")])
    dag = tw.Dag(schema, [("sky", "sun"), ("sky", "heat"), ("sun", "heat")])
    lines = {"sun": Lines([8.0, 4.0], {}, [1.0, 4.0]), "heat": Lines([6, 6], {"sun": [2, 1.5]}, [1, 1])}
    model = ConditionalGaussianNetwork(dag, {"sky": [0.25, 0.75]}, lines)
    found = model.sensitivity("heat", given={"sky": "grey"})
    assert {str(one) for one in found} == {
        "coefficient of sun in heat | sky=grey",
        "intercept of heat | sky=grey",
        "intercept of sun | sky=grey",
        "variance of heat | sky=grey",
        "variance of sun | sky=grey",
    }
    assert repr(found).startswith("heat: mean 12, standard deviation 3.16228 moves most with\n")
    assert list(found.to_frame()) == ["number", "value", "mean", "variance"]
    assert "moves the mean by" in found._repr_html_()
    told = next(iter(found))
    assert (told.parent, told.given, told.moves["mean"]) == ("sun", {"sky": "grey"}, pytest.approx(4.0))
    for wrong, why in (
        ({"target": "sky"}, "one of them is asked about"),
        ({"target": "heat", "state": "grey"}, "has no states"),
    ):
        with pytest.raises(SchemaError, match=why):
            model.sensitivity(**wrong)
    with pytest.raises(EvidenceError, match="heat is given"):
        model.sensitivity("heat", given={"heat": 1.0})
