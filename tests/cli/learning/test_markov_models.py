"""Every command that takes a model takes a Markov network."""

import numpy as np
import pytest

import treewright as tw


@pytest.fixture(params=["twm", "uai"])
def markov_file(request, asia_model, tmp_path):
    path = tmp_path / f"markov.{request.param}"
    tw.write_model(tw.MarkovNetwork.of(asia_model), path)
    return path


@pytest.mark.slow
def test_questions_have_the_answers_of_the_directed_model(run_json, markov_file):
    found = run_json("query", markov_file, "lung", "--given", "xray=yes")
    expected = run_json("query", "asia", "lung", "--given", "xray=yes")
    assert found["distribution"] == pytest.approx(expected["distribution"])
    assert found["probability_of_evidence"] == pytest.approx(expected["probability_of_evidence"])
    marginals, wanted = run_json("marginals", markov_file), run_json("marginals", "asia")
    assert all(marginals[name] == pytest.approx(wanted[name]) for name in wanted)
    assert run_json("mpe", markov_file)["states"] == run_json("mpe", "asia")["states"]


@pytest.mark.slow
def test_rows(run, run_json, markov_file, asia_rows, tmp_path):
    found, expected = run_json("score", markov_file, asia_rows), run_json("score", "asia", asia_rows)
    assert found["log_likelihood"] == pytest.approx(expected["log_likelihood"])
    run("sample", markov_file, "-n", 50, "--seed", 3, "-o", tmp_path / "rows.csv")
    assert np.isfinite(run_json("score", markov_file, tmp_path / "rows.csv")["log_likelihood"])


def test_shapes(run, run_json, refused, markov_file, tmp_path):
    page = tmp_path / "page.html"
    assert run_json("explore", markov_file, "-o", page)["edges"] == 10
    assert "10 edges" in page.read_text()
    assert run_json("compare", markov_file, markov_file)["shd"] == 0
    run("convert", markov_file, tmp_path / "again.twm")
    assert isinstance(tw.load(tmp_path / "again.twm"), tw.MarkovNetwork)
    assert "BIF holds Bayesian networks" in refused("convert", markov_file, tmp_path / "no.bif")
