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
        "learned from: age; --bins cuts them otherwise, --ignore leaves columns out",
        "numbers are judged by their density, that of an interval even over its width",
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


def messy(n=240, seed=0):
    """A number among labels, and gaps in both."""
    rng = np.random.default_rng(seed)
    ill = rng.integers(2, size=n)
    frame = pd.DataFrame({"ill": np.where(ill, "yes", "no"), "fever": rng.normal(37 + 2 * ill, 0.5)})
    frame["cough"] = np.where(rng.random(n) < 0.2 + 0.6 * ill, "yes", "no")
    frame.loc[rng.random(n) < 0.1, "cough"] = None
    return frame


def test_the_default_is_what_learn_does(run_json, tmp_path):
    frame = messy()
    frame.to_csv(tmp_path / "rows.csv", index=False)
    asked = ("cross-validate", tmp_path / "rows.csv", "--folds", "3")
    found = run_json(*asked, "-m", "auto", "-m", "chow-liu")
    table = tw.read_table(frame, missing="em")
    kinds = []

    def default(rows):
        model = tw.learn(rows).model
        kinds.append(type(model))
        return model

    exact = tw.cross_validate(default, table, folds=3)
    assert set(kinds) == {tw.models.ConditionalGaussianNetwork}
    assert found["methods"]["auto"]["log_likelihood"] == pytest.approx(exact.means[0], abs=1e-9)
    assert run_json(*asked, "-m", "auto")["notes"] == [
        "numbers are judged by their density, that of an interval even over its width",
    ]
    labels = run_json(
        *asked, "-m", "auto", "-m", "chow-liu", "--ignore", "fever"
    )  # sums over what is missing
    assert labels["rows"] == 240
    assert "of the other methods took its structure from rows that miss nothing" in labels["notes"][-1]
    assert found["methods"]["chow-liu"]["behind"] < 1  # a density beside a density: on one scale


def test_numbers_alone_are_judged_where_nothing_is_missing(run_json, tmp_path):
    frame = pd.DataFrame({"x": np.arange(60) / 7, "y": (np.arange(60) * 17 % 60) / 7})
    frame.loc[[3, 9], "y"] = None
    frame.to_csv(tmp_path / "rows.csv", index=False)
    found = run_json("cross-validate", tmp_path / "rows.csv", "-m", "auto", "--folds", "3")
    assert found["notes"] == ["2 rows with gaps left out, as `learn` does with numbers alone"]
    assert found["rows"] == 58


def test_gaps_are_refused_where_no_method_settles_them(refused, tmp_path):
    messy().to_csv(tmp_path / "rows.csv", index=False)
    assert "missing" in refused("cross-validate", tmp_path / "rows.csv", "-m", "chow-liu", "--folds", "3")


def test_intervals_of_any_fineness_are_judged_on_one_scale():
    x = np.random.default_rng(3).uniform(0.25, 8.25, size=4_000)
    table = tw.read_table({"x": x, "label": np.where(np.arange(4_000) % 2, "a", "b")})

    def cut_into(n):
        def independent(rows):
            cut = tw.read_table(rows, bins={"x": n})
            return tw.fit(tw.Dag(cut.schema), tw.count(cut))

        return independent

    found = tw.cross_validate({str(n): cut_into(n) for n in (2, 4, 8)}, table, folds=4)
    assert found.means == pytest.approx(-np.log(8) - np.log(2), abs=0.01)  # whatever the cut is
