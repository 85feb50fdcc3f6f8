"""What `treewright learn` says about the model that it learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.automatic.rows import remarks_on
from treewright.automatic.search import LearnedAutomatically
from treewright.cli.answers.output import Line, Lines, figures, heading, listing, remark, say_how_many_more
from treewright.cli.learning.methods import Method, network_of, shape_of
from treewright.cli.learning.options import LearnOptions
from treewright.cli.learning.prepared import Rows
from treewright.cli.learning.table_method import about_tables
from treewright.cli.learning.task import Task
from treewright.graphs import ClusteredDag, Dag, FeatureGraph, UndirectedGraph
from treewright.graphs.compare import moral_graph
from treewright.graphs.directed.pdag import NOT_A_CAUSE
from treewright.graphs.undirected.strong import build_strong_graph
from treewright.graphs.undirected.triangulation import bound_treewidth_above
from treewright.learners import EdgeConfidence, Learned, LearnedKnots, LearnedNetwork, LearnedPattern
from treewright.learners.learned import INTERRUPTED
from treewright.learners.separation_trees.learned_databases import LearnedFromDatabases
from treewright.models import GaussianNetwork
from treewright.models.model import AnyModel
from treewright.once import cached_property
from treewright.statistics import ClusterCounter, DatabaseCounter
from treewright.statistics.cluster import HerePool
from treewright.tables.exports import counted
from treewright.tables.report import listed
from treewright.tables.table import Table

_SHOWN_EDGES = 20


@dataclass(frozen=True)
class Outcome:
    """All that there is to say about a model that was learned."""

    task: Task
    method: Method
    learned: Learned[Any]
    model: AnyModel
    how_fitted: list[str]
    log_likelihood: float | None
    valid_log_likelihood: float | None
    reading_seconds: float
    seconds: float
    confidence: EdgeConfidence | None
    is_interrupted: bool = False  # and it was asked to keep what there was

    def __post_init__(self) -> None:
        if self.learned.trace.stopped_by == "interrupt":
            object.__setattr__(self, "is_interrupted", True)

    @property
    def options(self) -> LearnOptions:
        return self.task.options

    @property
    def n_rows(self) -> int:
        return self.task.rows.source.n_rows

    @property
    def n_valid_rows(self) -> int | None:
        return None if self.task.valid is None else self.task.valid.n_rows

    @cached_property
    def network(self) -> Dag | UndirectedGraph:
        return shape_of(self.learned)

    @cached_property
    def width(self) -> int:
        if self.learned.certificate is not None:
            return self.learned.certificate.width
        network = self.network
        moral = moral_graph(network) if isinstance(network, Dag) else network
        return bound_treewidth_above(build_strong_graph(moral))

    @property
    def open_edges(self) -> list[tuple[str, str]]:
        """Edges that the data cannot direct: all of a graph that has no directions."""
        if isinstance(self.learned, LearnedNetwork | LearnedPattern):
            return self.learned.pattern.undirected_edges()
        return self.network.edges()

    @cached_property
    def gains(self) -> dict[tuple[str, str], float]:
        """What each arc adds to the score of its child, in nats; none where there is no such score."""
        network, score = network_of(self.learned), self.task.score
        if self.method.is_density or not isinstance(network, Dag):
            return {}
        if isinstance(self.learned, LearnedKnots | LearnedAutomatically) and self.learned.choice is not None:
            score = self.learned.choice.score
        index = score.schema.index
        found = {}
        for tail, head in network.edges():
            parents = [index(name) for name in network.schema.names_of(network.parents(head))]
            without = [parent for parent in parents if parent != index(tail)]
            found[tail, head] = score.local(index(head), parents) - score.local(index(head), without)
        return found if np.isfinite(list(found.values())).all() else {}

    @property
    def criterion(self) -> str:
        """The name of the score: the one that was asked for, unless the method chose another itself."""
        if isinstance(self.learned, LearnedAutomatically) and self.options.score is None:
            return self.learned.criterion
        if isinstance(self.learned, LearnedKnots) and self.options.score is None:
            return self.learned.report.score
        return self.method.own_score or self.task.rows.score_name

    @cached_property
    def score(self) -> float | None:
        """What the method maximised; of a feature graph the log-likelihood of all rows.

        None where no table has the columns of a family.
        """
        learned = self.learned
        if isinstance(learned.structure, FeatureGraph):
            return None if self.log_likelihood is None else self.log_likelihood * self.n_rows
        network = network_of(learned)
        chosen = isinstance(learned, LearnedKnots | LearnedAutomatically) and self.options.score is None
        fills_gaps = self.task.rows.fills_gaps  # then it is that of the cells that are there
        if not isinstance(network, Dag) or chosen or (fills_gaps and learned.score is not None):
            return learned.score
        found = self.task.score.score(network)
        return found if np.isfinite(found) else None

    @cached_property
    def remarks(self) -> list[str]:
        """What there is to say about the rows, the search and the model."""
        said = [*remarks_on_rows(self.task.rows.source), *self.learned.notes]
        if self.learned.trace.stopped_by == "seconds":
            said.append("the clock ended the search, so another run may end elsewhere; --seconds sets it")
        if self.learned.trace.stopped_by == "interrupt" and INTERRUPTED not in said:
            said.append(INTERRUPTED)
        return [*said, *self.how_fitted, *remarks_on_model(self.model)]


def document(outcome: Outcome) -> dict[str, Any]:
    network = outcome.network
    plain = {
        "method": outcome.options.method,
        "variables": list(network.schema.names),
        "edges": [list(edge) for edge in network.edges()],
        "directed": isinstance(network, Dag),
        "undirected_edges": [list(edge) for edge in outcome.open_edges],
        "width": outcome.width,
        "criterion": outcome.criterion,
        "score": outcome.score,
        "parameters": outcome.model.n_parameters,
        "rows": outcome.n_rows,
        "log_likelihood": outcome.log_likelihood,
        "seconds": outcome.seconds,
        "reading_seconds": outcome.reading_seconds,
        "notes": outcome.remarks,
        "output": outcome.options.output,
    }
    if outcome.is_interrupted:
        plain["interrupted"] = True
    if isinstance(outcome.learned, LearnedAutomatically):
        plain["reason"], plain["cost"] = outcome.learned.reason, outcome.learned.price.to_dict()
    if isinstance(outcome.learned, LearnedFromDatabases):
        plain |= about_tables(outcome.learned)
    if outcome.gains:
        plain["gains"] = [[*edge, gain] for edge, gain in outcome.gains.items()]
    if outcome.confidence is not None:
        keys = ("from", "to", "strength", "direction")
        plain["confidence"] = [dict(zip(keys, edge, strict=True)) for edge in outcome.confidence.edges()]
    if isinstance(network, ClusteredDag):
        plain["clusters"] = network.clusters.to_dict()
    if outcome.n_valid_rows is not None:
        plain["valid_rows"] = outcome.n_valid_rows
        plain["valid_log_likelihood"] = outcome.valid_log_likelihood
    return plain


def shown(outcome: Outcome) -> Lines:
    edges, schema = outcome.network.edges(), outcome.network.schema
    yield heading(
        f"{outcome.options.method}: {counted(len(schema), 'variable')}, {counted(len(edges), 'edge')}, "
        f"treewidth {outcome.width}, {counted(outcome.model.n_parameters, 'parameter')}"
    )
    pairs = [
        ("rows", f"{outcome.n_rows:,}"),
        (f"score ({outcome.criterion})", "unknown" if outcome.score is None else f"{outcome.score:,.2f}"),
        ("log-likelihood", nats_per_row(outcome.log_likelihood)),
    ]
    if outcome.n_valid_rows is not None:
        held_out = f"{nats_per_row(outcome.valid_log_likelihood)} ({outcome.n_valid_rows:,} rows)"
        pairs.append(("held out", held_out))
    if isinstance(outcome.network, ClusteredDag):
        pairs.append(("clusters", clusters_line(outcome.network)))
    if isinstance(outcome.learned, LearnedAutomatically):
        pairs.append(("a question", str(outcome.learned.price.cost or "too wide to compute")))
    pairs.append(("time", f"{outcome.reading_seconds:.2f} s to read, {outcome.seconds:.2f} s to learn"))
    yield figures(*pairs)
    if isinstance(outcome.learned, LearnedAutomatically):
        yield remark(f"  why: {outcome.learned.reason}")
    if edges:
        yield edge_list(outcome, edges[:_SHOWN_EDGES])
    yield from say_how_many_more(len(edges), _SHOWN_EDGES)
    if edges and isinstance(outcome.network, Dag):
        yield remark(f"  {NOT_A_CAUSE}")
    for line in outcome.remarks:
        yield remark(f"  note: {line}")
    if outcome.options.output is None:
        yield remark("  not saved; -o M.twm keeps it")
    else:
        yield f"  saved to {outcome.options.output}"
        following = "marginals" if outcome.confidence is None else "explore"  # which draws how sure edges are
        yield remark(f"  next: treewright {following} {outcome.options.output}")


def clusters_line(network: ClusteredDag) -> str:
    """How many clusters, and the largest by its centre."""
    clusters = network.clusters
    largest = max(range(len(clusters.stars)), key=lambda i: len(clusters.stars[i].members))
    return (
        f"{len(clusters.stars):,}, the largest {counted(len(clusters.stars[largest].members), 'variable')} "
        f"around {clusters.centres[largest]}; explore draws them"
    )


def nats_per_row(log_likelihood: float | None) -> str:
    return "not computed" if log_likelihood is None else f"{log_likelihood:.4f} nats per row"


def edge_list(outcome: Outcome, edges: Sequence[tuple[str, str]]) -> Line:
    """The edges, with what is known about each."""
    open_edges = {frozenset(edge) for edge in outcome.open_edges}
    confidence = outcome.confidence
    directed, gains = isinstance(outcome.network, Dag), outcome.gains
    columns = [] if confidence is None else ["strength", "direction"][: 1 + directed]
    columns += ["gain (nats)"] if gains else []
    table = listing("from", "", "to", *columns, *([""] if open_edges and directed else []), numeric=columns)
    for tail, head in edges:
        sure = []
        if confidence is not None:
            sure = [f"{confidence.strength(tail, head):.2f}", f"{confidence.direction(tail, head):.2f}"]
            sure = sure[: 1 + directed]
        if gains:
            sure.append(f"{gains[tail, head]:,.1f}")
        is_open = frozenset((tail, head)) in open_edges
        said = ["either direction fits" if is_open else ""] if open_edges and directed else []
        table.add_row(tail, "--" if is_open or not directed else "->", head, *sure, *said)
    return table


def remarks_on_rows(rows: Rows) -> list[str]:
    if isinstance(rows, ClusterCounter):
        by = "" if isinstance(rows.pool, HerePool) else " by workers,"
        return [f"counted{by} in {counted(len(rows.pieces), 'piece')}"]
    if isinstance(rows, Table | DatabaseCounter):
        said = remarks_on(rows.report, leave_out="with --ignore", see_all="treewright inspect")
        return [one.replace("mode='rows'", "--mode rows") for one in said]
    return [
        f"{name}: {said}"
        for name, table in zip(rows.names, rows.tables, strict=True)
        for said in remarks_on(table.report, leave_out="with --ignore", see_all="treewright inspect")
    ]


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
