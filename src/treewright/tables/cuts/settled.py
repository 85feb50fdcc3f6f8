"""From rules that look at other columns to the edges of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import SchemaError, UnknownNameError, nearest
from treewright.tables._reading.bins import (
    JOINT_RULES,
    Bins,
    BinSpec,
    Cut,
    bin_edges,
    cut,
    few_enough,
    shortest_edges,
)
from treewright.tables._reading.columns import LabelColumn, NumberColumn, SourceColumn
from treewright.tables._reading.interpret import ReadyColumn, binned, filled_reals, interpret
from treewright.tables.arrays import Weights, code_type
from treewright.tables.cuts.hartemink import MOST_INTERVALS, cut_by_hartemink
from treewright.tables.cuts.mdl import cut_by_mdl

INITIAL = 60


def settle_bins(columns: Sequence[SourceColumn], bins: Bins | None, weights: Weights | None = None) -> Any:
    """The same bins, with edges in place of the rules that look at other columns; rows count as weighted."""
    asked = dict(bins) if isinstance(bins, Mapping) else bins
    if asked is None or not any(map(is_joint, asked.values() if isinstance(asked, dict) else [asked])):
        return bins
    if not isinstance(asked, dict):
        asked = {
            c.name: asked for c in columns if has_numbers(c) and not interpret(c, False).variable.is_discrete
        }
    by_name = {column.name: column for column in columns}
    settled: dict[str, Any] = {name: spec for name, spec in asked.items() if not is_joint(spec)}
    wanted: dict[str, Any] = {name: spec for name, spec in asked.items() if is_joint(spec)}
    for name in wanted:
        if not has_numbers(by_name[name]):
            raise SchemaError(f"bins= names {name!r}, which is not a column of numbers")
    ready = {name: look(column, settled.get(name)) for name, column in by_name.items() if name not in wanted}
    for name, spec in wanted.items():
        if spec[0] == "mdl":
            settled[name] = cut_for_target(by_name[name], target_of(spec, name, ready, by_name), weights)
    joint = {name: tuple(spec) for name, spec in wanted.items() if spec[0] == "hartemink"}
    for name, spec in joint.items():
        read_levels(spec, name, len(joint))  # which refuses what is no number
    for spec in dict.fromkeys(joint.values()):
        together = [by_name[n] for n in sorted(joint) if joint[n] == spec]
        settled |= cut_together(together, spec, ready, weights)
    return settled


def is_joint(spec: Any) -> bool:
    return (
        isinstance(spec, tuple | list)
        and len(spec) > 0
        and isinstance(spec[0], str)
        and spec[0] in JOINT_RULES
    )


def has_numbers(column: SourceColumn) -> bool:
    return isinstance(column, NumberColumn) and column.kind != "b" and column.n_present > 0


def look(column: SourceColumn, spec: BinSpec | None) -> ReadyColumn | None:
    """A column that is not cut by others, as it will be read; None if it holds nothing."""
    if isinstance(column, LabelColumn) and not len(column.labels):
        return None
    return interpret(column, False) if spec is None else binned(column, spec, False)


def target_of(
    spec: Any, name: str, ready: Mapping[str, ReadyColumn | None], known: Mapping[str, object]
) -> ReadyColumn:
    if len(spec) != 2 or not isinstance(spec[1], str):
        raise SchemaError(
            f"bins of {name!r} by minimum description length are ('mdl', target); found {spec!r}"
        )
    if spec[1] not in known:
        raise UnknownNameError(f"bins {spec!r} name no column; there are {nearest(spec[1], list(known))}")
    target = ready.get(spec[1])
    if target is None or not target.variable.is_discrete:
        raise SchemaError(
            f"bins {spec!r} tell the states of {spec[1]!r} apart, and it has none: it is continuous; give it "
            f"bins of its own in a dictionary of bins, such as {spec[1]!r}: 2"
        )
    return target


def cut_for_target(column: Any, target: ReadyColumn, weights: Weights | None) -> Cut:
    seen = np.ones(len(column), dtype=np.bool_) if column.missing is None else ~column.missing
    both = seen if target.missing is None else seen & ~target.missing
    values = column.values.astype(np.float64)
    counted = None if weights is None else weights[both]
    cuts = cut_by_mdl(values[both], target.values[both], target.variable.cardinality, counted)
    told = f"{target.variable.name!r} apart (minimum description length)"
    note = (
        f"cut into {len(cuts) + 1} intervals that tell {told}"
        if len(cuts)
        else f"one interval: no cut tells {told}"
    )
    return Cut(edges_with(np.sort(values[seen]), cuts), note)


def edges_with(ordered: npt.NDArray[np.float64], cuts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return shortest_edges(ordered, np.array([ordered[0], *cuts, ordered[-1]]))


def cut_together(
    columns: Sequence[Any], spec: Any, ready: Mapping[str, ReadyColumn | None], weights: Weights | None
) -> dict[str, Cut]:
    """Hartemink's cuts of some columns; discrete columns take part as they are."""
    keep, initial = read_levels(spec, columns[0].name, len(columns))
    found = [ready[name] for name in sorted(ready)]
    partners = [one for one in found if one is not None and one.variable.is_discrete]
    edges = [bin_edges(c.name, c.present.astype(np.float64), initial)[0] for c in columns]
    levels = [len(e) - 1 for e in edges] + [one.variable.cardinality for one in partners]
    codes = [cut(filled_reals(c), e) for c, e in zip(columns, edges, strict=True)]
    masks = [c.missing for c in columns] + [one.missing for one in partners]
    every = [*codes, *(one.values for one in partners)]
    kept = [min(keep, n) for n in levels[: len(columns)]] + levels[len(columns) :]
    starts = cut_by_hartemink(list(map(with_missing, every, masks, levels)), levels, kept, weights)
    note = "cut into {} bins that keep what the columns say about each other (Hartemink), from {}"
    return {
        c.name: Cut(
            edges_with(np.sort(c.present.astype(np.float64)), e[own[1:]]), note.format(len(own), len(e) - 1)
        )
        for c, e, own in zip(columns, edges, starts, strict=False)
    }


def read_levels(spec: Any, name: str, n_columns: int) -> tuple[int, int]:
    numbers = [*spec[1:], max(2, min(INITIAL, MOST_INTERVALS // n_columns))][:2]
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in numbers)
    if (
        len(spec) not in (2, 3)
        or not whole
        or not 1 <= numbers[0] <= max(numbers[1], numbers[0] * (len(spec) == 2))
    ):
        raise SchemaError(
            f"bins of {name!r} by Hartemink's rule are ('hartemink', k) or ('hartemink', k, initial) with "
            f"1 <= k <= initial; found {spec!r}"
        )
    return few_enough(name, numbers[0]), few_enough(name, max(numbers))


def with_missing(codes: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None, n: int) -> npt.NDArray[Any]:
    codes = codes.astype(code_type(n + 1))
    if missing is not None:
        codes[missing] = n
    return codes
