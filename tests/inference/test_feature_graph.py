"""Questions to feature graphs of every kind against enumeration by the plain twin."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.features.random_features import DETERMINISTIC, random_features
from tests.reference.models.enumeration import summed_to, with_evidence
from tests.reference.models.feature_graphs import joint_table

import treewright as tw
from treewright import _core
from treewright.errors import ImpossibleEvidence, NoExactAnswer, TableTooLarge
from treewright.inference import Evidence, FeatureGraphEngine
from treewright.inference.batch import EvidenceColumns

seeds = st.integers(0, 10**6)


def random_evidence(schema, rng):
    """Hard and soft evidence on some variables; it may be impossible."""
    evidence = Evidence()
    for v, variable in enumerate(schema):
        chance = rng.random()
        if chance < 0.25:
            evidence.observed.append(v)
            evidence.states.append(int(rng.integers(variable.cardinality)))
        elif chance < 0.4:
            likelihood = rng.random(variable.cardinality) * rng.choice([1e-3, 1.0, 50.0])
            if rng.random() < 0.3:
                likelihood[rng.integers(len(likelihood))] = 0.0
            if likelihood.any():
                evidence.weighted.append(v)
                evidence.likelihoods.append(likelihood.tolist())
    return evidence


def every_row(schema):
    shape = schema.cardinalities
    return [np.ascontiguousarray(a.ravel(), dtype=np.uint8) for a in np.indices(shape)]


@pytest.mark.slow
@settings(max_examples=150)
@given(seeds)
def test_questions_agree_with_enumeration(seed):
    graph = random_features(seed)
    engine, rng, joint = FeatureGraphEngine(graph), np.random.default_rng(seed), joint_table(graph)
    assert abs(joint.sum() - 1) < 1e-12
    codes = every_row(graph.schema)
    logs = engine.log_probability(codes, joint.size)
    np.testing.assert_allclose(np.exp(logs), joint.ravel(), rtol=1e-10, atol=1e-15)
    columns = EvidenceColumns(codes, [None] * len(codes), joint.size)
    np.testing.assert_allclose(np.exp(engine.log_mass_many(columns)), joint.ravel(), rtol=1e-10, atol=1e-15)

    evidence = random_evidence(graph.schema, rng)
    masked = with_evidence(joint, evidence)
    mass = masked.sum()
    assert math.exp(engine.log_mass(evidence)) == pytest.approx(mass, rel=1e-10)
    if mass == 0:
        assert engine.marginals(evidence)[1] == engine.joint((0,), evidence)[1] == -math.inf
        assert engine.most_probable_bound(evidence)[1:] == (-math.inf, -math.inf)
        assert engine.sample(3, evidence, seed=1)[1] == -math.inf
        return
    posterior = masked / mass
    cells, log_mass = engine.marginals(evidence)
    assert math.exp(log_mass) == pytest.approx(mass, rel=1e-10)
    expected = np.concatenate([summed_to(posterior, (v,)) for v in range(joint.ndim)])
    np.testing.assert_allclose(cells, expected, atol=1e-12)
    targets = tuple(int(v) for v in rng.permutation(joint.ndim)[:2])
    table, _ = engine.joint(targets, evidence)
    np.testing.assert_allclose(table, summed_to(posterior, targets), atol=1e-12)

    best, log_best, log_bound = engine.most_probable_bound(evidence)
    assert math.exp(log_best) == pytest.approx(masked[tuple(best)], rel=1e-9)
    assert log_best <= math.log(masked.max()) + 1e-9 <= log_bound + 2e-9
    if graph.is_deterministic:
        assert math.exp(log_best) == pytest.approx(masked.max(), rel=1e-9)


@pytest.mark.slow
@settings(max_examples=60)
@given(seeds)
def test_many_rows_with_missing_cells_are_each_right(seed):
    graph = random_features(seed)
    engine, rng, joint = FeatureGraphEngine(graph), np.random.default_rng(seed), joint_table(graph)
    n = 40
    codes = [rng.integers(0, r, n).astype(np.uint16) for r in joint.shape]
    missing = [rng.random(n) < 0.5 for _ in joint.shape]
    codes[0], missing[0] = None, None
    cells, logs = engine.marginals_many(EvidenceColumns(codes, missing, n), tuple(range(joint.ndim)))
    np.testing.assert_allclose(engine.log_mass_many(EvidenceColumns(codes, missing, n)), logs, atol=1e-12)
    for row in range(n):
        seen = [v for v in range(1, joint.ndim) if not missing[v][row]]
        evidence = Evidence(seen, [int(codes[v][row]) for v in seen])
        masked = with_evidence(joint, evidence)
        assert math.exp(logs[row]) == pytest.approx(masked.sum(), rel=1e-10)
        if not masked.any():
            assert np.isnan(cells[row]).all()
            continue
        expected = [summed_to(masked / masked.sum(), (v,)) for v in range(joint.ndim)]
        np.testing.assert_allclose(cells[row], np.concatenate(expected), atol=1e-12)


@settings(max_examples=60)
@given(seeds)
def test_expected_counts_of_complete_rows_are_their_counts(seed):
    graph = random_features(seed, DETERMINISTIC)
    engine, rng = FeatureGraphEngine(graph), np.random.default_rng(seed)
    codes, _ = engine.sample(50, seed=seed)
    codes = [np.ascontiguousarray(c) for c in codes]
    weights = rng.integers(0, 4, 50).astype(np.float64)
    counted, lost = engine.counts(codes, 50, weights)
    columns = EvidenceColumns(list(codes), [None] * len(codes), 50)
    expected, log_likelihood = engine.expected_counts(columns, weights)
    assert lost == 0
    np.testing.assert_allclose(expected, counted, atol=1e-9)
    assert log_likelihood == pytest.approx(float(weights @ engine.log_probability(codes, 50)), rel=1e-9)


def wide_hidden(n=40, star=False, h=4, autoregressive=False, seed=5):
    """A hidden tree over many variables of two or three states."""
    rng = np.random.default_rng(seed)
    schema = tw.Schema([tw.Variable(f"x{v}", tuple(range(2 + v % 2))) for v in range(n)])
    builder = tw.graphs.FeatureGraphBuilder(schema)

    def shares(*shape):
        draws = rng.standard_exponential(shape)
        return draws / draws.sum(axis=-1, keepdims=True)

    parents = {v: None if v == 0 else 0 if star else (v - 1) // 2 for v in range(n)}
    emissions = []
    for v, p in parents.items():
        contexts = [2 + p % 2] if autoregressive and p is not None else []
        emissions.append(shares(*contexts, h, 2 + v % 2))
    transitions = [shares(h) if p is None else shares(h, h) for p in parents.values()]
    return builder.graph(builder.hidden(parents, transitions, emissions, autoregressive=autoregressive))


@pytest.mark.parametrize("autoregressive", [False, True])
def test_a_star_of_five_hundred_hidden_variables_stays_finite(autoregressive):
    graph = wide_hidden(501, star=True, h=16, autoregressive=autoregressive)
    engine = FeatureGraphEngine(graph)
    codes, log_mass = engine.sample(20, seed=3)
    assert log_mass == pytest.approx(0, abs=1e-9)
    logs = engine.log_probability(codes, 20)
    assert np.isfinite(logs).all()
    columns = EvidenceColumns([np.ascontiguousarray(c) for c in codes], [None] * 501, 20)
    np.testing.assert_allclose(engine.log_mass_many(columns), logs, rtol=1e-12)
    cells, logs = engine.marginals_many(
        EvidenceColumns(columns.codes[:250] + [None] * 251, [None] * 501, 20), (0, 400)
    )
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(cells[:, 2:].sum(axis=1), 1)


@pytest.mark.parametrize("autoregressive", [False, True])
def test_threads_do_not_change_an_answer(autoregressive):
    graph = wide_hidden(autoregressive=autoregressive)
    engine, rng = FeatureGraphEngine(graph), np.random.default_rng(2)
    missing = [rng.random(900) < 0.4 for _ in graph.schema]
    answers = []
    try:
        for threads in (1, 3):
            _core.set_threads(threads)
            rows, _ = engine.sample(900, seed=9)
            codes = [np.ascontiguousarray(c) for c in rows]
            columns = EvidenceColumns(codes, missing, 900)
            counts, total = engine.expected_counts(columns)
            cells, logs = engine.marginals_many(EvidenceColumns(codes, missing, 900), (3, 5))
            answers.append([*codes, counts, total, cells, logs, engine.log_probability(codes, 900)])
    finally:
        _core.set_threads(0)
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_first_rows_of_a_longer_sample_are_a_shorter_one():
    engine = FeatureGraphEngine(random_features(12))
    long, _ = engine.sample(3000, seed=4)
    short, _ = engine.sample(700, seed=4, first_row=2000)
    for one, other in zip(long, short, strict=True):
        np.testing.assert_array_equal(one[2000:2700], other)


@pytest.mark.parametrize("seed", [3, 8, 21, 30])
def test_samples_have_the_right_frequencies(seed):
    """Single and pair frequencies within five standard errors; what is observed is always respected."""
    graph = random_features(seed, n=4)
    engine, n, joint = FeatureGraphEngine(graph), 100_000, joint_table(graph)
    rng = np.random.default_rng(seed)
    cell = np.unravel_index(int(rng.choice(joint.size, p=joint.ravel() / joint.sum())), joint.shape)
    for evidence in (Evidence(), Evidence([1], [int(cell[1])])):
        masked = with_evidence(joint, evidence)
        masked = masked / masked.sum()
        rows, _ = engine.sample(n, evidence, seed=seed)
        for v, code in zip(evidence.observed, evidence.states, strict=True):
            assert (rows[v] == code).all()
        for pair in ((0, 1), (1, 2), (0, 3), (2, 3)):
            expected = summed_to(masked, pair)
            flat = np.ravel_multi_index([rows[v] for v in pair], expected.shape)
            found = np.bincount(flat, minlength=expected.size).reshape(expected.shape) / n
            error = np.sqrt(expected * (1 - expected) / n)
            assert (np.abs(found - expected) <= 5 * error + 1e-12).all()


def test_impossible_evidence_names_a_minimal_part():
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in "abc"])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    pair = builder.table(["a", "b"], [[0.5, 0.25], [0.25, 0.0]])
    engine = FeatureGraphEngine(builder.graph(builder.product([pair, builder.table("c", [0.5, 0.5])])))
    with pytest.raises(ImpossibleEvidence) as caught:
        engine.refuse_impossible(Evidence([0, 1, 2], [1, 1, 0]))
    assert str(caught.value) == (
        "evidence a='yes', b='yes', c='no' has probability zero under the model; a='yes', b='yes' cannot "
        "happen together"
    )


def test_exact_answers_that_there_are_not_are_refused():
    engine = FeatureGraphEngine(wide_hidden(3))
    with pytest.raises(NoExactAnswer, match="mpe_bound gives a good row with a lower and an upper bound"):
        engine.most_probable()


def test_tables_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "1MiB")
    engine = FeatureGraphEngine(wide_hidden(60))
    assert engine.cost(targets=tuple(range(40))).refused
    with pytest.raises(TableTooLarge, match=r"this question needs a table over 'x0', 'x1', .* and 28 more"):
        engine.joint(tuple(range(40)))
    assert not engine.cost().refused


def test_codes_that_are_no_states_are_refused():
    engine = FeatureGraphEngine(wide_hidden(2))
    with pytest.raises(ValueError, match="code 7 in a column of 2 states"):
        engine.log_probability([np.array([7], np.uint8), np.array([0], np.uint8)], 1)
    columns = EvidenceColumns([np.array([7], np.uint8), None], [None, None], 1)
    with pytest.raises(ValueError, match="code 7 in a column of 2 states"):
        engine.log_mass_many(columns)
