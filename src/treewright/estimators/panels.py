"""How the settings of a classifier become members, and what they say about rows held out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import learners
from treewright.criteria import SparseQNML
from treewright.errors import SchemaError
from treewright.inference.batch import EvidenceColumns
from treewright.learners.classifiers.blanket import learn_by_score
from treewright.models.classifying.counts import COUNTED, PairCounts, counted_member
from treewright.models.classifying.dealing import dealt, even_edges
from treewright.models.classifying.experts import Panel, network_member, opinions_of
from treewright.models.classifying.members import Member, NormalNaive
from treewright.models.classifying.reading import read_rows
from treewright.statistics import count_shown
from treewright.tables import Schema, Table, read_table
from treewright.types import Floats

STRUCTURES = ("naive", "tree", "averaged", "k-dependence", "network")
BY_SCORE = "network by score"  # in a stack only
BESIDE = ("naive", "averaged", "tree")  # on even cuts, where columns are cut at all
EVEN = 7  # intervals of equal frequency
_ANY = np.array([-np.inf, np.inf])


@dataclass(frozen=True)
class Recipe:
    """The settings that say how members are made."""

    max_parents: int
    smoothing: float
    bins: int | None
    folds: int
    gaps_are_states: bool

    def panels(self, rows: Table, names: tuple[str, ...], *, beside: bool) -> list[Panel]:
        """Members of the rows: on cuts that tell the classes apart, and on even ones and none beside them."""
        reals = [v.name for v in rows.schema if not v.is_discrete]
        target = rows.schema.names[-1]
        weights = weights_of(rows)
        even = self.bins is not None
        cut = evenly(rows, weights, int(self.bins or EVEN)) if even else dict.fromkeys(reals, ("mdl", target))
        panels = [self.panel(rows, names, cut)]
        if beside and reals and not even:
            panels.append(self.panel(rows, BESIDE, evenly(rows, weights, EVEN), " on even cuts"))
            uncut = {"naive": NormalNaive.of(rows, len(rows.schema) - 1, self.smoothing)}
            panels.append(Panel.of(rows.schema, rows, uncut, gaps=False, remark=" of normal numbers"))
        return panels

    def panel(self, rows: Table, names: tuple[str, ...], bins: dict[str, Any], remark: str = "") -> Panel:
        """Members over the rows, cut."""
        table = read_table(rows, bins=bins or None, missing="state" if self.gaps_are_states else "em")
        table = table if rows.weights is None else table.with_weights(rows.weights)
        table = _with_classes(table, rows.schema)
        counts: PairCounts | None = None
        members: dict[str, Member] = {}
        for name in names:
            if name not in COUNTED:
                members[name] = self.member(name, table)
                continue
            counts = PairCounts.of(count_shown(table), len(table.schema) - 1, name)
            members[name] = counted_member(name, counts, self.smoothing)
        made = Panel.of(rows.schema, table, members, gaps=self.gaps_are_states, remark=remark)
        return replace(made, counts=counts) if len(names) == 1 else made

    def member(self, name: str, table: Table) -> Member:
        """One structure that is searched for, learned from a table of states."""
        target, counter = len(table.schema) - 1, count_shown(table)
        if name == "tree":
            dag = learners.learn_tree_augmented(counter, target).structure
        elif name == "k-dependence":
            dag = learners.learn_k_dependence(counter, target, max_parents=self.max_parents).structure
        elif name == BY_SCORE:
            dag = learn_by_score(SparseQNML(counter), gaps=table.has_missing)
        else:
            dag = learners.learn_class_blanket(table, target).structure
        return network_member(dag, counter, target, self.smoothing)

    def held_out(
        self, rows: Table, names: tuple[str, ...], *, beside: bool
    ) -> tuple[Any, list[Floats], Floats]:
        """What members say about rows that they have not seen, whose classes they have."""
        truth = np.asarray(rows.columns[-1], dtype=np.intp)
        weights, target = weights_of(rows), len(rows.schema) - 1
        made: list[list[Floats]] = []
        places, counts = [], []
        if rows.schema[target].cardinality < 2:
            return truth, [], weights
        for held in dealt(weights, self.folds):
            here, there = np.flatnonzero(held > 0), np.flatnonzero(weights - held > 0)
            if not len(here) or not len(there):
                continue
            rest = rows.take(there).with_weights(_whole((weights - held)[there]))
            panels = self.panels(rest, names, beside=beside)
            made.append(opinions_of(panels, self.shown(rows.take(here))))
            places.append(here)
            counts.append(held[here])
        if not made:
            return truth, [], weights
        opinions = [np.concatenate(one) for one in zip(*made, strict=True)]
        return truth[np.concatenate(places)], opinions, np.concatenate(counts)

    def shown(self, rows: Table) -> EvidenceColumns:
        """What rows that were read show beside their class."""
        if len(rows.schema) == 1:
            return EvidenceColumns([None], [None], rows.n_rows)
        return read_rows(rows.schema, rows, len(rows.schema) - 1, "ignore")


def weights_of(rows: Table) -> Floats:
    """How much each row counts."""
    return np.ones(rows.n_rows) if rows.weights is None else np.asarray(rows.weights, dtype=np.float64)


def evenly(rows: Table, weights: Floats, intervals: int) -> dict[str, Floats]:
    """Edges of equal frequency for every column of numbers."""
    made = {}
    for v, variable in enumerate(rows.schema):
        if not variable.is_discrete:
            seen = ~np.asarray(rows.missing[v]) if v in rows.missing else np.ones(rows.n_rows, dtype=np.bool_)
            values = np.asarray(rows.columns[v], dtype=np.float64)[seen]
            made[variable.name] = even_edges(values, weights[seen], intervals) if len(values) else _ANY
    return made


def _whole(weights: Floats) -> npt.NDArray[Any]:
    return weights if (weights != np.rint(weights)).any() else weights.astype(np.int64)


def _with_classes(table: Table, whole: Schema) -> Table:
    """The rows with all classes, also those that a part of them lacks."""
    target = whole.variables[-1]
    if table.schema.variables[-1].states == target.states:
        return table
    schema = Schema([*table.schema.variables[:-1], target])
    own = table.schema.variables[-1].states or ()
    place = {state: code for code, state in enumerate(target.states or ())}
    codes = np.array([place[state] for state in own])[np.asarray(table.columns[-1], dtype=np.intp)]
    columns = [*table.columns[:-1], codes]
    return Table(schema, columns, weights=table.weights, missing=dict(table.missing), report=table.report)


def log_loss(opinion: Floats, truth: npt.NDArray[np.intp], counts: Floats) -> float:
    """Mean surprise about the true classes, in nats."""
    if not counts.sum() > 0:
        raise SchemaError("a loss is a mean over rows; none counts")
    return float(-(opinion[np.arange(len(truth)), truth] @ counts) / counts.sum())


def is_clearly_better(one: Floats, other: Floats, truth: npt.NDArray[np.intp], counts: Floats) -> bool:
    """Whether an opinion gives the true classes more by two errors of the mean: the best of many is lucky."""
    rows = np.arange(len(truth))
    gain = one[rows, truth] - other[rows, truth]
    mean = float(np.average(gain, weights=counts))
    spread = float(np.average((gain - mean) ** 2, weights=counts))
    return bool(mean > 2 * np.sqrt(spread / counts.sum()))
