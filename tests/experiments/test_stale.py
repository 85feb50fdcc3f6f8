"""Figures that are kept and would come out otherwise today are found, and said on their pages."""

import pytest
from experiments.common import Cell, Experiment, Results, write_results
from experiments.common.experiment import stamped_tables
from experiments.stale import changed_rows


def experiment(rows, file):
    class Small(Experiment):
        def results_file(self):
            return file

    return Small("x.y", lambda full: iter(rows), lambda rows: {"a": "| a |", "b": "| b |"}, "page.md")


@pytest.mark.parametrize("as_cells", [False, True])
def test_what_differs_is_named_but_for_times(as_cells, tmp_path):
    file = tmp_path / "y.json"
    kept = [{"net": "a", "shd": [1, 2], "seconds": 3.0}, {"net": "b", "shd": [4], "loss": {"x": 1 / 3}}]
    write_results(file, Results("python -m x", kept))
    now = [{"net": "a", "shd": [1, 2], "seconds": 9.0}, {"net": "b", "shd": [5], "loss": {"x": 1 / 3 + 1e-4}}]
    cells = [Cell({"net": row["net"]}, lambda row=row: row) for row in now]
    found = list(changed_rows(experiment(cells if as_cells else now, file), seconds=9.0))
    assert [names for _, names in found] == [[], ["shd", "loss"]]
    assert len(list(changed_rows(experiment(now, file), seconds=-1.0))) == 1


def test_the_last_table_says_when_and_what_is_stale(tmp_path):
    results = Results("python -m x", [], commit="abc123")
    assert stamped_tables(experiment([], tmp_path), results) == {
        "a": "| a |",
        "b": "| b |\n\nMeasured at `abc123`.",
    }
    results = Results("python -m x", [], commit="abc123", stale=("shd", "tests"))
    told = stamped_tables(experiment([], tmp_path), results)["b"]
    assert told.endswith("Measured at `abc123`; since then other figures: shd, tests.")
