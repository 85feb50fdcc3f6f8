"""Numbers among labels: cut them, or keep them as they are? The rows decide.

Some rows are held out, by what they hold and not by where they stand. From the others one network is learned
with the numbers cut into intervals and one with the numbers as they are, and the density of the held-out rows
has the last word: a cut network spreads the probability of an interval evenly over its width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.automatic.mixed_em import RoundsOfBoth
from treewright.automatic.price import affordable, price_of
from treewright.automatic.rows import INTERVALS, cut_numbers, is_complete
from treewright.automatic.structural_em import fill, fill_gaps
from treewright.criteria import SparseQNML, make_sparse_mixed_score
from treewright.errors import KnowledgeError, MissingValuesError, TableTooLarge
from treewright.graphs import BoundKnowledge, Dag, Knowledge, bind_knowledge
from treewright.learners import (
    LearnedNetwork,
    learn_bounded_mixed,
    learn_bounded_treewidth,
    learn_hill_climbing,
    learn_mixed,
)
from treewright.models import ConditionalGaussianNetwork, fit
from treewright.statistics import Counter, MixedMoments, count, mixed_moments
from treewright.tables import Table, read_table
from treewright.tables.cuts.widths import log_widths
from treewright.tables.report import listed
from treewright.types import Flags, Floats

_HELD_OUT = 4  # every so many-th row
_LEAST_ROWS = 40
_MOST_ROWS, _MOST_ROWS_WITH_GAPS = 20_000, 2_000  # that have a say in this

Hashes = npt.NDArray[np.uint64]


def settle_numbers(
    table: Table,
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    treewidth: int | None = None,
    all_rows: bool = False,
    cut: str = "bins=",
    leave_out: str = "columns=",
) -> tuple[Table, list[str]]:
    """Numbers among labels cut or as they are, whichever foretells rows held out better, and why.

    Rows that miss cells have no say, unless with `all_rows`: then networks are learned from all of them by
    structural EM. A table of one kind of column stays as it is.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sky = rng.integers(2, size=300)
    >>> table = read_table({"sky": np.where(sky, "clear", "grey"), "sun": 4 * sky + rng.normal(size=300)})
    >>> kept, said = settle_numbers(table)
    >>> kept.schema["sun"].is_discrete, said[0][:62]
    (False, 'numbers among labels stay as they are, since rows held out are')
    """
    numbers = [v.name for v in table.schema if not v.is_discrete]
    if len(numbers) in (0, len(table.schema)):
        return table, []
    whole = np.ones(table.n_rows, dtype=np.bool_) if all_rows else is_complete(table)
    why = _why_cut(table, int(whole.sum()), knowledge)
    if not why:
        judged = table if whole.all() else table.take(whole)
        kept, gain = compare_on_rows(judged, numbers, knowledge, treewidth)
        if kept:
            return table, [
                f"numbers among labels stay as they are, since rows held out are {gain:.2f} nats likelier "
                f"each than with {INTERVALS} intervals: {listed(numbers)}; {cut} cuts them"
            ]
        why = f"rows held out are {gain:.2f} nats less likely each with the numbers as they are"
    rows, said = cut_numbers(table, cut=cut, leave_out=leave_out)
    return rows, [f"{said[0]} ({why})"]


def _why_cut(table: Table, whole: int, knowledge: Knowledge | BoundKnowledge | None) -> str:
    """What speaks for intervals before any row is looked at; `whole` rows have a say."""
    if whole < _LEAST_ROWS:
        kind = "rows that miss nothing" if whole < table.n_rows else "rows"
        return f"{whole:,} {kind} are too few to choose by"
    if 2 * whole < table.n_rows:  # and some of the rows are all that is asked for
        return "most rows miss something"
    known = bind_knowledge(knowledge, table.schema)
    for tail, head in known.required_arcs():
        up, down = table.schema[tail], table.schema[head]
        if down.is_discrete and not up.is_discrete:
            return f"the knowledge requires {up.name} -> {down.name}, which uncut numbers cannot have"
    return ""


def compare_on_rows(
    table: Table,
    numbers: Sequence[str],
    knowledge: Knowledge | BoundKnowledge | None,
    treewidth: int | None = None,
) -> tuple[bool, float]:
    """Whether numbers stay, and by how many nats a row held out is likelier (or less likely) then."""
    hashes = row_hashes(table)
    most = _MOST_ROWS_WITH_GAPS if table.has_missing else _MOST_ROWS
    if table.n_rows > most:
        keep = hashes <= np.partition(hashes, most - 1)[most - 1]
        table, hashes = table.take(keep), hashes[keep]
    # the hash decides who is held out, so that rows may come in any order
    held_out: Flags = (hashes // np.uint64(7)) % np.uint64(_HELD_OUT) == 0
    if held_out.all() or not held_out.any():
        return False, 0.0
    rows, others = table.take(~held_out), table.take(held_out)
    moving = [v.name for v in rows.schema if v.is_discrete or moves(rows.column(v.name))]
    numbers = [name for name in numbers if name in moving]
    if not numbers:  # what is always the same number is a state
        return False, 0.0
    knowledge = None if knowledge is None else _about(moving, bind_knowledge(knowledge, rows.schema))
    rows, others = rows.select(moving), others.select(moving)
    try:
        uncut = uncut_log_density(rows, others, knowledge, treewidth)
    except (KnowledgeError, MissingValuesError, TableTooLarge):
        return False, 0.0
    gain = uncut - cut_log_density(rows, others, numbers, INTERVALS, knowledge=knowledge, treewidth=treewidth)
    return gain > 0, abs(gain)


def moves(column: npt.NDArray[np.generic]) -> bool:
    """Whether a column shows two different numbers."""
    shown = column[~np.isnan(column.astype(np.float64))]
    return bool((shown != shown[:1]).any())


def _about(names: Sequence[str], known: BoundKnowledge) -> BoundKnowledge:
    """What is known of some columns."""
    at = np.ix_(known.schema.scope(names), known.schema.scope(names))
    return BoundKnowledge(known.schema.select(names), known.allowed[at].copy(), known.required[at].copy())


def uncut_log_density(
    rows: Table, others: Table, knowledge: Knowledge | BoundKnowledge | None, treewidth: int | None
) -> float:
    """Mean log-density of other rows under a network of the numbers as they are."""

    def search(moments: MixedMoments) -> LearnedNetwork[Dag]:
        options: dict[str, Any] = {"knowledge": knowledge, "perturbations": 0}
        score = make_sparse_mixed_score(moments)
        if treewidth is None:
            return learn_mixed(score, **options)
        return learn_bounded_mixed(score, treewidth=treewidth, **options)

    model: ConditionalGaussianNetwork
    moments: MixedMoments
    if rows.has_missing:
        filled = fill(RoundsOfBoth(rows), search, make_sparse_mixed_score, knowledge=knowledge)
        model, moments = filled.model, filled.counter
    else:
        moments = mixed_moments(rows)
        model = fit(search(moments).structure, moments)
    if not affordable(price_of(model.dag, moments)):
        raise TableTooLarge("exact answers would take too much")
    return mean_of_rows(model.log_evidence(others), others)


def cut_log_density(
    rows: Table,
    others: Table,
    numbers: Sequence[str],
    intervals: int,
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    treewidth: int | None = None,
) -> float:
    """Mean log-density of other rows under a network of intervals, the density even within each."""
    cut = read_table(rows, bins=dict.fromkeys(numbers, intervals), missing="em")
    known = None if knowledge is None else bind_knowledge(knowledge, rows.schema)
    if known is not None:
        known = BoundKnowledge(cut.schema, known.allowed.copy(), known.required.copy())

    def search(counter: Counter) -> LearnedNetwork[Dag]:
        score = SparseQNML(counter)
        if treewidth is None:
            return learn_hill_climbing(score, knowledge=known, effort=0)
        return learn_bounded_treewidth(score, treewidth=treewidth, knowledge=known, effort=0)

    if cut.has_missing:
        model = fill_gaps(cut, search, SparseQNML, knowledge=known).model
    else:
        counter = count(cut)
        model = fit(search(counter).structure, counter)
    logs = model.log_evidence(read_table(others, schema=cut.schema, missing="em"))
    return mean_of_rows(logs - log_widths(others, cut.schema), others)


def mean_of_rows(logs: Floats, rows: Table) -> float:
    """The mean, each row with its weight."""
    weights = None if rows.weights is None else np.asarray(rows.weights, dtype=np.float64)
    if weights is not None and not weights.sum() > 0:
        return math.inf
    total = len(logs) if weights is None else math.fsum(weights)  # exact: the order of rows does not show
    return math.fsum(logs if weights is None else logs * weights) / total


def row_hashes(table: Table) -> Hashes:
    """A number for each row that depends on what it holds alone, columns by name and states by label."""
    found = np.zeros(table.n_rows, dtype=np.uint64)
    for name in sorted(table.schema.names):
        column = np.asarray(table.column(name))
        gaps = table.missing.get(table.schema.index(name), np.zeros(1, dtype=np.bool_))
        states = table.schema[name].states
        if states is None:
            bits = (column.astype(np.float64) + 0.0).view(np.uint64)
        else:
            order = sorted(range(len(states)), key=lambda k: (str(type(states[k])), str(states[k])))
            ranks = np.empty(len(states), dtype=np.uint64)
            ranks[order] = np.arange(len(states), dtype=np.uint64)
            bits = ranks[np.where(gaps, 0, column)]
        bits = np.where(gaps, np.uint64(len(name)), bits)
        found = mix(found * np.uint64(31) + mix(bits + np.uint64(0x9E3779B97F4A7C15)))
    return found


def mix(x: Hashes) -> Hashes:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
