import treewright as tw


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


def test_what_would_be_lost_is_refused(refused, asia_rows, tmp_path):
    before = asia_rows.read_bytes()
    assert "it is one of the inputs" in refused("report", "asia", asia_rows, "-o", asia_rows)
    assert "there is no folder" in refused("report", "asia", asia_rows, "-o", tmp_path / "no" / "page.html")
    (tmp_path / "other.csv").write_text("smoke\nyes\n")
    assert "the schema has columns that the source has not" in refused(
        "report", "asia", tmp_path / "other.csv"
    )
    assert asia_rows.read_bytes() == before
