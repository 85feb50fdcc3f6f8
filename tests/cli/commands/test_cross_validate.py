import numpy as np
import pandas as pd
import pytest
from tests.reports.test_cross_validation import tree

import treewright as tw


def test_the_command_says_what_the_function_says(run_json, run, refused, asia_rows):
    found = run_json("cross-validate", asia_rows, "-m", "chow-liu", "-m", "lem", "--folds", "4")
    exact = tw.cross_validate(tree, pd.read_csv(asia_rows), folds=4)
    assert found["methods"]["chow-liu"]["log_likelihood"] == pytest.approx(exact.means[0], abs=1e-9)
    assert found["methods"]["chow-liu"]["folds"] == pytest.approx(exact.folds[0].tolist())
    assert (found["rows"], found["folds"]) == (2000, 4)
    assert set(found["methods"]["lem"]) >= {"error", "behind", "behind_error", "seconds"}
    assert found["best"] in found["methods"]
    assert (
        "4 folds of 2,000 rows" in run("cross-validate", asia_rows, "-m", "chow-liu", "--folds", "4").stdout
    )
    assert "--method 'nix' is not in treewright" in refused("cross-validate", asia_rows, "-m", "nix")
    assert "--score 'nix' is not known" in refused("cross-validate", asia_rows, "--score", "nix")


def test_numbers_among_labels_are_cut_by_the_rows_of_each_fold(run_json, run, refused, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(50, 10, 240).round(1)
    frame = pd.DataFrame({"age": x, "ill": np.where(x + rng.normal(0, 5, 240) > 55, "yes", "no")})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    asked = ("cross-validate", tmp_path / "rows.csv", "-m", "chow-liu", "--folds", "3")
    found = run_json(*asked)
    assert found["notes"] == [
        "numbers among labels were cut into 4 intervals of equal frequency by the rows that each model "
        "learned from: age; --bins cuts them otherwise, --ignore leaves columns out"
    ]
    assert found["notes"][0][:60] in " ".join(run(*asked).stdout.split())

    def by_hand(table):
        cut = tw.read_table(table, bins={"age": 4})
        counter = tw.count(cut)
        return tw.fit(tw.learn_chow_liu(tw.BIC(counter)).structure, counter)

    exact = tw.cross_validate(by_hand, tw.read_table(tmp_path / "rows.csv"), folds=3)
    assert found["methods"]["chow-liu"]["log_likelihood"] == pytest.approx(exact.means[0])
    assert run_json(*asked, "--bins", "age=2")["notes"] == []


def test_the_default_judges_mixed_rows(tmp_path):
    rng = np.random.default_rng(1)
    rows = {"x": rng.normal(size=90), "y": rng.integers(2, size=90).astype(str)}
    found = tw.cross_validate(tw.learn, tw.read_table(rows), folds=3)
    assert np.isfinite(found.means).all()


def test_a_table_with_numbers_where_the_model_has_intervals_is_read_as_they_are():
    rng = np.random.default_rng(1)
    rows = {"x": rng.normal(size=90), "y": rng.integers(2, size=90).astype(str)}
    model = tw.learn(rows, bins={"x": 3}).model
    assert model.score(tw.read_table(rows)) == pytest.approx(model.score(rows))
