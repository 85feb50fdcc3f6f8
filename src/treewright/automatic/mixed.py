"""Numbers among labels: cut them, or keep them as they are? The rows decide.

Some rows are held out, by what they hold and not by where they stand. From the others one network is learned
with the numbers cut into intervals and one with the numbers as they are, and the density of the held-out rows
has the last word: a cut network spreads the probability of an interval evenly over its width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treewright.automatic.price import affordable, price_of
from treewright.automatic.rows import INTERVALS, cut_numbers, is_complete
from treewright.criteria import SparseQNML, sparse_mixed_score
from treewright.errors import KnowledgeError, TableTooLarge
from treewright.graphs import BoundKnowledge, Knowledge, bind_knowledge
from treewright.learners import learn_hill_climbing, learn_mixed
from treewright.models import fit
from treewright.statistics import count, mixed_moments
from treewright.tables import Table, read_table
from treewright.tables.cuts.widths import log_widths
from treewright.tables.report import listed
from treewright.types import Flags

_HELD_OUT = 4  # every so many-th row
_LEAST_ROWS = 40
_MOST_ROWS = 20_000  # that have a say in this

Hashes = npt.NDArray[np.uint64]


def settle_numbers(
    table: Table,
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    treewidth: int | None = None,
    cut: str = "bins=",
    leave_out: str = "columns=",
) -> tuple[Table, list[str]]:
    """Numbers among labels cut or as they are, whichever foretells rows held out better, and why.

    Rows that miss cells have no say, and are gone where numbers stay as they are. A table of one kind of
    column stays as it is.

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
    why = _why_cut(table, knowledge, treewidth)
    if not why:
        whole = is_complete(table)
        complete = table if whole.all() else table.take(whole)
        kept, gain = compare_on_rows(complete, numbers, knowledge)
        if kept:
            return complete, _as_they_are(table, complete, numbers, gain, cut)
        why = f"rows held out are {gain:.2f} nats less likely each with the numbers as they are"
    rows, said = cut_numbers(table, cut=cut, leave_out=leave_out)
    return rows, [f"{said[0]} ({why})"]


def _as_they_are(table: Table, complete: Table, numbers: Sequence[str], gain: float, cut: str) -> list[str]:
    said = [
        f"numbers among labels stay as they are, since rows held out are {gain:.2f} nats likelier each than "
        f"with {INTERVALS} intervals: {listed(numbers)}; {cut} cuts them"
    ]
    if complete.n_rows < table.n_rows:
        said.append(f"learned from the {complete.n_rows:,} of {table.n_rows:,} rows that miss nothing")
    return said


def _why_cut(table: Table, knowledge: Knowledge | BoundKnowledge | None, treewidth: int | None) -> str:
    """What speaks for intervals before any row is looked at."""
    if treewidth is not None:
        return "a bound on the treewidth is kept by tables"
    whole = int(is_complete(table).sum())
    if whole < _LEAST_ROWS:
        return f"{whole:,} rows that miss nothing are too few to choose by"
    if 2 * whole < table.n_rows:
        return "most rows miss something"
    known = bind_knowledge(knowledge, table.schema)
    for tail, head in known.required_arcs():
        up, down = table.schema[tail], table.schema[head]
        if down.is_discrete and not up.is_discrete:
            return f"the knowledge requires {up.name} -> {down.name}, which uncut numbers cannot have"
    return ""


def compare_on_rows(
    table: Table, numbers: Sequence[str], knowledge: Knowledge | BoundKnowledge | None
) -> tuple[bool, float]:
    """Whether numbers stay, and by how many nats a row held out is likelier (or less likely) then."""
    hashes = row_hashes(table)
    if table.n_rows > _MOST_ROWS:
        keep = hashes <= np.partition(hashes, _MOST_ROWS - 1)[_MOST_ROWS - 1]
        table, hashes = table.take(keep), hashes[keep]
    # the hash decides who is held out, so that rows may come in any order
    held_out: Flags = (hashes // np.uint64(7)) % np.uint64(_HELD_OUT) == 0
    if held_out.all() or not held_out.any():
        return False, 0.0
    rows, others = table.take(~held_out), table.take(held_out)
    try:
        moments = mixed_moments(rows)
        learned = learn_mixed(sparse_mixed_score(moments), knowledge=knowledge, perturbations=0)
        if not affordable(price_of(learned.structure, moments)):
            return False, 0.0
        uncut = fit(learned.structure, moments).score(others)
    except (KnowledgeError, TableTooLarge):
        return False, 0.0
    gain = uncut - cut_log_density(rows, others, numbers, INTERVALS, knowledge)
    return gain > 0, abs(gain)


def cut_log_density(
    rows: Table,
    others: Table,
    numbers: Sequence[str],
    intervals: int,
    knowledge: Knowledge | BoundKnowledge | None = None,
) -> float:
    """Mean log-density of other rows under a network of intervals, the density even within each."""
    cut = read_table(rows, bins=dict.fromkeys(numbers, intervals))
    known = None if knowledge is None else bind_knowledge(knowledge, rows.schema)
    if known is not None:
        known = BoundKnowledge(cut.schema, known.allowed.copy(), known.required.copy())
    counter = count(cut)
    learned = learn_hill_climbing(SparseQNML(counter), knowledge=known, effort=0)
    seen = read_table(others, schema=cut.schema)
    logs = fit(learned.structure, counter).log_probability(seen)
    logs = logs - log_widths(others, cut.schema)
    weights = None if others.weights is None else np.asarray(others.weights, dtype=np.float64)
    if weights is not None and not weights.sum() > 0:
        return math.inf
    return float(np.average(logs, weights=weights))


def row_hashes(table: Table) -> Hashes:
    """A number for each row that depends on what it holds alone, columns by name and states by label."""
    found = np.zeros(table.n_rows, dtype=np.uint64)
    for name in sorted(table.schema.names):
        column = np.asarray(table.column(name))
        states = table.schema[name].states
        if states is None:
            bits = (column.astype(np.float64) + 0.0).view(np.uint64)
        else:
            order = sorted(range(len(states)), key=lambda k: (str(type(states[k])), str(states[k])))
            ranks = np.empty(len(states), dtype=np.uint64)
            ranks[order] = np.arange(len(states), dtype=np.uint64)
            bits = ranks[column]
        found = _mixed(found * np.uint64(31) + _mixed(bits + np.uint64(0x9E3779B97F4A7C15)))
    return found


def _mixed(x: Hashes) -> Hashes:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
