"""`learn --method knots`: clusters in the answer, in the file and in the page."""

import json

import numpy as np
import pytest

import treewright as tw


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "alarm.csv"
    table = tw.load_network("alarm").sample(300, rng=np.random.default_rng(1))
    lines = [",".join(table.schema.names)]
    columns = [
        [str(variable.states[code]) for code in column]
        for variable, column in zip(table.schema, table.columns, strict=True)
    ]
    lines += [",".join(row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_clusters_are_told_and_kept(run, run_json, rows, tmp_path):
    model, page = tmp_path / "alarm.twm", tmp_path / "alarm.html"
    found = run_json("learn", rows, "--method", "knots", "-o", model)
    groups = found["clusters"]["disjoint"]
    assert sorted(name for group in groups for name in group) == sorted(found["variables"])
    assert any("all pairs were let in" in note for note in found["notes"])
    run("explore", model, "-o", page)
    drawn = tw.load(model).structure.clusters  # as they grew into each other, each a box
    assert f"{len(drawn)} clusters" in page.read_text(encoding="utf-8")
    assert run_json("verify", model)["valid"]
    assert "explore draws them" in run("learn", rows, "--method", "knots", "--fast").stdout


@pytest.mark.slow
def test_fast(run_json, refused, rows):
    found = run_json("learn", rows, "--method", "knots", "--fast")
    assert any("not all pairs were let in" in note for note in found["notes"])
    message = refused("learn", rows, "--method", "pc", "--fast")
    assert "--fast means nothing to --method pc; it belongs to knots" in message


@pytest.mark.slow
def test_the_score_that_was_chosen_is_told(run_json, rows, tmp_path):
    model, trace = tmp_path / "alarm.twm", tmp_path / "trace.json"
    found = run_json("learn", rows, "--method", "knots", "-o", model, "--trace", trace)
    learned = tw.learn_knots(tw.count(tw.read_table(rows)))
    assert found["criterion"] == learned.report.score != "sparse-qnml"
    assert found["score"] == pytest.approx(learned.score)
    assert tw.load(model).provenance["score"] == found["criterion"]
    assert json.loads(trace.read_text(encoding="utf-8"))["score"] == found["criterion"]
    asked = run_json("learn", rows, "--method", "knots", "--score", "sparse-qnml")
    assert asked["criterion"] == "sparse-qnml"


def test_continuous_columns(run_json, tmp_path):
    rng = np.random.default_rng(2)
    x, z = rng.normal(size=(2, 400))
    lines = [f"{a},{b},{a + b + 0.1 * c}" for a, b, c in zip(x, z, rng.normal(size=400), strict=True)]
    path = tmp_path / "lines.csv"
    path.write_text("\n".join(["x,z,y", *lines]) + "\n", encoding="utf-8")
    found = run_json("learn", path, "--method", "knots", "-o", tmp_path / "lines.twm")
    assert found["edges"] == [["x", "y"], ["z", "y"]]
    assert tw.load(tmp_path / "lines.twm").structure.clusters.disjoint == (("x", "y", "z"),)
