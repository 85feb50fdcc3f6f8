"""The life of an experiment: measure, write down as it goes, render tables and pictures.

Without TREEWRIGHT_DATA it runs small, on generated data, prints what it finds and writes nothing: the results
and pages that are kept come from the public sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.common.data import data_folder
from experiments.common.pages import fill_table
from experiments.common.plots import Panel, draw
from experiments.common.results import Results, Row, read_results, write_results
from treewright import _core

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Experiment:
    """One figure of a paper.

    Attributes
    ----------
    name
        Package and module below `experiments`, such as "bounded_treewidth.log_loss".
    measure
        Yields rows; told whether to take the full size (true) or seconds.
    tables
        From rows to the tables of the page, as Markdown by name.
    page
        The document that has the tables, seen from the root of the repository.
    pictures
        From rows to pictures, as panels by file name; they lie beside the page, in `pictures/`.
    """

    name: str
    measure: Callable[[bool], Iterator[Row]]
    tables: Callable[[list[Row]], Mapping[str, str]]
    page: str
    pictures: Callable[[list[Row]], Mapping[str, Sequence[Panel]]] = lambda rows: {}

    @property
    def command(self) -> str:
        return f"python -m experiments.{self.name}"

    def results_file(self, root: Path = ROOT) -> Path:
        package, module = self.name.split(".")
        return root / "experiments" / package / "results" / f"{module}.json"


def run(experiment: Experiment, arguments: Sequence[str] | None = None, root: Path = ROOT) -> list[Row]:
    """What a module of an experiment does when it is run; returns the rows."""
    parser = argparse.ArgumentParser(prog=experiment.command)
    parser.add_argument("--render", action="store_true", help="only render again what was measured before")
    if parser.parse_args(arguments).render:
        rows = read_results(experiment.results_file(root)).rows
        render(experiment, rows, root)
        return rows
    _core.set_threads(1)
    full = data_folder() is not None
    rows = measure(experiment, experiment.results_file(root) if full else None)
    if full:
        render(experiment, rows, root)
    else:
        print("TREEWRIGHT_DATA is unset: this was a small run on generated data, and nothing is kept")
        for name, text in experiment.tables(rows).items():
            print(f"\n{name}\n\n{text}")
    return rows


def measure(experiment: Experiment, file: Path | None) -> list[Row]:
    """Collect the rows; what there is so far is in the file, if there is one."""
    rows: list[Row] = []
    for row in experiment.measure(file is not None):
        rows.append(row)
        print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        if file is not None:
            write_results(file, Results(experiment.command, rows))
    return rows


def render(experiment: Experiment, rows: list[Row], root: Path) -> None:
    """Tables into the page, pictures beside it."""
    page = root / experiment.page
    for name, text in experiment.tables(rows).items():
        fill_table(page, name, text)
    for name, panels in experiment.pictures(rows).items():
        draw(page.parent / "pictures" / name, panels)
