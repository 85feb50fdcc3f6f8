import concurrent.futures
import math
import os
import pickle
import time

import numpy as np
import pytest
from tests.inference.random_questions import (
    random_evidence,
    random_families,
    random_potentials,
    random_schema,
)
from tests.learners.interrupts import needs_a_timer, seconds_to_stop
from tests.reference.graphs.elimination import EliminationEngine
from tests.reference.models.enumeration import product_table, summed_to, with_evidence

from treewright import _core
from treewright.errors import ImpossibleEvidence, SchemaError, TableTooLarge
from treewright.inference import Evidence, Factor, JunctionTreeEngine
from treewright.inference.batch import EvidenceColumns
from treewright.networks import load_network, random_network
from treewright.tables.schema import Schema, Variable

# the bar is 2,000 networks; TREEWRIGHT_FUZZ=10 asks for ten times as many
N_NETWORKS = 2000 * int(os.environ.get("TREEWRIGHT_FUZZ", "1"))
N_PARTS = 10
WAYS = [
    {"strategy": "masked"},
    {"strategy": "sliced"},
    {"strategy": "pruned"},
    {"strategy": "sliced", "hubs": False},
    {"strategy": "sliced", "stored_cells": 0, "streamed_above": 0, "tile": 4},
    {"strategy": "pruned", "stored_cells": 0, "streamed_above": 1, "tile": 4},
]


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


def check_engine(engine, product, evidence, targets, seed):
    """Every kind of question against the full table."""
    product = with_evidence(product, evidence)
    total = product.sum()
    flat, log_mass = engine.marginals(evidence)
    joint, log_joint = engine.joint(targets, evidence)
    states, log_best = engine.most_probable(evidence)
    columns, log_drawn = engine.sample(20, evidence, seed=seed)
    logs = [log_mass, log_joint, log_drawn, engine.log_mass(evidence)]
    if total == 0:
        assert {*logs, log_best} == {-math.inf}
        return
    np.testing.assert_allclose(logs, np.log(total), rtol=1e-9, atol=1e-12)
    expected = [summed_to(product, (v,)) / total for v in range(product.ndim)]
    close(flat, np.concatenate(expected))
    close(joint, summed_to(product, targets) / total)
    close(product[tuple(states)], product.max())
    np.testing.assert_allclose(log_best, np.log(product.max()), rtol=1e-9, atol=1e-12)
    assert (product[tuple(columns)] > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(N_PARTS))
def test_every_question_agrees_with_enumeration(part):
    for number in range(part, N_NETWORKS, N_PARTS):
        rng = np.random.default_rng([number, 1])
        schema = random_schema(rng)
        directed = number % 3 > 0
        factors = (random_families if directed else random_potentials)(schema, rng)
        product = product_table(schema.cardinalities, factors)
        targets = tuple(int(v) for v in rng.permutation(len(schema))[: rng.integers(0, 4, endpoint=True)])
        evidence = random_evidence(schema, rng)
        for options in ({}, WAYS[number // 3 % len(WAYS)]):
            engine = JunctionTreeEngine(schema, factors, directed=directed, **options)
            check_engine(engine, product, evidence, targets, seed=number)
            check_engine(engine, product, random_evidence(schema, rng, 0.15), targets, seed=number)


def batch_of(schema, n_rows, rng):
    codes = [rng.integers(0, r, n_rows).astype(np.uint8) for r in schema.cardinalities]
    missing = [rng.random(n_rows) < 0.6 for _ in schema.cardinalities]
    missing[0] = None
    if len(schema) > 2:
        codes[2] = missing[2] = None
    return codes, missing


PARTS = [
    {"strategy": "parts"},
    {"strategy": "parts", "stored_cells": 0, "streamed_above": 0, "tile": 4},
]


@pytest.mark.parametrize("options", [{}, *WAYS[:3], *PARTS])
def test_batches_agree_with_single_questions(options):
    for number in range(60):
        rng = np.random.default_rng([number, 2])
        schema = random_schema(rng)
        directed = number % 3 > 0
        factors = (random_families if directed else random_potentials)(schema, rng)
        engine = JunctionTreeEngine(schema, factors, directed=directed, **options)
        n_rows = int(rng.integers(0, 10))
        codes, missing = batch_of(schema, n_rows, rng)
        wanted = tuple(int(v) for v in rng.permutation(len(schema))[:3])
        cells, logs = engine.marginals_many(EvidenceColumns(codes, missing, n_rows), wanted)
        offsets = np.concatenate([[0], np.cumsum(schema.cardinalities)])
        for row in range(n_rows):
            seen = [
                v
                for v in range(len(schema))
                if codes[v] is not None and (missing[v] is None or not missing[v][row])
            ]
            flat, log_mass = engine.marginals(Evidence(seen, [int(codes[v][row]) for v in seen]))
            if log_mass == -math.inf:
                assert logs[row] == -math.inf
                assert np.isnan(cells[row]).all()
                continue
            close(cells[row], np.concatenate([flat[offsets[v] : offsets[v + 1]] for v in wanted]))
            np.testing.assert_allclose(logs[row], log_mass, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_batches_of_a_larger_network_agree_however_they_are_asked(share):
    model = random_network(120, 10, states=(2, 4), concentration=0.5, rng=np.random.default_rng(3))
    rng = np.random.default_rng(4)
    rows = model.sample(60, rng=rng)
    codes = list(rows.columns)
    missing = [rng.random(60) < share for _ in codes]
    everything = tuple(range(120))
    found = []
    for options in ({}, {"strategy": "sliced"}, {"strategy": "parts"}):
        engine = JunctionTreeEngine(model.schema, model._engine.factors, directed=True, **options)
        assert options or not engine._forest.cost([], [], [], [], 2**32, [])["masked"]
        found.append(engine.marginals_many(EvidenceColumns(codes, missing, 60), everything))
    for cells, logs in found[1:]:
        np.testing.assert_allclose(cells, found[0][0], rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(logs, found[0][1], rtol=1e-11)
    for threads in (1, 3):
        _core.set_threads(threads)
        try:
            cells, logs = JunctionTreeEngine(
                model.schema, model._engine.factors, directed=True
            ).marginals_many(EvidenceColumns(codes, missing, 60), everything)
        finally:
            _core.set_threads(0)
        assert np.array_equal(cells, found[0][0])
        assert np.array_equal(logs, found[0][1])


def test_dear_parts_are_left_to_the_engine_that_prunes():
    # an exclusive or of two chains' ends: observed in the middle, each half is dear without pruning
    schema = Schema(Variable(f"v{i:03}", (0, 1)) for i in range(120))
    copy = np.array([[1.0, 0.0], [0.0, 1.0]])
    factors = [Factor((0,), np.array([0.5, 0.5]))]
    factors += [Factor((v - 1, v), copy) for v in range(1, 120)]
    engine = JunctionTreeEngine(schema, factors, directed=True)
    codes = [np.array([0, 1, 1], np.uint8) for _ in range(120)]
    missing = [np.array([v != 60, v not in (20, 90), v not in (20, 90)]) for v in range(120)]
    codes[90] = np.array([0, 1, 0], np.uint8)
    cells, logs = engine.marginals_many(EvidenceColumns(codes, missing, 3), (0, 119))
    assert cells[:2].tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
    np.testing.assert_allclose(logs[:2], np.log(0.5))
    assert logs[2] == -math.inf
    assert np.isnan(cells[2]).all()


def test_ways_agree_on_a_larger_network():
    model = random_network(60, 5, states=(2, 4), concentration=0.5, rng=np.random.default_rng(5))
    families = model._engine.factors
    twin = EliminationEngine(model.schema, families)
    engines = [JunctionTreeEngine(model.schema, families, directed=True, **way) for way in ({}, *WAYS[:5])]
    rng = np.random.default_rng(6)
    for _ in range(3):
        seen = [int(v) for v in rng.permutation(60)[:6]]
        row = [int(c[0]) for c in model.sample(1, rng=rng).columns]
        evidence = Evidence(seen, [row[v] for v in seen])
        posterior = twin.marginals(dict(zip(seen, evidence.states, strict=True)))
        expected = np.concatenate([posterior.tables[v,] for v in range(60)])
        for engine in engines:
            flat, log_mass = engine.marginals(evidence)
            np.testing.assert_allclose(flat, expected, rtol=1e-11, atol=1e-15)
            assert log_mass == pytest.approx(posterior.log_evidence, rel=1e-11)


def test_the_chain_rule_and_orders_of_evidence():
    model = load_network("alarm")
    a, b = {"CO": "LOW"}, {"HR": "HIGH", "BP": "LOW"}
    both = model.probability_of(a | b)
    assert both == pytest.approx(model.probability_of(b | a), rel=1e-12)
    assert both == pytest.approx(model.probability_of(b) * model.query("CO", b)["LOW"], rel=1e-12)
    answer = model.query(["HR", "BP", "PAP"], a)
    close(answer.array.sum(axis=(0, 2)), model.query("BP", a).array)


def test_operations_do_not_grow():
    """Counted, not timed: a plan that got worse shows here on any machine."""
    cost = load_network("alarm").cost()
    assert cost.operations <= 5_100
    assert cost.width == 4
    given = {"HRBP": "LOW", "CO": "HIGH", "EXPCO2": "ZERO"}
    assert load_network("alarm").cost(given, targets=["HR", "BP"]).operations <= 3_000


# numbers near zero


def hidden_chain(n, likely):
    """A hidden chain; every node has a child that is observed in a state of tiny probability."""
    schema = Schema(
        [*(Variable(f"h{i}", (0, 1)) for i in range(n)), *(Variable(f"e{i}", (0, 1)) for i in range(n))]
    )
    step = np.array([[0.9, 0.1], [0.2, 0.8]])
    families = [Factor((0,), np.array([0.5, 0.5]))] + [Factor((i - 1, i), step) for i in range(1, n)]
    families += [Factor((i, n + i), np.array([[likely, 1.0], [2 * likely, 1.0]])) for i in range(n)]
    return JunctionTreeEngine(schema, families, directed=True), Evidence(list(range(n, 2 * n)), [0] * n)


def test_thousands_of_tiny_observations():
    engine, evidence = hidden_chain(2000, 1e-200)
    alpha, log = np.array([0.5, 0.5]), 0.0
    for i in range(2000):
        alpha = (alpha if i == 0 else alpha @ np.array([[0.9, 0.1], [0.2, 0.8]])) * [0.5, 1.0]
        log += math.log(alpha.sum()) + math.log(2e-200)
        alpha /= alpha.sum()
    flat, log_mass = engine.marginals(evidence)
    assert log_mass == pytest.approx(log, rel=1e-12)
    close(flat[2 * 1999 : 2 * 2000], alpha)


def test_unlikely_is_not_impossible():
    # four effects make state a less likely by 1e-150 each; a fifth forbids state b
    schema = Schema([Variable("cause", ("a", "b")), *(Variable(f"e{i}", (0, 1)) for i in range(5))])
    faint = np.array([[1e-150, 1.0], [0.5, 0.5]])
    tables = [faint] * 4 + [np.array([[0.5, 0.5], [0.0, 1.0]])]
    families = [Factor((0,), np.array([0.5, 0.5]))] + [Factor((0, i + 1), t) for i, t in enumerate(tables)]
    evidence = Evidence([1, 2, 3, 4, 5], [0] * 5)
    expected = 2 * math.log(0.5) + 4 * math.log(1e-150)
    for options in ({}, *WAYS):
        engine = JunctionTreeEngine(schema, families, directed=True, **options)
        flat, log_mass = engine.marginals(evidence)
        assert flat[:2].tolist() == [1.0, 0.0]
        assert log_mass == pytest.approx(expected)
        assert engine.most_probable(evidence)[1] == pytest.approx(expected)
        codes = [None, *(np.zeros(5, np.uint8) for _ in range(5))]
        cells, logs = engine.marginals_many(EvidenceColumns(codes, [None] * 6, 5), (0,))
        assert cells.tolist() == [[1.0, 0.0]] * 5
        np.testing.assert_allclose(logs, expected)


def test_potentials_of_any_size():
    schema = Schema([Variable("a", (0, 1)), Variable("b", (0, 1))])
    huge = Factor((0, 1), np.array([[1e300, 2e300], [3e300, 4e300]]))
    engine = JunctionTreeEngine(schema, [huge, huge, huge])
    flat, log_mass = engine.marginals()
    close(flat[:2], [9 / 100, 91 / 100])
    assert log_mass == pytest.approx(3 * math.log(1e300) + math.log(100))
    tiny = JunctionTreeEngine(schema, [Factor((0,), np.array([1e-300, 3e-300]))] * 3)
    assert tiny.log_mass() == pytest.approx(3 * math.log(1e-300) + math.log(28 * 2))


def test_likelihoods_keep_their_weight():
    model = load_network("asia")
    assert model.probability_of({"smoke": {"yes": 0.25, "no": 0.0}}) == pytest.approx(0.125)
    assert model.query("smoke", {"smoke": {"yes": 3.0, "no": 1.0}})["yes"] == pytest.approx(0.75)
    assert model.marginals({"xray": {"yes": 1e-250, "no": 1e-250}}).log_probability_of_evidence == (
        pytest.approx(math.log(1e-250))
    )


# refusals


def grid(n):
    schema = Schema(Variable(f"x{i}y{j}", (0, 1)) for i in range(n) for j in range(n))
    table = np.array([[2.0, 1.0], [1.0, 2.0]])
    across = [Factor((i * n + j, i * n + j + 1), table) for i in range(n) for j in range(n - 1)]
    down = [Factor((i * n + j, (i + 1) * n + j), table) for i in range(n - 1) for j in range(n)]
    return JunctionTreeEngine(schema, across + down)


@pytest.mark.slow
def test_what_would_not_fit_is_refused_at_once():
    engine = grid(60)
    begin = time.process_time()
    with pytest.raises(
        TableTooLarge, match=r"this question needs a table over 'x.* bytes, above the memory"
    ) as e:
        engine.marginals()
    assert time.process_time() - begin < 1
    assert "give evidence on some of these variables" in str(e.value)
    cost = engine.cost()
    assert cost.refused
    assert cost.width >= 60
    assert cost.largest_cells == 2 ** (cost.width + 1)
    assert "above the memory limit" in str(cost)
    rows = Evidence([v for v in range(3600) if v // 60 % 2], [0] * 1800)  # the way out
    assert engine.marginals(rows)[0].shape == (7200,)


@pytest.mark.slow
def test_joints_that_would_not_fit_are_refused():
    schema = Schema([Variable("a", tuple(range(10**6))), Variable("b", tuple(range(10**6)))])
    engine = JunctionTreeEngine(
        schema, [Factor((0,), np.full(10**6, 1e-6)), Factor((1,), np.full(10**6, 1e-6))]
    )
    assert engine.marginals()[0].sum() == pytest.approx(2)
    with pytest.raises(TableTooLarge, match=r"a table over 'a', 'b': 8,000,000,000,000 bytes"):
        engine.joint((0, 1))
    many = Schema(Variable(f"v{i}", (0, 1)) for i in range(200))
    with pytest.raises(TableTooLarge, match="and 188 more"):
        JunctionTreeEngine(many, []).joint(tuple(range(200)))


@pytest.mark.parametrize(
    ("factor", "message"),
    [
        (Factor((0,), np.ones(3)), "the table over 'a' has the shape (3,); its states ask for (2,)"),
        (
            Factor((0,), np.array([1.0, -1.0])),
            "the table over 'a' holds something negative, infinite or not a number",
        ),
        (
            Factor((0,), np.array([1.0, np.nan])),
            "the table over 'a' holds something negative, infinite or not a number",
        ),
    ],
)
def test_tables_that_are_none_are_refused(factor, message):
    with pytest.raises(SchemaError) as error:
        JunctionTreeEngine(Schema([Variable("a", (0, 1))]), [factor])
    assert str(error.value) == message


def test_impossible_evidence_names_the_conflict():
    model = load_network("asia")
    given = {"smoke": "yes", "either": "no", "xray": "yes", "tub": "yes", "dysp": "no"}
    for ask in (model.marginals, model.mpe, lambda g: model.query("bronc", g)):
        with pytest.raises(ImpossibleEvidence) as error:
            ask(given)
        assert str(error.value) == (
            "evidence smoke='yes', either='no', xray='yes', tub='yes', dysp='no' has probability zero under "
            "the model; either='no', tub='yes' cannot happen together"
        )
    never = Factor((0,), np.array([1.0, 0.0]))
    engine = JunctionTreeEngine(Schema([Variable("a", (0, 1)), Variable("b", (0, 1))]), [never])
    with pytest.raises(ImpossibleEvidence, match=r"; a=1 alone cannot happen$"):
        engine.refuse_impossible(Evidence([1, 0], [0, 1]))
    broken = JunctionTreeEngine(engine.schema, [never, Factor((0,), np.array([0.0, 1.0]))])
    with pytest.raises(ImpossibleEvidence, match="the tables contradict each other"):
        broken.refuse_impossible(Evidence([1], [0]))


@pytest.mark.slow
def test_conflicts_are_minimal():
    for number in range(300):
        rng = np.random.default_rng([number, 3])
        schema = random_schema(rng)
        factors = random_families(schema, rng)
        evidence = random_evidence(schema, rng, 0.5)
        product = product_table(schema.cardinalities, factors)
        if with_evidence(product, evidence).sum() > 0:
            continue
        engine = JunctionTreeEngine(schema, factors, directed=True)
        found = engine._forest.conflict(*engine._arguments(evidence))
        assert with_evidence(product, evidence.only(found)).sum() == 0
        for item in found:
            fewer = evidence.only([i for i in found if i != item])
            assert with_evidence(product, fewer).sum() > 0


# threads, signals, copies


def test_failing_and_succeeding_questions_mix():
    models = [load_network("asia"), load_network("alarm")]
    first = [model.marginals().cells for model in models]
    for _ in range(3):
        with pytest.raises(ImpossibleEvidence):
            models[0].marginals({"either": "no", "tub": "yes"})
        for model, cells in zip(models, first, strict=True):
            assert np.array_equal(model.marginals().cells, cells)


def test_many_threads_ask_a_cold_engine():
    model = random_network(80, 6, states=(2, 3), rng=np.random.default_rng(1))
    families = model._engine.factors
    asked = [Evidence([i, i + 20], [0, 1]) for i in range(24)]
    alone = [model._engine.marginals(evidence)[0] for evidence in asked]
    fresh = JunctionTreeEngine(model.schema, families, directed=True)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda evidence: fresh.marginals(evidence)[0], asked * 4))
    for i, flat in enumerate(found):
        assert np.array_equal(flat, alone[i % len(alone)])  # to the bit


def test_batches_and_samples_do_not_depend_on_threads():
    model = load_network("alarm")
    table = model.sample(3000, rng=np.random.default_rng(2)).select(
        ["CO", "HR", "BP", "PAP", "SAO2", "PRESS"]
    )
    results = []
    for threads in (1, 2, 5):
        _core.set_threads(threads)
        many = model.marginals_many(table)
        drawn = model.sample(30_000, given={"HR": "HIGH"}, rng=np.random.default_rng(3))
        results.append((many.cells, many.log_probability_of_evidence, np.column_stack(drawn.columns)))
    _core.set_threads(0)
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert np.array_equal(a, b)


def test_samples_given_evidence_follow_the_posterior():
    model = load_network("alarm")
    for given in (
        {"HR": "HIGH", "CO": "LOW"},
        {"BP": "LOW", "PAP": {"LOW": 0.1, "NORMAL": 0.5, "HIGH": 1.0}},
    ):
        n = 200_000
        table = model.sample(n, given=given, rng=np.random.default_rng(4))
        marginals = model.marginals(given)
        for name in model.schema.names:
            p = marginals.array(name)
            seen = np.bincount(table.column(name), minlength=len(p)) / n
            assert not seen[p == 0].any()
            assert (np.abs(seen - p) <= 5 * np.sqrt(p * (1 - p) / n) + 1e-12).all()
    short = model.sample(777, given=given, rng=np.random.default_rng(4))
    assert np.array_equal(np.column_stack(short.columns), np.column_stack(table.head(777).columns))


@pytest.mark.slow
@needs_a_timer
def test_interrupts_are_obeyed_inside_one_large_table():
    n = 27
    schema = Schema(Variable(f"v{i}", (0, 1)) for i in range(n))
    table = np.array([[1.0, 0.5], [0.5, 1.0]])
    engine = JunctionTreeEngine(schema, [Factor((i, j), table) for i in range(n) for j in range(i)])
    assert seconds_to_stop(engine.marginals) < 0.5 * _core.threads()


def test_engines_and_models_can_be_pickled():
    model = load_network("asia")
    cells = model.marginals({"xray": "yes"}).cells
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.marginals({"xray": "yes"}).cells, cells)


def test_nothing_to_ask_about():
    empty = JunctionTreeEngine(Schema([]), [])
    assert empty.marginals()[0].shape == (0,)
    assert empty.log_mass() == 0
    scalars = JunctionTreeEngine(Schema([]), [Factor((), np.array(3.0)), Factor((), np.array(2.0))])
    assert scalars.log_mass() == pytest.approx(math.log(6))


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["chain", "star", "ladder"])
def test_ten_thousand_variables(shape):
    """Beyond some thousand variables the order is found on neighbour lists."""
    n = 10_000
    schema = Schema(Variable(f"v{i}", (0, 1)) for i in range(n))
    table = np.array([[0.9, 0.1], [0.2, 0.8]])
    ends = {"chain": [(i - 1, i) for i in range(1, n)], "star": [(0, i) for i in range(1, n)]}
    ends["ladder"] = ends["chain"][: n // 2 - 1] + [(i, n // 2 + i) for i in range(n // 2)]
    ends["ladder"] += [(n // 2 + i - 1, n // 2 + i) for i in range(1, n // 2)]
    engine = JunctionTreeEngine(
        schema, [Factor((0,), np.array([0.5, 0.5]))] + [Factor(e, table) for e in ends[shape]]
    )
    begin = time.process_time()
    flat, _ = engine.marginals(Evidence([n - 1], [1]))
    assert time.process_time() - begin < 2
    assert engine.cost().width == (2 if shape == "ladder" else 1)
    sums = flat.reshape(n, 2).sum(axis=1)
    np.testing.assert_allclose(sums, 1)
    if shape == "star":
        assert flat[0] == pytest.approx(0.1 / 0.9)


@pytest.mark.parametrize("options", [{}, {"strategy": "masked"}, {"strategy": "sliced"}])
def test_rare_evidence_in_a_deep_tree_keeps_its_marginals(options):
    """On the way down sums shrink by the mass of each clique; nothing is lost below the smallest double."""
    n, p = 200, 1e-6
    schema = Schema(Variable(f"x{i:03}", (0, 1)) for i in range(n))
    table = np.array([[1 - p, p], [1 - 2 * p, 2 * p]])
    steps = [Factor((i, i + 1), table) for i in range(n - 1)]
    engine = JunctionTreeEngine(
        schema, [Factor((0,), np.array([0.5, 0.5])), *steps], directed=True, **options
    )
    seen = [v for v in range(n) if v % 10 != 4]
    flat, log_mass = engine.marginals(Evidence(seen, [1] * len(seen)))
    assert log_mass < -2000
    between = 4 * p * p / (4 * p * p + (1 - 2 * p) * p)
    close(flat[1::2], [between if v % 10 == 4 else 1.0 for v in range(n)])


def test_plans_for_engines_elsewhere():
    """Children first, separators in the parent's order, everything at home; None when there is too much."""
    for number in range(100):
        rng = np.random.default_rng([number, 5])
        schema = random_schema(rng)
        factors = (random_families if number % 2 else random_potentials)(schema, rng)
        engine = JunctionTreeEngine(schema, factors, directed=bool(number % 2))
        plan = engine.plan(10**9)
        seen = []
        for i, (scope, n, above) in enumerate(zip(*plan, strict=True)):
            seen += scope[:n]
            assert above > i or above == -1
            assert scope[n:] == ([] if above < 0 else [v for v in plan.scopes[above] if v in scope[n:]])
        moving = {v for v, r in enumerate(schema.cardinalities) if r > 1}
        assert sorted(seen) == sorted(moving)
        for factor in factors:
            needed = moving & {*factor.scope}
            assert not needed or any(needed <= {*scope} for scope in plan.scopes)
        cells = sum(math.prod(schema.cardinalities[v] for v in scope) for scope in plan.scopes)
        assert engine.plan(max(cells, 1)) == plan
        if cells:
            assert engine.plan(cells - 1) is None
