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


def test_refusals(refused, tmp_path):
    assert "it is a folder" in refused("explore", "asia", "-o", tmp_path)
    assert "did you mean 'smoke'?" in refused("explore", "asia", "-g", "smok=yes", "-o", tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []
