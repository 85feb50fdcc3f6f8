"""Networks of bounded treewidth as members of a mixture.

A network whose moral graph has a chordal cover is a tree of cliques: along a perfect elimination order of the
cover, each variable depends on those of its neighbours that go later, and they form a clique. So the network
is written, exactly, as one tree leaf of a feature graph.

Its tables follow the rows where there are many, and fewer parents where there are few: the distribution
given some parents is drawn to that given all of them but the weakest, by a number of pseudo-rows that the
validation rows choose. A state that no row has gets what one pseudo-row leaves to it, given whatever parents;
as a parent it counts as unknown. A *bag* holds networks whose structures were learned from rows drawn anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.criteria.scores.dirichlet_scores import BDeu
from treewright.graphs.undirected.triangulation import require_perfect_order
from treewright.learners.bounded_treewidth.certified import Certified
from treewright.learners.bounded_treewidth.default_search import search_from
from treewright.learners.bounded_treewidth.search import BoundedSettings
from treewright.learners.classes.chow_liu import bind_in_order
from treewright.learners.efficient_markov.density import (
    Candidate,
    LearningRows,
    Meter,
    mean_log,
    thinned,
)
from treewright.statistics.whole import WholeCounter, count
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Floats, Scope

_STRENGTHS = (1.0, 3.0, 10.0, 30.0)  # pseudo-rows that pull towards fewer parents
_EQUIVALENT = 10.0  # pseudo-rows of the score
MOST_CELLS = 2**20  # of all cliques together, so that questions stay cheap
# what counting one family takes: nanoseconds, and so many more for each row
_FAMILY, _ROW, _ROW_OF_REAL_WEIGHT = 1_000.0, 0.3, 6.0
_PAIR = 0.5  # nanoseconds, for each move: the gains of all pairs are looked through
_MANY = 300  # variables
_ENOUGH_ROWS = 10_000  # for a structure; tables are those of all rows
_CELL = 2.0  # nanoseconds: one cell of a row looked up
_FAMILIES = 4.0  # that a search looks at for each pair of variables and unit of width


@dataclass(frozen=True)
class Network:
    """A network with tables, as a member of a mixture."""

    learned: Certified
    tables: Mapping[int, Floats]  # by variable: its parents as the network lists them, then itself
    strength: float
    valid_logs: Floats


def train_network(
    rows: LearningRows, treewidth: int, seed: int, meter: Meter, *, allowance: float = np.inf
) -> Candidate | None:
    """One network; None where its cliques would be too large."""
    found = fitted(rows, treewidth, seed, meter, allowance=allowance)
    if found is None:
        return None
    name, score = f"network of width {treewidth}", mean_log(found.valid_logs, rows.valid)
    meter.tell(name, 1, score)
    return Candidate(name, arrays_of(rows, [found]), found.valid_logs, score, 1)


def train_bag(
    rows: LearningRows, treewidth: int, size: int, seed: int, meter: Meter, *, allowance: float = np.inf
) -> Candidate | None:
    """Networks from rows drawn anew, as many as may be paid, in equal shares."""
    name, found, began = f"bag of networks of width {treewidth}", list[Network](), meter.spent
    for number in range(size):
        own = allowance / size
        one = fitted(rows, treewidth, seed + number, meter, allowance=own, drawn=True)
        if one is not None:
            found.append(one)
            meter.tell(name, number + 1, mean_log(one.valid_logs, rows.valid))
        if meter.is_late() or (meter.spent - began) * (1 + 1 / (number + 1)) > allowance:
            break
    if not found:
        return None
    logs: Floats = np.logaddexp.reduce([one.valid_logs for one in found]) - np.log(len(found))
    return Candidate(
        f"{name} ({len(found)})", arrays_of(rows, found), logs, mean_log(logs, rows.valid), len(found)
    )


def network_price(rows: LearningRows, treewidth: int) -> float:
    """Nominal seconds of one network, before anything is learned."""
    n = len(rows.schema)
    return _FAMILIES * n * n * treewidth * family_price(rows) * 1e-9


def family_price(rows: LearningRows) -> float:
    """Nominal nanoseconds of one family."""
    return _FAMILY + rows.train.n_rows * (_ROW if rows.train.is_whole else _ROW_OF_REAL_WEIGHT)


def fitted(
    rows: LearningRows, treewidth: int, seed: int, meter: Meter, *, allowance: float, drawn: bool = False
) -> Network | None:
    """A structure by BDeu, and tables of all rows, as smooth as the validation rows like best."""
    some = thinned(rows, network_price(rows, treewidth), allowance, seed, fewest=_ENOUGH_ROWS)
    score = BDeu(counter_of(some, seed if drawn else None), _EQUIVALENT)
    known = bind_in_order(None, score.schema, None)
    n = len(score.schema)
    effort = 1 if n <= _MANY else 0  # kicks of many variables take longer than all before them
    learned = search_from(None, BoundedSettings(score, known, treewidth, None), [seed], effort=effort)
    meter.pay(
        learned.trace.total("scores") * family_price(some) + learned.trace.total("moves") * n * n * _PAIR
    )
    cards = score.schema.cardinalities
    if sum(prod(cards[v] for v in clique) for clique in learned.certificate.cluster_scopes) > MOST_CELLS:
        return None
    families = [(*learned.structure.parents(v), v) for v in range(len(cards))]
    found = counter_of(rows).counts_many(families)
    counts = {v: np.asarray(table, dtype=float) for v, table in enumerate(found)}
    meter.pay(rows.train.n_rows * sum(map(len, families)) * _CELL)
    meter.pay(sum(table.size for table in counts.values()) * 20.0 * len(_STRENGTHS))
    meter.pay(rows.valid.n_rows * sum(map(len, families)) * _CELL * len(_STRENGTHS))
    tried = (tabled(rows, learned, counts, strength) for strength in _STRENGTHS)
    return max(tried, key=lambda one: mean_log(one.valid_logs, rows.valid))


def counter_of(rows: LearningRows, seed: int | None = None) -> WholeCounter:
    """Counts of the training rows, columns by name, or of as many drawn from them."""
    weights: npt.NDArray[Any] = np.asarray(rows.train.weights)
    if seed is not None:
        rng, whole = np.random.default_rng(seed), rows.train.is_whole
        weights = rng.poisson(weights) if whole else weights * rng.poisson(1.0, len(weights))
    by_name = Schema([rows.schema[v] for v in rows.train.variables])
    amounts = weights.astype(np.int64) if rows.train.is_whole else weights
    return count(Table(by_name, np.asarray(rows.train.codes).T, weights=amounts))


def tabled(rows: LearningRows, learned: Certified, counts: Mapping[int, Floats], strength: float) -> Network:
    """Tables from counts, and what they give the validation rows."""
    tables = {v: smoothed(table, strength) for v, table in counts.items()}
    columns = np.asarray(rows.valid.codes).T
    logs = np.zeros(rows.valid.n_rows)
    for v, table in tables.items():
        logs += np.log(table)[tuple(columns[[*learned.structure.parents(v), v]])]
    return Network(learned, tables, strength, logs)


def smoothed(counts: Floats, strength: float) -> Floats:
    """Distributions of the last axis given the others, the most telling parents first.

    Examples
    --------
    >>> smoothed(np.array([[8.0, 0.0, 0.0], [0.0, 7.0, 0.0]]), 1.0).round(3).tolist()
    [[0.928, 0.051, 0.021], [0.065, 0.914, 0.021]]
    """
    parents = tuple(range(counts.ndim - 1))
    alone = counts.sum(axis=parents)
    base = (alone + 1 / len(alone)) / (alone.sum() + 1)
    seen = alone > 0 if alone.any() else np.ones(len(alone), dtype=bool)
    free = base[seen].sum()  # what states that no row has leave over
    order = sorted(parents, key=lambda axis: (-information(counts, axis), axis))
    kept = np.transpose(counts, (*order, counts.ndim - 1))[..., seen]
    found = base[seen] / free
    for n in range(1, len(order) + 1):
        some = kept.sum(axis=tuple(range(n, len(order))))
        found = (some + strength * found[..., None, :]) / (some.sum(axis=-1, keepdims=True) + strength)
    shown = np.empty(tuple(counts.shape[axis] for axis in order) + base.shape)
    shown[..., seen], shown[..., ~seen] = found * free, base[~seen]
    result: Floats = np.moveaxis(shown, range(len(order)), order)
    for axis in parents:
        unseen = counts.sum(axis=tuple(k for k in range(counts.ndim) if k != axis)) == 0
        if unseen.any() and not unseen.all():  # as if the parent were not there
            without = np.expand_dims(smoothed(counts.sum(axis=axis), strength), axis)
            result = np.where(
                unseen.reshape([-1 if k == axis else 1 for k in range(counts.ndim)]), without, result
            )
    return result


def information(counts: Floats, axis: int) -> float:
    """Between one axis and the last, in nats of all rows."""
    pair = counts.sum(axis=tuple(k for k in range(counts.ndim - 1) if k != axis))
    return sum(sign * float((part[part > 0] * np.log(part[part > 0])).sum())
               for sign, part in ((1, pair), (-1, pair.sum(axis=0)), (-1, pair.sum(axis=1))))  # fmt: skip


def arrays_of(rows: LearningRows, networks: list[Network]) -> tuple[npt.NDArray[np.generic], ...]:
    """A feature graph of one tree leaf for each network, in equal shares."""
    builder = _core.FeatureBuilder(list(rows.schema.cardinalities))
    leaves = [leaf_of(builder, one, rows.train.variables) for one in networks]
    return builder.finish(builder.mixture(leaves, np.full(len(leaves), -np.log(len(leaves)))))


def leaf_of(builder: _core.FeatureBuilder, network: Network, variables: Sequence[int]) -> int:
    """Eliminate variable after variable; each is left with its distribution given those that go later."""
    dag, tables = network.learned.structure, network.tables
    order = require_perfect_order(network.learned.certificate.graph(), "the certificate")
    place = {v: k for k, v in enumerate(reversed(order))}
    waiting: dict[int, list[tuple[Scope, Floats]]] = {v: [] for v in order}
    for v, table in tables.items():
        wait(waiting, place, (*dag.parents(v), v), table)
    given: dict[int, Scope] = {}
    numbers: dict[int, Floats] = {}
    for v in order:
        given[v] = tuple(sorted({u for scope, _ in waiting[v] for u in scope} - {v}, key=place.__getitem__))
        joint = multiplied((*given[v], v), waiting.pop(v))
        message = joint.sum(axis=-1)
        numbers[v] = np.log(joint / message[..., None])
        if given[v]:
            wait(waiting, place, given[v], message / message.max())
    parents = [[place[u] for u in given[v]] for v in place]
    names = [variables[v] for v in place]
    return builder.tree(names, parents, np.concatenate([numbers[v].ravel() for v in place]))


def wait(
    waiting: Mapping[int, list[tuple[Scope, Floats]]], place: Mapping[int, int], scope: Scope, table: Floats
) -> None:
    """A factor belongs to the first of its variables that is eliminated."""
    waiting[max(scope, key=place.__getitem__)].append((scope, table))


def multiplied(scope: Scope, factors: list[tuple[Scope, Floats]]) -> Floats:
    """The product, with one axis for each variable of the scope."""
    return prod(spread(scope, *factor) for factor in factors)  # type: ignore[return-value]


def spread(scope: Scope, own: Scope, table: Floats) -> Floats:
    """A factor with its axes where the scope has them, and axes of one for the others."""
    axes = [scope.index(u) for u in own]
    turned = np.transpose(table, np.argsort(axes))
    return np.expand_dims(turned, tuple(k for k in range(len(scope)) if k not in axes))
