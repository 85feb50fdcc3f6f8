"""Every experiment runs small on generated data, and every page shows what its results say."""

import sys
from pathlib import Path

import pytest
from experiments.common import read_results, run
from experiments.common.experiment import stamped_tables
from experiments.stale import all_experiments

import experiments

ROOT = Path(experiments.__file__).resolve().parents[1]


EXPERIMENTS = list(all_experiments())
everyone = pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda one: one.name)


@pytest.mark.slow
@everyone
def test_it_runs_small_without_data_and_without_matplotlib(experiment, monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("TREEWRIGHT_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    rows = run(experiment, [], root=tmp_path)
    assert rows
    printed = capsys.readouterr().out
    for name, text in experiment.tables(rows).items():
        assert f"\n{name}\n\n{text}\n" in printed
    for name, panels in experiment.pictures(rows).items():
        assert name.endswith(".svg")
        assert panels.startswith("<svg") if isinstance(panels, str) else all(panel.lines for panel in panels)
    assert not list(tmp_path.iterdir()), "a small run keeps nothing"


@pytest.mark.slow
@everyone
def test_the_page_or_the_record_shows_the_results(experiment):
    if not experiment.results_file().exists():
        pytest.skip(f"{experiment.name} has no results yet")
    results = read_results(experiment.results_file())
    assert results.command == experiment.command
    record = experiment.results_file().parents[1] / "RECORD.md"
    pages = [file.read_text(encoding="utf-8") for file in (ROOT / experiment.page, record) if file.exists()]
    for name, text in stamped_tables(experiment, results).items():
        assert f"<!-- table: {name} -->\n{text}\n<!-- end: {name} -->" in "".join(pages)
    for name in experiment.pictures(results.rows):
        assert f"pictures/{name}" in "".join(pages)
