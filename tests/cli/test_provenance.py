"""What `learn` keeps in a model's file about where it came from."""

import json

import pytest

import treewright as tw
from treewright.models.formats import twm


def test_every_option_is_kept(run, asia_rows, tmp_path):
    model, known, order = tmp_path / "m.twm", tmp_path / "k.json", tmp_path / "order.txt"
    known.write_text(json.dumps({"forbidden": [["asia", "xray"]]}))
    order.write_text("asia\ntub\nsmoke\nlung\nbronc\neither\nxray\n")
    run(
        *("learn", asia_rows, "-m", "bounded", "--treewidth", 2, "--score", "bdeu", "--ess", 2, "-o", model),
        *("--knowledge", known, "--order", order, "--missing", "drop", "--missing-value", "?", "--seed", 3),
        *("--ignore", "dysp", "--bootstrap", 2),
    )
    told = twm.read_provenance(model)
    assert tw.load(model).provenance == told
    options = told["options"]
    assert (options["treewidth"], options["score"], options["ess"]) == (2, "bdeu", 2.0)
    assert (options["missing"], options["missing_value"], options["ignore"]) == ("drop", ["?"], ["dysp"])
    assert options["data"] == [str(asia_rows)]
    assert options["effort"] is None
    assert told["knowledge"]["forbidden"] == [["asia", "xray"]]
    assert told["order"][0] == "asia"
    assert told["reading"]["ignored"] == [["dysp", "not asked for"]]
    assert told["reading"]["missing"] == "drop"
    assert (told["rows"], told["seed"], told["treewright"]) == (2000, 3, tw.__version__)
    assert "dysp" not in told["columns"]
    assert len(told["digest"]) == 32
    assert told["learner"] == "learn_bounded_treewidth"
    assert told["confidence"]


def test_the_same_rows_have_the_same_digest(run, asia_rows, tmp_path):
    found = []
    for method in ("chow-liu", "hill-climbing"):
        run("learn", asia_rows, "-m", method, "-o", tmp_path / f"{method}.twm")
        found.append(twm.read_provenance(tmp_path / f"{method}.twm")["digest"])
    assert found[0] == found[1]
    later = tmp_path / "later.csv"
    later.write_text("".join(asia_rows.read_text().splitlines(keepends=True)[:-1]))
    run("learn", later, "-m", "chow-liu", "-o", tmp_path / "m.twm")
    assert twm.read_provenance(tmp_path / "m.twm")["digest"] != found[0]


@pytest.mark.parametrize("method", ["lem", "bjp", "separation-tree", "pc"])
def test_every_kind_of_model_keeps_it(method, run, asia_rows, tmp_path):
    run("learn", asia_rows, "-m", method, "-o", tmp_path / "m.twm")
    told = tw.load(tmp_path / "m.twm").provenance
    assert told["method"] == method
    assert told["options"]["missing"] == "error"
    assert told["rows"] == 2000


def test_bins_are_kept(run, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("x,y\n" + "\n".join(f"{i / 7},{i % 2}" for i in range(60)))
    run("learn", rows, "--bins", "x=3", "-o", tmp_path / "m.twm")
    told = tw.load(tmp_path / "m.twm").provenance
    assert told["options"]["bins"] == ["x=3"]
    assert told["reading"]["bins"] == {"x": 3}
    assert any("x: cut into 3 bins" in note for note in told["reading"]["notes"])
