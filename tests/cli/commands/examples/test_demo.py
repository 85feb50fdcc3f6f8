import pytest

import treewright as tw


@pytest.mark.slow
def test_story(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = run("demo").stdout
    for verb in ("1  count", "2  learn", "3  fit", "4  ask"):
        assert verb in text
    assert "Your turn" in text
    assert tw.load("demo.twm").schema == tw.load_network("alarm").schema
    assert (tmp_path / "demo.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_document(run_json, tmp_path):
    found = run_json("demo", "--output", tmp_path)
    scores = found["log_likelihood"]
    assert (
        scores["independent columns"]["test"]
        < scores["the learned network"]["test"]
        < scores["the truth"]["test"]
    )
    assert found["comparison"]["shd"] <= 1  # of 46 edges
    assert found["comparison"]["skeleton"]["precision"] > 0.97
    assert len(found["questions"]) == 3
    for question in found["questions"]:
        assert abs(question["learned"] - question["truth"]) < 0.1
        assert question["learned"] > 4 * question["before"]
    assert found["seconds"] < 5
    again = run_json("demo", "--output", tmp_path)
    assert again["log_likelihood"] == scores


def test_quiet(run, tmp_path):
    assert run("demo", "--output", tmp_path, "--quiet").output == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.html", "demo.twm"]


def test_refusal(refused, tmp_path):
    assert "there is no folder" in refused("demo", "--output", tmp_path / "no")
