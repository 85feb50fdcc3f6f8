"""`learn --set-by`: rows from experiments on the command line and at the estimator's door."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import MissingValuesError, SettingError


@pytest.fixture(scope="module")
def made():
    """b follows a; half of the rows set b."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, 800)
    b = np.where(rng.random(800) < 0.85, a, 1 - a)
    marks = np.where(np.arange(800) % 2, "b", "none")
    b = np.where(marks == "b", rng.integers(0, 2, 800), b)
    words = np.array(["no", "yes"])
    return pd.DataFrame({"a": words[a], "b": words[b], "c": words[rng.integers(0, 2, 800)], "set": marks})


@pytest.fixture(scope="module")
def file(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "made.csv"
    made.to_csv(path, index=False)
    return path


def test_what_was_set_directs_edges(made, file, run_json, tmp_path):
    found = run_json("learn", file, "--set-by", "set", "-o", tmp_path / "made.twm")
    told = tw.learn(made, set_by="set")
    assert found["edges"] == [["a", "b"]] == [list(edge) for edge in told.dag.edges()]
    assert found["undirected_edges"] == []
    assert tw.load(tmp_path / "made.twm").table("b") == pytest.approx(told.model.table("b"))
    assert run_json("learn", file, "--ignore", "set")["undirected_edges"] == [["a", "b"]]


def test_rows_with_gaps_are_left_out_and_counted(made, run, refused, tmp_path):
    holes = made.copy()
    holes.loc[:24, "c"] = None
    holes.to_csv(tmp_path / "holes.csv", index=False)
    assert "25 rows with gaps left out" in run("learn", tmp_path / "holes.csv", "--set-by", "set").stdout
    assert "missing cells in 'c' (25)" in refused(
        "learn", tmp_path / "holes.csv", "--set-by", "set", "--missing", "error"
    )


def test_refusals(file, refused):
    assert "leave --rows out" in refused("learn", file, "--set-by", "set", "--rows", "100")
    assert "take drop" in refused("learn", file, "--set-by", "set", "--missing", "em")
    other = ("--set-by", "set", "--method", "pc")
    assert "--set-by means nothing to --method pc; it belongs to auto" in refused("learn", file, *other)
    assert "there is no variable 'nothing'" in refused("learn", file, "--set-by", "nothing")


@pytest.mark.parametrize("score", ["bic", "sparse-qnml"])
def test_the_estimator(made, score):
    told = tw.HillClimbing(set_by="set", score=score).fit(made)
    assert told.structure_.edges() == [("a", "b")]
    assert told.cpdag_.directed_edges() == [("a", "b")]
    assert "set" not in told.model_.schema
    assert told.predict({"a": ["yes", "no"]}, "b").tolist() == ["yes", "no"]
    assert tw.HillClimbing(score=score).fit(made.drop(columns="set")).cpdag_.directed_edges() == []
    half = tw.HillClimbing(set_by="set", score=score).fit(made, sample_weight=np.full(800, 2))
    assert half.structure_ == told.structure_


def test_the_estimator_and_gaps(made):
    holes = made.copy()
    holes.loc[:24, "c"] = None
    with pytest.raises(MissingValuesError, match="columns beside set_by= miss cells"):
        tw.HillClimbing(set_by="set").fit(holes)
    told = tw.HillClimbing(set_by="set", missing="drop").fit(holes)
    assert told.model_ == tw.HillClimbing(set_by="set").fit(made[25:]).model_
    with pytest.raises(SettingError, match="found missing='em', take 'drop'"):
        tw.HillClimbing(set_by="set", missing="em").fit(holes)
    with pytest.raises(SettingError, match="with set_by= fit all rows at once"):
        told.partial_fit(made)
