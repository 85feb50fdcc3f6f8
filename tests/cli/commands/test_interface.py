"""The keys that scripts read, command by command."""

import pytest


@pytest.fixture
def learned(run_json, asia_rows, tmp_path):
    return run_json("learn", asia_rows, "-o", tmp_path / "m.twm"), tmp_path / "m.twm"


@pytest.mark.slow
def test_documents_have_the_keys_that_scripts_read(run_json, learned, asia_rows):
    document, model = learned
    names = set(document["variables"])
    keys = {"variables", "edges", "directed", "width", "score", "rows", "seconds", "log_likelihood"}
    assert keys <= document.keys()
    assert all(len(edge) == 2 and set(edge) <= names for edge in document["edges"])
    assert {"log_likelihood", "rows"} <= run_json("score", model, asia_rows).keys()
    for targets in (["lung"], ["lung", "bronc"]):
        found = run_json("query", model, *targets, "--given", "smoke=yes")
        assert {"variables", "distribution", "probability_of_evidence"} <= found.keys()
        assert ("variable" in found) == (len(targets) == 1)
    marginals = run_json("marginals", model)
    assert marginals.keys() == names
    assert all(sum(states.values()) == pytest.approx(1) for states in marginals.values())
    assert {"states", "probability"} <= run_json("mpe", model).keys()
    compared = run_json("compare", "asia", model)
    assert {"shd", "skeleton", "hamming"} <= compared.keys()
    assert {"tp", "fp", "fn", "precision", "recall", "f1", "dist"} <= compared["skeleton"].keys()
    verified = run_json("verify", model)
    assert (verified["valid"], verified["width"]) == (True, document["width"])


@pytest.mark.slow
def test_every_other_command_answers_in_json_too(run_json, learned, asia_rows, tmp_path):
    _, model = learned
    assert run_json("inspect", asia_rows)
    assert run_json("sample", model, "-n", "3", "--seed", "1", "-o", tmp_path / "rows.csv")["rows"] == 3
    assert run_json("convert", model, tmp_path / "m.xdsl")["output"] == str(tmp_path / "m.xdsl")
    assert run_json("explore", model, "-o", tmp_path / "page.html")["output"] == str(tmp_path / "page.html")
    assert run_json("doctor")
    assert run_json("demo", "--output", tmp_path)
