"""`treewright learn`: from rows to a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np

from treewright import learners
from treewright.automatic.sampled import about_sample, check_sample
from treewright.automatic.search import LearnedAutomatically
from treewright.cli.answers.output import Output, Update
from treewright.cli.errors import DONE, INTERRUPTED
from treewright.cli.files import check_output, write_json
from treewright.cli.learning import gaps, made, prepared
from treewright.cli.learning.methods import METHODS, Method, method_for, network_of, shape_of
from treewright.cli.learning.options import LearnOptions
from treewright.cli.learning.outcome import Outcome, document, shown
from treewright.cli.learning.task import Task
from treewright.cli.options import Missing, command
from treewright.errors import FileMissingError, FormatError, Interrupted
from treewright.graphs import Dag, FeatureGraph, JunctionTree, Knowledge
from treewright.graphs.knowledge.files import read_hypergraph
from treewright.learners import EdgeConfidence, Learned
from treewright.models import BestFitting, FeatureNetwork, IterativeFitting, MarkovNetwork, fit
from treewright.models.formats.twm import save
from treewright.models.model import AnyModel
from treewright.origins import described, rows_behind, version
from treewright.statistics import ClusterCounter, Counter, DatabaseCounter, KeptCounter
from treewright.tables.databases import Databases
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Progress, Step

_STEPS = 4


@command("threads", "memory")
def learn(out: Output, options: LearnOptions) -> int:
    """Learn a model from rows.

    Without a method it looks at the table, takes the network that suits it,
    narrow enough for exact answers, and says why. Other wishes have methods:
    a width of your own: bounded, chains
    one search, without second opinions: knots, hill-climbing, tabu
    independence tests instead of a score: pc, tpda
    several tables that share only some of their columns: separation-tree
    a network without directions: bjp, mpl, ib, l1
    rows described as well as possible, edges or not: mixture, cutset, lem

    Example: treewright learn survey.csv --valid later.csv -o survey.twm
    """
    method = method_for(options)
    check_sample(options.rows, options.certify, rows_said="--rows", said="--certify")
    prepared.check_score(options.score, options.ess)
    check_output(out, options.output, "model", inputs=options.files_read, force=options.force)
    check_output(out, options.trace, "trace", inputs=options.files_read, force=options.force)
    check_output(out, options.checkpoint, "checkpoint", inputs=options.files_read, force=options.force)
    knowledge = None if options.knowledge is None else Knowledge.from_json(options.knowledge)
    hypergraph = None if options.hypergraph is None else read_hypergraph(options.hypergraph)
    with out.progress("reading", total=_STEPS) as update:
        outcome = learn_model(options, method, knowledge, hypergraph, update)
    if options.output is not None:
        save_model(outcome, options.output)
    if options.trace is not None:
        about = {"method": options.method, "score": outcome.criterion}
        write_json(options.trace, {**about, **outcome.learned.trace.to_dict()})
    out.answer(
        lambda: document(outcome),
        shown=lambda: shown(outcome),
        bare=lambda: () if options.output else shape_of(outcome.learned).edges(),
    )
    return INTERRUPTED if outcome.is_interrupted else DONE


def learn_model(
    options: LearnOptions,
    method: Method,
    knowledge: Knowledge | None,
    hypergraph: Sequence[Sequence[str]] | None,
    update: Update,
) -> Outcome:
    """Read, learn, fit and score."""
    started = perf_counter()
    several = method.joins_tables and len(options.data) > 1
    asked = options.missing
    if options.set_by is not None:
        options, rows, said, method = made.read_made(options, method)
    else:
        options, rows, said = prepared.read_as_decided(options, several=several)
        asked = gaps.as_settled(asked, options, rows)
    valid: Table | Databases | None = None
    if options.valid and isinstance(rows, ClusterCounter):
        valid = options.read_like(options.valid, rows.schema)
    elif options.valid and not isinstance(rows, ClusterCounter | DatabaseCounter):
        rows, valid = options.read_held_out(options.valid, rows)
    default = prepared.default_score(options, rows.schema, method.score)
    criterion = prepared.score_for(rows.schema, options.score, default)
    read = perf_counter()
    update(1, "learning")
    has_gaps = gaps.take_all_rows(asked, options, method, rows)
    if has_gaps and asked == Missing.indicator:
        rows, knowledge = gaps.add_indicators(cast("Table", rows), knowledge)
        valid = gaps.with_the_same_indicators(rows, valid)
    ready = (
        gaps.prepare_available(cast("Table", rows), criterion, options.ess)
        if has_gaps
        else method.prepare(rows, criterion, options.ess, options.checkpoint)
    )
    rng = np.random.default_rng(options.seed or 0)  # learning is repeatable unless asked otherwise
    task = Task(ready, options, read_order(options.order, rows.schema), knowledge, hypergraph, valid, rng)
    listening = replace(task, progress=show_steps(update, options.treewidth or method.width))
    if has_gaps:
        learned, done_task, how_many = gaps.search_all_rows(asked, method, listening, search)
        task = replace(done_task, progress=None)
    else:
        learned, how_many = search_rows(method, listening)
    update(2, "fitting")
    model, how_fitted = fit_learned(learned, task)
    done = perf_counter()
    update(3, "scoring" if options.bootstrap is None else "resampling")
    explained = prepared.explained(model, rows, ready.counter)
    said = [*said, *close_kept(ready.counter)]
    outcome = Outcome(
        task,
        method,
        learned,
        model,
        [*said, *how_many, *how_fitted],
        log_likelihood=explained,
        valid_log_likelihood=None if valid is None else prepared.explained(model, valid),
        reading_seconds=read - started,
        seconds=done - read,
        confidence=None,
    )
    return outcome if outcome.is_interrupted else with_confidence(outcome)


def close_kept(counter: Counter | None) -> list[str]:
    """Make a checkpoint safe; what is to be said of it where it was of fewer rows."""
    if not isinstance(counter, KeptCounter):
        return []
    counter.close()
    before, more = counter.n_rows - counter.n_added, counter.n_added
    return (
        [f"the checkpoint was of {before:,} rows; {more:,} new ones were counted and added"] if more else []
    )


def search_rows(method: Method, task: Task) -> tuple[Learned[Any], list[str]]:
    """What the method finds in all rows, or in some of them and then, if that is asked for, in all."""
    n, certify = task.options.rows, task.options.certify
    if n is None or n >= task.rows.source.n_rows:
        return search(method.learn, task), []
    some = prepared.prepare_some(task.rows, n, task.options.ess)
    learned = search(method.learn, replace(task, rows=some))
    if certify and method.search_on is not None and learned.trace.stopped_by != "interrupt":
        begin, search_on = learned, method.search_on
        learned = search(lambda whole: search_on(whole, begin), task)
    of = task.rows.source.n_rows
    return learned, about_sample(n, of, certified=certify, density=method.is_density)


def search(learn: Callable[[Task], Learned[Any]], task: Task) -> Learned[Any]:
    """What the method finds; with `--keep-on-interrupt` also what it had found when it was interrupted."""
    try:
        return learn(task)
    except Interrupted as stop:
        if not task.options.keep_on_interrupt:
            raise
        found: Learned[Any] = stop.learned
        return found


def with_confidence(outcome: Outcome) -> Outcome:
    """What resampling says of the edges, where it was asked for and not interrupted."""
    try:
        sure = resample(outcome.options.bootstrap, outcome.task, outcome.method)
    except KeyboardInterrupt:
        if not outcome.options.keep_on_interrupt:
            raise
        told = [*outcome.how_fitted, "resampling was interrupted, so how sure the edges are is not known"]
        return replace(outcome, how_fitted=told, is_interrupted=True)
    return replace(outcome, confidence=sure)


def save_model(outcome: Outcome, path: str) -> None:
    """Write the model with where it came from and what proves its width."""
    options, method = outcome.options, outcome.method
    task, source = outcome.task, outcome.task.rows.source
    origin = {
        **outcome.model.provenance,
        "method": options.method,
        "score": outcome.criterion,
        "options": options.said(),
        "knowledge": described(task.knowledge),
        "order": described(task.order),
        "hypergraph": described(task.hypergraph),
        **rows_behind(source),
        "seed": options.seed,
        **version(),
    }
    if mendings := mendings_of(outcome.task.rows.source):
        origin["mendings"] = mendings
    if outcome.learned.trace.stopped_by:
        origin["stopped_by"] = outcome.learned.trace.stopped_by
    if outcome.confidence is not None:
        origin["confidence"] = outcome.confidence.to_dict()
    if outcome.gains:
        origin["gains"] = [[*edge, gain] for edge, gain in outcome.gains.items()]
    proof = outcome.learned.certificate
    has_bound = "treewidth" in method.options and proof is not None
    bound = (options.treewidth or method.width) if has_bound else None
    if isinstance(outcome.learned, LearnedAutomatically):
        origin["reason"], bound = outcome.learned.reason, options.treewidth
    if proof is not None and isinstance(outcome.model, MarkovNetwork):
        structure = outcome.model.structure
        if not structure.is_subgraph_of(proof.graph()):  # factors stand on a cover that has more edges
            proof = JunctionTree.of(structure)
            bound = None if bound is None else max(bound, proof.width)
    save(outcome.model, path, provenance=origin, certificate=proof, treewidth=bound)


def mendings_of(rows: prepared.Rows) -> list[dict[str, Any]]:
    """What reading changed in the rows."""
    if isinstance(rows, ClusterCounter):
        return []
    tables = rows.tables if isinstance(rows, Databases) else [rows]
    return [asdict(one) for table in tables if table.report is not None for one in table.report.mendings]


def show_steps(update: Update, bound: int) -> Progress:
    """Tell the bar what a learner does, how much of it is done where that is known, and what it reached."""

    def tell(step: Step) -> None:
        said = f"round {step.done:,}, width {step.width} of {bound}" if step.width is not None else step.phase
        if step.width is None and step.done:
            said += f" {step.done:,}" + (f" of {step.of:,}" if step.of else "")
        if step.score is not None:
            said += f", score {step.score:,.1f}"
        update(1 + (min(1.0, step.done / step.of) if step.of else 0.0), f"learning: {said}")

    return tell


def fit_learned(learned: Learned[Any], task: Task) -> tuple[AnyModel, list[str]]:
    """Parameters on what was learned, and how they were found; a feature graph has its own already."""
    if isinstance(learned.structure, FeatureGraph):
        table, graph = task.rows.table, learned.structure
        if table is not None and table.has_missing and graph.is_deterministic:
            origin = "rows whose gaps were drawn" if task.rows.fills_gaps else ""
            return prepared.fit_features_to_all_rows(graph, table, smoothing_of(learned), origin)
        return FeatureNetwork(learned.structure), task.left_out("learned from")
    network = network_of(learned)
    if isinstance(network, Dag):
        return task.rows.fit(network)
    is_counted = isinstance(task.rows.source, DatabaseCounter)  # no rows to be held out
    model = fit(network, task.counter, estimator=IterativeFitting() if is_counted else BestFitting())
    how = model.fitting
    assert how is not None
    said = f"fitted by {how.method}" + (f": {how.note}" if how.note else "")
    return model, [said, *task.left_out("fitted to")]


def smoothing_of(learned: Learned[Any]) -> float:
    """What a learner of feature graphs smoothed with."""
    settings = learned.settings if isinstance(learned, learners.LearnedFeatureGraph) else None
    if not isinstance(settings, learners.MarkovSettings | learners.CutsetSettings):
        return 1.0
    return 1.0 if settings.smoothing is None else settings.smoothing


def resample(n: int | None, task: Task, method: Method) -> EdgeConfidence | None:
    """How often the same method finds each edge in resampled rows."""
    if n is None:
        return None
    options, rows = task.options, task.rows.source
    if options.rows is not None:
        rows = prepared.prepare_some(task.rows, options.rows, options.ess).source
    assert not isinstance(rows, DatabaseCounter)  # refused where they are read
    about = {"order": task.order, "knowledge": task.knowledge, "hypergraph": task.hypergraph}
    learn_again = partial(learn_resampled, options, task.rows.score_name, about)
    known = task.known()
    by_class = known is None or known.on(rows.schema).is_symmetric
    how: dict[str, Any] = {"repetitions": n, "rng": task.rng, "by_class": by_class}
    if isinstance(rows, Table):
        return learners.edge_confidence(prepared.complete_rows(rows), learn_again, **how)
    return learners.edge_confidence(rows, learn_again, **how)


def learn_resampled(
    options: LearnOptions, score: str, about: dict[str, Any], drawn: Table | Databases | Counter
) -> Learned[Any]:
    """What the method of the options finds in resampled rows, here or on a worker."""
    ready = prepared.prepare_rows(drawn, score, options.ess)
    chance = np.random.default_rng(0)  # rows differ, luck does not: any thread may come first
    return METHODS[options.method].learn(Task(ready, options, **about, rng=chance, is_asked_again=True))


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
