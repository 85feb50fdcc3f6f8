"""States that only some of the files show."""

import numpy as np
import pytest

import treewright as tw


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    for name, labels in (("rows", "abc"), ("later", "abd")):
        x = rng.integers(0, 3, 90)
        y = np.where(rng.random(90) < 0.9, x, 0)
        lines = [f"{labels[i]},{j + 3 * (name == 'later' and j == 2)}" for i, j in zip(x, y, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y", *lines]) + "\n")
    return tmp_path / "rows.csv", tmp_path / "later.csv"


METHODS = ["bounded", "chow-liu", "lem", "cutset", "bjp", "separation-tree"]


@pytest.mark.parametrize("method", METHODS)
def test_held_out_rows_add_states(method, files, tmp_path, run_json):
    rows, later = files
    model = tmp_path / "m.twm"
    said = run_json("learn", rows, "--valid", later, "-m", method, "-o", model)
    assert tw.load(model).schema["x"].states == ("a", "b", "c", "d")
    assert tw.load(model).schema["y"].states == (0, 1, 2, 5)
    assert said["valid_rows"] == 90
    assert said["valid_log_likelihood"] is not None


def test_states_do_not_depend_on_which_file_shows_them(files, run_json):
    rows, later = files
    one = run_json("learn", rows, "--valid", later)
    other = run_json("learn", rows, "--states", later)
    assert one["log_likelihood"] == other["log_likelihood"]
    assert one["score"] == other["score"]


def test_declared_files_add_states(files, tmp_path, run, run_json):
    rows, later = files
    model = tmp_path / "m.twm"
    run("learn", rows, "--states", later, "-o", model)
    assert tw.load(model).schema["x"].states == ("a", "b", "c", "d")
    assert run_json("score", model, later)["rows"] == 90
    narrow = tmp_path / "narrow.csv"
    narrow.write_text("x\ne\n")
    run("learn", rows, "--states", later, "--states", narrow, "-o", model)
    assert tw.load(model).schema["x"].states == ("a", "b", "c", "d", "e")
    assert tw.load(model).schema["y"].states == (0, 1, 2, 5)


def test_a_schema_says_which_states_there_are(files, tmp_path, run, refused):
    rows, later = files
    model = tmp_path / "m.twm"
    run("learn", rows, "-o", model)
    said = refused("learn", rows, "--schema", model, "--valid", later)
    assert "column 'x' holds 'd', which the schema does not know; states are 'a', 'b', 'c'" in said


def test_scoring_rows_with_labels_that_the_model_does_not_know(files, tmp_path, run, run_json, refused):
    rows, later = files
    model = tmp_path / "m.twm"
    run("learn", rows, "-o", model)
    said = refused("score", model, later)
    assert "column 'x' holds 'd', which the schema does not know; states are 'a', 'b', 'c'" in said
    assert "on the command line: --unseen ignore" in said
    ignored = run_json("score", model, later, "--unseen", "ignore")
    expected = tw.load(model).score(tw.read_table(str(later)), unseen="ignore")
    assert ignored["log_likelihood"] == pytest.approx(expected)
    assert "it has no state 'unseen' for such labels" in refused("score", model, later, "--unseen", "state")
    run("learn", rows, "--unseen", "state", "-o", model, "--valid", later)
    assert tw.load(model).schema["x"].states == ("a", "b", "c", "unseen")
    assert np.isfinite(run_json("score", model, later, "--unseen", "state")["log_likelihood"])


def test_several_tables_are_united_with_held_out_ones(tmp_path, run_json):
    rng = np.random.default_rng(1)
    for name, columns, top in (("a", "xy", 2), ("b", "yz", 2), ("va", "xy", 3), ("vb", "yz", 3)):
        body = rng.integers(0, top, (60, 2))
        body[:, 1] = body[:, 0]
        (tmp_path / f"{name}.csv").write_text("\n".join([",".join(columns), *(f"{i},{j}" for i, j in body)]))
    paths = {path.stem: path for path in tmp_path.iterdir()}
    said = run_json(
        *("learn", paths["a"], paths["b"], "-m", "separation-tree", "-o", tmp_path / "m.twm"),
        *("--valid", paths["va"], "--valid", paths["vb"]),
    )
    assert tw.load(tmp_path / "m.twm").schema["y"].states == (0, 1, 2)
    assert said["valid_log_likelihood"] is not None
