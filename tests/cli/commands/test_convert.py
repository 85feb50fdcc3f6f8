import pytest

import treewright as tw


@pytest.mark.parametrize("name", ["asia.bif", "asia.xdsl", "asia.net", "asia.xmlbif", "asia.uai", "asia.twm"])
def test_there_and_back(run_json, asia_model, tmp_path, name):
    target, back = str(tmp_path / name), str(tmp_path / "back.twm")
    assert run_json("convert", "asia", target)["output"] == target
    found = run_json("convert", target, back)
    assert found["report"]
    assert tw.load(back).dag == asia_model.dag
    assert run_json("query", target, "lung", "--given", "smoke=yes")["distribution"]["yes"] == pytest.approx(
        0.1
    )


def test_a_format_that_nobody_knows(run, tmp_path):
    found = run("convert", "asia", str(tmp_path / "asia.docx"), code=1)
    assert "docx" in found.stderr


def test_compare_reads_other_formats(run_json, tmp_path):
    target = str(tmp_path / "asia.bif")
    run_json("convert", "asia", target)
    assert run_json("compare", target, "asia")["shd"] == 0
