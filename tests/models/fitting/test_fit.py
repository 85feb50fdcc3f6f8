import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import ArgumentError, GraphError, SchemaError, SettingError, TableTooLarge
from treewright.graphs.directed.dag import Dag
from treewright.models import Dirichlet, fit
from treewright.networks import load_network
from treewright.tables.schema import Schema, Variable

SCHEMA = Schema([Variable("a", ("x", "y", "z")), Variable("b", ("no", "yes"))])
DAG = Dag(SCHEMA, [("a", "b")])


class FullCounter:
    """Counts from a table over all variables."""

    def __init__(self, schema, cells):
        self.schema, self.cells = schema, cells

    def counts_many(self, scopes):
        result = []
        for scope in scopes:
            rest = tuple(v for v in range(self.cells.ndim) if v not in scope)
            order = sorted(scope)
            result.append(self.cells.sum(axis=rest).transpose([order.index(v) for v in scope]))
        return result


class SampleCounter:
    def __init__(self, table):
        self.table, self.schema = table, table.schema

    def counts_many(self, scopes):
        for scope in scopes:
            shape = tuple(self.schema.cardinalities[v] for v in scope)
            cell = np.ravel_multi_index([self.table.columns[v].astype(np.int64) for v in scope], shape)
            yield np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)


COUNTS = np.array([[6, 2], [0, 0], [1, 0]])


def test_maximum_likelihood_by_hand():
    model = fit(DAG, FullCounter(SCHEMA, COUNTS), prior=None)
    np.testing.assert_allclose(model.table("a"), [8 / 9, 0, 1 / 9])
    np.testing.assert_allclose(model.table("b"), [[0.75, 0.25], [0.5, 0.5], [1, 0]])
    assert model.unseen == {"b": 1}


def test_dirichlet_by_hand():
    model = fit(DAG, FullCounter(SCHEMA, COUNTS), prior=Dirichlet(6.0))
    np.testing.assert_allclose(model.table("a"), [10 / 15, 2 / 15, 3 / 15])
    np.testing.assert_allclose(model.table("b"), [[7 / 10, 3 / 10], [0.5, 0.5], [2 / 3, 1 / 3]])
    assert model.unseen == {"b": 1}
    assert fit(DAG, FullCounter(SCHEMA, COUNTS)) == fit(
        DAG, FullCounter(SCHEMA, COUNTS), prior=Dirichlet(1.0)
    )


@pytest.mark.slow
@given(st.lists(st.floats(0, 1e6), min_size=6, max_size=6), st.sampled_from([None, Dirichlet(0.5)]))
def test_real_counts_give_distributions(counts, prior):
    model = fit(DAG, FullCounter(SCHEMA, np.array(counts).reshape(3, 2)), prior=prior)
    assert all(np.allclose(table.sum(axis=-1), 1) for table in model.tables)


def test_columns_of_the_counts_may_be_in_another_order():
    swapped = Schema([SCHEMA["b"], Variable("other", (0, 1)), SCHEMA["a"]])
    cells = np.stack([COUNTS.T, COUNTS.T], axis=1)
    model = fit(DAG, FullCounter(swapped, cells), prior=None)
    np.testing.assert_allclose(model.table("b"), [[0.75, 0.25], [0.5, 0.5], [1, 0]])


def test_fitting_a_large_sample_recovers_the_network():
    truth = load_network("asia")
    table = truth.sample(400_000, rng=np.random.default_rng(3))
    model = fit(truth.dag, SampleCounter(table))
    assert model.unseen == {}
    assert max(np.abs(a - b).max() for a, b in zip(model.tables, truth.tables, strict=True)) < 0.02
    assert model.score(table) >= truth.score(table) - 1e-6


def test_no_rows_at_all():
    model = fit(DAG, FullCounter(SCHEMA, np.zeros((3, 2), dtype=np.int64)), prior=None)
    np.testing.assert_allclose(model.table("a"), 1 / 3)
    assert model.unseen == {"a": 1, "b": 3}


def test_refusals(monkeypatch):
    with pytest.raises(GraphError, match=r"on a Dag or an UndirectedGraph; found list .*\.structure"):
        fit([], FullCounter(SCHEMA, COUNTS))
    with pytest.raises(SchemaError, match="positive number; found 0"):
        Dirichlet(0)
    with pytest.raises(SettingError, match="ess= of Dirichlet is a finite number; found nan"):
        Dirichlet(float("nan"))
    with pytest.raises(SchemaError, match="a variable 'b' that was not counted; counted were 'a'"):
        fit(DAG, FullCounter(Schema([SCHEMA["a"]]), COUNTS[:, 0]))
    other = Schema([SCHEMA["a"], Variable("b", ("yes", "no"))])
    with pytest.raises(SchemaError, match="build both from one schema"):
        fit(DAG, FullCounter(other, COUNTS))
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "64")
    with pytest.raises(TableTooLarge) as error:
        fit(DAG, FullCounter(SCHEMA, COUNTS))
    assert str(error.value).startswith(
        "the tables take 72 bytes, above the memory limit of 64; the largest is that of 'b' given 'a'"
    )


def rows_of_asia():
    return load_network("asia").sample(300, rng=np.random.default_rng(5))


def test_where_a_structure_came_from_goes_into_its_model():
    counter = tw.count(rows_of_asia())
    learned = tw.learn_chow_liu(tw.BIC(counter)).structure
    told = fit(learned, counter, prior=None).provenance
    assert told["fitting"] == {"keep_counts": False}
    assert set(fit(learned, counter).provenance["fitting"]) == {"prior", "keep_counts"}
    plain = Dag(learned.schema, learned.edges())
    assert "fitting" not in fit(plain, counter).provenance


def test_directions_that_were_chosen_are_told():
    table = rows_of_asia()
    dag = tw.learn_chow_liu(tw.BIC(tw.count(table))).structure
    pattern = tw.Cpdag.of(Dag(dag.schema, dag.edges()))
    one = fit(pattern, tw.count(table))
    several = fit(pattern, tw.tables.Databases([table]))
    assert one.provenance == several.provenance != {}
    assert one == several
    assert fit(one.dag, tw.tables.Databases([table])).provenance == {}


def test_several_tables_fit_arcs_and_nothing_else():
    table = rows_of_asia()
    databases = tw.tables.Databases([table.select(["asia", "tub"]), table.select(["smoke"])])
    with pytest.raises(SchemaError, match="to the arcs of a network; found a UndirectedGraph"):
        fit(tw.UndirectedGraph(databases.schema), databases)
    with pytest.raises(ArgumentError):
        fit(DAG, "counts")
    x = {"x": [0.5, 1.5, 2.0, 4.0], "y": [1.0, 0.0, 2.5, 3.0]}
    numbers = tw.tables.Databases([tw.read_table(x)])
    pattern = tw.Cpdag.of(Dag(numbers.schema, [("x", "y")]))
    several, one = fit(pattern, numbers), fit(pattern, tw.moments(tw.read_table(x)))
    assert several.dag == one.dag
    assert several.provenance == one.provenance == {}


def test_feature_graphs_are_fitted_to_rows():
    counter = tw.count(rows_of_asia())
    graph = tw.learn_efficient_markov(counter).structure
    model = fit(graph, counter)
    assert model.marginals().array("smoke").sum() == pytest.approx(1)
    for options in ({"keep_counts": True}, {"estimator": tw.models.IterativeFitting()}):
        with pytest.raises(SettingError, match="by counting or by EM alone; found " + next(iter(options))):
            fit(graph, counter, **options)
    numbers = tw.moments(tw.read_table({"x": [0.5, 1.5, 2.0]}))
    with pytest.raises(SchemaError, match="fitted to rows of discrete variables; found moments"):
        fit(graph, numbers)
