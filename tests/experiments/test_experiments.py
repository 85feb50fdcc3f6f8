"""Every experiment runs small on generated data, and every page shows what its results say."""

import importlib
import pkgutil
import sys
from pathlib import Path

import pytest
from experiments.common import read_results, run

import experiments

ROOT = Path(experiments.__file__).resolve().parents[1]


def all_experiments():
    """Every `EXPERIMENT` of a module below `experiments`."""
    for module in pkgutil.walk_packages(experiments.__path__, "experiments."):
        found = getattr(importlib.import_module(module.name), "EXPERIMENT", None)
        if found is not None and f"experiments.{found.name}" == module.name:
            yield found


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
def test_the_page_shows_the_results(experiment):
    if not experiment.results_file().exists():
        pytest.skip(f"{experiment.name} has no results yet")
    results = read_results(experiment.results_file())
    assert results.command == experiment.command
    page = (ROOT / experiment.page).read_text(encoding="utf-8")
    for name, text in experiment.tables(results.rows).items():
        assert f"<!-- table: {name} -->\n{text}\n<!-- end: {name} -->" in page
    for name in experiment.pictures(results.rows):
        assert f"pictures/{name}" in page
