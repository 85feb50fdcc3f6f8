"""Hidden trees and mixtures on the command line: learned, saved, asked, scored, refused."""

import pytest

import treewright as tw


@pytest.mark.slow
@pytest.mark.parametrize(("method", "options"), [("hidden-tree", []), ("mixture", ["--effort", 0])])
def test_learned_saved_and_asked(run_json, asia_rows, tmp_path, method, options):
    target = tmp_path / "m.twm"
    found = run_json("learn", asia_rows, "--method", method, *options, "--valid", asia_rows, "-o", target)
    table = tw.read_table(asia_rows)
    model = tw.load(target)
    assert isinstance(model, tw.FeatureNetwork)
    assert found["directed"] is False
    assert found["log_likelihood"] == pytest.approx(model.score(table)) == found["valid_log_likelihood"]
    assert any("stopped on the validation rows (2,000)" in note for note in found["notes"])
    answer = run_json("query", target, "dysp", "--given", "smoke=yes")
    assert sum(answer["distribution"].values()) == pytest.approx(1.0)
    assert run_json("score", target, asia_rows)["log_likelihood"] == pytest.approx(found["log_likelihood"])


@pytest.mark.slow
def test_a_stack_is_weighed_on_rows_held_out(run_json, asia_rows):
    found = run_json("learn", asia_rows, "--method", "mixture", "--effort", 1)
    assert any("models, weighed on a tenth of the rows" in note for note in found["notes"])
    assert found["method"] == "mixture"


def test_options_that_mean_nothing(refused, asia_rows):
    said = refused("learn", asia_rows, "--method", "hidden-tree", "--effort", 2)
    assert "--effort means nothing to --method hidden-tree" in said
    assert "--score and --ess mean nothing to --method mixture" in refused(
        "learn", asia_rows, "--method", "mixture", "--score", "bic"
    )
