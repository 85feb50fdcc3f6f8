"""`treewright score`: how probable rows are under a model."""

from __future__ import annotations

import math

import numpy as np

from treewright.cli import options as opt
from treewright.cli.answers.output import Lines, Output, figures, remark
from treewright.cli.data import LaterRows
from treewright.cli.model_files import open_model
from treewright.models.model import in_missing_states
from treewright.tables.exports import counted


@opt.command("threads", "memory")
def score(
    out: Output,
    model: opt.Model,
    data: opt.Data,
    *,
    missing: opt.MissingOption = opt.Missing.error,
    weights: opt.WeightsOf = None,
    written: LaterRows,
) -> None:
    """Say how probable rows are under a model: the mean log-likelihood per row, in nats.

    With --missing em it is that of what rows show: missing cells are summed over, exactly.

    Example: treewright score survey.twm later.csv
    """
    network = open_model(model)
    with out.progress("reading", total=2) as update:
        read = written.options(missing=missing, weights=weights).read_like(data, network.schema)
        table = in_missing_states(read)
        update(1, "scoring")
        mean = network.score(table, unseen="ignore" if table.has_missing else written.unseen.value)
        # only a mean of minus infinity has impossible rows behind it
        n_impossible = 0 if math.isfinite(mean) else int(np.isneginf(network.log_evidence(table)).sum())
    out.answer(
        lambda: {"log_likelihood": mean, "rows": table.n_rows, "impossible_rows": n_impossible},
        shown=lambda: score_shown(mean, table.n_rows, n_impossible),
        bare=lambda: [(mean,)],
    )


def score_shown(mean: float, n_rows: int, n_impossible: int) -> Lines:
    yield figures(("log-likelihood", f"{mean:.6f} nats per row"), ("rows", f"{n_rows:,}"))
    if n_impossible:
        yield remark(f"  {counted(n_impossible, 'row')} with probability zero under the model")
