"""Expected moments of mixed rows: against enumeration, without gaps the moments themselves, in any order."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright import _core
from treewright.errors import ImpossibleEvidence, SchemaError, TableTooLarge
from treewright.models.fitting.em_mixed import alone, fit_mixed_em
from treewright.models.mixed.completions import Completions
from treewright.models.mixed.expected_moments import ExpectedMixedMoments
from treewright.models.mixed.lines import Lines
from treewright.tables import Schema, Table, Variable


def random_case(seed, n_states=3, n_numbers=3, n_rows=6, share=0.4):
    """A random network, and rows of it with gaps."""
    rng = np.random.default_rng(seed)
    states, numbers = [f"s{i}" for i in range(n_states)], [f"x{i}" for i in range(n_numbers)]
    order = [*states, *numbers]
    variables = [Variable(name, tuple("abc"[: int(rng.integers(2, 4))])) for name in states]
    columns = rng.permutation(len(order))
    schema = Schema([[*variables, *map(Variable, numbers)][k] for k in columns])
    dag = tw.Dag(schema, [(a, b) for a, b in combinations(order, 2) if rng.random() < 0.5])
    tables, lines = {}, {}
    for name in order:
        above = schema.names_of(dag.parents(schema.index(name)))
        shape = [schema[p].cardinality for p in above if schema[p].is_discrete]
        if name in states:
            cells = rng.gamma(1.0, size=[*shape, schema[name].cardinality]) + 0.05
            tables[name] = cells / cells.sum(axis=-1, keepdims=True)
        else:
            slopes = {p: rng.normal(size=shape) for p in above if not schema[p].is_discrete}
            lines[name] = Lines(rng.normal(size=shape), slopes, rng.uniform(0.3, 2.0, size=shape))
    model = tw.models.ConditionalGaussianNetwork(dag, tables, lines)
    full = model.sample(n_rows, rng=rng)
    missing = {v: rng.random(n_rows) < share for v in range(len(schema)) if rng.random() < 0.9}
    weights = rng.integers(0, 3, n_rows).astype(float) if rng.random() < 0.5 else None
    return model, with_gaps(full, missing, weights)


def with_gaps(full, missing, weights=None):
    columns = [
        np.where(missing[v], np.nan, column) if v in missing and column.dtype.kind == "f" else column
        for v, column in enumerate(full.columns)
    ]
    return Table(full.schema, columns, missing=missing, weights=weights)


def normal_given_states(model, states):
    """Mean and covariance of all numbers, one after another along the arcs."""
    names = model.by_layers()
    mean, covariance = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for k, name in enumerate(names):
        lines = model.lines(name)
        above = model.schema.names_of(model.dag.parents(model.schema.index(name)))
        at = tuple(states[p] for p in above if p in states)
        slopes = np.zeros(len(names))
        for parent, values in lines.coefficients.items():
            slopes[names.index(parent)] = values[at]
        mean[k] = lines.intercepts[at] + slopes @ mean
        cross = slopes @ covariance
        covariance[k], covariance[:, k] = cross, cross
        covariance[k, k] = lines.variances[at] + cross @ slopes
    return names, mean, covariance


def ways(model, table, row):
    """Every joint state that a row may be in, its density, and mean and covariance of its numbers."""
    schema = model.schema
    gone = {name for v, name in enumerate(schema.names) if v in table.missing and table.missing[v][row]}
    hidden = [name for name in schema.names if name in gone and schema[name].is_discrete]
    codes = {v.name: int(table.column(v.name)[row]) for v in schema if v.is_discrete}
    for states in product(*(range(schema[name].cardinality) for name in hidden)):
        codes.update(zip(hidden, states, strict=True))
        labels = {name: schema[name].states[code] for name, code in codes.items()}
        names, mean, covariance = normal_given_states(model, codes)
        at = [k for k, name in enumerate(names) if name not in gone]
        seen = np.array([table.column(names[k])[row] for k in at])
        inner, gain = covariance[np.ix_(at, at)], covariance[:, at]
        solved = np.linalg.solve(inner, np.column_stack([seen - mean[at], gain.T])) if at else None
        log_density = np.log(model.discrete.probability_of(labels))
        if at:
            rest = (seen - mean[at]) @ solved[:, 0]
            log_density -= 0.5 * (rest + np.linalg.slogdet(2 * np.pi * inner)[1])
            mean = mean + gain @ solved[:, 0]
            covariance = covariance - gain @ solved[:, 1:]
        yield dict(codes), log_density, dict(zip(names, mean, strict=True)), names, covariance


def enumerated(model, table, discrete, continuous, found_ways):
    """Rows, sums and sums of products in each joint state."""
    width = len(continuous)
    shape = [model.schema[name].cardinality for name in discrete]
    n, total, products = np.zeros(shape), np.zeros([*shape, width]), np.zeros([*shape, width, width])
    logs = []
    for row in range(table.n_rows):
        weight = 1.0 if table.weights is None else table.weights[row]
        found = found_ways[row]
        top = np.logaddexp.reduce([log for _, log, *_ in found])
        logs.append(weight * top)
        for codes, log, mean, names, covariance in found:
            share, cell = weight * np.exp(log - top), tuple(codes[name] for name in discrete)
            at = [names.index(name) for name in continuous]
            x = np.array([mean[name] for name in continuous])
            n[cell] += share
            total[cell] += share * x
            products[cell] += share * (np.outer(x, x) + covariance[np.ix_(at, at)])
    return n, total, products, sum(logs)


@given(st.integers(0, 10_000))
@settings(max_examples=8, deadline=None)
def test_expected_moments_equal_enumeration(seed):
    model, table = random_case(seed)
    found = ExpectedMixedMoments(model, table)
    found_ways = [list(ways(model, table, row)) for row in range(table.n_rows)]
    asked = [
        ((), ("x0", "x1", "x2")),
        (("s0", "s2"), ("x1",)),
        (("s0", "s1", "s2"), ("x0", "x2")),
        (("s1",), ()),
    ]
    for discrete, continuous in asked:
        n, total, products, log_likelihood = enumerated(model, table, discrete, continuous, found_ways)
        ours = found.in_states(discrete, continuous)
        dense = np.zeros_like(n), np.zeros_like(total), np.zeros_like(products)
        for state, rows, mean, scatter in zip(ours.states, ours.n, ours.mean, ours.scatter, strict=True):
            at = tuple(state)
            dense[0][at], dense[1][at] = rows, rows * mean
            dense[2][at] = scatter + rows * np.outer(mean, mean)
        for mine, theirs in zip(dense, (n, total, products), strict=True):
            np.testing.assert_allclose(
                mine, theirs, rtol=0, atol=1e-9 * max(1.0, np.abs(theirs).max(initial=0))
            )
        assert found.log_likelihood == pytest.approx(log_likelihood, rel=1e-10, abs=1e-9)
    counts = found.counter.counts(("s2", "s0"))
    np.testing.assert_allclose(counts, enumerated(model, table, ("s2", "s0"), (), found_ways)[0], atol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=5, deadline=None)
def test_answers_about_many_rows_are_those_of_questions(seed):
    model, table = random_case(seed)
    table = Table(table.schema, table.columns, missing=table.missing)
    np.testing.assert_allclose(
        model.log_evidence(table),
        [model.log_density_of(shown(table, row)) for row in range(table.n_rows)],
        atol=1e-9,
    )
    for target in ("s1", "x1"):
        answers = model.predict_table(table, target)
        for row in range(table.n_rows):
            answer = model.query(target, {k: v for k, v in shown(table, row).items() if k != target})
            if target == "s1":
                np.testing.assert_allclose(answers.array[row], answer.array, atol=1e-9)
            else:
                assert answers.means[row] == pytest.approx(answer.mean, rel=1e-9, abs=1e-9)
                assert answers.variances[row] == pytest.approx(answer.variance, rel=1e-9, abs=1e-9)


def shown(table, row):
    from treewright.models.mixed.mixed_rows import shown_in

    return shown_in(table, list(table.schema.names), row)


def test_without_gaps_they_are_the_moments():
    model, table = random_case(3, n_rows=200, share=0.0)
    whole = Table(table.schema, table.columns)
    ours, theirs = ExpectedMixedMoments(model, whole), tw.statistics.mixed_moments(whole)
    one, other = (source.in_states(["s0", "s1"], ["x0", "x1", "x2"]) for source in (ours, theirs))
    assert np.array_equal(one.states, other.states)
    assert np.array_equal(one.n, other.n)
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12)
    np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-9, atol=1e-12)
    assert np.array_equal(ours.counter.counts(("s0", "s1")), theirs.counter.counts(("s0", "s1")))


def test_the_bits_do_not_depend_on_order_or_threads():
    model, table = random_case(11, n_states=4, n_numbers=4, n_rows=900)
    shuffled = table.take(np.random.default_rng(0).permutation(table.n_rows))
    before = _core.threads()
    found = []
    for rows, threads in ((table, 1), (table, 3), (shuffled, 2)):
        _core.set_threads(threads)
        expected = ExpectedMixedMoments(model, rows)
        told = expected.in_states(["s0", "s3"], ["x0", "x2"])
        found.append((expected.log_likelihood, told.n.tobytes(), told.mean.tobytes(), told.scatter.tobytes()))
    _core.set_threads(before)
    assert found[0] == found[1] == found[2]


@given(st.integers(0, 10_000))
@settings(max_examples=8, deadline=None)
def test_em_never_lowers_what_the_rows_show(seed):
    model, table = random_case(seed, n_rows=40)
    if any(mask.all() for mask in table.missing.values()):
        return
    trace = fit_mixed_em(model.dag, table).trace
    assert all(b >= a for a, b in pairwise(trace.log_likelihood))


def test_columns_by_themselves_are_what_their_cells_show():
    _, table = random_case(5, n_rows=50)
    table = Table(table.schema, table.columns, missing=table.missing)
    found = alone(table)
    for v, variable in enumerate(table.schema):
        kept = ~table.missing[v] if v in table.missing else slice(None)
        column = table.columns[v][kept]
        if variable.is_discrete:
            share = found.counter.counts((variable.name,)) / table.n_rows
            truth = np.bincount(column, minlength=variable.cardinality) / len(column)
            np.testing.assert_allclose(share, truth, atol=1 / len(column))
        else:
            told = found.in_states((), (variable.name,))
            assert told.mean[0, 0] == pytest.approx(column.mean())
            assert told.scatter[0, 0, 0] / table.n_rows == pytest.approx(column.var())


def test_tables_and_lines_are_fitted_to_rows_with_gaps():
    model, table = random_case(21, n_rows=3_000, share=0.2)
    fitted = tw.models.fit_mixed_em(model.dag, Table(table.schema, table.columns, missing=table.missing))
    rows = model.sample(2_000, rng=np.random.default_rng(1))
    assert model.score(rows) - fitted.model.score(rows) < 0.03
    assert fitted.trace.converged
    with pytest.raises(SchemaError, match="x2"):
        tw.models.fit_mixed_em(model.dag, table.select([n for n in table.schema.names if n != "x2"]))
    with pytest.raises(SchemaError, match=r"tw\.models\.fit_mixed_em"):
        tw.fit_em(model.dag, table)


def test_refusals():
    schema = Schema([Variable("a", ("n", "y")), Variable("x")])
    certain = tw.models.ConditionalGaussianNetwork(
        tw.Dag(schema), {"a": [1.0, 0.0]}, {"x": Lines(0.0, {}, 1.0)}
    )
    table = tw.read_table({"a": ["y", "n"], "x": [0.5, None]}, schema=schema, missing="em")
    assert Completions(certain, table).log_densities()[0] == -np.inf
    names = [f"s{i:02}" for i in range(25)]
    wide = Schema([*(Variable(name, ("n", "y")) for name in names), Variable("x")])
    dag = tw.Dag(wide, [(name, "x") for name in names[:10]] + list(pairwise(names)))
    rng = np.random.default_rng(0)
    cells = {name: ["n", None] for name in names} | {"x": [0.5, 1.5]}
    rows = tw.read_table(cells, schema=wide, missing="em")
    tables = {n: rng.dirichlet([1, 1], size=None if k == 0 else 2) for k, n in enumerate(names)}
    lines = {"x": Lines(np.zeros([2] * 10), {}, np.ones([2] * 10))}
    with pytest.raises(TableTooLarge, match=r"s00, s01, s02, s03.*33,554,432 joint states.*bins="):
        ExpectedMixedMoments(tw.models.ConditionalGaussianNetwork(dag, tables, lines), rows)
    with pytest.raises(ImpossibleEvidence):
        Completions(
            tw.models.ConditionalGaussianNetwork(
                tw.Dag(Schema([*schema, Variable("b", ("n", "y"))]), [("a", "b")]),
                {"a": [1.0, 0.0], "b": [[1.0, 0.0], [0.0, 1.0]]},
                {"x": Lines(0.0, {}, 1.0)},
            ),
            tw.read_table(
                {"b": ["y"], "x": [0.5]}, schema=Schema([Variable("b", ("n", "y")), Variable("x")])
            ),
        )
