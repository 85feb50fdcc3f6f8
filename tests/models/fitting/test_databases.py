"""Parameters from several tables."""

from __future__ import annotations

import numpy as np
import pytest
from tests.learners.separation_trees.database_examples import EXAMPLE_3, exact_table, random_model

import treewright as tw
from treewright.errors import SchemaError


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
