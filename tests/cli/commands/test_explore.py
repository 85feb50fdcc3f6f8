import numpy as np
import pytest
from tests.pages import embedded_model

import treewright as tw
from treewright.models.formats.twm import save


def test_page(run, run_json, asia_file, tmp_path):
    page = tmp_path / "page.html"
    found = run_json("explore", asia_file, "-o", page, "--given", "smoke=yes")
    assert found == {"output": str(page), "variables": 8, "edges": 8}
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "<title>asia</title>" in text
    model = embedded_model(text)
    assert model["given"] == [[2, [1.0, 0.0]]]
    assert model["load"] == f"tw.load({asia_file.name!r})"
    assert f"drawn in {page}" in run("explore", asia_file, "-o", page).stdout
    assert run("explore", asia_file, "smoke=no", "-o", page, "--quiet").output == ""
    assert embedded_model(page.read_text(encoding="utf-8"))["given"] == [[2, [0.0, 1.0]]]


def test_a_picture_instead_of_a_page_that_answers(run, asia_file, tmp_path):
    page = tmp_path / "page.html"
    run("explore", asia_file, "-o", page, "--given", "smoke=yes", "--static")
    text = page.read_text(encoding="utf-8")
    assert "given <b>smoke</b> = yes" in text
    assert 'id="model"' not in text


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
    model = embedded_model(page.read_text(encoding="utf-8"))
    names = [variable["name"] for variable in model["variables"]]
    assert len(model["edges"]) == tw.load(target).structure.n_edges
    for (u, v), sure in zip(model["edges"], model["confidence"], strict=True):
        assert sure == told.get(frozenset((names[u], names[v])), 0)
    assert ["pale", "pale: fewer resamplings found it"] in model["legend"]
    assert model["told"] == [f"{100 * sure:.0f}%" for sure in model["confidence"]]
    assert "of 5 resamplings found the edge" in " ".join(run("explore", target, "-o", page).stdout.split())


def test_rows_that_a_page_holds_as_they_were_are_told(run, run_json, tmp_path):
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in ("ann", "bob")])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    rows = builder.rows(schema.names, np.array([[0, 1], [1, 1]]), [0.25, 0.75])
    file, page = tmp_path / "rows.twm", tmp_path / "page.html"
    save(tw.models.FeatureNetwork(builder.graph(rows)), file)
    assert run_json("explore", file, "-o", page)["stored_rows"] == 2
    said = " ".join(run("explore", file, "-o", page).stdout.split())
    assert "the page holds 2 rows of the training data as they were" in said
    assert "stored_rows" not in run_json("explore", file, "-o", page, "--static")


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


def test_two_models_in_one_picture(run, run_json, refused, asia_file, tmp_path):
    asia, page, other = tw.load_network("asia"), tmp_path / "both.html", tmp_path / "other.bif"
    dag = asia.dag.without([("asia", "tub")])
    tables = {name: asia.table(name) for name in asia.schema.names}
    tables["tub"] = asia.query("tub").array
    tw.write_model(tw.BayesianNetwork(dag, tables), other)
    found = run_json("explore", asia_file, "--beside", other, "-o", page)
    assert (found["shd"], found["missing"], found["extra"]) == (1, [["asia", "tub"]], [])
    text = page.read_text(encoding="utf-8")
    assert '<path class="edge" data-from="asia" data-to="tub"' in text
    assert text.count('data-difference="missing"') == 2  # the edge and the legend
    assert "only in asia.twm" in text
    said = run("explore", asia_file, "--beside", other, "-o", page, "--force").stdout.replace("\n", " ")
    assert "7 edges in both, 0 added, 1 missing, 0 turned; structural Hamming distance 1" in said
    message = refused(
        "explore", asia_file, "--beside", other, "--given", "smoke=yes", "-o", tmp_path / "x.html"
    )
    assert "--beside draws two structures, where --given means nothing; leave one out" in message
