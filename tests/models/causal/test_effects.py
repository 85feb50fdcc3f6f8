"""Acting on networks, against surgery on the whole joint table."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from tests.reference.graphs.directed import all_dags

import treewright as tw
from treewright.errors import EvidenceError, GraphError, SchemaError, SingularError, UnknownNameError
from treewright.graphs import adjustment_sets
from treewright.models.causal.front_door import through_front_door


def random_model(dag, rng, states=(2, 3)):
    """Positive random tables on the arcs of a graph."""
    cards = {name: int(rng.integers(states[0], states[1] + 1)) for name in dag.schema.names}
    schema = tw.Schema([tw.Variable(name, tuple(map(str, range(cards[name])))) for name in dag.schema.names])
    dag = tw.Dag(schema, dag.edges())
    shapes = [tuple(schema.cardinalities[u] for u in dag.parents(v)) for v in range(len(schema))]
    tables = [rng.dirichlet(np.ones(schema.cardinalities[v]), shape) for v, shape in enumerate(shapes)]
    return tw.BayesianNetwork(dag, tables)


def random_dag(n, rng):
    names = rng.permutation([f"v{i}" for i in range(n)]).tolist()
    schema = tw.Schema([tw.Variable(name) for name in sorted(names)])
    arcs = [(names[i], names[j]) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.5]
    return tw.Dag(schema, arcs)


def whole_joint(dag, tables, setting=None):
    """The product of all tables but those of what is set, over the cells that agree with it."""
    setting, cards = setting or {}, dag.schema.cardinalities
    joint = np.ones(cards)
    for v in range(len(cards)):
        scope, table = (*dag.parents(v), v), tables[v]
        if v in setting:
            scope, table = (v,), np.eye(cards[v])[setting[v]]
        shape = [cards[u] if u in scope else 1 for u in range(len(cards))]
        joint = joint * table.transpose(np.argsort(scope)).reshape(shape)
    return joint


def surgery(dag, tables, x, y):
    """A row for each state that x is set to."""
    others = tuple(v for v in range(len(dag.schema)) if v != y)
    return [
        whole_joint(dag, tables, {x: code}).sum(axis=others) for code in range(dag.schema.cardinalities[x])
    ]


def refitted(dag, joint):
    """The tables of a member of the class for the same distribution."""
    tables = []
    for v in range(len(dag.schema)):
        scope = (*dag.parents(v), v)
        kept = joint.sum(axis=tuple(u for u in range(joint.ndim) if u not in scope))
        order = np.argsort(np.argsort(scope))
        family = kept.transpose(order)
        tables.append(family / family.sum(axis=-1, keepdims=True))
    return tables


def check_effects(n_networks, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n_networks):
        model = random_model(random_dag(int(rng.integers(2, 6)), rng), rng)
        x, y = rng.permutation(model.schema.names)[:2].tolist()
        expected = surgery(model.dag, model.tables, model.schema.index(x), model.schema.index(y))
        found = model.effect(x, y)
        np.testing.assert_allclose(found.table, expected, rtol=0, atol=1e-12)
        for one in adjustment_sets(model.dag, x, y, limit=4).back_door:
            told = model.effect(x, y, adjust_for=one)
            assert told.adjusted_for == one
            np.testing.assert_allclose(told.table, expected, rtol=0, atol=1e-12)


def cut_answer(model, x, y):
    """The outcome after surgery, for each state of the treatment."""
    return [model.do({x: state}).query(y).array for state in model.schema[x].states]


def check_hidden(n_networks, seed):
    """With variables that nobody measures the numbers still are those of surgery, or are refused."""
    rng = np.random.default_rng(seed)
    told = {"back": 0, "front": 0, "refused": 0}
    for _ in range(n_networks):
        names = ["hid", "x", *rng.permutation(["m", "n"]).tolist(), "y"]
        arcs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.35]
        arcs = sorted({*arcs, ("hid", "x"), ("hid", "y")}) if rng.random() < 0.8 else arcs
        model = random_model(tw.Dag(tw.Schema([tw.Variable(one) for one in sorted(names)]), arcs), rng)
        x, y, hidden = "x", "y", ["hid"]
        sets = adjustment_sets(model.dag, x, y, hidden=hidden)
        if not sets.back_door and not sets.front_door:
            with pytest.raises(GraphError, match="no back-door and no front-door set tells"):
                model.effect(x, y, hidden=hidden)
            told["refused"] += 1
            continue
        found = model.effect(x, y, hidden=hidden)
        np.testing.assert_allclose(found.table, cut_answer(model, x, y), rtol=0, atol=1e-12)
        assert not {*(found.adjusted_for or ()), *(found.front_door or ())} & set(hidden)
        if found.front_door:
            assert not sets.back_door
        told["front" if found.front_door else "back"] += 1
        for between in sets.front_door:
            rows = through_front_door(model, x, y, between)
            np.testing.assert_allclose(rows, cut_answer(model, x, y), rtol=0, atol=1e-12)
    return told


def test_hidden_causes():
    told = check_hidden(150, seed=11)
    assert min(told.values()) > 0, told


@pytest.mark.slow
def test_hidden_causes_of_a_thousand_networks():
    told = check_hidden(1_000, seed=12)
    assert told["front"] >= 20, told


def test_smoke_tar_cancer():
    """Pearl's front door: the gene is hidden, and tar tells."""
    rng = np.random.default_rng(3)
    schema = tw.Schema([tw.Variable(name) for name in ("cancer", "gene", "smoke", "tar")])
    arcs = [("gene", "smoke"), ("gene", "cancer"), ("smoke", "tar"), ("tar", "cancer")]
    model = random_model(tw.Dag(schema, arcs), rng)
    assert model.effect("smoke", "cancer").adjusted_for == ("gene",)
    found = model.effect("smoke", "cancer", hidden=["gene"])
    assert (found.adjusted_for, found.front_door) == (None, ("tar",))
    np.testing.assert_allclose(found.table, cut_answer(model, "smoke", "cancer"), rtol=0, atol=1e-12)
    assert "by the front door {tar}" in repr(found)
    with pytest.raises(GraphError, match=r"without \{gene, tar\} no back-door and no front-door set tells"):
        model.effect("smoke", "cancer", hidden=["gene", "tar"])
    with pytest.raises(GraphError, match="adjust_for= names 'gene', which is hidden"):
        model.effect("smoke", "cancer", adjust_for=["gene"], hidden=["gene"])
    fork = random_model(tw.Dag(schema, [("gene", "smoke"), ("gene", "cancer")]), rng)
    told = repr(fork.effect("smoke", "cancer", hidden=["gene"]))
    assert "no effect: nothing leads from smoke to cancer" in told
    lines = {"cancer": {"gene": 1.5, "tar": -2.0}, "smoke": {"gene": 0.7}, "tar": {"smoke": 3.0}}
    drawn = tw.GaussianNetwork(tw.Dag(schema, arcs), [0, 1, 2, 3], lines, [1.0, 1.0, 2.0, 0.5])
    slope = drawn.effect("smoke", "cancer", hidden=["gene"])
    assert slope.front_door == ("tar",)
    assert slope.slope == pytest.approx(-6.0, abs=1e-12)


def test_the_numbers_are_those_of_the_set_that_is_named():
    rng = np.random.default_rng(21)
    for _ in range(40):
        model = random_model(random_dag(5, rng), rng)
        x, y = rng.permutation(model.schema.names)[:2].tolist()
        found = model.effect(x, y)
        assert not found.by_surgery
        if found.adjusted_for is not None:
            again = model.effect(x, y, adjust_for=found.adjusted_for)
            assert (np.asarray(again.table) == np.asarray(found.table)).all()


def test_what_was_set_is_said():
    asia = tw.load_network("asia")
    twice = asia.do(lung="yes").do(smoke="no")
    assert repr(twice).endswith("; after do(lung, smoke), if arcs are causes>")
    assert "do(" not in repr(asia)
    lines = random_lines(3, np.random.default_rng(0))
    assert "after do(v1, v2)" in repr(lines.do(v1=0.0).do(v2=1.0))


def test_effects_are_those_of_surgery():
    check_effects(60, seed=1)


@pytest.mark.slow
def test_effects_are_those_of_surgery_on_a_thousand_networks():
    check_effects(1_000, seed=2)


def test_several_variables_are_set_at_once():
    rng = np.random.default_rng(5)
    for _ in range(20):
        model = random_model(random_dag(5, rng), rng)
        first, second, *rest = rng.permutation(model.schema.names).tolist()
        cut = model.do({first: "1"}, **{second: "0"})
        setting = {model.schema.index(first): 1, model.schema.index(second): 0}
        joint = whole_joint(model.dag, model.tables, setting)
        np.testing.assert_allclose(cut.joint(model.schema.names), joint, rtol=0, atol=1e-12)
        assert not cut.dag.parents(first)
        assert not cut.dag.parents(second)
        assert cut.provenance["do"] == {first: "1", second: "0"}
        given = {rest[0]: "0"}
        seen = joint.take(0, axis=model.schema.index(rest[0]))
        assert cut.probability_of(given) == pytest.approx(seen.sum(), abs=1e-12)


def test_a_variable_is_set_by_lot():
    asia = tw.load_network("asia")
    mixed = asia.do(lung={"yes": 0.25, "no": 0.75}).query("dysp")["yes"]
    ends = [asia.do(lung=state).query("dysp")["yes"] for state in ("yes", "no")]
    assert mixed == pytest.approx(0.25 * ends[0] + 0.75 * ends[1], abs=1e-12)


def is_first(pattern):
    """Whether it is the first of the classes that differ in the names of the others than a and b only."""
    marks = [(u, v, True) for u, v in pattern.index_directed_edges()]
    marks += [(u, v, False) for u, v in pattern.index_undirected_edges()]
    for rest in permutations(range(2, len(pattern.schema))):
        turn = (0, 1, *rest)
        turned = [(turn[u], turn[v], way) for u, v, way in marks]
        if sorted(marks) > sorted(
            (u, v, way) if way else (min(u, v), max(u, v), way) for u, v, way in turned
        ):
            return False
    return True


def check_class_effects(n):
    """Over all classes of n variables: the multiset of effects is that of the enumerated members."""
    rng = np.random.default_rng(n)
    names = "abcde"[:n]
    schema = tw.Schema([tw.Variable(name) for name in names])
    classes = {}
    for arcs in all_dags(n):
        dag = tw.Dag(schema, arcs)
        classes.setdefault(tw.Cpdag.of(dag), []).append(dag)
    for pattern, members in classes.items():
        if not is_first(pattern):
            continue
        model = random_model(members[0], rng, states=(2, 2))
        joint = whole_joint(model.dag, model.tables)
        expected = Counter()
        for member in members:
            dag = tw.Dag(model.schema, member.edges())
            effect = surgery(dag, refitted(dag, joint), 0, 1)
            expected[tuple(np.round(np.ravel(effect), 9).tolist())] += 1
        found = Counter()
        for one in model.effects("a", "b", pattern=tw.Cpdag.of(model.dag)):
            found[tuple(np.round(np.ravel(one.effect.table), 9).tolist())] += one.members
        assert close_multisets(found, expected), members[0].edges()


def close_multisets(one, other):
    """Equal up to rounding: sorted numbers within 1e-8."""
    first, second = (np.array(sorted(counted.elements())) for counted in (one, other))
    return first.shape == second.shape and np.abs(first - second).max(initial=0) < 1e-8


@pytest.mark.parametrize("n", [2, 3, 4])
def test_effects_over_a_class_are_those_of_its_members(n):
    check_class_effects(n)


@pytest.mark.slow
def test_effects_over_every_class_of_five():
    check_class_effects(5)


# lines


def random_lines(n, rng):
    dag = random_dag(n, rng)
    weights = {
        name: {parent: float(rng.normal()) for parent in dag.parents(name)} for name in dag.schema.names
    }
    return tw.GaussianNetwork(dag, rng.normal(size=n), weights, rng.uniform(0.5, 2, size=n))


def test_slopes_are_differences_of_means_after_surgery():
    rng = np.random.default_rng(8)
    for _ in range(40):
        model = random_lines(5, rng)
        x, y = rng.permutation(model.schema.names)[:2].tolist()
        means = [model.do({x: value}).query(y).mean for value in (0.0, 1.0, 3.0)]
        found = model.effect(x, y)
        assert found.slope == pytest.approx(means[1] - means[0], abs=1e-9)
        assert [found.mean(value) for value in (0.0, 1.0, 3.0)] == pytest.approx(means, abs=1e-9)
        for one in adjustment_sets(model.dag, x, y, limit=3).back_door:
            assert model.effect(x, y, adjust_for=one).slope == pytest.approx(found.slope, abs=1e-9)
        assert model.do({x: 2.0}).query(x).variance == 0


def test_slopes_over_a_class():
    rng = np.random.default_rng(9)
    model = random_lines(5, rng)
    found = model.effects("v0", "v1")
    low, high = found.bounds()
    assert low <= model.effect("v0", "v1").slope + 1e-9
    assert model.effect("v0", "v1").slope <= high + 1e-9
    assert found.members == tw.graphs.count_members(tw.Cpdag.of(model.dag))


def test_a_function_of_what_is_adjusted_for_has_no_slope():
    schema = tw.Schema([tw.Variable(name) for name in "xyz"])
    dag = tw.Dag(schema, [("z", "x"), ("x", "y"), ("z", "y")])
    lines = {"x": {"z": 2.0}, "y": {"x": 1.0, "z": 1.0}}
    model = tw.GaussianNetwork(dag, [0, 0, 0], lines, {"x": 0, "y": 1, "z": 1})
    assert model.effect("x", "y").slope == 1.0
    with pytest.raises(SingularError, match="'x' does not vary once 'z' is known"):
        model.effect("x", "y", adjust_for=["z"])


# what it says


def test_learned_directions_decide_what_is_possible():
    asia = tw.load_network("asia")
    counter = tw.count(asia.sample(20_000, rng=np.random.default_rng(0)))
    learned = tw.learn_hill_climbing(tw.BIC(counter))
    model = tw.fit(learned.structure, counter)
    assert {one.parents for one in model.effects("smoke", "lung")} == {(), ("bronc",), ("lung",)}
    known = tw.Knowledge(tiers=[["smoke"], ["bronc", "lung"]])
    told = tw.fit(tw.learn_hill_climbing(tw.BIC(counter), knowledge=known).structure, counter)
    assert [one.parents for one in told.effects("smoke", "lung")] == [()]


def test_a_state_that_never_meets_the_set_has_no_number():
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in "xyz"])
    dag = tw.Dag(schema, [("z", "x"), ("x", "y"), ("z", "y")])
    tables = [[[1, 0], [0.5, 0.5]], [[[0.1, 0.9], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]]], [0.5, 0.5]]
    model = tw.BayesianNetwork(dag, tables)
    told = model.effect("x", "y", adjust_for=["z"])
    assert np.isfinite(told.table[0]).all()
    assert np.isnan(told.table[1]).all()
    assert np.isfinite(model.effect("x", "y").table).all()
    assert model.effect("x", "y").by_surgery
    assert "by surgery: in each set to adjust for some states never meet" in repr(model.effect("x", "y"))


@pytest.mark.parametrize(
    ("ask", "error", "told"),
    [
        (
            lambda m: m.do(),
            EvidenceError,
            "do() sets at least one variable, as in model.do(x='yes')",
        ),
        (lambda m: m.do(lung="maybe"), EvidenceError, "evidence lung='maybe' is not a state of lung"),
        (lambda m: m.do(lungs="yes"), EvidenceError, "names no variable of the model"),
        (
            lambda m: m.do(lung={"yes": 0.5, "no": 0.4}),
            SchemaError,
            "the table of 'lung' sums to 0.9, not to 1",
        ),
        (lambda m: m.effect("lung", "lung"), GraphError, "found 'lung' twice"),
        (lambda m: m.effect("lung", "x"), UnknownNameError, "there is no variable 'x'"),
        (lambda m: m.effect("bronc", "dysp", adjust_for="smoke"), SchemaError, "found the text 'smoke'"),
        (lambda m: m.effect("bronc", "dysp", adjust_for=[]), GraphError, "{either} does"),
        (lambda m: m.effect("dysp", "bronc", adjust_for=[]), GraphError, "none does: bronc is a cause of it"),
        (lambda m: m.effects("smoke", "lung").bounds(), SchemaError, "bounds('yes', to='yes', since='no')"),
        (
            lambda m: m.effects("smoke", "lung", pattern=tw.Cpdag.empty(m.schema)),
            GraphError,
            "a pattern has the edges of its graph",
        ),
    ],
)
def test_refusals(ask, error, told):
    with pytest.raises(error) as caught:
        ask(tw.load_network("asia"))
    assert told in str(caught.value)


def test_every_answer_says_what_it_rests_on():
    asia = tw.load_network("asia")
    for answer in (asia.effect("smoke", "lung"), asia.effects("smoke", "lung")):
        assert answer.assumptions
        assert all(f"if {one}" in repr(answer) for one in answer.assumptions)
    assert "no effect: smoke is a cause of lung" in repr(asia.effect("lung", "smoke"))
    lines = random_lines(3, np.random.default_rng(0))
    assert "if every arc is a cause" in repr(lines.effect("v0", "v1"))
