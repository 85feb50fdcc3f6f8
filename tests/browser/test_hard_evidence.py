"""Twins where answers are hard to come by: every kind of model, with evidence nearly or quite impossible."""

import math

import numpy as np
import pytest
from tests.browser.test_engines import ASK, check, open_page, worded
from tests.reports.explorer.test_explorer import published

import treewright as tw
from treewright.inference import Evidence
from treewright.models import FeatureNetwork, MarkovNetwork

TINY = 1e-250  # three of them are below every double


def asked_of(model, seed=11):
    """A drawn row's evidence, hard and soft; the same made rare by tiny likelihoods; and the impossible."""
    rng = np.random.default_rng(seed)
    codes = [int(column[0]) for column in model.sample(1, rng=rng).columns]
    order = rng.permutation(len(codes)).tolist()
    soft = order[:3]
    weights = [rng.uniform(0.1, 1, model.schema.cardinalities[v]) for v in soft]
    hard = Evidence(order[3:6], [codes[v] for v in order[3:6]])
    plain = Evidence(hard.observed, hard.states, soft, [w.tolist() for w in weights])
    rare = Evidence(hard.observed, hard.states, soft, [(TINY * w).tolist() for w in weights])
    return [Evidence(), hard, plain, rare]


def impossible(model):
    """A state that the model never has, or two that it never has together; None where there are none."""
    schema = model.schema
    for v in range(len(schema)):
        for s, state in enumerate(schema[v].states):
            if model.query(schema.names[v]).array[s] == 0:
                return Evidence([v], [s])
            given = model.marginals({schema.names[v]: state})
            for u in range(v + 1, len(schema)):
                (never,) = np.nonzero(given.array(schema.names[u]) == 0)
                if len(never):
                    return Evidence([v, u], [s, int(never[0])])
    return None


def learned(learner):
    rows = tw.load_network("asia").sample(600, rng=np.random.default_rng(4))
    found = getattr(tw, learner)(tw.count(rows))
    return FeatureNetwork(getattr(found, "structure", found))


SMALL = {
    "alarm": lambda: tw.load_network("alarm"),
    "asia": lambda: tw.load_network("asia"),
    "markov": lambda: MarkovNetwork.of(tw.load_network("asia")),
    "mixture": lambda: learned("learn_mixture"),
    "hidden tree": lambda: learned("learn_hidden_tree"),
}
WITHOUT_ZEROS = (
    "mixture",
    "hidden tree",
)  # of two states; no likelihood at all is impossible everywhere


def check_hard(engines, model, name):
    open_page(engines, model)
    questions = asked_of(model)
    rare = model.marginals(worded(model.schema, questions[3]))
    assert rare.log_probability_of_evidence < -700
    never = impossible(model)
    assert (never is None) == (name in WITHOUT_ZEROS)
    check(engines, model, questions if never is None else [*questions, never])
    last = len(model.schema) - 1
    (found,) = engines.evaluate(ASK, [[[last, [0.0] * model.schema.cardinalities[last]]]])
    assert found["conflict"] == [last]


@pytest.mark.parametrize("name", SMALL)
def test_hard_soft_rare_and_impossible(engines, name):
    check_hard(engines, SMALL[name](), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hailfinder", "andes", "pigs"])
def test_the_same_of_published_networks(engines, name):
    check_hard(engines, published(name), name)


def test_values_far_from_what_a_gaussian_network_expects(engines):
    schema = tw.Schema([tw.Variable(name) for name in "abc"])
    dag = tw.Dag(schema, [("a", "b"), ("b", "c")])
    model = tw.GaussianNetwork(dag, [0.0, 1.0, 2.0], {"b": {"a": 2.0}, "c": {"b": -1.0}}, [1.0, 0.5, 0.2])
    given = {"a": 60.0, "c": -40.0}
    assert model.log_density_of(given) < -700
    open_page(engines, model)
    (found,) = engines.evaluate(ASK, [[[0, 60.0], [2, -40.0]]])
    answer = model.marginals(given)
    np.testing.assert_allclose(found["out"][::2], answer.means, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["out"][1::2], np.sqrt(answer.variances), rtol=1e-9, atol=1e-9)
    assert found["logMass"] == pytest.approx(model.log_density_of(given), rel=1e-9)
    assert math.isfinite(found["bestLog"])
