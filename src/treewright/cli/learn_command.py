"""`treewright learn`: from rows to a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from treewright.cli.data import DataOptions, listed, remarks_on
from treewright.cli.files import check_writable, write_json
from treewright.cli.incomplete import mean_log_likelihood
from treewright.cli.methods import (
    ALL_SCORES,
    CONTINUOUS_SCORES,
    DEFAULT_METHOD,
    METHODS,
    Task,
    check_score,
    ground_of,
    method_named,
)
from treewright.cli.options import (
    AsJson,
    Bins,
    Data,
    Ignore,
    Memory,
    Missing,
    MissingOption,
    MissingValue,
    NoHeader,
    Quiet,
    SchemaOf,
    Seed,
    Threads,
    use_resources,
)
from treewright.cli.output import Output, figures, heading, listing, remark
from treewright.errors import FileMissingError, FormatError, SchemaError
from treewright.graphs import Dag, Knowledge
from treewright.graphs.compare import moral_graph
from treewright.graphs.treewidth import treewidth_upper_bound
from treewright.learners import Learned
from treewright.models import GaussianNetwork
from treewright.models.model import AnyModel
from treewright.tables.exports import counted
from treewright.tables.table import Table

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN_EDGES = 20
_STEPS = 4

Method = Annotated[
    str, typer.Option("--method", "-m", help=f"How to learn. In this version: {', '.join(METHODS)}.")
]
Score = Annotated[str, typer.Option("--score", "-s", help=f"What to maximise: {', '.join(ALL_SCORES)}.")]
Ess = Annotated[
    float | None, typer.Option("--ess", help="Equivalent sample size of --score bdeu; 1 by default.")
]
Order = Annotated[
    str | None,
    typer.Option(
        "--order",
        metavar="natural|FILE",
        help="Parents come first in this order: that of the columns, or of a file with one name per line.",
    ),
]
KnowledgeFile = Annotated[
    str | None,
    typer.Option(
        "--knowledge",
        metavar="FILE.json",
        help="Arcs that are required or forbidden, tiers, an order or fixed parents, by name.",
    ),
]
Valid = Annotated[
    list[str] | None,
    typer.Option(
        "--valid", metavar="DATA", help="Held-out rows to score the model on; repeat for more files."
    ),
]
ModelOut = Annotated[
    str | None, typer.Option("--output", "-o", metavar="M.twm", help="Where to save the model.")
]
TraceOut = Annotated[
    str | None,
    typer.Option("--trace", metavar="FILE.json", help="Where to write the phases of the work, with times."),
]


@dataclass(frozen=True)
class Outcome:
    """All that there is to say about a model that was learned."""

    method: str
    criterion: str
    learned: Learned[Any]
    model: AnyModel
    score: float
    n_rows: int
    log_likelihood: float
    n_valid_rows: int | None
    valid_log_likelihood: float | None
    reading_seconds: float
    seconds: float
    remarks: list[str]
    output: str | None

    @property
    def width(self) -> int:
        return treewidth_upper_bound(moral_graph(self.learned.structure))


def learn(
    data: Data,
    *,
    output: ModelOut = None,
    method: Method = DEFAULT_METHOD,
    score: Score = "bic",
    ess: Ess = None,
    order: Order = None,
    knowledge: KnowledgeFile = None,
    valid: Valid = None,
    seed: Seed = None,
    trace: TraceOut = None,
    missing: MissingOption = Missing.error,
    missing_value: MissingValue = None,
    bins: Bins = None,
    ignore: Ignore = None,
    no_header: NoHeader = False,
    schema: SchemaOf = None,
    threads: Threads = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn a model from rows.

    Example: treewright learn survey.csv --valid later.csv -o survey.twm
    """
    out = Output(as_json=as_json, quiet=quiet)
    search = method_named(method)
    check_score(score, ess)
    check_writable(output)
    check_writable(trace)
    known = None if knowledge is None else Knowledge.from_json(knowledge)
    use_resources(threads, memory)
    options = DataOptions(
        missing.value, missing_value or (), bins or (), ignore or (), schema, header=not no_header
    )
    with out.progress("reading", total=_STEPS) as update:
        started = perf_counter()
        table = options.read(data)
        if score in CONTINUOUS_SCORES:
            refuse_discrete(table, score)
        else:
            refuse_continuous(table, method)
        held_out = options.read_like(valid, table.schema) if valid else None
        read = perf_counter()
        update(1, "learning")
        ground = ground_of(table, score, ess)
        task = Task(ground, read_order(order, table), np.random.default_rng(seed), known)
        learned = search(task)
        update(2, "fitting")
        model, how_fitted = ground.fit(learned.structure)
        done = perf_counter()
        update(3, "scoring")
        outcome = Outcome(
            method=method,
            criterion=score,
            learned=learned,
            model=model,
            score=ground.score.score(learned.structure),
            n_rows=table.n_rows,
            log_likelihood=mean_log_likelihood(model, table),
            n_valid_rows=None if held_out is None else held_out.n_rows,
            valid_log_likelihood=None if held_out is None else mean_log_likelihood(model, held_out),
            reading_seconds=read - started,
            seconds=done - read,
            remarks=[*remarks_on(table.report), *how_fitted, *remarks_on_model(model)],
            output=output,
        )
    if output is not None:
        model.save(output)
    if trace is not None:
        write_json(trace, {"method": method, "score": score, **learned.trace.to_dict()})
    out.answer(
        lambda: document(outcome),
        shown=lambda: shown(outcome),
        bare=lambda: () if output else learned.structure.edges(),
    )


def refuse_continuous(table: Table, method: str) -> None:
    names = [variable.name for variable in table.schema if not variable.is_discrete]
    if names:
        raise SchemaError(
            f"{method} learns from discrete columns; continuous: {listed(names)}. Cut them into intervals "
            "with --bins 4 (or --bins name=4), or leave them out with --ignore name"
            + ("; --score gaussian-bic keeps them as they are" if len(names) == len(table.schema) else "")
        )


def refuse_discrete(table: Table, score: str) -> None:
    names = [variable.name for variable in table.schema if variable.is_discrete]
    if names:
        raise SchemaError(
            f"--score {score} is for continuous columns; discrete: {listed(names)}. Leave them out with "
            "--ignore name, or cut the others into intervals with --bins 4 and use --score bic"
        )


def remarks_on_model(model: AnyModel) -> list[str]:
    """Where the rows did not determine a regression."""
    if not isinstance(model, GaussianNetwork):
        return []
    found = []
    if model.floored:
        found.append(f"determined by its parents, so it has the least variance: {listed(model.floored)}")
    if model.redundant:
        children = listed(sorted(model.redundant))
        found.append(f"some parents determine others, which have the coefficient zero: {children}")
    return found


def read_order(order: str | None, table: Table) -> list[str] | None:
    """The order of `--order`; a file names one variable per line."""
    if order is None:
        return None
    if order == "natural":
        return list(table.schema.names)
    try:
        lines = Path(order).read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise FileMissingError(
            f"--order is 'natural' or a file of names; there is no file {order!r}"
        ) from None
    except UnicodeDecodeError:
        raise FormatError(f"--order {order!r} is not text in UTF-8") from None
    return [line.strip() for line in lines if line.strip()]


def document(outcome: Outcome) -> dict[str, Any]:
    structure = outcome.learned.structure
    plain = {
        "method": outcome.method,
        "variables": list(structure.schema.names),
        "edges": [list(edge) for edge in structure.edges()],
        "directed": isinstance(structure, Dag),
        "width": outcome.width,
        "criterion": outcome.criterion,
        "score": outcome.score,
        "parameters": outcome.model.n_parameters,
        "rows": outcome.n_rows,
        "log_likelihood": outcome.log_likelihood,
        "seconds": outcome.seconds,
        "reading_seconds": outcome.reading_seconds,
        "notes": outcome.remarks,
        "output": outcome.output,
    }
    if outcome.n_valid_rows is not None:
        plain["valid_rows"] = outcome.n_valid_rows
        plain["valid_log_likelihood"] = outcome.valid_log_likelihood
    return plain


def shown(outcome: Outcome) -> Iterator[RenderableType]:
    structure, edges = outcome.learned.structure, outcome.learned.structure.edges()
    yield heading(
        f"{outcome.method}: {counted(len(structure.schema), 'variable')}, {counted(len(edges), 'edge')}, "
        f"treewidth {outcome.width}, {counted(outcome.model.n_parameters, 'parameter')}"
    )
    pairs = [
        ("rows", f"{outcome.n_rows:,}"),
        (f"score ({outcome.criterion})", f"{outcome.score:,.2f}"),
        ("log-likelihood", f"{outcome.log_likelihood:.4f} nats per row"),
    ]
    if outcome.n_valid_rows is not None:
        held_out = f"{outcome.valid_log_likelihood:.4f} nats per row ({outcome.n_valid_rows:,} rows)"
        pairs.append(("held out", held_out))
    pairs.append(("time", f"{outcome.reading_seconds:.2f} s to read, {outcome.seconds:.2f} s to learn"))
    yield figures(*pairs)
    if edges:
        table = listing("from", "to")
        for edge in edges[:_SHOWN_EDGES]:
            table.add_row(*edge)
        yield table
    if len(edges) > _SHOWN_EDGES:
        yield remark(f"  and {len(edges) - _SHOWN_EDGES:,} more; --json lists them all")
    for line in outcome.remarks:
        yield remark(f"  note: {line}")
    if outcome.output is None:
        yield remark("  not saved; -o M.twm keeps it")
    else:
        yield f"  saved to {outcome.output}"
        yield remark(f"  next: treewright marginals {outcome.output}")
