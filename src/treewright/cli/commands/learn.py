"""`treewright learn`: from rows to a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from treewright import __version__
from treewright.cli.answers.output import Output, Update
from treewright.cli.data import DataOptions
from treewright.cli.files import check_writable, write_json
from treewright.cli.learning.ground import check_score, score_for
from treewright.cli.learning.incomplete import complete_rows, fit_features_to_all_rows
from treewright.cli.learning.methods import (
    DEFAULT_EFFORT,
    DEFAULT_METHOD,
    Method,
    Task,
    method_named,
    network_of,
    refuse_for_density,
    shape_of,
)
from treewright.cli.learning.options import (
    Alpha,
    Bootstrap,
    Effort,
    EngineName,
    Ess,
    Fast,
    HypergraphFile,
    KnowledgeFile,
    MethodName,
    ModelOut,
    Order,
    Score,
    Seconds,
    TraceOut,
    Treewidth,
    Valid,
)
from treewright.cli.learning.outcome import Outcome, document, shown
from treewright.cli.learning.remarks import remarks_on_model, remarks_on_rows, remarks_on_search
from treewright.cli.learning.rows import explained, ground_for, read_held_out, read_rows
from treewright.cli.learning.score import maximised, score_of
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
from treewright.errors import FileMissingError, FormatError
from treewright.graphs import Dag, FeatureGraph, Knowledge
from treewright.graphs.knowledge.hypergraph_files import read_hypergraph
from treewright.learners import EdgeConfidence, Learned, LearnedFeatureGraph, edge_confidence
from treewright.models import BestFitting, FeatureNetwork, fit
from treewright.models.formats.twm import save
from treewright.models.model import AnyModel
from treewright.tables.databases import Databases
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Progress, Step

_STEPS = 4


def learn(
    data: Data,
    *,
    output: ModelOut = None,
    method: MethodName = DEFAULT_METHOD,
    score: Score = None,
    ess: Ess = None,
    treewidth: Treewidth = None,
    effort: Effort = None,
    seconds: Seconds = None,
    alpha: Alpha = None,
    fast: Fast = False,
    order: Order = None,
    knowledge: KnowledgeFile = None,
    hypergraph: HypergraphFile = None,
    engine: EngineName = None,
    bootstrap: Bootstrap = None,
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

    Several tables that share only some of their columns are learned from by --method separation-tree.

    Example: treewright learn survey.csv --method hill-climbing --valid later.csv -o survey.twm
    """
    out = Output(as_json=as_json, quiet=quiet)
    chosen = method_named(
        method,
        effort=effort,
        seconds=seconds,
        alpha=alpha,
        fast=fast or None,
        treewidth=treewidth,
        hypergraph=hypergraph,
        engine=engine,
        score=score,
        ess=ess,
    )
    if chosen.is_density:
        refuse_for_density(method, order=order, knowledge=knowledge, bootstrap=bootstrap)
    check_score(score, ess)
    check_writable(output)
    check_writable(trace)
    known = None if knowledge is None else Knowledge.from_json(knowledge)
    sets = None if hypergraph is None else read_hypergraph(hypergraph)
    several = chosen.joins_tables and len(data) > 1
    use_resources(threads, memory)
    options = DataOptions(
        missing.value, missing_value or (), bins or (), ignore or (), schema, header=not no_header
    )
    rng = np.random.default_rng(0 if seed is None else seed)  # learning is repeatable unless asked otherwise
    with out.progress("reading", total=_STEPS) as update:
        started = perf_counter()
        rows = read_rows(data, options, method, several=several)
        criterion = score_for(rows.schema, score, "bdeu" if ess is not None else chosen.score)
        held_out = read_held_out(valid, options, rows)
        read = perf_counter()
        update(1, "learning")
        ground = ground_for(rows, criterion, ess)
        task = Task(ground, read_order(order, rows.schema), rng, known, effort, alpha, treewidth, held_out)
        task = replace(task, hypergraph=sets, engine=engine, fast=fast, is_score_given=score is not None)
        learned = chosen.learn(replace(task, progress=told(update, task), seconds=seconds))
        update(2, "fitting")
        model, how_fitted = fitted(learned, task)
        done = perf_counter()
        update(3, "scoring" if bootstrap is None else "resampling")
        log_likelihood = explained(model, rows)
        outcome = Outcome(
            method=method,
            criterion=maximised(learned, chosen.own_score or criterion, task),
            learned=learned,
            model=model,
            score=score_of(learned, task, log_likelihood, rows.n_rows),
            n_rows=rows.n_rows,
            log_likelihood=log_likelihood,
            n_valid_rows=None if held_out is None else held_out.n_rows,
            valid_log_likelihood=None if held_out is None else explained(model, held_out),
            reading_seconds=read - started,
            seconds=done - read,
            remarks=[
                *remarks_on_rows(rows),
                *remarks_on_search(learned),
                *how_fitted,
                *remarks_on_model(model),
            ],
            output=output,
            confidence=resampled(bootstrap, rows, task, method=chosen, criterion=criterion, ess=ess),
        )
    if output is not None:
        origin = {
            **getattr(model, "provenance", {}),
            "method": method,
            "score": outcome.criterion,
            "rows": rows.n_rows,
            "seed": seed,
            "treewright": __version__,
        }
        if outcome.confidence is not None:
            origin["confidence"] = outcome.confidence.to_dict()
        bound = (treewidth or chosen.width) if "treewidth" in chosen.options else None
        save(model, output, provenance=origin, certificate=learned.certificate, treewidth=bound)
    if trace is not None:
        write_json(trace, {"method": method, "score": outcome.criterion, **learned.trace.to_dict()})
    out.answer(
        lambda: document(outcome),
        shown=lambda: shown(outcome),
        bare=lambda: () if output else shape_of(learned).edges(),
    )


def told(update: Update, task: Task) -> Progress:
    """Tells the bar where a search under a width bound is."""
    effort = DEFAULT_EFFORT if task.effort is None else task.effort
    wanted = max(1, effort * len(task.score.schema))

    def tell(step: Step) -> None:
        width = "" if step.width is None else f", width {step.width} of {task.width}"
        score = "" if step.score is None else f", score {step.score:,.1f}"
        update(1 + min(1.0, step.done / wanted), f"learning: round {step.done:,}{width}{score}")

    return tell


def fitted(learned: Learned[Any], task: Task) -> tuple[AnyModel, list[str]]:
    """Parameters on what was learned, and how they were found; a feature graph has its own already."""
    if isinstance(learned.structure, FeatureGraph):
        table, graph = task.ground.table, learned.structure
        if table is not None and table.has_missing and graph.is_deterministic:
            settings = learned.settings if isinstance(learned, LearnedFeatureGraph) else None
            return fit_features_to_all_rows(graph, table, getattr(settings, "alpha", 1.0))
        return FeatureNetwork(learned.structure), task.left_out("learned from")
    network = network_of(learned)
    if isinstance(network, Dag):
        return task.ground.fit(network)
    model = fit(network, task.counter, estimator=BestFitting())
    how = model.fitting
    assert how is not None
    said = f"fitted by {how.method}" + (f": {how.note}" if how.note else "")
    return model, [said, *task.left_out("fitted to")]


def resampled(
    n: int | None, rows: Table | Databases, task: Task, *, method: Method, criterion: str, ess: float | None
) -> EdgeConfidence | None:
    """How often the same method finds each edge in resampled rows."""
    if n is None:
        return None

    def learn_again(drawn: Table | Databases) -> Learned[Any]:
        ground = ground_for(drawn, criterion, ess)
        chance = np.random.default_rng(0)  # rows differ, luck does not: any thread may come first
        return method.learn(replace(task, ground=ground, rng=chance, is_asked_again=True))

    known = task.known()
    by_class = known is None or known.on(rows.schema).is_symmetric
    options: dict[str, Any] = {"repetitions": n, "rng": task.chance(), "by_class": by_class}
    if isinstance(rows, Databases):
        return edge_confidence(rows, learn_again, **options)
    return edge_confidence(complete_rows(rows), learn_again, **options)


def read_order(order: str | None, schema: Schema) -> list[str] | None:
    """The order of `--order`; a file names one variable per line."""
    if order is None:
        return None
    if order == "natural":
        return list(schema.names)
    try:
        lines = Path(order).read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise FileMissingError(
            f"--order is 'natural' or a file of names; there is no file {order!r}"
        ) from None
    except UnicodeDecodeError:
        raise FormatError(f"--order {order!r} is not text in UTF-8") from None
    return [line.strip() for line in lines if line.strip()]
