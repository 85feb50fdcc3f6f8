"""Gaussian networks: the dense formulas, worked numbers, relations without noise, rows and refusals."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from tests.reference.models import normal as slow

import treewright as tw
from treewright import _core
from treewright.errors import EvidenceError, ImpossibleEvidence, MissingValuesError, SchemaError


def network(text, coefficients, intercepts, variances):
    arcs = [tuple(arc.split("->")) for arc in text.split()]
    schema = tw.Schema([tw.Variable(name) for name in intercepts])
    return tw.GaussianNetwork(tw.Dag(schema, arcs), intercepts, coefficients, variances)


@pytest.fixture
def grades():
    """Difficulty and talent make a grade, which makes a letter."""
    return network(
        "hard->grade bright->grade grade->letter",
        {"grade": {"hard": -2.0, "bright": 3.0}, "letter": {"grade": 0.5}},
        {"hard": 1.0, "bright": 2.0, "grade": 10.0, "letter": -1.0},
        {"hard": 1.0, "bright": 4.0, "grade": 9.0, "letter": 0.25},
    )


@pytest.fixture
def exact():
    """y is twice x, and z is x with noise."""
    return network(
        "x->y x->z", {"y": {"x": 2.0}, "z": {"x": 1.0}}, dict.fromkeys("xyz", 0.0), [1.0, 0.0, 1.0]
    )


def test_worked_numbers(grades):
    # var(grade) = 4 + 36 + 9 = 49, mean 10 - 2 + 6 = 14
    assert grades.mean().tolist() == [1, 2, 14, 6]
    answer = grades.query("grade")
    assert (answer.mean, answer.variance, answer.standard_deviation) == (
        14,
        pytest.approx(49),
        pytest.approx(7),
    )
    # cov(bright, grade) = 12: mean 2 + 12/49 * 7, variance 4 - 144/49
    bright = grades.query("bright", given={"grade": 21.0})
    assert bright.mean == pytest.approx(2 + 12 / 7)
    assert bright.variance == pytest.approx(4 - 144 / 49)
    assert bright.log_density_of_evidence == pytest.approx(-0.5 * math.log(2 * math.pi * 49) - 0.5)
    # explaining away: cov(hard, bright | grade) = -(-2)(12)/49
    pair = grades.query(["hard", "bright"], given={"grade": 21.0})
    assert pair.covariance_of("hard", "bright") == pytest.approx(24 / 49)
    assert grades.covariance()[3, 3] == pytest.approx(49 / 4 + 0.25)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(1, 9), st.integers(0, 10**6), st.data())
def test_answers_equal_the_dense_formulas(n, seed, data):
    model = slow.random_network(n, seed)
    names = list(model.schema.names)
    observed = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=n - 1))
    known = dict(zip(observed, np.random.default_rng(seed).normal(size=len(observed)) * 4, strict=True))
    targets = [name for name in names if name not in known]
    mean, covariance, log_density = slow.conditional(model, targets, known)
    scale = np.sqrt(np.diag(slow.joint(model)[1]))[[model.schema.index(name) for name in targets]]
    answer = model.query(targets, given=known)
    assert np.allclose(answer.mean, mean, atol=1e-7 * max(1, np.abs(mean).max()))
    assert np.allclose(
        answer.covariance / np.outer(scale, scale), covariance / np.outer(scale, scale), atol=1e-9
    )
    assert np.array_equal(answer.covariance, answer.covariance.T)
    assert answer.log_density_of_evidence == pytest.approx(log_density, rel=1e-7, abs=1e-7)
    # the two leave out different variables, so the last digit may differ
    assert model.log_density_of(known) == pytest.approx(answer.log_density_of_evidence, rel=1e-12, abs=1e-12)
    marginals = model.marginals(known)
    for name in targets:
        alone = model.query(name, given=known)
        assert alone.mean == pytest.approx(answer[name].mean, rel=1e-9, abs=1e-9)
        assert alone.variance == pytest.approx(answer[name].variance, rel=1e-9)
        assert marginals[name].mean == pytest.approx(alone.mean, rel=1e-9, abs=1e-9)
        assert marginals[name].variance == pytest.approx(alone.variance, rel=1e-9)
    assert [marginals[name].mean for name in observed] == list(known.values())
    assert [marginals[name].variance for name in observed] == [0.0] * len(observed)


@settings(max_examples=25)
@given(st.integers(1, 8), st.integers(0, 10**6))
def test_rows_have_the_density_of_the_joint(n, seed):
    model = slow.random_network(n, seed)
    rows = model.sample(5, rng=np.random.default_rng(seed))
    mean, covariance = slow.joint(model)
    dense = multivariate_normal(mean, covariance, allow_singular=True).logpdf(np.column_stack(rows.columns))
    assert np.allclose(model.log_probability(rows), dense, rtol=1e-6, atol=1e-6)
    assert model.score(rows) == pytest.approx(float(np.mean(dense)), rel=1e-6, abs=1e-6)
    full = {name: float(rows.column(name)[0]) for name in rows.schema.names}
    assert model.log_density_of(full) == pytest.approx(model.log_probability(rows)[0], rel=1e-9, abs=1e-9)


def test_weights_count_in_a_score(grades):
    rows = grades.sample(3, rng=np.random.default_rng(0))
    logs = grades.log_probability(rows)
    weighted = rows.with_weights([2, 0, 1])
    assert grades.score(weighted) == pytest.approx((2 * logs[0] + logs[2]) / 3)


def test_measurements_of_very_different_precision_lose_no_digits():
    # a prior deviation of 1e6, two readings of deviation 1e-3: the posterior is theirs
    model = network(
        "x->a x->b",
        {"a": {"x": 1.0}, "b": {"x": 1.0}},
        dict.fromkeys("xab", 0.0),
        {"x": 1e12, "a": 1e-6, "b": 1e-6},
    )
    answer = model.query("x", given={"a": 5.0, "b": 5.002})
    assert answer.variance == pytest.approx(0.5e-6, rel=1e-6)
    assert answer.mean == pytest.approx(5.001, abs=1e-9)


def test_mpe_is_the_conditional_mean_and_no_row_nearby_is_more_probable(grades):
    best = grades.mpe({"letter": 9.0})
    assert best["letter"] == 9.0
    assert best["grade"] == pytest.approx(grades.query("grade", {"letter": 9.0}).mean)
    rng = np.random.default_rng(3)
    near = {n: best[n] + (0 if n == "letter" else 1) * rng.normal(size=50) * 0.1 for n in best}
    assert (
        grades.log_probability(tw.Table(grades.schema, list(near.values()))) <= best.log_probability
    ).all()


def test_relations_without_noise(exact):
    answer = exact.query("x", given={"y": 3.0})
    assert (answer.mean, answer.variance) == (1.5, 0.0)
    assert exact.query("y", given={"x": 0.1}).mean == 0.2
    # y adds nothing to x
    assert exact.log_density_of({"x": 0.1, "y": 0.2}) == exact.log_density_of({"x": 0.1})
    assert exact.log_density_of({"x": 0.1, "y": 0.3}) == -math.inf
    rows = exact.sample(100, given={"z": 2.0}, rng=np.random.default_rng(1))
    assert np.array_equal(rows.column("y"), 2 * rows.column("x"))
    assert np.isfinite(exact.log_probability(rows)).all()
    off = tw.Table(exact.schema, [[1.0, 1.0], [2.0, 2.1], [0.0, 0.0]])
    assert np.isneginf(exact.log_probability(off)).tolist() == [False, True]
    assert exact.predict(off.select(["y", "z"]), "x").tolist() == [1.0, 1.05]


def test_contradictions_are_named(exact):
    with pytest.raises(ImpossibleEvidence) as refusal:
        exact.query("z", given={"x": 1.0, "y": 3.0})
    assert str(refusal.value) == "evidence y=3.0 is impossible: given x=1.0, y is 2.0"
    with pytest.raises(ImpossibleEvidence, match="row 1 contradicts a relation of the model"):
        exact.predict(tw.Table(exact.schema.select(["x", "y"]), [[1.0, 1.0], [2.0, 5.0]]), "z")
    constant = network("", {}, {"c": 4.0}, [0.0])
    with pytest.raises(ImpossibleEvidence, match=r"evidence c=5.0 is impossible: c is always 4.0"):
        constant.marginals({"c": 5.0})


def test_determined_through_hidden_variables():
    # a and b are both the hidden h, so they agree
    model = network(
        "h->a h->b", {"a": {"h": 1.0}, "b": {"h": 3.0}}, dict.fromkeys("hab", 0.5), [2.0, 0.0, 0.0]
    )
    assert model.query("b", given={"a": 2.0}).mean == pytest.approx(0.5 + 3 * 1.5)
    assert model.query("b", given={"a": 2.0}).variance == 0
    assert model.marginals({"a": 2.0, "b": 5.0})["h"].mean == pytest.approx(1.5)
    with pytest.raises(ImpossibleEvidence, match=r"b=5.1 is impossible: given a=2.0, b is 5"):
        model.query("h", given={"a": 2.0, "b": 5.1})


def test_samples_have_the_moments_of_the_model(grades):
    free = grades.sample(200_000, rng=np.random.default_rng(11))
    assert np.allclose(np.cov(np.array(free.columns)), grades.covariance(), rtol=0.03, atol=0.2)
    known = {"letter": 9.0, "hard": 0.0}
    rows = grades.sample(200_000, given=known, rng=np.random.default_rng(12))
    assert set(rows.column("letter").tolist()) == {9.0}
    answer = grades.query(["bright", "grade"], given=known)
    drawn = np.array([rows.column("bright"), rows.column("grade")])
    assert np.allclose(drawn.mean(axis=1), answer.mean, atol=0.03)
    assert np.allclose(np.cov(drawn), answer.covariance, rtol=0.02, atol=0.01)


@pytest.mark.parametrize("known", [None, {"letter": 3.0}])
def test_samples_do_not_depend_on_threads_columns_or_length(grades, known):
    def draw(model, n):
        return model.sample(n, known, rng=np.random.default_rng(5))

    rows = draw(grades, 5001)
    try:
        _core.set_threads(3)
        assert draw(grades, 5001) == rows
    finally:
        _core.set_threads(0)
    assert draw(grades, 777) == rows.head(777)
    assert draw(turned(grades), 5001).reordered(rows.schema.names) == rows


def turned(model):
    """The same model with its columns the other way round."""
    names = model.schema.names[::-1]
    schema = model.schema.select(names)
    return tw.GaussianNetwork(
        tw.Dag(schema, model.dag.edges()),
        {name: model.intercept(name) for name in names},
        {name: model.coefficients(name) for name in names},
        {name: model.variance(name) for name in names},
    )


@pytest.mark.parametrize("seed", range(5))
def test_answers_do_not_depend_on_the_order_of_columns(seed):
    model = slow.random_network(9, seed)
    known = {"v03": 1.0, "v07": -2.0, "v01": 0.5}
    one, other = model.marginals(known), turned(model).marginals(known)
    assert all(one[name] == other[name] for name in one)


@pytest.mark.parametrize("seed", range(4))
def test_predictions_are_conditional_means_row_by_row(seed):
    model = slow.random_network(6, seed)
    rng = np.random.default_rng(seed)
    rows = model.sample(40, rng=rng)
    holes = [np.where(rng.random(40) < 0.3, np.nan, column) for column in rows.columns]
    table = tw.Table(model.schema, holes).select(["v05", "v00", "v02", "v03"])
    predicted = model.predict(table, "v00")
    for i in range(40):
        cells = {name: float(table.column(name)[i]) for name in ("v05", "v02", "v03")}
        known = {name: value for name, value in cells.items() if not math.isnan(value)}
        assert predicted[i] == pytest.approx(model.query("v00", known).mean, rel=1e-9, abs=1e-9)


def test_predictions_of_no_rows_and_without_columns(grades):
    assert grades.predict(tw.Table(tw.Schema([tw.Variable("letter")]), [[]]), "grade").shape == (0,)
    other = tw.Table(tw.Schema([tw.Variable("grade")]), [[1.0, 2.0]])
    assert grades.predict(other, "grade").tolist() == [14.0, 14.0]


def test_large_networks_are_solved_block_by_block():
    n = 3000
    schema = tw.Schema([tw.Variable(f"x{k:04}") for k in range(n)])
    names = schema.names
    chain = tw.Dag(schema, [(k, k + 1) for k in range(n - 1)])
    lines = {names[k + 1]: {names[k]: 0.9} for k in range(n - 1)}
    model = tw.GaussianNetwork(chain, np.zeros(n), lines, np.ones(n))
    known = {names[k]: 1.0 for k in range(0, n, 10)}
    assert len(model.cost(known).largest_block) == 10
    found = model.marginals(known)
    # between two readings ten steps apart only those two matter
    near = model.query("x0015", {"x0010": 1.0, "x0020": 1.0})
    assert found["x0015"].mean == pytest.approx(near.mean, rel=1e-12)
    assert found["x0015"].variance == pytest.approx(near.variance, rel=1e-12)
    free = model.marginals()
    assert free["x2999"].variance == pytest.approx(1 / (1 - 0.81), rel=1e-9)


def test_too_much_memory_is_refused_before_it_is_taken():
    n = 60
    schema = tw.Schema([tw.Variable(f"x{k:02}") for k in range(n)])
    star = tw.Dag(schema, [(0, k) for k in range(1, n)])
    model = tw.GaussianNetwork(star, np.zeros(n), {f"x{k:02}": {"x00": 1.0} for k in range(1, n)}, np.ones(n))
    known = {f"x{k:02}": 1.0 for k in range(1, n)}
    try:
        tw.set_memory_limit("20KiB")
        assert model.cost(known).refused
        with pytest.raises(tw.errors.TableTooLarge) as refusal:
            model.query("x00", known)
        assert str(refusal.value) == (
            "conditioning on 59 variables in one block of 60 (x00, x01, x02, x03, x04, x05, x06, x07 and 52 "
            "more) takes 41.4 KiB, more than the limit of 20.0 KiB; observe fewer variables, or more of "
            "those that separate them, or raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
        )
        with pytest.raises(tw.errors.TableTooLarge, match=r"the covariance of 60 variables takes 56.2 KiB"):
            model.covariance()
        with pytest.raises(tw.errors.TableTooLarge, match="1,000 rows of 60 columns take 480,000 bytes"):
            model.sample(1000, rng=np.random.default_rng(0))
        assert not model.cost(given={"x01": 1.0}, targets="x00").refused
    finally:
        tw.set_memory_limit(None)


def test_it_is_a_value(grades):
    assert grades == turned(turned(grades))
    assert hash(grades) == hash(pickle.loads(pickle.dumps(grades)))
    assert grades != slow.random_network(4, 0)
    assert repr(grades) == "<GaussianNetwork: 4 variables, 3 arcs, 11 parameters>"
    assert isinstance(grades, tw.models.Model)
    with pytest.raises(ValueError, match="read-only"):
        grades.intercepts[0] = 1.0


def test_graphs_of_other_libraries(grades):
    networkx = pytest.importorskip("networkx")
    graph = grades.to_networkx()
    assert isinstance(graph, networkx.DiGraph)
    assert graph.nodes["grade"] == {"intercept": 10.0, "variance": 9.0}
    assert graph.edges["hard", "grade"] == {"coefficient": -2.0}
    assert '"hard" -> "grade";' in grades.to_dot()


def test_refusals(grades):
    schema = tw.Schema([tw.Variable("x"), tw.Variable("y")])
    line = tw.Dag(schema, [("x", "y")])
    for arguments, message in (
        (([0, 0], {}, [1, 1]), r"'y' needs one coefficient for each of its parents \('x'\); found none"),
        (([0, 0], {"y": {"x": 1}}, [1, -1]), "a variance is not negative; that of 'y' is -1.0"),
        (([0], {"y": {"x": 1}}, [1, 1]), r"2 variables need one intercept each; found shape \(1,\)"),
        (({"x": 0}, {"y": {"x": 1}}, [1, 1]), "every variable needs one intercept; found none for 'y'"),
        (([0, 0], {"y": {"x": math.nan}}, [1, 1]), "the coefficient of 'x' for 'y' is not a finite number"),
        (([0, math.inf], {"y": {"x": 1}}, [1, 1]), "the intercept of 'y' is not a finite number"),
        (([0, 0], {"z": {}}, [1, 1]), "there is no variable 'z'"),
    ):
        with pytest.raises(SchemaError, match=message):
            tw.GaussianNetwork(line, *arguments)
    with pytest.raises(SchemaError, match="a Gaussian network has continuous variables; discrete: 'a'"):
        tw.GaussianNetwork(tw.Dag(tw.Schema([tw.Variable("a", (0, 1))])), [0], {}, [1])
    for known, message in (
        ({"grade": "good"}, "evidence grade='good' is not a finite number; grade is continuous"),
        ({"grade": True}, "evidence grade=True is not a finite number"),
        ({"grade": math.nan}, "evidence grade=nan is not a finite number"),
        (
            {"grad": 1.0},
            r"evidence grad=1.0 names no variable of the model; variables are .*did you mean 'grade'",
        ),
        ([("grade", 1.0)], "evidence is a mapping from names to numbers; found list"),
    ):
        with pytest.raises(EvidenceError, match=message):
            grades.query("hard", given=known)
    with pytest.raises(SchemaError, match="a query asks about at least one variable; found none"):
        grades.query([])
    with pytest.raises(SchemaError, match="there is no variable 'x'"):
        grades.query("x")
    with pytest.raises(SchemaError, match="the model needs a column 'hard', which the table lacks"):
        grades.score(tw.read_table({"x": [0.5]}))
    holes = tw.Table(grades.schema, [[1.0], [math.nan], [1.0], [1.0]])
    with pytest.raises(MissingValuesError, match="has no single density; column 'bright' has some"):
        grades.score(holes)
    discrete = tw.Table(tw.Schema([tw.Variable("hard", (0, 1))]), [[1]])
    with pytest.raises(SchemaError, match="column 'hard' of the table is discrete"):
        grades.predict(discrete, "grade")
    with pytest.raises(TypeError, match="rng is a numpy Generator"):
        grades.sample(3, rng=7)


def test_observed_targets_are_certain(grades):
    answer = grades.query(["grade", "hard"], given={"hard": 2.0})
    assert answer["hard"].mean == 2.0
    assert answer.covariance[1].tolist() == [0.0, 0.0]
    assert answer["hard"].variance == 0.0
