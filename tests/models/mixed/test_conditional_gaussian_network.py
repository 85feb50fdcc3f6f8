"""Conditional Gaussian networks: a brute-force mixture is the judge of every answer."""

import math

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from tests.reference.models.mixtures import brute_force, in_logs, large_mixed, moments_of, random_mixed

import treewright as tw
from treewright.errors import EvidenceError, ImpossibleEvidence, SchemaError, TableTooLarge
from treewright.models import ConditionalGaussianNetwork, Lines

TIGHT = {"rtol": 1e-9, "atol": 1e-9}


@st.composite
def questions(draw):
    """A random network and something to know about it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    model = random_mixed(rng, draw(st.integers(0, 4)), draw(st.integers(1, 5)), density=draw(st.floats(0, 1)))
    row = model.sample(1, rng=rng)
    given = {}
    for name in model.schema.names:
        variable = model.schema[name]
        if rng.random() < 0.4:
            cell = row.column(name)[0]
            given[name] = float(cell) if variable.states is None else variable.states[cell]
        elif variable.is_discrete and rng.random() < 0.1:
            given[name] = {state: float(rng.uniform(0.1, 1)) for state in variable.states}
    return model, given


@settings(max_examples=120, deadline=None)
@drawn(questions())
def test_answers_are_those_of_a_brute_force_mixture(question):
    model, given = question
    found = brute_force(model, given)
    total, mean, spread = moments_of(found)
    answers = model.marginals(given)
    assert math.isclose(model.log_density_of(given), math.log(total), rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(answers.log_density_of_evidence, math.log(total), rel_tol=1e-9, abs_tol=1e-9)
    for variable in model.schema:
        if not variable.is_discrete:
            k = model.continuous.index(variable.name)
            answer = answers[variable.name]
            np.testing.assert_allclose(answer.mean, mean[k], **TIGHT)
            np.testing.assert_allclose(answer.variance, spread[k, k], **TIGHT)
            continue
        cells = np.zeros(variable.cardinality)
        for state, weight, _, _ in found:
            cells[state[variable.name]] += weight / total
        np.testing.assert_allclose(answers[variable.name].array, cells, **TIGHT)


@pytest.mark.slow
@pytest.mark.parametrize("n_variables", [20, 35, 50])
@pytest.mark.parametrize("seed", range(4))
def test_large_networks_answer_as_a_brute_force_mixture_does(n_variables, seed):
    rng = np.random.default_rng([n_variables, seed])
    model = large_mixed(rng, n_variables)
    row = model.sample(1, rng=rng)
    given, n_open = {}, math.prod(v.cardinality for v in model.schema if v.is_discrete)
    for name in rng.permutation(model.schema.names).tolist():
        variable, cell = model.schema[name], row.column(name)[0]
        if variable.is_discrete and n_open > 300:  # so many that all joint states can be looked at
            given[name], n_open = variable.states[cell], n_open // variable.cardinality
        elif not variable.is_discrete and rng.random() < 0.4:
            given[name] = float(cell)
    found = in_logs(model, given)
    highest = max(log for _, log, _, _ in found)
    found = [(state, math.exp(log - highest), mean, covariance) for state, log, mean, covariance in found]
    total, mean, spread = moments_of(found)
    answers = model.marginals(given)
    assert math.isclose(answers.log_density_of_evidence, highest + math.log(total), rel_tol=1e-9)
    for variable in model.schema:
        if not variable.is_discrete:
            k = model.continuous.index(variable.name)
            np.testing.assert_allclose(answers[variable.name].mean, mean[k], **TIGHT)
            np.testing.assert_allclose(answers[variable.name].variance, spread[k, k], **TIGHT)
            continue
        cells = np.zeros(variable.cardinality)
        for state, weight, _, _ in found:
            cells[state[variable.name]] += weight / total
        np.testing.assert_allclose(answers[variable.name].array, cells, **TIGHT)


@settings(max_examples=60, deadline=None)
@drawn(questions())
def test_joint_questions_and_peaks(question):
    model, given = question
    found = brute_force(model, given)
    total, mean, spread = moments_of(found)
    numbers = list(model.continuous)
    joint = model.query(numbers, given)
    np.testing.assert_allclose(joint.mean, mean, **TIGHT)
    np.testing.assert_allclose(joint.covariance, spread, **TIGHT)
    states = [v.name for v in model.schema if v.is_discrete]
    if states:
        table = model.query(states, given)
        for state, weight, _, _ in found:
            key = tuple(state[name] for name in states)
            assert math.isclose(table.array[key], weight / total, rel_tol=1e-9, abs_tol=1e-12)
    best, hard = model.mpe(given), [n for n, told in given.items() if not isinstance(told, dict)]
    hidden = [i for i, name in enumerate(numbers) if name not in given]

    def peak(weight, covariance):
        _, log_det = np.linalg.slogdet(2 * math.pi * covariance[np.ix_(hidden, hidden)])
        return -math.inf if weight == 0 else math.log(weight) - 0.5 * log_det

    highest = max(peak(weight, covariance) for _, weight, _, covariance in found)
    assert math.isclose(best.log_probability, highest, rel_tol=1e-9, abs_tol=1e-8)
    if len(hard) == len(given):
        row = {name: [value] for name, value in best.items()}
        columns = [row[v.name] if not v.is_discrete else [v.code(row[v.name][0])] for v in model.schema]
        log = model.log_probability(tw.Table(model.schema, columns))[0]
        assert math.isclose(log, highest, rel_tol=1e-9, abs_tol=1e-8)


@settings(max_examples=60, deadline=None)
@drawn(questions())
def test_what_rows_show_is_as_dense_as_a_brute_force_mixture_says(question):
    model, _ = question
    rng = np.random.default_rng(2)
    rows = model.sample(6, rng=rng)
    assert model.log_evidence(rows).tolist() == model.log_probability(rows).tolist()
    masks = {name: rng.random(6) < 0.4 for name in model.schema.names}
    holes = tw.Table(model.schema, rows.columns, missing=masks)
    logs = model.log_evidence(holes)
    for row in range(6):
        given = {n: rows.labels(n)[row] for n in model.schema.names if not masks[n][row]}
        total = moments_of(brute_force(model, given))[0]
        assert math.isclose(logs[row], math.log(total), rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(model.score(holes, unseen="ignore"), logs.mean(), rel_tol=1e-12, abs_tol=1e-12)


@settings(max_examples=40, deadline=None)
@drawn(questions())
def test_predictions_are_questions(question):
    model, _ = question
    rows = model.sample(3, rng=np.random.default_rng(1))
    for target in (model.schema.names[0], model.continuous[0]):
        batch = model.predict_table(rows, target)
        masks = {name: [False, name == model.schema.names[-1], False] for name in model.schema.names}
        holes = tw.Table(model.schema, rows.columns, missing=masks)
        gaps = model.predict_table(holes, target)
        for row in range(3):
            given = {n: rows.labels(n)[row] for n in model.schema.names if n != target}
            answer = model.query(target, given)
            some = {n: v for n, v in given.items() if row != 1 or n != model.schema.names[-1]}
            less = model.query(target, some)
            if model.schema[target].is_discrete:
                np.testing.assert_allclose(batch.array[row], answer.array, **TIGHT)
                np.testing.assert_allclose(gaps.array[row], less.array, **TIGHT)
            else:
                np.testing.assert_allclose(batch.means[row], answer.mean, **TIGHT)
                np.testing.assert_allclose(gaps.variances[row], less.variance, **TIGHT)


def test_samples_have_the_moments_of_the_answers():
    model = random_mixed(np.random.default_rng(3), 2, 4, density=0.8)
    numbers = model.continuous
    for given in ({}, {numbers[-1]: 0.5}):
        rows = model.sample(20_000, given, rng=np.random.default_rng(0))
        answer = model.marginals(given)
        for name in model.schema.names:
            column = rows.column(name)
            if name in numbers:
                error = answer[name].standard_deviation / math.sqrt(20_000)
                assert abs(column.mean() - answer[name].mean) <= 5 * error + 1e-12
                assert math.isclose(column.std(), answer[name].standard_deviation, rel_tol=0.06, abs_tol=1e-9)
            else:
                shares = np.bincount(column, minlength=len(answer[name])) / 20_000
                assert np.abs(shares - answer[name].array).max() < 0.02


@pytest.mark.parametrize("known", [False, True])
def test_samples_do_not_depend_on_the_order_of_columns_or_on_their_length(known):
    model = random_mixed(np.random.default_rng(5), 3, 4)
    given = {model.continuous[0]: 0.25} if known else None
    order = list(reversed(model.schema.names))
    schema = model.schema.select(order)
    other = ConditionalGaussianNetwork(
        tw.Dag(schema, model.dag.edges()),
        *_in_order(model, schema),
    )
    a, b = (one.sample(50, given, rng=np.random.default_rng(2)) for one in (model, other))
    short = model.sample(20, given, rng=np.random.default_rng(2))
    for name in order:
        assert (a.column(name) == b.column(name)).all()
        assert (a.column(name)[:20] == short.column(name)).all()
    ours, theirs = model.marginals(given), other.marginals(given)
    for name in order:
        if name in model.continuous:
            assert ours[name].mean == theirs[name].mean
            assert ours[name].variance == theirs[name].variance
        else:
            assert ours[name].array.tolist() == theirs[name].array.tolist()


def _in_order(model, schema):
    """The numbers of a model with the axes of another order of its columns."""

    def axes(name):
        ours = [p for p in model.dag.parents(name) if model.schema[p].is_discrete]
        theirs = [n for n in schema.names if n in ours]
        return [ours.index(n) for n in theirs]

    tables, lines = {}, {}
    for name in model.schema.names:
        if name in model.continuous:
            one = model.lines(name)
            lines[name] = Lines(
                one.intercepts.transpose(axes(name)),
                {p: c.transpose(axes(name)) for p, c in one.coefficients.items()},
                one.variances.transpose(axes(name)),
            )
        else:
            table = np.asarray(model.table(name))
            tables[name] = table.transpose([*axes(name), table.ndim - 1])
    return tables, lines


def test_strong_evidence_against_itself_does_not_underflow():
    """Thirty numbers of one class: densities of 1e-1000 still have a ratio."""
    names = [f"x{i}" for i in range(30)]
    schema = tw.Schema([tw.Variable("class", ("a", "b")), *map(tw.Variable, names)])
    dag = tw.Dag(schema, [("class", name) for name in names])
    lines = {name: Lines([0.0, 20.0], {}, [1.0, 1.0]) for name in names}
    model = ConditionalGaussianNetwork(dag, {"class": [0.5, 0.5]}, lines)
    # half of the numbers say a and half say b, each with 200 nats
    given = {name: 20.0 * (i % 2) for i, name in enumerate(names)}
    assert model.query("class", given).array.tolist() == pytest.approx([0.5, 0.5])


def test_states_that_are_ruled_out_have_no_say_in_the_scale():
    """The numbers speak for a state that cannot be, far beyond the smallest double."""
    schema = tw.Schema([tw.Variable("a", ("x", "y", "z")), *(tw.Variable(f"n{i}") for i in range(40))])
    dag = tw.Dag(schema, [("a", f"n{i}") for i in range(40)])
    lines = {f"n{i}": Lines([0.0, 1.0, 12.0], {}, [1.0, 1.0, 1.0]) for i in range(40)}
    model = ConditionalGaussianNetwork(dag, {"a": [0.5, 0.25, 0.25]}, lines)
    seen = {f"n{i}": 12.0 for i in range(40)}
    ruled_out = {**seen, "a": {"x": 1.0, "y": 0.5, "z": 0.0}}
    one, two = (model.log_density_of({**seen, "a": state}) for state in "xy")
    expected = np.logaddexp(one, two + math.log(0.5))
    assert one < -2000
    assert math.isclose(model.log_density_of(ruled_out), expected, rel_tol=1e-12)
    assert math.isclose(model.marginals(ruled_out).log_density_of_evidence, expected, rel_tol=1e-12)
    assert model.mpe(ruled_out)["a"] == "y"


def test_refusals():
    schema = tw.Schema([tw.Variable("a", ("no", "yes")), tw.Variable("x"), tw.Variable("y")])
    with pytest.raises(SchemaError, match="discrete variables have discrete parents; found the arc x -> a"):
        ConditionalGaussianNetwork(tw.Dag(schema, [("x", "a")]), {"a": [0.5, 0.5]}, {})
    dag, tables = tw.Dag(schema, [("a", "x"), ("x", "y")]), {"a": [0.5, 0.5]}
    good = {"x": Lines([0, 1], {}, [1, 1]), "y": Lines(0, {"x": 1}, 1)}
    model = ConditionalGaussianNetwork(dag, tables, good)
    for lines, message in (
        ({"x": good["x"]}, "every variable needs one set of lines; found none for 'y'"),
        ({**good, "x": Lines(0, {}, 1)}, "shape"),
        ({**good, "x": Lines([0, 1], {}, [1, 0])}, "variances of 'x' are above 0"),
        ({**good, "x": Lines([0, math.nan], {}, [1, 1])}, "finite"),
        ({**good, "y": Lines(0, {}, 1)}, "continuous parents 'x'; coefficients were given for none"),
        ({**good, "y": 3}, "a Lines object; found int"),
    ):
        with pytest.raises(SchemaError, match=message):
            ConditionalGaussianNetwork(dag, tables, lines)
    with pytest.raises(EvidenceError, match="x='high' is not a finite number; x is continuous"):
        model.query("a", {"x": "high"})
    with pytest.raises(EvidenceError, match="names no variable of the model"):
        model.query("a", {"z": 1})
    with pytest.raises(EvidenceError, match="a=3 is not a state of a"):
        model.query("x", {"a": 3})
    with pytest.raises(EvidenceError, match="mapping"):
        model.query("x", [1])
    with pytest.raises(SchemaError, match="about states or about numbers; found 'a', 'x'"):
        model.query(["a", "x"])
    with pytest.raises(SchemaError, match="'a' is discrete and has a table"):
        model.lines("a")
    sure = ConditionalGaussianNetwork(dag, {"a": [1.0, 0.0]}, good)
    with pytest.raises(ImpossibleEvidence, match="probability zero"):
        sure.marginals({"a": "yes", "y": 0.0})
    assert sure.log_density_of({"a": "yes", "y": 0.0}) == -math.inf


def test_what_memory_would_not_hold_is_refused_beforehand():
    n = 40
    states = [tw.Variable(f"a{i:02}", ("no", "yes")) for i in range(n)]
    numbers = [tw.Variable(f"x{i:02}") for i in range(n)]
    schema = tw.Schema([*states, *numbers])
    arcs = [(f"a{i:02}", f"x{i:02}") for i in range(n)]
    arcs += [(f"x{i:02}", f"x{i + 1:02}") for i in range(n - 1)]
    dag = tw.Dag(schema, arcs)
    lines = {"x00": Lines([0, 1], {}, [1, 1])}
    for i in range(1, n):
        lines[f"x{i:02}"] = Lines([0, 1], {f"x{i - 1:02}": [1, 0.5]}, [1, 1])
    model = ConditionalGaussianNetwork(dag, {v.name: [0.5, 0.5] for v in states}, lines)
    with pytest.raises(TableTooLarge, match=r"joint state of 'a00', 'a01'.* and 28 more"):
        model.query("x39")
    assert model.cost().refused
    assert model.cost().width == n - 1
    assert not model.cost({"x38": 1.0}, "a39").refused or model.cost({"x38": 1.0}).refused
    # an observed number cuts the chain, and what is below it asks for little
    assert model.query("x01").mean == pytest.approx(0.5 + 0.75 * 0.5)
    known = {f"a{i:02}": "yes" for i in range(n)}
    assert not model.cost(known).refused
    assert model.query("x39", known).mean == pytest.approx(sum(0.5**i for i in range(n)))


def test_what_is_shown_is_short():
    model = random_mixed(np.random.default_rng(0), 20, 20, density=0.1)
    assert repr(model).startswith("<ConditionalGaussianNetwork: 40 variables (20 continuous), ")
    assert len(repr(model)) < 120
    answer = model.marginals()
    assert len(repr(answer).splitlines()) < 30
    assert answer.to_frame("pandas").shape[1] == 4
    assert "<table>" in answer._repr_html_()


def test_mixtures_know_their_quantiles():
    model = random_mixed(np.random.default_rng(8), 3, 2, density=1.0)
    answer = model.query(model.continuous[-1])
    low, high = answer.interval(0.9)
    assert answer.probability_below(high) - answer.probability_below(low) == pytest.approx(0.9)
    assert answer.density(answer.mean) > 0
    assert answer.quantile(0) == -math.inf
    assert answer.quantile(1) == math.inf
    with pytest.raises(ValueError, match="quantile"):
        answer.quantile(2)
    with pytest.raises(ValueError, match="interval"):
        answer.interval(1)
