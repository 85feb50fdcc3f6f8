"""Rows with gaps on the command line: structural EM, available cells, indicators."""

import numpy as np
import pytest

import treewright as tw


@pytest.fixture
def gaps_file(tmp_path):
    full = tw.load_network("asia").sample(400, rng=np.random.default_rng(0))
    gaps = np.random.default_rng(1).random((len(full.schema), 400)) < 0.15
    table = tw.Table(full.schema, full.columns, missing=dict(enumerate(gaps)))
    path = tmp_path / "gaps.csv"
    cells = [["" if cell is None else str(cell) for cell in column] for column in table.to_dict().values()]
    lines = [",".join(table.schema.names), *map(",".join, zip(*cells, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("method", ["auto", "bounded", "chow-liu", "tabu", "pc"])
def test_methods_of_the_command_line_take_all_rows(run_json, gaps_file, method):
    em = run_json("learn", gaps_file, "--method", method, "--missing", "em")
    told = "structure from the rows that show" if method == "pc" else "by structural EM from"
    assert any(told in note for note in em["notes"])
    if method != "bounded":
        quick = run_json("learn", gaps_file, "--method", method, "--missing", "available")
        assert any("structure from the rows that show" in note for note in quick["notes"])


@pytest.mark.parametrize("method", ["hidden-tree", "mixture", "lem", "cutset"])
def test_methods_that_walk_whole_rows_take_rows_whose_gaps_are_drawn(run_json, gaps_file, tmp_path, method):
    effort = ("--effort", "0") if method == "mixture" else ()
    given = ("learn", gaps_file, "--method", method, *effort, "--missing", "em")
    found = run_json(*given, "-o", tmp_path / "m.twm")
    assert any("learned from all 400 rows, their gaps drawn" in note for note in found["notes"])
    assert not any("rows that miss nothing" in note for note in found["notes"])
    assert found["rows"] == 400
    table = tw.read_table(gaps_file, missing="em")
    model = tw.load(tmp_path / "m.twm")
    assert model.score(table, unseen="ignore") == pytest.approx(found["log_likelihood"])
    judged = run_json(*given, "--valid", gaps_file)
    assert judged["valid_log_likelihood"] < 0


def test_indicators_leave_numbers_as_the_rows_decide(run_json, tmp_path):
    rng = np.random.default_rng(4)
    sky = rng.integers(2, size=300)
    sun = 4 * sky + rng.normal(size=300)
    lines = [f"{'clear' if s else 'grey'},{'' if k % 3 == 0 else f'{x:.3f}'}" for k, (s, x) in
             enumerate(zip(sky, sun, strict=True))]  # fmt: skip
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["sky,sun", *lines]) + "\n")
    found = run_json("learn", path, "--missing", "indicator")
    assert any("numbers among labels stay as they are" in note for note in found["notes"])
    assert "sun is missing" in found["variables"]


def test_methods_that_cannot_are_named(refused, gaps_file):
    said = refused("learn", gaps_file, "--method", "lem", "--missing", "available")
    assert "--missing available is for methods that learn a network from one table" in str(said)
    said = refused("learn", gaps_file, "--method", "knots", "--missing", "available")
    assert "--method knots takes --missing em" in str(said)


def test_indicators_are_columns_of_the_model(run_json, gaps_file):
    found = run_json("learn", gaps_file, "--method", "chow-liu", "--missing", "indicator")
    assert "asia is missing" in found["variables"]


def test_rows_held_out_have_the_same_indicators(run_json, gaps_file):
    found = run_json("learn", gaps_file, "-m", "chow-liu", "--missing", "indicator", "--valid", gaps_file)
    assert found["valid_log_likelihood"] == pytest.approx(found["log_likelihood"])


@pytest.mark.parametrize("method", ["auto", "chow-liu"])
def test_the_score_is_that_of_the_cells_that_are_there(run_json, gaps_file, method):
    found = run_json("learn", gaps_file, "--method", method, "--missing", "em")
    here = found["log_likelihood"] * found["rows"]
    assert here - 8 * 20 * np.log(400) < found["score"] < here


def test_what_gaps_depend_on_is_told_for_each_column(run_json, run, gaps_file):
    told = run_json("inspect", gaps_file)["gaps"]
    assert {one["name"] for one in told} == set(tw.load_network("asia").schema.names)
    assert all(one["n_missing"] > 0 and one["depends_on"] == {} for one in told)
    assert "whatever the other columns are" in run("inspect", gaps_file).output


def test_the_default_is_that_of_python(run_json, gaps_file):
    found = run_json("learn", gaps_file, "--missing", "em")
    same = tw.learn(gaps_file, missing="em")
    assert found["score"] == pytest.approx(same.score)
    assert {tuple(edge) for edge in found["edges"]} == set(same.dag.edges())


@pytest.fixture
def numbers_file(tmp_path):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 200))
    columns = {"x": x, "y": x + y, "z": y - rng.normal(size=200)}
    lines = [",".join(columns)]
    for row in zip(*columns.values(), strict=True):
        lines.append(",".join("" if rng.random() < 0.2 else repr(float(cell)) for cell in row))
    path = tmp_path / "numbers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("method", ["auto", "hill-climbing", "bounded", "chow-liu", "knots"])
def test_numbers_with_gaps_have_a_say(run_json, numbers_file, method):
    found = run_json("learn", numbers_file, "--method", method, "--missing", "em")
    assert any("structure and lines from all 200 rows" in note for note in found["notes"])
    assert found["score"] < found["log_likelihood"] * 200 < 0


@pytest.mark.parametrize("how", [("--method", "pc"), ("--rows", 50)])
def test_lines_are_fitted_to_all_rows_where_a_structure_is_not(run_json, numbers_file, how):
    found = run_json("learn", numbers_file, "--missing", "em", *how)
    assert any("lines from all rows by EM" in note for note in found["notes"])


def test_numbers_held_out_may_have_gaps(run_json, numbers_file):
    found = run_json("learn", numbers_file, "-m", "chow-liu", "--missing", "em", "--valid", numbers_file)
    assert found["valid_log_likelihood"] == pytest.approx(found["log_likelihood"])


@pytest.mark.parametrize("missing", ["available", "indicator"])
def test_what_is_for_labels_names_the_way_out(refused, numbers_file, missing):
    said = str(refused("learn", numbers_file, "--missing", missing))
    assert f"--missing {missing} is for labels" in said
    assert "--missing em learns a Gaussian network from all rows" in said


def test_sigmoids_need_every_number(refused, numbers_file):
    said = refused("learn", numbers_file, "-m", "bounded", "--score", "sigmoid-bic", "--missing", "em")
    assert "--score gaussian-bic learns from all rows" in str(said)
