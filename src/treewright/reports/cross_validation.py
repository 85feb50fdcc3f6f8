"""How well ways of learning explain rows that they have not seen: k-fold cross-validation.

The rows are dealt into k folds of nearly equal size. Every way learns k times, each time from all folds but
one, and its model is asked how probable the rows of that fold are. All ways see the same folds, so that two
of them are compared row by row: the difference of two means is known far better than either mean. Where
columns are numbers all are judged by densities: a model that cuts them spreads an interval over its width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from treewright.errors import SchemaError, SettingError
from treewright.models.labelled import make_frame
from treewright.models.model import Model
from treewright.ranges import in_range
from treewright.statistics import ClusterCounter, Counter, ShardedCounter, WholeCounter, count
from treewright.statistics.cluster import as_pool, each_on
from treewright.statistics.rows import tables_behind
from treewright.tables.cuts.widths import log_widths
from treewright.tables.mapped_table import MappedTable
from treewright.tables.readers import read_table
from treewright.tables.table import Table
from treewright.types import Brief, Floats, Progress, Step

Way = Callable[[Any], Model] | Any  # a function from rows to a model, or an estimator
Judged = tuple[int, int, Floats, float]  # fold, way, log-probability of each row of the fold, seconds


@dataclass(frozen=True, eq=False)
class CrossValidation(Brief):
    """What cross-validation found, in nats per row.

    Per way of learning, in the order given: `means` are over all rows, each judged by a model that has not
    seen it, and `errors` their standard errors; `folds` has one line per way and one mean per fold. The means
    lie `behind` that of the `best` way, with the standard errors of these differences, `behind_errors`: row
    by row, since all ways saw the same folds. `seconds` are spent on learning.
    """

    names: tuple[str, ...]
    means: Floats
    errors: Floats
    folds: Floats
    behind: Floats
    behind_errors: Floats
    seconds: tuple[float, ...]
    n_rows: int
    logs: Floats = field(repr=False)

    @property
    def best(self) -> str:
        """The way with the highest mean; the first of several."""
        return self.names[int(np.argmax(self.means))]

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow with a row for each way."""
        numbers = {"mean": self.means, "error": self.errors, "behind": self.behind}
        numbers |= {"behind_error": self.behind_errors, "seconds": np.array(self.seconds)}
        return make_frame({"method": list(self.names), **numbers}, library)

    def __repr__(self) -> str:
        width = max(map(len, self.names))
        lines = [
            f"  {name:{width}}  {mean:.4f} +- {error:.4f}"
            for name, mean, error in zip(self.names, self.means, self.errors, strict=True)
        ]
        head = f"log-likelihood per row, {self.folds.shape[1]} folds of {self.n_rows:,} rows"
        return "\n".join([head, *lines[:20], *(["  ..."] if len(lines) > 20 else [])])


@in_range
def cross_validate(
    ways: Way | Mapping[str, Way],
    rows: Any,
    *,
    folds: int = 10,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> CrossValidation:
    """Judge ways of learning by rows that they have not seen.

    Parameters
    ----------
    ways
        Functions from a table to a model (:func:`learn` is one), or estimators, by name; or a single one.
    rows
        A table, or anything that :func:`read_table` reads. Missing cells are summed over in scoring; that a
        way can learn from them is its own affair. What :func:`open_source` made with a `client` is dealt
        where its pieces are: ways are then given a counter, rows that are held out have no weight in it, and
        none is copied to learn from the others.
    folds
        How many parts the rows are dealt into: from 2 to the number of rows.
    rng
        Deals the rows; without it they are always dealt alike.
    client
        Have workers learn, each fold and way a task: a ``distributed.Client``, the address of a Dask
        scheduler, or a pool. Rows are then a packed file (:func:`open_table`) that the workers see, and ways
        can be pickled. Pieces are learned from by the workers that count them.

    Examples
    --------
    >>> import treewright as tw
    >>> rows = tw.load_network("asia").sample(600, rng=np.random.default_rng(1))
    >>> def independent(table):
    ...     return tw.fit(tw.Dag(table.schema), tw.count(table))
    >>> found = tw.cross_validate({"tree": tw.ChowLiuTree(), "independent": independent}, rows, folds=5)
    >>> found.best, bool(found.behind[1] > 5 * found.behind_errors[1])
    ('tree', True)
    """
    seen = rows if isinstance(rows, Table | ClusterCounter) else read_table(rows)
    named = dict(ways) if isinstance(ways, Mapping) else {type(ways).__name__: ways}
    weights = _weights_of(seen)
    _check(named, len(weights), folds)
    rng = np.random.default_rng(0) if rng is None else rng
    dealt = deepcopy(rng)  # a worker deals the same
    parts = _deal(len(weights), folds, rng)
    logs, seconds = np.zeros((len(named), len(weights))), [0.0] * len(named)
    found = (
        _one_after_the_other(named, seen, parts, progress)
        if client is None and isinstance(seen, Table)
        else _by_workers(list(named.values()), seen, folds, dealt, client)
    )
    for k, w, judged, taken in found:
        logs[w, parts[k]] = judged
        seconds[w] += taken
    return _summed_up(tuple(named), logs, weights, parts, tuple(seconds))


def _weights_of(rows: Table | ClusterCounter) -> Floats:
    """How often each row was seen; of pieces one behind the other."""
    if isinstance(rows, ClusterCounter):
        return np.concatenate(rows.each(_weights_of_piece))
    if rows.weights is None:
        return np.ones(rows.n_rows)
    return np.asarray(rows.weights, dtype=np.float64)


def _weights_of_piece(counter: WholeCounter) -> Floats:
    return _weights_of(counter.table)


def _one_after_the_other(
    ways: Mapping[str, Way], table: Table, parts: list[Any], progress: Progress | None
) -> Iterator[Judged]:
    for k, part in enumerate(parts):
        rest, held_out = _apart(table, part)
        for w, (name, way) in enumerate(ways.items()):
            if progress is not None:
                progress(Step(f"fold {k + 1}: {name}", k * len(ways) + w, len(ways) * len(parts)))
            yield k, w, *_judge(way, rest, held_out)


def _by_workers(
    ways: Sequence[Way], rows: Table | ClusterCounter, folds: int, rng: np.random.Generator, client: Any
) -> Iterator[Judged]:
    if not isinstance(rows, MappedTable | ClusterCounter):
        raise SettingError(
            "tasks for workers name files, and this table is in memory; tw.pack(table, path) writes one, "
            "tw.open_table(path) opens it"
        )
    pool, judge = (
        (rows.pool, judge_pieces) if isinstance(rows, ClusterCounter) else (as_pool(client), judge_fold)
    )
    tasks = [(k, w) for k in range(folds) for w in range(len(ways))]
    found = each_on(pool, judge, [(ways[w], rows, folds, k, rng) for k, w in tasks])
    yield from ((k, w, *one) for (k, w), one in zip(tasks, found, strict=True))


def judge_fold(way: Way, table: Table, folds: int, k: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """One way and one fold, by a worker: it deals the rows as everybody does."""
    return _judge(way, *_apart(table, _deal(table.n_rows, folds, deepcopy(rng))[k]))


def judge_pieces(
    way: Way, counter: Counter, folds: int, k: int, rng: np.random.Generator
) -> tuple[Floats, float]:
    """The same of pieces, which a counter on a worker holds: their columns are shared, not copied."""
    tables = tables_behind(counter, "judging a fold")
    sizes = [table.n_rows for table in tables]
    part = _deal(sum(sizes), folds, deepcopy(rng))[k]
    is_held_out = np.zeros(sum(sizes), dtype=np.bool_)
    is_held_out[part] = True
    masks = np.split(is_held_out, np.cumsum(sizes)[:-1])
    rest = [
        count(table.with_weights(np.where(mask, 0, 1 if table.weights is None else table.weights)))
        for table, mask in zip(tables, masks, strict=True)
    ]
    started = perf_counter()
    model = _learn(way, ShardedCounter(rest) if len(rest) > 1 else rest[0])
    taken = perf_counter() - started
    logs = [model.log_probability(t.take(mask)) for t, mask in zip(tables, masks, strict=True) if mask.any()]
    return np.concatenate(logs), taken


def _apart(table: Table, part: Any) -> tuple[Table, Table]:
    return table.take(np.setdiff1d(np.arange(table.n_rows), part)), table.take(part)


def _judge(way: Way, rest: Table, held_out: Table) -> tuple[Floats, float]:
    started = perf_counter()
    model = _learn(way, rest)
    taken = perf_counter() - started
    logs = model.log_evidence(held_out) if held_out.has_missing else model.log_probability(held_out)
    return logs - log_widths(held_out, model.schema), taken


def _check(ways: Mapping[str, Way], n_rows: int, folds: int) -> None:
    if not ways:
        raise SettingError("cross-validation judges one way of learning at least; found none")
    for name, way in ways.items():
        if not callable(way) and not hasattr(way, "fit"):
            raise SettingError(
                f"a way of learning is an estimator or a function from a table to a model; {name!r} is a "
                f"{type(way).__name__}"
            )
    if not 2 <= folds <= n_rows:
        raise SchemaError(
            f"rows are dealt into 2 folds at least and as many as there are rows ({n_rows:,}) at most; "
            f"found folds={folds}"
        )


def _deal(n_rows: int, folds: int, rng: np.random.Generator) -> list[Any]:
    return [np.sort(part) for part in np.array_split(rng.permutation(n_rows), folds)]


def _learn(way: Any, rows: Table | Counter) -> Any:
    if hasattr(way, "get_params"):
        return type(way)(**way.get_params()).fit(rows).model_
    found = way.fit(rows).model_ if hasattr(way, "fit") else way(rows)
    return getattr(found, "model", found)  # as :func:`learn` returns it, with more beside it


def _summed_up(
    names: tuple[str, ...], logs: Floats, weights: Floats, parts: list[Any], seconds: tuple[float, ...]
) -> CrossValidation:
    counted = weights > 0  # a row of weight zero says nothing, even where it is impossible
    shares, n = weights[counted] / weights.sum(), float(weights.sum())

    def mean_and_error(values: Floats) -> tuple[float, float]:
        mean = float(shares @ values)
        with np.errstate(invalid="ignore"):
            spread = float(shares @ (values - mean) ** 2)
        return mean, float(np.sqrt(spread / max(n - 1, 1.0)))

    seen = logs[:, counted]
    means, errors = np.array([mean_and_error(line) for line in seen]).T
    with np.errstate(invalid="ignore"):  # two impossible rows
        away = [
            mean_and_error(np.nan_to_num(seen[int(np.argmax(means))] - line, posinf=np.inf)) for line in seen
        ]
    by_fold = [np.average(logs[:, part], weights=weights[part] + 1e-300, axis=1) for part in parts]
    behind, behind_errors = np.array(away).T
    folds = np.array(by_fold).T
    return CrossValidation(names, means, errors, folds, behind, behind_errors, seconds, len(weights), logs)
