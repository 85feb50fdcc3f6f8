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
from experiments.common.pages import fill_table, has_place
from experiments.common.plots import Panel, compact, draw
from experiments.common.results import Cell, Results, Row, read_results, write_results
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
        Yields rows, or cells that tell what they are about before they are measured; told whether to take the
        full size (true) or seconds.
    tables
        From rows to the tables of the page, as Markdown by name.
    page
        The document that has the tables, seen from the root of the repository; those that it has no place for
        go into RECORD.md of the package.
    pictures
        From rows to pictures by file name, as panels or as the text of an SVG; they lie beside the page, in
        `pictures/`.
    needs_data
        False where the full size needs no folder of data; then it is asked for by `--full`.
    """

    name: str
    measure: Callable[[bool], Iterator[Row] | Iterator[Cell]]
    tables: Callable[[list[Row]], Mapping[str, str]]
    page: str
    pictures: Callable[[list[Row]], Mapping[str, Sequence[Panel] | str]] = lambda rows: {}
    needs_data: bool = True

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
    parser.add_argument("--resume", action="store_true", help="keep the cells that were measured before")
    if not experiment.needs_data:
        parser.add_argument("--full", action="store_true", help="take the full size, which is all packaged")
    asked = parser.parse_args(arguments)
    if asked.render:
        kept = read_results(experiment.results_file(root))
        render(experiment, kept, root)
        return kept.rows
    full = data_folder() is not None if experiment.needs_data else asked.full
    _core.set_threads(1)
    try:
        rows = measure(experiment, experiment.results_file(root) if full else None, resume=asked.resume)
    finally:
        _core.set_threads(0)  # as many as there are
    if full:
        render(experiment, read_results(experiment.results_file(root)), root)
    else:
        print("this was a small run, and nothing is kept; " + _how_to_take_all(experiment))
        for name, text in experiment.tables(rows).items():
            print(f"\n{name}\n\n{text}")
    return rows


def _how_to_take_all(experiment: Experiment) -> str:
    if experiment.needs_data:
        return "TREEWRIGHT_DATA is unset, which names the folder of the data"
    return f"`{experiment.command} --full` takes all"


def measure(experiment: Experiment, file: Path | None, *, resume: bool = False) -> list[Row]:
    """Collect the rows; what there is so far is in the file, if there is one.

    Rows that are kept from before stay in the file until a new one follows them.
    """
    before = read_results(file).rows if resume and file is not None and file.exists() else []
    rows: list[Row] = []
    for found in experiment.measure(file is not None):
        row = found.row(before) if isinstance(found, Cell) else found
        rows.append(row)
        if any(row is kept for kept in before):
            continue
        print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        if file is not None:
            write_results(file, Results(experiment.command, rows))
    if before and file is not None:
        write_results(file, Results(experiment.command, rows))
    return rows


def render(experiment: Experiment, results: Results, root: Path) -> None:
    """Tables into the page or the record, pictures beside the page."""
    fill_tables(experiment, results, root)
    page = root / experiment.page
    for name, picture in experiment.pictures(results.rows).items():
        path = page.parent / "pictures" / name
        if isinstance(picture, str):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(compact(picture), encoding="utf-8")
        else:
            draw(path, picture)


def fill_tables(experiment: Experiment, results: Results, root: Path = ROOT) -> None:
    page, record = root / experiment.page, experiment.results_file(root).parents[1] / "RECORD.md"
    for name, text in stamped_tables(experiment, results).items():
        fill_table(record if record.exists() and not has_place(page, name) else page, name, text)


def stamped_tables(experiment: Experiment, results: Results) -> Mapping[str, str]:
    """Tables as pages have them: the last one says when all were measured, and what is no longer so."""
    tables = dict(experiment.tables(results.rows))
    since = f"; since then other figures: {', '.join(results.stale)}" if results.stale else ""
    if tables:
        tables[list(tables)[-1]] += f"\n\nMeasured at `{results.commit}`{since}."
    return tables
