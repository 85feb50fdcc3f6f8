"""The command line with models of continuous variables."""

from __future__ import annotations

import numpy as np
import pytest
from tests.pages import embedded_model

import treewright as tw


@pytest.fixture
def truth():
    schema = tw.Schema([tw.Variable("sun"), tw.Variable("heat"), tw.Variable("ice")])
    dag = tw.Dag(schema, [("sun", "heat"), ("heat", "ice")])
    lines = {"heat": {"sun": 2.0}, "ice": {"heat": 0.5}}
    return tw.GaussianNetwork(dag, [6.0, 10.0, 0.0], lines, [4.0, 9.0, 1.0])


@pytest.fixture
def rows(truth, run, tmp_path):
    """A CSV file drawn on the command line."""
    truth.save(tmp_path / "truth.twm")
    run("sample", tmp_path / "truth.twm", "-n", 2000, "--seed", 3, "-o", tmp_path / "rows.csv")
    return tmp_path / "rows.csv"


@pytest.fixture
def model(rows, run, tmp_path):
    run("learn", rows, "--score", "gaussian-bic", "-o", tmp_path / "m.twm")
    return tmp_path / "m.twm"


def test_rows_are_written_with_all_digits(truth, rows):
    again = tw.read_table(rows, schema=truth.schema)
    assert again == truth.sample(2000, rng=np.random.default_rng(3))


def test_learn(run_json, rows, tmp_path):
    found = run_json("learn", rows, "--score", "gaussian-bic", "--valid", rows, "-o", tmp_path / "m.twm")
    assert found["edges"] == [["heat", "ice"], ["heat", "sun"]]
    assert (found["criterion"], found["parameters"], found["width"]) == ("gaussian-bic", 8, 1)
    table = tw.read_table(rows)
    learned = tw.learn_bounded_treewidth(tw.GaussianBIC(tw.moments(table)), treewidth=4)
    saved = tw.load(tmp_path / "m.twm")
    assert saved == tw.fit(learned.structure, tw.moments(table))
    assert found["log_likelihood"] == found["valid_log_likelihood"] == saved.score(table)


def test_learn_sigmoids(run_json, rows, tmp_path):
    found = run_json("learn", rows, "--score", "sigmoid-bic", "-o", tmp_path / "s.twm")
    assert isinstance(tw.load(tmp_path / "s.twm"), tw.models.SigmoidNetwork)
    assert run_json("score", tmp_path / "s.twm", rows)["log_likelihood"] == found["log_likelihood"]
    assert run_json("sample", tmp_path / "s.twm", "-n", 4)["rows"] == 4


def test_questions_that_a_sigmoid_network_refuses(refused, run, rows, tmp_path):
    run("learn", rows, "--score", "sigmoid-bic", "-o", tmp_path / "s.twm")
    for arguments in (("query", "sun", "ice=3"), ("query", "sun", "ice"), ("marginals",), ("mpe",)):
        command, *rest = arguments
        assert "a sigmoid network has no exact" in refused(command, tmp_path / "s.twm", *rest)


def test_query(run, run_json, model):
    answer = tw.load(model).query("sun", {"heat": 25.0})
    found = run_json("query", model, "sun", "--given", "heat=25")
    assert found == {
        "variable": "sun",
        "variables": ["sun"],
        "mean": answer.mean,
        "variance": answer.variance,
        "standard_deviation": answer.standard_deviation,
        "interval": list(answer.interval(0.95)),
        "log_density_of_evidence": answer.log_density_of_evidence,
    }
    text = run("query", model, "sun", "heat=25").stdout
    assert text.startswith("sun, given heat=25\n")
    assert "log-density of what is given" in text
    assert run("query", model, "sun", "-q").stdout.count("\t") == 1


def test_several_targets(run, run_json, model):
    answer = tw.load(model).query(["sun", "ice"], {"heat": 25.0})
    found = run_json("query", model, "sun", "ice", "-g", "heat=25")
    assert found["mean"] == {"sun": answer["sun"].mean, "ice": answer["ice"].mean}
    assert found["variance"]["ice"] == answer["ice"].variance
    assert found["standard_deviation"]["ice"] == answer["ice"].standard_deviation
    assert found["covariance"]["sun"]["ice"] == answer.covariance_of("sun", "ice")
    assert "cov ice" in run("query", model, "sun", "ice").stdout
    assert len(run("query", model, "sun", "ice", "-q").stdout.splitlines()) == 2


def test_marginals_and_mpe(run, run_json, model):
    answer = tw.load(model).marginals({"ice": 9.5})
    found = run_json("marginals", model, "ice=9.5")
    assert found["sun"] == {
        "mean": answer["sun"].mean,
        "variance": answer["sun"].variance,
        "standard_deviation": answer["sun"].standard_deviation,
    }
    best = run_json("mpe", model, "-g", "ice=9.5")
    assert best["values"] == dict(tw.load(model).mpe({"ice": 9.5}))
    assert best["log_density"] == tw.load(model).mpe({"ice": 9.5}).log_probability
    assert "3 variables, given ice=9.5" in run("marginals", model, "ice=9.5").stdout
    assert "most probable values of 3 variables" in run("mpe", model).stdout
    assert len(run("mpe", model, "-q").stdout.splitlines()) == 3


def test_pictures_and_comparisons(run, run_json, model, tmp_path):
    run("explore", model, "-o", tmp_path / "page.html")
    page = embedded_model((tmp_path / "page.html").read_text())
    assert page["kind"] == "normal"
    assert [variable["name"] for variable in page["variables"]].count("sun") == 1
    assert run_json("compare", tmp_path / "truth.twm", model)["shd"] == 0


def test_refusals(refused, model, rows, tmp_path):
    assert "evidence heat='warm' is not a number; heat is continuous" in refused(
        "query", model, "sun", "heat=warm"
    )
    assert "--score gaussian-bic keeps them as they are" in refused("learn", rows, "--score", "bic")
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("a,b\n" + "".join(f"{k / 7},{'yes' if k % 2 else 'no'}\n" for k in range(40)))
    message = refused("learn", mixed, "--score", "gaussian-bic")
    assert (
        "--score gaussian-bic is for continuous columns; discrete: b. Leave them out with --ignore name, or "
        "cut the others into intervals with --bins 4 and use --score bic"
    ) in message
    message = refused("learn", mixed, "--method", "bounded")
    assert "--score bic is for discrete columns; continuous: a." in message
    assert "gaussian-bic" not in message
    assert "gaussian-bic" in refused("learn", rows, "--score", "gausian-bic")


def test_notes_say_where_rows_did_not_determine_a_regression(run_json, tmp_path):
    file = tmp_path / "twice.csv"
    file.write_text("x,y\n" + "".join(f"{k / 3!r},{2 * (k / 3)!r}\n" for k in range(60)))
    notes = run_json("learn", file, "--score", "gaussian-bic")["notes"]
    assert "determined by its parents, so it has the least variance: y" in notes
