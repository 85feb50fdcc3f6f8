"""Samples by Gibbs chains: estimates against exact marginals, diagnostics, and refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.undirected.random_markov import positive, random_markov_network

import treewright as tw
from treewright.errors import EvidenceError, ImpossibleEvidence, SettingError
from treewright.models import GibbsSample

SCHEMA = tw.Schema([tw.Variable(name, ("no", "yes")) for name in "abc"])
AGREE = [[3.0, 1.0], [1.0, 3.0]]
CHAIN = tw.MarkovNetwork(SCHEMA, {("a", "b"): AGREE, ("b", "c"): AGREE, "a": [1.0, 2.0]})


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_estimates_approach_the_exact_marginals(seed):
    model = positive(random_markov_network(seed)[0])
    name = model.schema.names[0]
    known = {name: model.schema[name].states[0]}
    sample = tw.models.sample_gibbs(model, 4_000, known, rng=np.random.default_rng(seed), burn_in=200)
    np.testing.assert_allclose(sample.marginals().cells, model.marginals(known).cells, atol=0.05)


def test_rows_have_the_right_joint_frequencies():
    sample = tw.models.sample_gibbs(CHAIN, 20_000, rng=np.random.default_rng(2))
    a, c = (np.asarray(sample.table.columns[v]) for v in (0, 2))
    share = np.bincount(2 * a + c, minlength=4).reshape(2, 2) / sample.table.n_rows
    np.testing.assert_allclose(share, CHAIN.query(["a", "c"]).array, atol=0.015)
    assert sample.n_rows == 20_000
    assert max(sample.r_hat().values()) < 1.01
    sizes = sample.effective_sample_size()
    assert all(2_000 < size < 80_000 for size in sizes.values())  # neighbours hold each other back


def test_soft_evidence_and_observed_variables():
    known = {"a": {"no": 0.9, "yes": 0.1}, "c": "yes"}
    sample = tw.models.sample_gibbs(CHAIN, 10_000, known, rng=np.random.default_rng(2))
    np.testing.assert_allclose(sample.marginals().cells, CHAIN.marginals(known).cells, atol=0.02)
    assert set(sample.table.labels("c").tolist()) == {"yes"}
    assert sample.r_hat()["c"] == 1.0
    assert sample.effective_sample_size()["c"] == 40_000


def test_chains_do_not_depend_on_how_many_there_are_or_on_column_order():
    few = tw.models.sample_gibbs(CHAIN, 50, rng=np.random.default_rng(4), chains=2)
    many = tw.models.sample_gibbs(CHAIN, 50, rng=np.random.default_rng(4), chains=5)
    assert all(np.array_equal(a, b[:100]) for a, b in zip(few.table.columns, many.table.columns, strict=True))
    turned = tw.Schema(reversed(SCHEMA.variables))
    factors = [(SCHEMA.names_of(f.scope), f.table) for f in CHAIN.factors]
    start = dict.fromkeys("abc", "no")
    one, other = (
        tw.models.sample_gibbs(model, 50, rng=np.random.default_rng(4), start=start).table
        for model in (CHAIN, tw.MarkovNetwork(turned, factors))
    )
    assert all(one.labels(name).tolist() == other.labels(name).tolist() for name in "abc")


def test_a_bayesian_network_can_be_sampled_too():
    sample = tw.models.sample_gibbs(tw.load_network("asia"), 10, rng=np.random.default_rng(1), chains=1)
    assert np.isfinite(tw.load_network("asia").log_probability(sample.table)).all()


def test_walls_between_states_show_in_r_hat():
    pair = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1))])
    model = tw.MarkovNetwork(pair, {("a", "b"): np.eye(2)})
    sample = tw.models.sample_gibbs(model, 100, rng=np.random.default_rng(1), chains=8)
    assert sample.r_hat()["a"] == np.inf


def test_the_engine_gives_starts_that_no_walk_finds():
    # the only joint state: the parity of each triple points away from it almost everywhere
    n = 20
    schema = tw.Schema([tw.Variable(f"v{i:02}", (0, 1)) for i in range(n)])
    parity = np.indices((2, 2, 2)).sum(axis=0) % 2 == 1
    factors = [((i, i + 1, i + 2), parity.astype(float)) for i in range(n - 2)]
    model = tw.MarkovNetwork(schema, factors)
    sample = tw.models.sample_gibbs(model, 5, {"v00": 1, "v01": 1}, rng=np.random.default_rng(1), burn_in=1)
    assert np.isfinite(model.log_probability(sample.table)).all()


def test_refusals():
    rng = np.random.default_rng(1)
    barred = tw.MarkovNetwork(SCHEMA, {("a", "b"): [[1, 0], [0, 1]]})
    with pytest.raises(ImpossibleEvidence) as error:
        tw.models.sample_gibbs(barred, 1, rng=rng, start={"a": "no", "b": "yes", "c": "no"})
    assert str(error.value) == "the start has probability zero: a='no', b='yes' cannot happen together"
    with pytest.raises(ImpossibleEvidence, match="a='no', b='yes' has probability zero under the model"):
        tw.models.sample_gibbs(barred, 1, {"a": "no", "b": "yes"}, rng=rng)
    with pytest.raises(EvidenceError, match="a state for every variable; 'c' has none"):
        tw.models.sample_gibbs(CHAIN, 1, rng=rng, start={"a": "no", "b": "yes"})
    with pytest.raises(EvidenceError, match="put 'a' in different states"):
        tw.models.sample_gibbs(CHAIN, 1, {"a": "yes"}, rng=rng, start=dict.fromkeys("abc", "no"))
    with pytest.raises(SettingError, match="chains is at least 1; found 0"):
        tw.models.sample_gibbs(CHAIN, 1, rng=rng, chains=0)
    with pytest.raises(SettingError, match="thinning is at least 1; found 0"):
        tw.models.sample_gibbs(CHAIN, 1, rng=rng, thinning=0)
    with pytest.raises(TypeError, match="rng is a numpy Generator"):
        tw.models.sample_gibbs(CHAIN, 1, rng=7)
    short = tw.models.sample_gibbs(CHAIN, 3, rng=rng)
    assert isinstance(short, GibbsSample)
    with pytest.raises(SettingError, match="R-hat needs at least 4 rows of each chain; found 3"):
        short.r_hat()
    with pytest.raises(SettingError, match="needs 4 rows of each chain; found 3"):
        short.effective_sample_size()


def test_no_start_and_no_engine_is_said(monkeypatch):
    side = 24  # a grid whose tree does not fit, with a contradiction that no walk mends
    schema = tw.Schema([tw.Variable(f"v{i:03}", (0, 1)) for i in range(side * side)])
    pairs = [(i, i + 1) for i in range(side * side - 1) if i % side < side - 1]
    pairs += [(i, i + side) for i in range(side * (side - 1))]
    factors = [(pair, [[2.0, 1.0], [1.0, 2.0]]) for pair in pairs]
    model = tw.MarkovNetwork(schema, [*factors, ((0, 1), np.eye(2)), ((0, 1), 1 - np.eye(2))])
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "1MiB")
    with pytest.raises(ImpossibleEvidence, match=r"no joint state of positive .* pass start="):
        tw.models.sample_gibbs(model, 1, rng=np.random.default_rng(1), chains=1)
