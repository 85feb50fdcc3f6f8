import numpy as np
import pytest

import treewright as tw


def test_rows_are_those_of_the_library(run, run_json, asia_model, tmp_path):
    path = tmp_path / "rows.csv"
    found = run_json("sample", "asia", "-n", "3000", "--seed", "4", "-o", path)
    assert found == {
        "rows": 3000,
        "columns": list(asia_model.schema.names),
        "given": {},
        "seed": 4,
        "output": str(path),
    }
    table = tw.read_table(path, schema=asia_model.schema)
    assert table.to_dict() == asia_model.sample(3000, rng=np.random.default_rng(4)).to_dict()
    again = run("sample", "asia", "-n", "3000", "--seed", "4", "--threads", "1").stdout
    assert again == path.read_text()


def test_without_a_file_rows_go_to_stdout(run, run_json):
    text = run("sample", "asia", "-n", "5", "--seed", "1").stdout
    lines = text.splitlines()
    assert len(lines) == 6
    assert lines[0] == "asia,tub,smoke,lung,bronc,either,xray,dysp"
    assert run("sample", "asia", "-n", "5", "--seed", "1", "-o", "-", "--quiet").stdout == text
    data = run_json("sample", "asia", "-n", "5", "--seed", "1")["data"]
    assert [",".join(row) for row in zip(*data.values(), strict=True)] == lines[1:]


def test_rows_that_agree_with_what_is_known(run, run_json, refused, asia_model):
    known = {"xray": "yes", "smoke": "no"}
    found = run_json("sample", "asia", "-n", "50", "--seed", "3", "--given", "xray=yes", "smoke=no")
    assert found["given"] == known
    assert found["data"] == asia_model.sample(50, known, rng=np.random.default_rng(3)).to_dict()
    text = run("sample", "asia", "-n", "50", "--seed", "3", "-g", "xray=yes", "-g", "smoke=no").stdout
    rows = [line.split(",") for line in text.splitlines()]
    assert [list(column) for column in zip(*rows[1:], strict=True)] == list(found["data"].values())
    assert "is not a state of xray" in refused("sample", "asia", "-n", "5", "-g", "xray=maybe")
    assert "has probability zero" in refused("sample", "asia", "-n", "5", "either=no", "lung=yes")


def test_no_rows(run):
    assert run("sample", "asia", "-n", "0").stdout.count("\n") == 1


def test_for_people(run, tmp_path):
    path = tmp_path / "rows.csv"
    assert run("sample", "asia", "-n", "1000", "-o", path).stdout == f"1,000 rows of 8 columns in {path}\n"
    assert run("sample", "asia", "-n", "1000", "-o", path, "--quiet").output == ""


def test_labels_of_every_kind_come_back(run, tmp_path):
    states = ("a,b", 'say "x"', "two\nlines", "größe", "x")
    schema = tw.Schema([tw.Variable("n, m", states), tw.Variable("k", (0.5, 2, 10))])
    model = tw.BayesianNetwork(tw.Dag(schema, []), [np.full(5, 0.2), [0.2, 0.3, 0.5]])
    model.save(tmp_path / "m.twm")
    run("sample", tmp_path / "m.twm", "-n", "500", "--seed", "2", "-o", tmp_path / "rows.csv")
    table = tw.read_table(tmp_path / "rows.csv", schema=schema)
    assert table.to_dict() == model.sample(500, rng=np.random.default_rng(2)).to_dict()


def test_refused_for_size(refused):
    message = refused("sample", "asia", "-n", "100000000000", code=2)
    assert "above the memory limit" in message
    refused("sample", "asia", "-n", "1000", "--memory", "1KiB", code=2)


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv.gz", "m.twm"])
def test_other_formats_are_refused_by_name(refused, tmp_path, name):
    assert "rows are written as CSV" in refused("sample", "asia", "-n", "5", "-o", tmp_path / name)


def test_refusals(refused, tmp_path):
    assert "'--rows' / '-n'" in refused("sample", "asia", "-n", "-1")
    assert "Missing option" in refused("sample", "asia")
    assert "there is no folder" in refused("sample", "asia", "-n", "5", "-o", tmp_path / "no" / "rows.csv")
    assert "there is no model file" in refused("sample", tmp_path / "no.twm", "-n", "5")
