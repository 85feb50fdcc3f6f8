"""Every command that takes a model takes a feature network."""

import numpy as np
import pytest
from tests.models.features.random_features import random_features
from tests.models.features.test_feature_network import hidden_model, worked_graph, worked_rows

import treewright as tw
from treewright.cli.commands.learn import smoothing_of


@pytest.fixture
def feature_file(tmp_path):
    path = tmp_path / "features.twm"
    tw.fit(worked_graph(), tw.count(worked_rows())).save(path)
    return path


def test_questions(run, run_json, feature_file):
    found = run_json("query", feature_file, "x0", "--given", "x1=1", "--given", "x3=1")
    assert found["distribution"]["0"] == pytest.approx(0.9705882353)
    assert found["probability_of_evidence"] == pytest.approx(0.1287878788)
    joint = run_json("query", feature_file, "x1", "x2")
    assert joint["distribution"]["1"]["1"] == pytest.approx(tw.load(feature_file).joint(["x1", "x2"])[1, 1])
    assert run_json("marginals", feature_file)["x0"] == pytest.approx({"0": 0.5, "1": 0.5})
    best = run_json("mpe", feature_file, "--given", "x3=1", "--given", "x4=1")
    assert list(best["states"].values()) == ["0", "0", "0", "1", "1", "0"]
    assert "exact" not in best
    assert "most probable states of 6 variables" in run("mpe", feature_file).output


def test_bounds_are_flagged(run, run_json, tmp_path):
    path = tmp_path / "hidden.twm"
    hidden_model().save(path)
    found = run_json("mpe", path)
    assert found["exact"] is False
    assert found["log_probability"] < found["log_upper_bound"]
    shown = run("mpe", path).output
    assert "most probable" not in shown
    assert "a lower bound: no states have more than 0.685" in shown


def test_rows(run, run_json, feature_file, tmp_path):
    rows = tmp_path / "rows.csv"
    run("sample", feature_file, "-n", 50, "--seed", 3, "--given", "x0=1", "-o", rows)
    found = run_json("score", feature_file, rows)
    assert np.isfinite(found["log_likelihood"])
    assert found["rows"] == 50


def test_shapes(run, run_json, refused, feature_file, tmp_path):
    page = tmp_path / "page.html"
    assert run_json("explore", feature_file, "--given", "x1=1", "-o", page)["edges"] == 10
    assert "feature graph of 9 nodes" in page.read_text()
    report = run_json("verify", feature_file)
    assert report["valid"]
    assert report["kind"] == "feature network"
    assert report["checks"][-1] == "running intersection" or "evaluation" in report["checks"]
    run("convert", feature_file, tmp_path / "again.twm")
    assert tw.load(tmp_path / "again.twm") == tw.load(feature_file)
    message = refused("convert", feature_file, tmp_path / "no.bif")
    assert "BIF holds networks of tables; write this feature network as .twm" in message


def test_a_damaged_graph_is_not_valid(run_json, tmp_path):
    path = tmp_path / "bad.twm"
    tw.FeatureNetwork(random_features(393)).save(path)
    path.write_text(path.read_text().replace('"kind": "mix"', '"kind": "and"', 1))
    assert not run_json("verify", path, code=1)["valid"]


def test_rows_with_gaps_are_smoothed_as_the_learner_did():
    counter = tw.count(tw.load_network("asia").sample(300, rng=np.random.default_rng(0)))
    assert smoothing_of(tw.learn_efficient_markov(counter, min_rows=50, smoothing=0.3)) == 0.3
    assert smoothing_of(tw.learn_cutset_network(counter, min_rows=50, smoothing=0.0)) == 0.0
    assert smoothing_of(tw.learn_chow_liu(tw.BIC(counter))) == 1.0
