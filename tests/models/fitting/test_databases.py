"""Parameters from several tables."""

from __future__ import annotations

import numpy as np
import pytest
from tests.learners.separation_trees.database_examples import EXAMPLE_3, exact_table, random_model

import treewright as tw
from treewright.errors import SchemaError
from treewright.models.fitting.databases import score_shown


def test_exact_margins_give_the_exact_model_across_tables():
    model = random_model(EXAMPLE_3[0], "123456", np.random.default_rng(1))
    databases = tw.tables.Databases([exact_table(model, columns, 1e6) for columns in EXAMPLE_3[1]])
    fitted = tw.fit(model.dag, databases, prior=None)
    for target, known in (("6", {"2": 0}), ("1", {"6": 1}), ("3", {"4": 1, "5": 0})):
        ours, theirs = fitted.query(target, given=known), model.query(target, given=known)
        assert ours[1] == pytest.approx(theirs[1], abs=1e-9)


def test_a_family_that_no_table_has_is_completed():
    model = random_model([("1", "2"), ("1", "3")], "123", np.random.default_rng(2))
    databases = tw.tables.Databases([exact_table(model, columns, 1e6) for columns in ("12", "13", "23")])
    dense = tw.Dag(model.schema, [("1", "2"), ("1", "3"), ("2", "3")])
    fitted = tw.fit(dense, databases, prior=None)
    assert fitted.provenance == {"completed": ["3"]}
    for known in ({"1": 0, "2": 0}, {"1": 1, "2": 0}):
        assert fitted.query("3", given=known)[1] == pytest.approx(model.query("3", given=known)[1], abs=1e-6)


def test_families_are_fitted_to_all_rows_that_have_them():
    first, second = {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}, {"b": [0, 0, 0, 1]}
    databases = tw.read_databases([first, second])
    fitted = tw.fit(tw.Dag(databases.schema, [("b", "a")]), databases, prior=None)
    assert fitted.table("b").tolist() == [0.5, 0.5]
    assert fitted.table("a").tolist() == [[1.0, 0.0], [pytest.approx(1 / 3), pytest.approx(2 / 3)]]
    class_ = tw.Cpdag.of(fitted.dag)
    assert tw.fit(class_, databases).schema == databases.schema


def test_regressions_of_continuous_tables():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(2, 3000))
    b = 2 * a + rng.normal(size=a.shape)
    c = b - 1 + 0.5 * rng.normal(size=a.shape)
    databases = tw.read_databases([{"a": a[0], "b": b[0]}, {"b": b[1], "c": c[1]}])
    dag = tw.Dag(databases.schema, [("a", "b"), ("b", "c")])
    fitted = tw.fit(dag, databases)
    assert fitted.coefficients("b")["a"] == pytest.approx(2, abs=0.1)
    assert fitted.intercept("c") == pytest.approx(-1, abs=0.1)
    assert fitted.query("c", given={"a": 1.0}).mean == pytest.approx(1.0, abs=0.15)
    across = tw.fit(tw.Dag(databases.schema, [("a", "c")]), databases)
    assert across.coefficients("c")["a"] == pytest.approx(2, abs=0.15)


def test_refusals():
    databases = tw.read_databases([{"a": [0, 1]}, {"b": [0, 1]}])
    with pytest.raises(SchemaError, match="several tables are fitted to the arcs of a network; found"):
        tw.fit(tw.UndirectedGraph(databases.schema, []), databases)
    other = tw.Schema([tw.Variable("z", (0, 1))])
    with pytest.raises(SchemaError, match="a variable 'z' that no table has; they have 'a', 'b'"):
        tw.fit(tw.Dag(other), databases)
    with pytest.raises(SchemaError, match="a GaussianPrior goes with moments"):
        tw.fit(tw.Dag(databases.schema), databases, prior=tw.models.GaussianPrior())


def test_columns_that_a_table_has_are_scored_by_their_density():
    from scipy.stats import multivariate_normal

    schema = tw.Schema([tw.Variable(name) for name in "abc"])
    chain = tw.Dag(schema, [("a", "b"), ("b", "c")])
    model = tw.GaussianNetwork(chain, [1.0, -2.0, 0.5], {"b": {"a": 0.7}, "c": {"b": -1.3}}, [1.0, 0.4, 2.0])
    rows = np.random.default_rng(3).normal(1.0, 1.5, (30, 2))
    table = tw.read_table({"a": rows[:, 0], "c": rows[:, 1]})
    marginal = model.query(["a", "c"])
    expected = multivariate_normal(marginal.mean, marginal.covariance).logpdf(rows).mean()
    assert score_shown(model, table) == pytest.approx(expected, rel=1e-9)


def test_regressions_without_an_error_are_named():
    """As if all columns stood in one table, which they do."""
    x = np.random.default_rng(4).normal(size=50)
    rows = {"x": x, "y": 2 * x, "z": x + np.random.default_rng(5).normal(size=50)}
    tables = [{name: rows[name] for name in names} for names in (("x", "y"), ("x", "z"))]
    databases = tw.read_databases(tables)
    dag = tw.Dag(databases.schema, [("x", "y"), ("x", "z")])
    fitted, whole = tw.fit(dag, databases), tw.fit(dag, tw.moments(tw.read_table(rows)))
    assert tuple(fitted.floored) == tuple(whole.floored) == ("y",)
