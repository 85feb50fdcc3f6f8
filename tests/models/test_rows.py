"""Rows in every form that people have them in: tables, frames, dictionaries, arrays, files."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.errors import ArgumentError, ImpossibleEvidence, MissingValuesError, SchemaError, SettingError

ASIA = tw.load_network("asia")
ROWS = ASIA.sample(200, rng=np.random.default_rng(3))


def forms(tmp_path):
    frame = ROWS.to_pandas().astype(str)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    yield from (ROWS, frame, ROWS.to_pandas(), pl.from_pandas(frame), ROWS.to_dict(), tmp_path / "rows.csv")


def test_models_take_rows_in_every_form(tmp_path):
    markov = tw.MarkovNetwork.of(ASIA)
    fitted = tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True)
    more = fitted.partial_fit(ROWS)
    for rows in forms(tmp_path):
        for model in (ASIA, markov):
            np.testing.assert_array_equal(model.log_probability(rows), model.log_probability(ROWS))
            assert model.score(rows) == model.score(ROWS)
            assert model.predict(rows, "lung").tolist() == model.predict(ROWS, "lung").tolist()
        assert fitted.partial_fit(rows) == more
        np.testing.assert_array_equal(ASIA.marginals_many(rows).cells, ASIA.marginals_many(ROWS).cells)


def test_continuous_models_take_frames():
    frame = pd.DataFrame({"x": [0.5, 1.0, 2.0, 3.0], "y": [1.1, 2.9, 5.1, 6.9]})
    table = tw.read_table(frame)
    model = tw.fit(tw.Dag(table.schema, [("x", "y")]), tw.moments(table))
    sigmoid = tw.models.fit_sigmoid(tw.Dag(table.schema, [("x", "y")]), table)
    assert model.score(frame) == model.score(table)
    assert sigmoid.score(frame) == sigmoid.score(table)
    np.testing.assert_array_equal(model.predict(frame[["x"]], "y"), model.predict(table, "y"))


def test_predictions_agree_with_enumeration():
    """Every cell that is missing, every column that is not there, is summed out."""
    rows = pd.DataFrame({"xray": ["yes", None, "no"], "smoke": [None, "yes", "no"], "other": [1, 2, 3]})
    answer = ASIA.predict_table(rows, "lung")
    for row, found in zip(rows.to_dict("records"), answer.array, strict=True):
        given = {name: row[name] for name in ("xray", "smoke") if isinstance(row[name], str)}
        exact = [ASIA.probability_of({**given, "lung": state}) for state in ASIA.schema["lung"].states]
        np.testing.assert_allclose(found, np.array(exact) / sum(exact), rtol=1e-12)
    assert answer.labels.tolist() == ASIA.predict(rows, "lung").tolist()
    assert list(answer.columns()) == ["lung", "lung=yes", "lung=no"]
    assert repr(answer) == "<Predictions: lung for 3 rows>"
    for library, columns in (("pandas", list), ("polars", list)):
        frame = answer.to_frame(library)
        assert columns(frame.columns) == ["lung", "lung=yes", "lung=no"]
        assert len(frame) == 3


def test_the_target_itself_is_never_looked_at():
    truth = ASIA.predict_table(ROWS.to_dict(), "lung").array
    np.testing.assert_array_equal(
        ASIA.predict_table({**ROWS.to_dict(), "lung": ["?"] * 200}, "lung").array, truth
    )


def test_an_impossible_row_has_no_class():
    rows = {"either": ["no", "yes"], "tub": ["yes", "yes"]}  # either is tub or lung
    answer = ASIA.predict_table(rows, "lung")
    assert answer.labels.tolist() == [None, "no"]
    assert answer.n_impossible == 1
    assert np.isnan(answer.array[0]).all()
    with pytest.raises(ImpossibleEvidence, match=r"row 0 has probability zero .*; 1 of 2 rows are like this"):
        ASIA.predict(rows, "lung")


def test_gaussian_predictions_say_how_sure_they_are():
    schema = tw.Schema([tw.Variable(name) for name in "abc"])
    model = tw.GaussianNetwork(
        tw.Dag(schema, [("a", "b"), ("b", "c")]), [1, 0, 2], {"b": {"a": 2.0}, "c": {"b": -1.0}}, [1, 2, 3]
    )
    rows = {"a": [0.5, None, None], "c": [1.0, 2.0, None]}
    answer = model.predict_table(rows, "b")
    for k, given in enumerate(({"a": 0.5, "c": 1.0}, {"c": 2.0}, {})):
        exact = model.query("b", given)
        assert answer.means[k] == pytest.approx(exact.mean)
        assert answer.variances[k] == pytest.approx(exact.variance)
    assert list(answer.to_frame().columns) == ["b", "b sd"]
    assert repr(answer) == "<NormalPredictions: b for 3 rows>"


def test_rows_that_lack_something_are_refused_by_name():
    with pytest.raises(SchemaError, match="a list cannot be read as a table"):
        ASIA.score([1, 2])
    with pytest.raises(SchemaError, match="the schema has columns that the source has not: 'smoke'"):
        ASIA.score(ROWS.to_pandas().drop(columns="smoke"))
    with pytest.raises(SchemaError, match="to predict 'lung' the rows need a column of the model beside it"):
        ASIA.predict({"lung": ["yes"]}, "lung")
    holes = {**ROWS.head(2).to_dict(), "smoke": [None, "yes"]}
    with pytest.raises(
        MissingValuesError, match=r"a row with missing values has no single probability; .*'smoke'"
    ):
        ASIA.score(holes)
    with pytest.raises(MissingValuesError, match="partial_fit counts complete rows; column 'smoke'"):
        tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True).partial_fit(holes)


def test_a_missing_cell_is_the_state_that_the_model_has_for_it():
    rows = {"a": ["x", None, "x"], "b": [0, 1, 1]}
    table = tw.read_table(rows, missing="state")
    model = tw.fit(tw.Dag(table.schema, [("a", "b")]), tw.count(table))
    np.testing.assert_array_equal(model.log_probability(rows), model.log_probability(table))
    assert model.predict(rows, "b").tolist() == model.predict(table, "b").tolist()


@pytest.mark.parametrize("take", [tw.count, tw.moments, lambda rows: tw.fit(ASIA.dag, rows), tw.BIC])
def test_verbs_that_take_a_table_say_how_to_read_a_frame(take):
    with pytest.raises(ArgumentError, match=r"found a DataFrame: read it first, tw\..*read_table"):
        take(ROWS.to_pandas())


@pytest.mark.parametrize("make", [tw.Dag, tw.UndirectedGraph, tw.Cpdag])
def test_a_graph_without_a_schema_is_refused_by_name(make):
    with pytest.raises(ArgumentError, match=r"made over a schema, .*; found a list .*: write tw.Dag"):
        make([("a", "b")])
    with pytest.raises(ArgumentError, match=r"found a Table .*table.schema"):
        make(ROWS, [("a", "b")])


def test_samples_without_a_generator_are_others_each_time():
    first, second = ASIA.sample(200), ASIA.sample(200)
    assert first.n_rows == 200
    assert first != second
    with pytest.raises(TypeError, match="rng is a numpy Generator"):
        ASIA.sample(5, rng=7)


# labelled tables


def test_a_table_is_an_array_with_labels():
    table = ASIA.table("dysp")
    assert (table.name, table.parents, table.states) == ("dysp", ("bronc", "either"), ("yes", "no"))
    assert isinstance(table, np.ndarray)
    np.testing.assert_array_equal(table, ASIA.tables[ASIA.schema.index("dysp")])
    assert type(table * 2) is np.ndarray
    assert repr(table[0]) == repr(np.asarray(table)[0])
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0, 0] = 1.0


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_tables_hold_every_cell(library):
    if library == "pyarrow":
        pytest.importorskip("pyarrow")
    frame = ASIA.table("dysp").to_frame(library)
    columns = {
        name: list(frame[name].to_pylist() if library == "pyarrow" else frame[name])
        for name in ("bronc", "either", "dysp", "probability")
    }
    for bronc, either, dysp, p in zip(*columns.values(), strict=True):
        assert ASIA.query("dysp", {"bronc": bronc, "either": either})[dysp] == pytest.approx(p, abs=1e-12)
    assert len(columns["dysp"]) == 8


def test_frames_of_answers():
    assert list(ASIA.query(["lung", "bronc"]).to_frame("polars").columns) == ["lung", "bronc", "probability"]
    assert ASIA.marginals().to_frame("polars").shape == (16, 3)
    schema = tw.Schema([tw.Variable("probability", (0, "a"))])  # a name that is taken, labels of two kinds
    model = tw.BayesianNetwork(tw.Dag(schema), [[0.5, 0.5]])
    assert list(model.table("probability").to_frame("polars").columns) == ["probability", "probability_"]
    assert model.table("probability").to_frame("polars")["probability"].to_list() == ["0", "a"]
    assert model.table("probability").to_frame()["probability"].tolist() == [0, "a"]
    with pytest.raises(SettingError, match="frames are made by 'pandas', 'polars', 'pyarrow'; found 'excel'"):
        ASIA.marginals().to_frame("excel")
