"""Twins: every engine of the page, in a real browser, against the answers of Python."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.random_questions import (
    random_evidence,
    random_families,
    random_potentials,
    random_schema,
)

import treewright as tw
from treewright.errors import ImpossibleEvidence
from treewright.inference import Evidence
from treewright.models import FeatureNetwork, GaussianNetwork, MarkovNetwork
from treewright.reports.explorer.page_data import page_data

WITHIN = 1e-9
ASK = """
async asked => {
  const answers = [];
  for (const items of asked) {
    const evidence = new Map(items), beliefs = window.beliefs;
    await beliefs.set(evidence);
    const { conflict, logMass, determined, strength } = beliefs;
    const found = conflict ? { conflict, determined } : { out: Array.from(beliefs.now), logMass, strength };
    const best = await beliefs.mostProbable();
    answers.push({ ...found, best: best.states && Array.from(best.states), bestLog: best.logMass });
  }
  return answers;
}
"""


def open_page(engines, model, **options):
    data = json.loads(json.dumps(page_data(model, **options)))
    return engines.evaluate(
        "async data => { window.beliefs = await Beliefs.open(data); return beliefs.engine?.cells ?? null; }",
        data,
    )


def likelihoods(schema, evidence):
    hard = [
        [v, [float(k == state) for k in range(schema.cardinalities[v])]]
        for v, state in zip(evidence.observed, evidence.states, strict=True)
    ]
    return hard + [list(item) for item in zip(evidence.weighted, evidence.likelihoods, strict=True)]


def worded(schema, evidence):
    """As Python is asked."""
    given = {
        schema.names[v]: schema[v].states[s] for v, s in zip(evidence.observed, evidence.states, strict=True)
    }
    for v, likelihood in zip(evidence.weighted, evidence.likelihoods, strict=True):
        given[schema.names[v]] = dict(zip(schema[v].states, likelihood, strict=True))
    return given


def check(engines, model, questions):
    """Beliefs, mass, explanation and, of impossible evidence, the smallest part of it."""
    asked = [likelihoods(model.schema, evidence) for evidence in questions]
    for evidence, found in zip(questions, engines.evaluate(ASK, asked), strict=True):
        words = worded(model.schema, evidence)
        try:
            answer = model.marginals(words)
        except ImpossibleEvidence:
            check_conflict(model, evidence, found["conflict"])
            continue
        expected = np.concatenate([answer.array(name) for name in model.schema.names])
        np.testing.assert_allclose(found["out"], expected, rtol=0, atol=WITHIN)
        log_mass = answer.log_probability_of_evidence
        assert found["logMass"] == pytest.approx(log_mass, abs=WITHIN, rel=1e-12)
        check_explanation(model, words, found)


def check_explanation(model, words, found):
    if getattr(model, "is_exact", True):
        assert found["bestLog"] == pytest.approx(model.mpe(words).log_probability, abs=WITHIN, rel=1e-12)
        row = {v.name: [v.states[s]] for v, s in zip(model.schema, found["best"], strict=True)}
        hard = sum(math.log(words[n][row[n][0]]) for n in words if isinstance(words[n], dict))
        own = float(model.log_probability(tw.read_table(row, schema=model.schema))[0]) + hard
        assert found["bestLog"] == pytest.approx(own, abs=1e-8, rel=1e-12)
    else:
        assert found["best"] is None


def check_conflict(model, evidence, conflict):
    """Impossible by itself, and nothing can be left out."""

    def mass(variables):
        items = [*evidence.observed, *evidence.weighted]
        return model._engine.log_mass(evidence.only([items.index(v) for v in variables]))

    assert mass(conflict) == -math.inf
    for v in conflict:
        assert mass([u for u in conflict if u != v]) > -math.inf
    forest = getattr(model._engine, "_forest", None)
    if forest is not None:
        e = evidence
        places = forest.conflict(e.observed, e.states, e.weighted, e.likelihoods, 4e9)
        assert conflict == [[*e.observed, *e.weighted][i] for i in places]


def drawn_questions(model, n, seed=3):
    """Parts of drawn rows, hard and soft."""
    rng = np.random.default_rng(seed)
    rows = model.sample(n, rng=rng)
    codes = [np.asarray(column) for column in rows.columns]
    questions = [Evidence()]
    for row in range(n):
        evidence = Evidence()
        for v in rng.permutation(len(codes))[: row % 8]:
            if rng.random() < 0.7:
                evidence.observed.append(int(v))
                evidence.states.append(int(codes[v][row]))
            else:
                evidence.weighted.append(int(v))
                evidence.likelihoods.append(rng.random(model.schema.cardinalities[v]).tolist())
        questions.append(evidence)
    return questions


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_networks_of_tables(engines, name):
    model = tw.load_network(name)
    open_page(engines, model)
    check(engines, model, drawn_questions(model, 24))


@pytest.mark.slow
@pytest.mark.skipif("TREEWRIGHT_DATA" not in os.environ, reason="TREEWRIGHT_DATA names no folder")
@pytest.mark.parametrize("name", ["hailfinder", "win95pts", "pathfinder", "andes", "pigs"])
def test_larger_networks(engines, name):
    model = tw.read_model(Path(os.environ["TREEWRIGHT_DATA"]) / "networks" / f"{name}.bif.gz")
    open_page(engines, model)
    check(engines, model, drawn_questions(model, 9))


def test_a_markov_network(engines):
    model = MarkovNetwork.of(tw.load_network("alarm"))
    open_page(engines, model)
    check(engines, model, drawn_questions(model, 8))


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), directed=st.booleans())
def test_random_products(engines, seed, directed):
    """Zeros, single states, parts without a link, soft evidence, factors about nothing."""
    rng = np.random.default_rng(seed)
    schema = random_schema(rng)
    if directed:
        families = random_families(schema, rng)
        arcs = [(u, f.scope[-1]) for f in families for u in f.scope[:-1]]
        dag = tw.Dag(schema, [tuple(schema.names[i] for i in arc) for arc in arcs])
        tables = []
        for v, family in enumerate(families):
            axes = [family.scope.index(u) for u in (*dag.parents(v), v)]
            tables.append(family.table.transpose(axes))
        model = tw.BayesianNetwork(dag, tables)
    else:
        model = MarkovNetwork(schema, [f for f in random_potentials(schema, rng) if f.table.any()])
        if model._engine.log_mass() == -math.inf:
            return
    open_page(engines, model)
    check(engines, model, [random_evidence(schema, rng, share) for share in (0.0, 0.15, 0.4)])


def rare_chain(n=80, p=1e-6):
    """What is seen has the probability p at every step: the mass of all is far below the smallest double."""
    schema = tw.Schema([tw.Variable(f"x{i:02}", ("no", "yes")) for i in range(n)])
    dag = tw.Dag(schema, [(f"x{i:02}", f"x{i + 1:02}") for i in range(n - 1)])
    table = [[1 - p, p], [1 - 2 * p, 2 * p]]
    return tw.BayesianNetwork(dag, [[0.5, 0.5], *[table] * (n - 1)])


def test_evidence_far_below_the_smallest_number(engines):
    model = rare_chain()
    seen = [v for v in range(80) if v % 10 != 4]
    evidence = Evidence(seen, [1] * len(seen))
    assert model.marginals(worded(model.schema, evidence)).log_probability_of_evidence < -700
    open_page(engines, model)
    check(engines, model, [evidence, Evidence(seen[:60], [1] * 60)])


def test_factors_whose_product_has_no_double(engines):
    """Plain products vanish where the tables meet; the logarithms are taken of the tables, not of these."""
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "ab"])
    tiny = np.array([[1e-99, 3e-99], [1e-99, 1.0]]), np.array([[1.0, 1.0], [1.0, 0.0]])
    model = MarkovNetwork(schema, [(("a", "b"), tiny[0])] * 4 + [(("a", "b"), tiny[1])])
    open_page(engines, model)
    check(engines, model, [Evidence(), Evidence([0], [1])])


def test_impossible_evidence_keeps_the_beliefs_before(engines):
    asia = tw.load_network("asia")
    open_page(engines, asia)
    names = asia.schema.names
    known = {"tub": "yes", "asia": "no", "either": "no", "smoke": "yes"}
    asked = [
        likelihoods(asia.schema, asia._read({"smoke": "yes"})),
        likelihoods(asia.schema, asia._read(known)),
    ]
    first, second = engines.evaluate(ASK, asked)
    assert [names[v] for v in second["conflict"]] == ["tub", "either"]
    assert engines.evaluate("() => Array.from(beliefs.now)") == first["out"]
    assert engines.evaluate("() => beliefs.logMass") == -math.inf


def kinds_of_nodes():
    """One graph for each kind of node."""
    schema = tw.Schema(
        [tw.Variable(name, tuple(range(r))) for name, r in zip("abcde", (2, 3, 1, 2, 3), strict=True)]
    )
    rng = np.random.default_rng(5)

    def shares(*shape):
        draws = rng.standard_exponential(shape) * (rng.random(shape) > 0.2) + 1e-3
        return draws / draws.sum(axis=-1, keepdims=True)

    def joint(*shape):
        return shares(int(np.prod(shape))).reshape(shape)

    builder = tw.graphs.FeatureGraphBuilder(schema)
    table = builder.table([*"abcde"], joint(2, 3, 1, 2, 3))
    families = {
        "a": ((), shares(2)),
        "b": (("a",), shares(2, 3)),
        "c": ((), [1.0]),
        "d": (("a", "b"), shares(2, 3, 2)),
    }
    tree = builder.tree({**families, "e": (("b", "d"), shares(3, 2, 3))})
    rest = [builder.table([*"bcde"], joint(3, 1, 2, 3)) for _ in range(2)]
    split = builder.split("a", {0: (0.4, rest[0]), 1: (0.6, rest[1])})
    block = builder.product([builder.table([*"ab"], joint(2, 3)), builder.table([*"cde"], joint(1, 2, 3))])
    never = joint(2, 3, 1, 2, 3)
    never[1, 2] = 0
    feature = builder.feature(
        {"a": 1, "b": 2},
        0.3,
        builder.table([*"cde"], joint(1, 2, 3)),
        builder.table([*"abcde"], never / never.sum()),
    )
    codes = np.array([[0, 1, 0, 1, 2], [1, 2, 0, 0, 1], [0, 0, 0, 1, 1]], dtype=np.uint32)
    rows = builder.rows([*"abcde"], codes, [0.5, 0.2, 0.3])
    made = {"table": table, "tree": tree, "split": split, "and": block, "feature": feature, "rows": rows}
    parents = {"a": None, "b": "a", "c": "a", "d": "b", "e": None}
    for auto in (False, True):
        transitions = [shares(3) if p is None else shares(3, 3) for p in parents.values()]
        emissions = []
        for name, p in parents.items():
            own = schema[name].cardinality
            emissions.append(shares(*([schema[p].cardinality] if auto and p else []), 3, own))
        made[f"hidden{auto}"] = builder.hidden(parents, transitions, emissions, autoregressive=auto)
    made["mix"] = builder.mixture(list(made.values()), shares(len(made)))
    return {name: FeatureNetwork(builder.graph(node)) for name, node in made.items()}


KINDS = ["table", "tree", "split", "and", "feature", "rows", "hiddenFalse", "hiddenTrue", "mix"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_feature_node(engines, kind):
    model = kinds_of_nodes()[kind]
    open_page(engines, model)
    rng = np.random.default_rng(8)
    check(engines, model, [Evidence(), *(random_evidence(model.schema, rng, 0.3) for _ in range(12))])


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["learn_mixture", "learn_hidden_tree", "learn_efficient_markov"])
def test_learned_feature_graphs(engines, learner):
    rows = tw.load_network("alarm").sample(400, rng=np.random.default_rng(2))
    learned = getattr(tw, learner)(tw.count(rows))
    model = FeatureNetwork(getattr(learned, "structure", learned))
    open_page(engines, model)
    check(engines, model, drawn_questions(model, 8))


def random_gaussian(n, rng):
    schema = tw.Schema([tw.Variable(f"x{i:03}") for i in range(n)])
    weights = {
        f"x{i:03}": {
            f"x{j:03}": float(rng.normal()) for j in sorted(set(rng.integers(0, i, min(i, 3)).tolist()))
        }
        for i in range(1, n)
    }
    dag = tw.Dag(schema, [(p, c) for c, parents in weights.items() for p in parents])
    return GaussianNetwork(dag, rng.normal(size=n), weights, rng.uniform(0.5, 2, size=n))


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_gaussian_networks(engines, seed):
    rng = np.random.default_rng(seed)
    model = random_gaussian(int(rng.integers(2, 30)), rng)
    names, draw = model.schema.names, model.sample(1, rng=rng)
    known = sorted(rng.permutation(len(names))[: rng.integers(0, 5)].tolist())
    values = [float(draw.columns[v][0]) for v in known]
    open_page(engines, model)
    (found,) = engines.evaluate(ASK, [[list(item) for item in zip(known, values, strict=True)]])
    given = dict(zip([names[v] for v in known], values, strict=True))
    answer = model.marginals(given)
    np.testing.assert_allclose(found["out"][::2], answer.means, rtol=1e-9, atol=WITHIN)
    np.testing.assert_allclose(found["out"][1::2], np.sqrt(answer.variances), rtol=1e-9, atol=WITHIN)
    assert found["logMass"] == pytest.approx(model.log_density_of(given), rel=1e-9, abs=WITHIN)
    assert found["bestLog"] == pytest.approx(model.mpe(given).log_probability, rel=1e-9, abs=WITHIN)


def test_values_that_determine_each_other_are_named(engines):
    schema = tw.Schema([tw.Variable("x"), tw.Variable("y")])
    model = GaussianNetwork(tw.Dag(schema, [("x", "y")]), [0.0, 1.0], {"y": {"x": 2.0}}, [1.0, 0.0])
    open_page(engines, model)
    (found,) = engines.evaluate(ASK, [[[0, 1.0], [1, 5.0]]])
    assert found["determined"] == 1
    assert sorted(found["conflict"]) == [0, 1]
