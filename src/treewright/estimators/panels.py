"""How the settings of a classifier become members, and what they say about rows held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treewright import learners
from treewright.criteria import BDeu
from treewright.errors import SchemaError
from treewright.graphs import Dag
from treewright.inference.batch import EvidenceColumns
from treewright.learners.classifiers.blanket import learn_by_score
from treewright.models.classifying.counts import COUNTED, PairCounts, counted_member
from treewright.models.classifying.dealing import dealt, even_edges
from treewright.models.classifying.experts import Panel, network_member, opinions_of
from treewright.models.classifying.members import Committee, Member, NetworkMember, NormalNaive
from treewright.models.classifying.reading import read_rows
from treewright.statistics import count_shown
from treewright.tables import Schema, Table, read_table
from treewright.types import Floats

STRUCTURES = ("naive", "tree", "averaged", "k-dependence", "network")
BY_SCORE = "network by score"  # in a stack only
SEARCHED = ("network", BY_SCORE)  # which a stack has several of, one for each part that was held out
BESIDE = ("naive", "averaged", "tree")  # on even cuts, where columns are cut at all
EVEN = 7  # intervals of equal frequency
_IMAGINED = 5.0  # rows of the prior of a network by score
_ANY = np.array([-np.inf, np.inf])
Arcs = tuple[tuple[str, str], ...]
Found = Mapping[str, Sequence[Arcs]]


@dataclass(frozen=True)
class Recipe:
    """The settings that say how members are made."""

    max_parents: int
    smoothing: float
    bins: int | None
    folds: int
    gaps_are_states: bool

    def panels(
        self, rows: Table, names: tuple[str, ...], *, beside: bool, found: Found | None = None
    ) -> list[Panel]:
        """Members of the rows: on cuts that tell the classes apart, and on even ones and none beside them.

        Networks that were `found` are fitted and not searched for again.
        """
        reals = [v.name for v in rows.schema if not v.is_discrete]
        target = rows.schema.names[-1]
        weights = weights_of(rows)
        even = self.bins is not None
        cut = evenly(rows, weights, int(self.bins or EVEN)) if even else dict.fromkeys(reals, ("mdl", target))
        panels = [self.panel(rows, names, cut, found=found or {})]
        if beside and reals and not even:
            panels.append(self.panel(rows, BESIDE, evenly(rows, weights, EVEN), " on even cuts"))
            uncut = {"naive": NormalNaive.of(rows, len(rows.schema) - 1, self.smoothing)}
            panels.append(Panel.of(rows.schema, rows, uncut, gaps=False, remark=" of normal numbers"))
        return panels

    def panel(
        self,
        rows: Table,
        names: tuple[str, ...],
        bins: dict[str, Any],
        remark: str = "",
        found: Found | None = None,
    ) -> Panel:
        """Members over the rows, cut."""
        table = read_table(rows, bins=bins or None, missing="state" if self.gaps_are_states else "em")
        table = table if rows.weights is None else table.with_weights(rows.weights)
        table = _with_classes(table, rows.schema)
        counts: PairCounts | None = None
        members: dict[str, Member] = {}
        for name in names:
            if name not in COUNTED:
                members[name] = self.member(name, table, (found or {}).get(name, ()))
                continue
            counts = PairCounts.of(count_shown(table), len(table.schema) - 1, name)
            members[name] = counted_member(name, counts, self.smoothing)
        made = Panel.of(rows.schema, table, members, gaps=self.gaps_are_states, remark=remark)
        return replace(made, counts=counts) if len(names) == 1 else made

    def member(self, name: str, table: Table, found: Sequence[Arcs] = ()) -> Member:
        """One structure that is searched for, learned from a table of states, or all that were `found`."""
        target, counter = len(table.schema) - 1, count_shown(table)
        if found:
            dags = [Dag(table.schema, arcs) for arcs in found]
            return Committee.of(dags, lambda dag: network_member(dag, counter, target, self.smoothing))
        if name == "tree":
            dag = learners.learn_tree_augmented(counter, target).structure
        elif name == "k-dependence":
            dag = learners.learn_k_dependence(counter, target, max_parents=self.max_parents).structure
        elif name == BY_SCORE:
            dag = learn_by_score(BDeu(counter, ess=_IMAGINED), gaps=table.has_missing)
        else:
            dag = learners.learn_class_blanket(table, target).structure
        return network_member(dag, counter, target, self.smoothing)

    def held_out(
        self, rows: Table, names: tuple[str, ...], *, beside: bool
    ) -> tuple[Any, list[Floats], Floats, Found]:
        """What members say about rows that they have not seen, whose classes these have; their networks."""
        truth = np.asarray(rows.columns[-1], dtype=np.intp)
        weights, target = weights_of(rows), len(rows.schema) - 1
        made: list[list[Floats]] = []
        places, counts = [], []
        found: dict[str, list[Arcs]] = {}
        if rows.schema[target].cardinality < 2:
            return truth, [], weights, found
        for held in dealt(weights, self.folds):
            here, there = np.flatnonzero(held > 0), np.flatnonzero(weights - held > 0)
            if not len(here) or not len(there):
                continue
            rest = rows.take(there).with_weights(_whole((weights - held)[there]))
            panels = self.panels(rest, names, beside=beside)
            for name in set(SEARCHED) & panels[0].members.keys():
                network = cast("NetworkMember", panels[0].members[name]).model
                found.setdefault(name, []).append(tuple(network.structure.edges()))
            made.append(opinions_of(panels, self.shown(rows.take(here))))
            places.append(here)
            counts.append(held[here])
        if not made:
            return truth, [], weights, found
        opinions = [np.concatenate(one) for one in zip(*made, strict=True)]
        return truth[np.concatenate(places)], opinions, np.concatenate(counts), found

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
