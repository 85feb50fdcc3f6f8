"""Labels that a model does not know: refused, summed out, or read as a state that was reserved for them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import SettingError, UnknownNameError

ASIA = tw.load_network("asia")
ROWS = ASIA.sample(500, rng=np.random.default_rng(3))


def strange(rows, name, positions):
    """The same rows with a label in one column that nobody knows."""
    columns = rows.to_dict()
    columns[name] = ["perhaps" if i in positions else label for i, label in enumerate(columns[name])]
    return tw.read_table(columns)


def test_refused_unless_told_otherwise():
    rows = strange(ROWS, "lung", {4})
    for ask in (ASIA.score, lambda table: ASIA.predict(table, "xray")):
        with pytest.raises(ValueError, match="'perhaps'"):
            ask(rows)
    with pytest.raises(SettingError, match="unseen is one of 'error', 'ignore', 'state'; found 'maybe'"):
        ASIA.score(rows, unseen="maybe")


def by_hand(model, row):
    """Sum over everything that a row does not show."""
    names, total = model.schema.names, 0.0
    options = [
        [row[name]] if row[name] in model.schema[name].states else model.schema[name].states for name in names
    ]
    for states in itertools.product(*options):
        total += model.probability_of(dict(zip(names, states, strict=True)))
    return total


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(ASIA.schema.names)), max_size=6))
def test_an_ignored_cell_is_summed_out(cells):
    columns = {name: labels[:4] for name, labels in ROWS.to_dict().items()}
    for row, name in cells:
        columns[name][row] = "perhaps"
    rows = tw.read_table(columns)
    expected = [np.log(by_hand(ASIA, {name: columns[name][i] for name in columns})) for i in range(4)]
    assert ASIA.score(rows, unseen="ignore") == pytest.approx(np.mean(expected))


@pytest.mark.parametrize(
    "make",
    [
        lambda counter: tw.fit(ASIA.dag, counter),
        lambda counter: tw.fit(tw.UndirectedGraph(ASIA.schema, ASIA.dag.edges()), counter),
        lambda counter: tw.learners.learn_cutset_network(counter, rng=np.random.default_rng(0)),
    ],
)
def test_every_kind_of_model_sums_out(make):
    made = make(tw.count(ROWS))
    model = made if hasattr(made, "score") and hasattr(made, "predict") else tw.FeatureNetwork(made.structure)
    rows = strange(ROWS, "smoke", {0, 7})
    seen = tw.read_table(rows, schema=model.schema, unseen="ignore")
    assert seen.missing[seen.schema.index("smoke")].nonzero()[0].tolist() == [0, 7]
    assert model.score(rows, unseen="ignore") == pytest.approx(model.log_evidence(seen).mean())
    whole = model.log_probability(ROWS)
    assert np.allclose(model.log_evidence(ROWS), whole)
    assert np.allclose(np.delete(model.log_evidence(seen), [0, 7]), np.delete(whole, [0, 7]))
    assert (model.log_evidence(seen)[[0, 7]] >= whole[[0, 7]]).all()


def test_prediction_takes_the_cell_as_missing():
    rows = strange(ROWS, "either", {0, 1})
    holes = tw.read_table(rows, schema=ASIA.schema, unseen="ignore")
    assert ASIA.predict(rows, "lung", unseen="ignore").tolist() == ASIA.predict(holes, "lung").tolist()


def test_a_reserved_state_takes_what_comes_later():
    table = tw.read_table(ROWS, unseen="state")
    assert table.schema["lung"].states == ("yes", "no", "unseen")
    dag = tw.Dag(table.schema, ASIA.dag.edges())
    model = tw.fit(dag, tw.count(table))
    later = strange(ROWS, "lung", {2})
    known = tw.read_table(
        {**ROWS.to_dict(), "lung": strange(ROWS, "lung", {2}).labels("lung")},
        schema=table.schema,
        unseen="state",
    )
    assert known.labels("lung")[2] == "unseen"
    assert model.score(later, unseen="state") == pytest.approx(model.score(known))
    assert np.isfinite(model.score(later, unseen="state"))
    assert len(model.predict(later, "either", unseen="state")) == 500
    with pytest.raises(
        UnknownNameError, match="has no state 'unseen' for such labels; read the rows that are"
    ):
        ASIA.score(later, unseen="state")


def test_reserved_and_missing_states_stand_side_by_side():
    rows = {"a": ["x", "y", None], "b": [0, 1, 1], "c": [0.5, 1.5, 2.5]}
    table = tw.read_table(rows, missing="state", unseen="state", bins={"c": 2})
    assert table.schema["a"].states == ("x", "y", "unseen", "missing")
    assert table.schema["b"].states == (0, 1, "unseen")
    assert "unseen" not in table.schema["c"].states  # beyond the edges is in the outer bins
    assert table.labels("a").tolist() == ["x", "y", "missing"]
    assert tw.read_table(table, unseen="state").schema == table.schema
    later = {"a": ["q", None, "x"], "b": [5, 0, 1], "c": [9.0, 0.0, 1.0]}
    read = tw.read_table(later, schema=table.schema, missing="state", unseen="state")
    assert read.labels("a").tolist() == ["unseen", "missing", "x"]
    assert read.labels("b").tolist() == ["unseen", 0, 1]
    assert "'q', which the schema does not know, is 'unseen'" in read.report["a"].notes
    assert tw.tables.Databases([table, read]).schema["b"].states == (0, 1, "unseen")


def test_a_label_that_is_called_like_the_reserved_state():
    table = tw.read_table({"a": ["unseen", "b"]}, unseen="state")
    assert table.schema["a"].states == ("b", "unseen")  # the rows have such a state themselves


@pytest.mark.parametrize("policy", ["ignore", "state", "add"])
def test_nothing_changes_where_everything_is_known(policy):
    assert tw.read_table(ROWS, schema=ROWS.schema, unseen=policy) == ROWS


@given(st.lists(st.integers(0, 9), min_size=1), st.lists(st.integers(0, 9), min_size=1))
def test_adding_gives_the_states_of_both(first, second):
    both = tw.read_table({"x": first + second})
    start = tw.read_table({"x": first})
    added = tw.read_table({"x": second}, schema=start.schema, unseen="add")
    assert added.schema == both.schema
    assert added.to_dict() == {"x": second}
    texts = tw.read_table(
        {"x": list(map(str, second))}, schema=tw.read_table({"x": list(map(str, first))}).schema, unseen="add"
    )
    assert texts.schema["x"].states == tuple(sorted({*map(str, first), *map(str, second)}))


def test_added_states_come_before_what_reading_added():
    start = tw.read_table({"x": ["a", "c", None]}, missing="state", unseen="state")
    added = tw.read_table({"x": ["b", None, "c"]}, schema=start.schema, missing="state", unseen="add")
    assert added.schema["x"].states == ("a", "b", "c", "unseen", "missing")
    assert added.labels("x").tolist() == ["b", "missing", "c"]
    reals = tw.read_table(
        {"x": np.array([1.0, 7.0])}, schema=tw.read_table({"x": [0, 1]}).schema, unseen="add"
    )
    assert reals.schema["x"].states == (0, 1, 7)


def test_ignored_cells_beside_missing_ones():
    schema = tw.Schema([tw.Variable("x", ("a", "b")), tw.Variable("y", (0, 1))])
    rows = {"x": ["a", "q", None], "y": [0, 1, 2]}
    table = tw.read_table(rows, schema=schema, missing="em", unseen="ignore")
    assert table.missing[0].tolist() == [False, True, True]
    assert table.missing[1].tolist() == [False, False, True]
    assert table.report["x"].n_missing == 1
    assert "cells with 'q', which the schema does not know, are taken as missing" in table.report["x"].notes
    with pytest.raises(tw.errors.SchemaError, match="unseen is one of"):
        tw.read_table(rows, unseen="never")


def test_fitting_further_rows():
    model = tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True)
    later = strange(ROWS, "lung", {0, 1, 2})
    with pytest.raises(ValueError, match="'perhaps'"):
        model.partial_fit(later)
    more = model.partial_fit(later, unseen="ignore")
    without = ROWS.take(slice(3, None))
    for name in ASIA.schema.names:  # a row counts in the families that do not ask for the cell
        family = {name, *(tail for tail, head in ASIA.dag.edges() if head == name)}
        counted = ROWS if "lung" not in family else without
        expected = model.counts.table(name) + tw.fit(
            ASIA.dag, tw.count(counted), keep_counts=True
        ).counts.table(name)
        assert np.array_equal(more.counts.table(name), expected)
    assert more.counts.n_rows == 1000
    assert model.partial_fit(ROWS, unseen="ignore") == model.partial_fit(ROWS)


def test_fitting_further_rows_with_a_reserved_state():
    table = tw.read_table(ROWS, unseen="state")
    dag = tw.Dag(table.schema, ASIA.dag.edges())
    model = tw.fit(dag, tw.count(table), keep_counts=True)
    more = model.partial_fit(strange(ROWS, "lung", {0, 1, 2}), unseen="state")
    assert more.counts.table("lung")[..., 2].sum() == 3
    assert more.counts.n_rows == 1000


@pytest.mark.parametrize("kind", [tw.ChowLiuTree, tw.BoundedTreewidth, tw.BlanketMarkov])
def test_estimators_have_the_same_policies(kind):
    later = {name: list(labels) for name, labels in ROWS.to_dict().items()}
    later["lung"][0] = "perhaps"
    with pytest.raises(UnknownNameError, match="which the schema does not know"):
        kind().fit(ROWS).score(later)
    ignoring = kind(unseen="ignore").fit(ROWS)
    assert np.isfinite(ignoring.score(later))
    assert ignoring.score(later) == pytest.approx(ignoring.log_probability(later).mean())
    assert len(ignoring.predict(later, "xray")) == 500
    reserving = kind(unseen="state").fit(ROWS)
    assert reserving.model_.schema["lung"].states == ("yes", "no", "unseen")
    assert np.isfinite(reserving.score(later))
    assert len(reserving.predict(later, "xray")) == 500


def test_validation_rows_add_states():
    rows, valid = {"a": [0, 1] * 40, "b": [0, 1] * 40}, {"a": [0, 2] * 9, "b": [1, 0] * 9}
    found = tw.EfficientMarkov().fit(rows, valid=valid)
    assert found.model_.schema["a"].states == (0, 1, 2)


def test_several_tables_reserve_states_too():
    parts = [ROWS.select(["asia", "tub"]), ROWS.select(["tub", "either"])]
    found = tw.SeparationTree(unseen="state").fit(parts)
    assert "unseen" in found.model_.schema["tub"].states
    with pytest.raises(tw.errors.SchemaError, match="unseen='ignore' leaves gaps"):
        tw.SeparationTree(unseen="ignore").fit(parts)
