import re

import pytest

import treewright as tw
from treewright.models.formats.twm import save


def test_page(run, run_json, asia_file, tmp_path):
    page = tmp_path / "page.html"
    found = run_json("explore", asia_file, "-o", page, "--given", "smoke=yes")
    assert found == {"output": str(page), "variables": 8, "edges": 8}
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "<title>asia</title>" in text
    assert "given <b>smoke</b> = yes" in text
    assert f"drawn in {page}" in run("explore", asia_file, "-o", page).stdout
    assert run("explore", asia_file, "smoke=no", "-o", page, "--quiet").output == ""
    assert "= no</p>" in page.read_text(encoding="utf-8")


def test_the_page_is_named_like_the_model(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("explore", "asia", "--title", "Chest <clinic>")
    assert "Chest &lt;clinic&gt;" in (tmp_path / "asia.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_how_sure_edges_are_is_kept_and_drawn(run, run_json, asia_rows, tmp_path):
    target, page = tmp_path / "m.twm", tmp_path / "page.html"
    asked = ("learn", asia_rows, "--method", "bjp", "--bootstrap", 5, "-o", target)
    told = {
        frozenset((edge["from"], edge["to"])): edge["strength"] for edge in run_json(*asked)["confidence"]
    }
    assert f"next: treewright explore {target}" in run(*asked).stdout.replace("\n", "")
    assert run_json("verify", target)["valid"] is True
    assert run_json("explore", target, "-o", page)["resamplings"] == 5
    text = page.read_text(encoding="utf-8")
    drawn = re.findall(r'data-from="(\w+)" data-to="(\w+)".*?data-confidence="([\d.]+)"', text)
    assert len(drawn) == tw.load(target).structure.n_edges
    assert all(float(sure) == told.get(frozenset((u, v)), 0) for u, v, sure in drawn)
    assert "of 5 resamplings found the edge" in " ".join(run("explore", target, "-o", page).stdout.split())


def test_refusals(refused, tmp_path):
    assert "it is a folder" in refused("explore", "asia", "-o", tmp_path)
    assert "did you mean 'smoke'?" in refused("explore", "asia", "-g", "smok=yes", "-o", tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_confidence_is_refused(refused, tmp_path):
    target = tmp_path / "m.twm"
    save(tw.load_network("asia"), target, provenance={"confidence": {"repetitions": 3}})
    message = refused("explore", target, "-o", tmp_path / "page.html")
    assert "how sure edges are cannot be read" in message


# the report of a model and its rows


def test_one_page_of_model_and_rows(run, run_json, asia_rows, tmp_path):
    model, page = tmp_path / "m.twm", tmp_path / "report.html"
    run("learn", asia_rows, "-m", "hill-climbing", "--bootstrap", "3", "-o", model)
    found = run_json("report", model, asia_rows, "-o", page, "--title", "Lungs")
    assert (found["output"], found["rows"], found["variables"]) == (str(page), 2000, 8)
    assert found["edges"] == tw.load(model).dag.n_edges
    text = page.read_text()
    for said in (
        "<h1>Lungs</h1>",
        "found in resamplings",
        "hill-climbing",
        "adds to the score",
        "treewidth of the",
    ):
        assert said in text
    assert f"{tw.load(model).score(asia_rows):.4f} nats per row" in text
    said = run("report", model, asia_rows, "-o", page).stdout
    assert "8 variables" in said
    assert "replaced" in said


def test_a_report_replaces_no_rows(refused, asia_rows, tmp_path):
    before = asia_rows.read_bytes()
    assert "it is one of the inputs" in refused("report", "asia", asia_rows, "-o", asia_rows)
    assert "there is no folder" in refused("report", "asia", asia_rows, "-o", tmp_path / "no" / "page.html")
    (tmp_path / "other.csv").write_text("smoke\nyes\n")
    assert "the schema has columns that the source has not" in refused(
        "report", "asia", tmp_path / "other.csv"
    )
    assert asia_rows.read_bytes() == before
