import re

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.cli.commands import predict


@pytest.fixture
def rows(tmp_path, asia_model):
    """Rows with gaps, a column that the model has not, and one column of it that is not there."""
    frame = asia_model.sample(300, rng=np.random.default_rng(5)).to_pandas().astype(str)
    frame = frame.drop(columns=["either"]).assign(patient=[f"p{i}" for i in range(300)])
    frame.loc[::3, "xray"] = None
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def test_every_row_agrees_with_enumeration(run_json, rows, asia_model, tmp_path, monkeypatch):
    monkeypatch.setattr(predict, "_BLOCK", 64)  # several blocks
    out = tmp_path / "out.csv"
    found = run_json("predict", "asia", rows, "--target", "lung", "-o", out, "--keep", "patient")
    written, given = pd.read_csv(out), pd.read_csv(rows)
    assert list(written.columns) == ["patient", "lung", "lung=yes", "lung=no"] == found["columns"]
    assert written["patient"].tolist() == given["patient"].tolist()
    for row, answer in zip(given.to_dict("records"), written.to_dict("records"), strict=True):
        known = {n: row[n] for n in asia_model.schema.names if n != "lung" and isinstance(row.get(n), str)}
        exact = [asia_model.probability_of({**known, "lung": state}) for state in ("yes", "no")]
        assert answer["lung=yes"] == pytest.approx(exact[0] / sum(exact), abs=1e-12)
        assert answer["lung"] == ("yes" if answer["lung=yes"] >= 0.5 else "no")
    assert found["rows"] == 300
    assert found["impossible_rows"] == 0
    assert found["accuracy"] == pytest.approx(np.mean(written["lung"] == given["lung"]))


def test_without_a_file_rows_go_to_stdout(run, run_json, rows):
    text = run("predict", "asia", rows, "-t", "lung").stdout
    assert text.splitlines()[0] == "lung,lung=yes,lung=no"
    assert len(text.splitlines()) == 301
    data = run_json("predict", "asia", rows, "-t", "lung")["data"]
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == data["lung"]


def test_numbers_fall_into_their_intervals(run, tmp_path):
    table = tw.read_table(
        {"age": [10, 50, 70, 30.5], "died": ["a", "b", "b", "a"]}, bins={"age": [0, 40, 100]}
    )
    tw.fit(tw.Dag(table.schema, [("age", "died")]), tw.count(table)).save(tmp_path / "m.twm")
    (tmp_path / "rows.csv").write_text("age\n70\n5\n")
    lines = run("predict", tmp_path / "m.twm", tmp_path / "rows.csv", "-t", "died").stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["died", "b", "a"]
    assert "given age=[40, 100]" in run("query", tmp_path / "m.twm", "died", "--given", "age=70").stdout


def test_a_continuous_target_has_a_mean_and_a_deviation(run, tmp_path):
    schema = tw.Schema([tw.Variable("x"), tw.Variable("y")])
    model = tw.GaussianNetwork(tw.Dag(schema, [("x", "y")]), [1, 0], {"y": {"x": 1.0}}, [1, 1])
    model.save(tmp_path / "m.twm")
    (tmp_path / "rows.csv").write_text("y,z\n1.5,1\n,2\n")
    lines = run("predict", tmp_path / "m.twm", tmp_path / "rows.csv", "-t", "x").stdout.splitlines()
    assert lines[0] == "x,x sd"
    assert [float(cell) for cell in lines[1].split(",")] == pytest.approx([1.25, 0.5**0.5])
    assert [float(cell) for cell in lines[2].split(",")] == pytest.approx([1.0, 1.0])


def test_impossible_rows_are_left_empty_and_counted(run, run_json, tmp_path):
    (tmp_path / "rows.csv").write_text("tub,either\nyes,no\nyes,yes\n")
    out = tmp_path / "out.csv"
    assert run_json("predict", "asia", tmp_path / "rows.csv", "-t", "lung", "-o", out)["impossible_rows"] == 1
    assert out.read_text().splitlines()[1] == ",,"
    said = run("predict", "asia", tmp_path / "rows.csv", "-t", "lung", "-o", out).stdout
    assert "1 row with probability zero under the model: left empty" in said
    assert "right" not in said


def test_labels_that_the_model_does_not_know(run, refused, tmp_path):
    (tmp_path / "rows.csv").write_text("xray,lung\nmaybe,unknown\n")
    said = refused("predict", "asia", tmp_path / "rows.csv", "-t", "lung")
    assert "column 'xray' holds 'maybe', which the schema does not know" in said
    lines = run(
        "predict", "asia", tmp_path / "rows.csv", "-t", "lung", "--unseen", "ignore"
    ).stdout.splitlines()
    assert lines[1].startswith("no,0.055")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-t", "lun"), "there is no variable 'lun'; .*did you mean 'lung'"),
        (
            ("-t", "lung", "-o", "out.parquet"),
            "rows are written as CSV; 'out.parquet' is named like something",
        ),
        (("-t", "lung", "--keep", "lung"), "--keep 'lung' has the name of a column of the answer"),
        (("-t", "lung", "--keep", "nobody"), "there is no column 'nobody'"),
        (("-t", "lung", "-o", "{rows}"), "it is one of the inputs"),
    ],
)
def test_what_cannot_be_is_refused_by_name(refused, rows, arguments, message):
    before = rows.read_bytes()
    assert re.search(message, refused("predict", "asia", rows, *(a.format(rows=rows) for a in arguments)))
    assert rows.read_bytes() == before


def test_rows_without_a_column_of_the_model_are_refused(refused, tmp_path):
    (tmp_path / "rows.csv").write_text("lung,age\nyes,3\n")
    said = refused("predict", "asia", tmp_path / "rows.csv", "-t", "lung")
    assert "to predict 'lung' the rows need a column of the model beside it; the model has 'asia', " in said
    assert "the rows have 'lung', 'age'" in said
