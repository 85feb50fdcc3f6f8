"""`treewright learn` without a method: what it takes, and what it says about it."""

import json

import numpy as np
import pytest

import treewright as tw


def test_the_default_says_why_and_what_a_question_costs(run, run_json, asia_rows, tmp_path):
    found = run_json("learn", asia_rows, "-o", tmp_path / "m.twm")
    result = tw.learn(asia_rows)
    assert found["method"] == "auto"
    assert found["reason"] == result.reason
    assert found["edges"] == [list(edge) for edge in result.dag.edges()]
    assert found["undirected_edges"] == [list(edge) for edge in result.cpdag.undirected_edges()]
    assert found["width"] == result.width == found["cost"]["width"]
    assert found["cost"]["seconds"] < 1
    assert found["criterion"] == result.learned.criterion
    assert found["score"] == pytest.approx(result.score)
    assert tw.load(tmp_path / "m.twm") == result.model
    checked = run_json("verify", tmp_path / "m.twm")
    assert (checked["valid"], checked["width"]) == (True, result.width)
    text = run("learn", asia_rows).stdout
    assert f"why: {result.reason}" in " ".join(text.split())
    assert "a question" in text
    assert found["notes"] == []


def test_a_treewidth_is_certified_and_kept_in_the_file(run_json, asia_rows, tmp_path):
    found = run_json("learn", asia_rows, "--treewidth", "1", "-o", tmp_path / "m.twm")
    assert found["width"] == 1
    assert "is above 1, so it was narrowed" in found["reason"]
    assert json.loads(json.dumps(run_json("verify", tmp_path / "m.twm")))["valid"]


def test_a_score_that_was_asked_for_is_kept(run_json, asia_rows):
    found = run_json("learn", asia_rows, "--score", "bic")
    assert found["criterion"] == "bic"
    table = tw.read_table(asia_rows)
    dag = tw.Dag(table.schema, [tuple(edge) for edge in found["edges"]])
    assert found["score"] == pytest.approx(tw.BIC(tw.count(table)).score(dag))
    assert "found by the score (BIC" in found["reason"]
    assert run_json("learn", asia_rows, "--score", "k2")["criterion"] == "k2"


def test_numbers_labels_and_holes(run_json, refused, tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "clinic.csv"
    age = rng.normal(50, 15, size=400)
    ill = np.where(age + rng.normal(0, 10, size=400) > 50, "yes", "no")
    holes = ["" if i % 40 == 0 else text for i, text in enumerate(ill)]
    path.write_text("age,ill\n" + "".join(f"{a:.2f},{b}\n" for a, b in zip(age, holes, strict=True)))
    kept = run_json("learn", path, "--valid", path)
    uncut, whole = kept["notes"][-2:]
    assert uncut.startswith("numbers among labels stay as they are, since rows held out are ")
    assert uncut.endswith("nats likelier each than with 4 intervals: age; --bins cuts them")
    assert whole.startswith("structure from the 390 of 400 rows that miss nothing; tables and lines from all")
    assert kept["valid_rows"] == 390
    assert run_json("learn", path, "--treewidth", "1")["notes"][-2:] == [uncut, whole]
    found = run_json("learn", path, "--valid", path, "--score", "sparse-qnml", "-o", tmp_path / "m.twm")
    cut, fitted = found["notes"][-2:]
    assert cut == (
        "numbers among labels were cut into 4 intervals of equal frequency: age; --bins cuts them otherwise, "
        "--ignore leaves columns out"
    )
    assert fitted.startswith(
        "structure from the 390 of 400 rows that miss nothing; tables from all rows by EM"
    )
    assert found["edges"] in ([["age", "ill"]], [["ill", "age"]])
    assert found["valid_rows"] == 400
    assert "missing cells in 'ill' (10)" in refused("learn", path, "--missing", "error")
    assert "--score sparse-qnml is for discrete columns" in refused(
        "learn", path, "-m", "knots", "--missing", "drop"
    )
    alone = tmp_path / "age.csv"
    alone.write_text("a,b\n" + "".join(f"{a:.3f},{a + rng.normal():.3f}\n" for a in age))
    assert run_json("learn", alone)["reason"].startswith("2 continuous columns and 400 rows: ")


def test_most_rows_miss_something(run_json, tmp_path):
    path = tmp_path / "survey.csv"
    rows = [("yes" if i % 3 else "", "no" if i % 2 else "", "a" if i % 5 else "b") for i in range(60)]
    path.write_text("x,y,z\n" + "".join(",".join(row) + "\n" for row in rows))
    found = run_json("learn", path, "-o", tmp_path / "m.twm")
    assert any("so missing is a state of its own in y, x" in note for note in found["notes"])
    assert tw.load(tmp_path / "m.twm").schema["x"].states == ("yes", "missing")


def test_options_of_other_methods_are_refused(refused, asia_rows):
    message = refused("learn", asia_rows, "--effort", "3")
    assert "--effort means nothing to --method auto; it belongs to bounded, hill-climbing" in message
    assert "--alpha means nothing to --method auto" in refused("learn", asia_rows, "--alpha", "0.1")


def test_the_clock_may_end_the_search(run_json, refused, asia_rows):
    found = run_json("learn", asia_rows, "--seconds", "0.000001")
    assert "the clock ended the search, so another run may end elsewhere; --seconds sets it" in found["notes"]
    assert found["edges"]
    assert not any("clock" in note for note in run_json("learn", asia_rows, "--seconds", "600")["notes"])
    assert "seconds= is a time above 0, or None; found 0.0" in refused("learn", asia_rows, "--seconds", "0")


@pytest.mark.parametrize("method", ["auto", "knots"])
def test_gains_are_those_of_the_score_that_was_chosen(run_json, tmp_path, method):
    rng, path = np.random.default_rng(3), tmp_path / "wards.csv"
    ward = rng.integers(60, size=400)  # of many states, which the score sees in groups
    signs = [(ward % 2) ^ (rng.random(400) < 0.1) for _ in range(6)]
    columns = {"ward": [f"w{w:02d}" for w in ward], **{f"sign{i}": sign for i, sign in enumerate(signs)}}
    path.write_text(
        "\n".join(",".join(map(str, row)) for row in [tuple(columns), *zip(*columns.values(), strict=True)])
    )
    found = run_json("learn", path, "-m", method)
    assert found["criterion"] == "grouped-qnml"
    counter = tw.count(tw.read_table(path))
    dag, score = tw.learn_knots(counter).dag, tw.learn_knots(counter).choice.score
    if method == "auto":
        dag = tw.learn(counter).dag
    for tail, head, gain in found["gains"]:
        rest = [name for name in dag.parents(head) if name != tail]
        assert gain == pytest.approx(score.local(head, dag.parents(head)) - score.local(head, rest))
        assert gain > 0
    assert [edge[:2] for edge in found["gains"]] == found["edges"] == [list(edge) for edge in dag.edges()]
