"""Very small numbers: a posterior is right to 1e-9 of itself down to 1e-280, and to 1e-280 below.

Everything is compared with enumeration in fractions, so tables may hold whatever a float can.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.inference.random_questions import random_schema
from tests.reference.models.rationals import log_of, margin, masses

import treewright as tw
from treewright.inference import Evidence, Factor, JunctionTreeEngine
from treewright.inference.batch import EvidenceColumns
from treewright.tables.schema import Schema, Variable

SMALLEST = Fraction(1, 10**280)
WAYS = [
    {},
    {"strategy": "masked"},
    {"strategy": "sliced"},
    {"strategy": "pruned"},
    {"strategy": "parts"},
    {"strategy": "sliced", "stored_cells": 0, "streamed_above": 0, "tile": 4},
]


def check_share(found, share):
    """The promise for one probability."""
    if share >= SMALLEST:
        assert abs(Fraction(float(found)) - share) <= share / 10**9, (float(found), float(share))
    else:
        assert 0 <= found <= 2e-280


def tiny_table(rng, shape):
    """Numbers between 1e-300 and 1, some of them zero, at least one of each row ordinary."""
    table = 10.0 ** -rng.choice([0, 20, 60, 100, 150, 200, 250, 300], size=shape) * rng.uniform(0.1, 1, shape)
    table = np.where(rng.random(shape) < 0.1, 0.0, table)
    table[..., -1] = rng.uniform(0.1, 1, shape[:-1])
    return table


def tiny_families(schema, rng):
    """A directed product: rows of tiny tables, scaled to one."""
    families = []
    for v in range(len(schema)):
        parents = tuple(int(u) for u in rng.permutation(v)[: rng.integers(0, 3)])
        table = tiny_table(rng, [schema.cardinalities[u] for u in (*parents, v)])
        families.append(Factor((*parents, v), table / table.sum(axis=-1, keepdims=True)))
    return families


def tiny_potentials(schema, rng):
    scopes = [tuple(int(u) for u in rng.permutation(len(schema))[: rng.integers(1, 4)]) for _ in schema]
    return [Factor(s, tiny_table(rng, [schema.cardinalities[u] for u in s])) for s in scopes]


def tiny_evidence(schema, rng, share=0.4):
    evidence = Evidence()
    for v, r in enumerate(schema.cardinalities):
        chance = rng.random()
        if chance < share:
            evidence.observed.append(v)
            evidence.states.append(int(rng.integers(r)))
        elif chance < share + 0.2:
            evidence.weighted.append(v)
            evidence.likelihoods.append((10.0 ** -rng.choice([0, 40, 200, 290], size=r)).tolist())
    return evidence


def check_answers(engine, factors, evidence, seed=1):
    """Every kind of question against the fractions."""
    cardinalities = engine.schema.cardinalities
    everything = masses(cardinalities, factors, evidence)
    targets = tuple(range(min(2, len(cardinalities))))
    flat, log_mass = engine.marginals(evidence)
    joint, log_joint = engine.joint(targets, evidence)
    states, log_best = engine.most_probable(evidence)
    columns, log_drawn = engine.sample(20, evidence, seed=seed)
    logs = [log_mass, log_joint, log_drawn, engine.log_mass(evidence)]
    if not everything:
        assert {*logs, log_best} == {-math.inf}
        return
    np.testing.assert_allclose(logs, log_of(sum(everything.values())), rtol=1e-12, atol=1e-9)
    at = 0
    for v, r in enumerate(cardinalities):
        shares = margin(everything, (v,))
        for state in range(r):
            check_share(flat[at + state], shares.get((state,), Fraction(0)))
        at += r
    shares = margin(everything, targets)
    for cell in np.ndindex(joint.shape):
        check_share(joint[cell], shares.get(cell, Fraction(0)))
    best = max(everything.values())
    assert abs(everything[tuple(states)] / best - 1) < Fraction(1, 10**9)
    assert log_best == pytest.approx(log_of(best), rel=1e-12, abs=1e-9)
    for row in zip(*columns, strict=True):
        assert tuple(map(int, row)) in everything


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("directed", [True, False])
def test_single_questions_agree_with_fractions(way, directed):
    for number in range(5):
        rng = np.random.default_rng([number, directed])
        schema = random_schema(rng, most=5)
        factors = (tiny_families if directed else tiny_potentials)(schema, rng)
        engine = JunctionTreeEngine(schema, factors, directed=directed, **way)
        for _ in range(3):
            check_answers(engine, factors, tiny_evidence(schema, rng))


@pytest.mark.parametrize("way", WAYS[:5], ids=str)
def test_batches_agree_with_fractions(way):
    for number in range(5):
        rng = np.random.default_rng([number, 7])
        schema = random_schema(rng, most=6)
        factors = tiny_families(schema, rng)
        engine = JunctionTreeEngine(schema, factors, directed=True, **way)
        codes = [rng.integers(0, r, 6).astype(np.uint8) for r in schema.cardinalities]
        missing = [rng.random(6) < 0.6 for _ in codes]
        wanted = tuple(range(len(schema)))
        cells, logs = engine.marginals_many(EvidenceColumns(codes, missing, 6), wanted)
        for row in range(6):
            seen = [v for v in wanted if not missing[v][row]]
            evidence = Evidence(seen, [int(codes[v][row]) for v in seen])
            everything = masses(schema.cardinalities, factors, evidence)
            if not everything:
                assert logs[row] == -math.inf
                assert np.isnan(cells[row]).all()
                continue
            assert logs[row] == pytest.approx(log_of(sum(everything.values())), rel=1e-12, abs=1e-9)
            at = 0
            for v, r in enumerate(schema.cardinalities):
                shares = margin(everything, (v,))
                for state in range(r):
                    check_share(cells[row, at + state], shares.get((state,), Fraction(0)))
                at += r


def turncoat(sizes):
    """A cause and its effects, seen one by one along a chain: first a is likelier, then b, by `sizes`."""
    n = len(sizes)
    schema = Schema(Variable(f"{kind}{i}", (0, 1)) for kind in "ho" for i in range(n))
    same = np.eye(2)
    factors = [Factor((0,), np.array([0.5, 0.5]))]
    factors += [Factor((i - 1, i), same) for i in range(1, n)]
    for i, (a, b) in enumerate(sizes):
        factors.append(Factor((i, n + i), np.array([[a, 1 - a], [b, 1 - b]])))
    return schema, factors, Evidence(list(range(n, 2 * n)), [0] * n)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(
    "sizes",
    [
        [(1, 1e-200), (1, 1e-200), (1e-250, 1), (1e-250, 1)],  # b wins in the end, by 1e100
        [(1, 1e-200), (1, 1e-200), (1e-190, 1), (1e-150, 1)],  # a wins by 1e60
        [(1, 1e-160), (1, 1e-160), (1, 1e-160), (1e-240, 1), (1e-239, 1)],  # and ten to one
        [(0.5, 5e-324), (0.5, 5e-324), (5e-324, 0.5), (5e-324, 0.25)],
    ],
)
def test_what_seemed_lost_may_still_win(way, sizes):
    schema, factors, evidence = turncoat(sizes)
    engine = JunctionTreeEngine(schema, factors, directed=True, **way)
    a, b = (math.prod(Fraction(pair[i]) for pair in sizes) for i in (0, 1))
    n = len(sizes)
    codes = [None] * n + [np.zeros(5, np.uint8)] * n
    cells, logs = engine.marginals_many(EvidenceColumns(codes, [None] * 2 * n, 5), tuple(range(n)))
    flat, log_mass = engine.marginals(evidence)
    for found in (flat[: 2 * n], *cells):
        for i in range(n):
            check_share(found[2 * i], a / (a + b))
            check_share(found[2 * i + 1], b / (a + b))
    np.testing.assert_allclose([log_mass, *logs], log_of((a + b) / 2), rtol=1e-12)
    states, log_best = engine.most_probable(evidence)
    assert states[:n] == [int(b > a)] * n
    assert log_best == pytest.approx(log_of(max(a, b) / 2), rel=1e-12)


@pytest.mark.parametrize("way", WAYS[:5], ids=str)
@pytest.mark.parametrize("every", [2, 3])
def test_a_long_chain_of_unlikely_steps(way, every):
    """What a tree keeps of the mass falls below any number on the way; the answers stay."""
    n, rare = 300, 1e-5
    schema = Schema(Variable(f"x{i}", (0, 1, 2)) for i in range(n))
    step = np.random.default_rng(1).random((3, 3)) * rare
    step[:, 2] = 1 - step[:, :2].sum(axis=1)
    factors = [Factor((0,), np.array([0.5, 0.25, 0.25]))] + [Factor((i - 1, i), step) for i in range(1, n)]
    engine = JunctionTreeEngine(schema, factors, directed=True, **way)
    seen = list(range(0, n, every))
    flat, log_mass = engine.marginals(Evidence(seen, [0] * len(seen)))
    codes = [np.zeros(5, np.uint8) if i in seen else None for i in range(n)]
    cells, logs = engine.marginals_many(EvidenceColumns(codes, [None] * n, 5), tuple(range(n)))
    # between two observations there are `every` steps from 0 to 0
    ahead = [np.linalg.matrix_power(step, k) for k in range(every + 1)]
    between = [ahead[k][0] * ahead[every - k][:, 0] / ahead[every][0, 0] for k in range(every)]
    last = seen[-1]
    expected = [between[i % every] if i < last else ahead[i - last][0] for i in range(n)]
    for found in (flat, *cells):
        np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-9)
    log_expected = math.log(0.5) + (len(seen) - 1) * math.log(ahead[every][0, 0])
    np.testing.assert_allclose([log_mass, *logs], log_expected, rtol=1e-12)


def test_evidence_around_the_smallest_numbers_keeps_its_digits():
    # masses from 1e-270 to 1e-340, where plain numbers lose one digit after the other
    for power in range(270, 341, 2):
        schema, factors, evidence = turncoat([(10.0 ** -(power / 4), 3 * 10.0 ** -(power / 4))] * 4)
        for way in WAYS:
            check_answers(JunctionTreeEngine(schema, factors, directed=True, **way), factors, evidence)


def test_models_keep_it():
    schema = tw.Schema([tw.Variable("cause", ("a", "b")), *(tw.Variable(f"e{i}", (0, 1)) for i in range(3))])
    tables = {"cause": [0.5, 0.5]} | {f"e{i}": [[1e-120, 1.0], [0.5, 0.5]] for i in range(3)}
    model = tw.BayesianNetwork(tw.Dag(schema, [("cause", f"e{i}") for i in range(3)]), tables)
    given = {f"e{i}": 0 for i in range(2)}
    rows = {name: [state] * 6 for name, state in given.items()}
    expected = float(Fraction(1e-120) ** 2 / (Fraction(1e-120) ** 2 + Fraction(1, 4)))
    assert model.query("cause", given)["a"] == pytest.approx(expected, rel=1e-9)
    assert model.marginals(given)["cause"]["a"] == pytest.approx(expected, rel=1e-9)
    assert model.marginals_many(rows).array("cause")[:, 0] == pytest.approx(expected, rel=1e-9)
    assert model.predict_table(rows, "cause").array[:, 0] == pytest.approx(expected, rel=1e-9)
    assert model.probability_of({**given, "cause": "a"}) == pytest.approx(0.5e-240, rel=1e-9)
