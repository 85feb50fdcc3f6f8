"""`treewright predict`: one variable of every row, from the row's other cells."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO

import numpy as np
import typer

from treewright.cli import options as opt
from treewright.cli.answers.output import Lines, Output, Update, figures, remark
from treewright.cli.answers.rows import write_csv
from treewright.cli.data import LaterRows
from treewright.cli.files import check_output, refuse_other_formats, written_whole
from treewright.cli.model_files import open_model
from treewright.errors import NoExactAnswer, SettingError
from treewright.models import NormalPredictions, Predictions, SigmoidNetwork
from treewright.models.model import AnyModel
from treewright.tables.exports import counted
from treewright.tables.schema import Schema, Variable
from treewright.tables.table import Table

_BLOCK = 1 << 16  # rows that are asked about and written at a time

Target = Annotated[
    str, typer.Option("--target", "-t", metavar="NAME", help="What to predict.", show_default=False)
]
RowsOut = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="out.csv", help="A CSV file; without it, rows go to stdout."),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A column of DATA to write beside the answers; repeat for more."),
]


@opt.command("threads", "memory")
def predict(
    out: Output,
    model: opt.Model,
    data: opt.Data,
    *,
    target: Target,
    output: RowsOut = None,
    keep: Keep = None,
    written: LaterRows,
    force: opt.Force = False,
) -> None:
    """Predict one variable for every row: its most probable state, and the probability of each.

    Empty cells and columns that DATA lacks are summed over, exactly. Where DATA has the target, it is not
    looked at; the answer says how often the prediction is right. Of a continuous target, the mean and the
    standard deviation are written.

    Example: treewright predict survey.twm later.csv --target died -o predicted.csv
    """
    path = None if output == "-" else output
    refuse_other_formats(path)
    check_output(out, path, "rows", inputs=[model, *data], force=force)
    network = open_model(model)
    if isinstance(network, SigmoidNetwork):
        raise NoExactAnswer(
            "a sigmoid network has no exact predictions; conditional_mean knows one given all parents"
        )
    network.schema.index(target)  # an unknown name is refused before the rows are read
    options = written.options()
    with out.progress("reading"):
        rows, truth = options.read_to_predict(data, network.schema, target)
        kept = options.read_columns(data, keep) if keep else None
    asked = _Predicted(network, target, rows, truth, kept)
    if path is not None:
        with out.progress("predicting", total=rows.n_rows) as update, written_whole(path) as file:
            asked.write(file, update)
    elif not out.as_json:
        sys.stdout.flush()
        asked.write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    out.answer(lambda: asked.document(path), shown=lambda: asked.shown(path))


class _Predicted:
    """Rows and what a model says about them, a block at a time."""

    def __init__(
        self, model: AnyModel, target: str, rows: Table, truth: Table | None, kept: Table | None
    ) -> None:
        self.model, self.target, self.rows, self.truth, self.kept = model, target, rows, truth, kept
        self.n_impossible, self.n_right, self.n_known = 0, 0, 0
        self.names: list[str] = []

    def blocks(self) -> Iterator[Table]:
        for start in range(0, max(self.rows.n_rows, 1), _BLOCK):
            some = slice(start, start + _BLOCK)
            answer: Any = self.model.predict_table(self.rows.take(some), self.target)  # type: ignore[union-attr]
            table = _as_table(answer, self._count(answer, some))
            if self.kept is not None:
                table = _beside(self.kept.take(some), table)
            self.names = list(table.schema.names)
            yield table

    def _count(self, answer: Any, some: slice) -> Any:
        impossible = np.isnan(answer.means) if isinstance(answer, NormalPredictions) else answer.impossible
        self.n_impossible += int(impossible.sum())
        if self.truth is not None and isinstance(answer, Predictions):
            seen = ~impossible & ~self.truth.take(some).missing.get(0, np.zeros(len(answer), dtype=np.bool_))
            right = np.asarray(self.truth.columns[0][some]) == answer.codes
            self.n_known, self.n_right = self.n_known + int(seen.sum()), self.n_right + int(right[seen].sum())
        return impossible

    def write(self, file: BinaryIO, update: Update = lambda done, doing=None: None) -> None:
        done = 0
        for block in self.blocks():
            write_csv(block, file, header=done == 0)
            done += block.n_rows
            update(done)

    @property
    def accuracy(self) -> float | None:
        return self.n_right / self.n_known if self.n_known else None

    def document(self, path: str | None) -> dict[str, Any]:
        """What was done; without a file, the rows themselves, column by column."""
        data: dict[str, list[Any]] = {}
        if path is None:
            for block in self.blocks():
                for name, cells in block.to_dict().items():
                    data.setdefault(name, []).extend(cells)
        figures = {"impossible_rows": self.n_impossible, "accuracy": self.accuracy}
        plain = {
            "target": self.target,
            "rows": self.rows.n_rows,
            **figures,
            "columns": self.names,
            "output": path,
        }
        return plain if path is not None else {**plain, "data": data}

    def shown(self, path: str | None) -> Lines:
        pairs = [("target", self.target), ("rows", f"{self.rows.n_rows:,} in {path}")]
        if self.accuracy is not None:
            pairs.append(("right", f"{100 * self.accuracy:.1f} % of {self.n_known:,} rows that show it"))
        yield figures(*pairs)
        if self.n_impossible:
            said = f"  {counted(self.n_impossible, 'row')} with probability zero under the model: left empty"
            yield remark(said)


def _as_table(answer: Predictions | NormalPredictions, impossible: Any) -> Table:
    names, *numbers = answer.columns()
    if isinstance(answer, NormalPredictions):
        return Table(Schema([Variable(names), Variable(numbers[0])]), list(answer.columns().values()))
    schema = Schema([Variable(names, answer.variable.states), *map(Variable, numbers)])
    return Table(schema, [answer.codes, *answer.array.T], missing={0: impossible})


def _beside(left: Table, right: Table) -> Table:
    twice = [name for name in left.schema.names if name in right.schema]
    if twice:
        raise SettingError(
            f"--keep {twice[0]!r} has the name of a column of the answer; rename it in DATA to keep both"
        )
    n = len(left.schema)
    masks = {**left.missing, **{n + v: mask for v, mask in right.missing.items()}}
    return Table(Schema([*left.schema, *right.schema]), [*left.columns, *right.columns], missing=masks)
