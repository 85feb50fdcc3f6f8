"""Methods that explain rows: `--method lem` and `--method cutset`."""

import numpy as np
import pytest

import treewright as tw


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lem", "cutset"])
def test_document(run_json, run, asia_rows, tmp_path, method):
    target, valid = tmp_path / "m.twm", tmp_path / "valid.csv"
    run("sample", "asia", "-n", "400", "--seed", "9", "-o", valid)
    found = run_json("learn", asia_rows, "--method", method, "--valid", valid, "-o", target)
    model = tw.load(target)
    assert isinstance(model, tw.FeatureNetwork)
    assert found["directed"] is False
    assert found["edges"] == [list(edge) for edge in model.structure.edges()]
    assert found["width"] >= 1
    assert found["criterion"] == "loglik"
    assert found["log_likelihood"] == pytest.approx(model.score(tw.read_table(asia_rows)))
    assert found["score"] == pytest.approx(2_000 * found["log_likelihood"])
    held_out = tw.load_network("asia").sample(400, rng=np.random.default_rng(9))
    assert found["valid_log_likelihood"] == pytest.approx(model.score(held_out))
    assert any(note.startswith("chosen on the validation rows (400)") for note in found["notes"])


def test_without_validation_rows_a_tenth_is_held_out_and_said(run_json, asia_rows):
    found = run_json("learn", asia_rows, "--method", "cutset")
    assert any(note.startswith("chosen on a tenth of the rows") for note in found["notes"])
    assert "valid_rows" not in found


@pytest.mark.parametrize(("method", "by_em"), [("lem", True), ("hidden-tree", False)])
def test_rows_that_miss_cells_have_a_say_where_nothing_is_hidden(
    run_json, asia_rows, tmp_path, method, by_em
):
    lines = asia_rows.read_text().splitlines()[:301]
    cut = [line if i % 4 else line.rpartition(",")[0] + "," for i, line in enumerate(lines[1:])]
    path = tmp_path / "holes.csv"
    path.write_text("\n".join([lines[0], *cut]) + "\n")
    notes = " ".join(run_json("learn", path, "--method", method, "--missing", "em")["notes"])
    said = "structure from rows whose gaps were drawn; tables from all rows by EM"
    assert (said in notes) == by_em
    assert "learned from all 300 rows, their gaps drawn from the model of the round before" in notes


def test_a_score_is_refused(refused, asia_rows):
    message = refused("learn", asia_rows, "--method", "lem", "--score", "bic")
    assert "--score and --ess mean nothing to --method lem, which has a score of its own" in message


@pytest.mark.parametrize("option", [("--order", "natural"), ("--bootstrap", "3")])
def test_options_about_edges_are_refused(refused, asia_rows, option):
    message = refused("learn", asia_rows, "--method", "lem", *option)
    assert f"{option[0]} means nothing to --method lem, which explains rows" in message
