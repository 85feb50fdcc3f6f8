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
