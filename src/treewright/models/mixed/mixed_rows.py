"""Rows of states and numbers under a mixed network: densities and predictions, many rows at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.errors import ImpossibleEvidence, TableTooLarge
from treewright.inference.batch import check_answer_size
from treewright.inference.conditional_gaussian import LinearFamily
from treewright.models.answers import Distribution, Predictions
from treewright.models.continuous.normal_answers import NormalPredictions
from treewright.models.mixed.completions import Completions
from treewright.models.mixed.mixtures import NormalMixture
from treewright.models.model import align_columns, require_columns, take_real_column
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Flags, Floats

if TYPE_CHECKING:
    from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork

_LOG_2PI = math.log(2 * math.pi)
Columns = dict[str, npt.NDArray[np.generic]]


def log_densities(model: ConditionalGaussianNetwork, table: Table) -> Floats:
    """Natural logarithm of the density of each row."""
    require_columns(model.schema, table, "density", "drop those rows")
    columns = columns_of(model, table)
    logs = np.asarray(model.discrete._log_rows(table), dtype=np.float64).copy()
    for family in model._engine.families.values():
        logs += log_family(family, model._engine.schema, columns)
    return logs


def log_densities_shown(model: ConditionalGaussianNetwork, table: Table) -> Floats:
    """That of what each row shows, what it misses summed out."""
    names = [name for name in model.schema.names if name in table.schema]
    whole = rows_that_show(table, names)
    logs = np.empty(table.n_rows)
    if whole.any():
        part = table if whole.all() else table.take(whole)
        logs[whole] = log_densities(model, part.select(names))
    gaps = np.flatnonzero(~whole)
    if (found := completed(model, table.take(gaps).select(names))) is not None:
        logs[gaps] = found.log_densities()
        return logs
    for row in gaps.tolist():
        logs[row] = model.log_density_of(shown_in(table, names, row))
    return logs


def completed(model: ConditionalGaussianNetwork, rows: Table) -> Completions | None:
    """What the model makes of the gaps of many rows; None where it has to look at them one by one."""
    try:
        return Completions(model, rows) if rows.n_rows else None
    except (ImpossibleEvidence, TableTooLarge):
        return None


def rows_that_show(table: Table, names: list[str]) -> Flags:
    """Which rows miss none of these columns."""
    masks = [table.missing.get(table.schema.index(name)) for name in names]
    gaps = [mask for mask in masks if mask is not None]
    return np.asarray(~np.logical_or.reduce(gaps)) if gaps else np.ones(table.n_rows, dtype=np.bool_)


def shown_in(table: Table, names: list[str], row: int) -> dict[str, Any]:
    """The cells that a row shows, as evidence."""
    given: dict[str, Any] = {}
    for name in names:
        at = table.schema.index(name)
        mask = table.missing.get(at)
        if mask is None or not mask[row]:
            states, cell = table.schema[at].states, table.columns[at][row]
            given[name] = float(cell) if states is None else states[int(cell)]
    return given


def columns_of(model: ConditionalGaussianNetwork, table: Table) -> Columns:
    """Codes of the model's states and numbers, by name."""
    schema = model._engine.schema
    codes = align_columns(schema, table)
    found: Columns = dict(zip(schema.names, codes, strict=True))
    return found | {name: take_real_column(table, name) for name in model.continuous}


def positions(family: LinearFamily, schema: Schema, columns: Columns, n: int) -> npt.NDArray[np.intp]:
    """The joint state of a family's discrete parents in each row."""
    row = np.zeros(n, dtype=np.intp)
    for parent in family.discrete:
        row = row * schema[parent].cardinality + columns[parent].astype(np.intp)
    return row


def log_family(family: LinearFamily, schema: Schema, columns: Columns) -> Floats:
    """Log-density of one variable given its parents, for each row."""
    value = np.asarray(columns[family.child], dtype=np.float64)
    row = positions(family, schema, columns, len(value))
    rest = value - family.intercepts[row]
    for k, parent in enumerate(family.continuous):
        rest -= family.slopes[row, k] * np.asarray(columns[parent], dtype=np.float64)
    variance = family.variances[row]
    with np.errstate(over="ignore"):  # a number beyond all others has the density zero
        return np.asarray(-0.5 * (_LOG_2PI + np.log(variance) + rest * rest / variance))


def predict_rows(
    model: ConditionalGaussianNetwork, table: Table, target: str
) -> Predictions | NormalPredictions:
    """What one variable is in each row, given the row's other cells."""
    variable = model.schema[target]
    others = [name for name in model.schema.names if name != target and name in table.schema]
    whole = rows_that_show(table, others)
    if len(others) < len(model.schema) - 1:
        whole[:] = False
    width = variable.cardinality if variable.is_discrete else 2
    if variable.is_discrete:
        check_answer_size(model.schema, (model.schema.index(target),), table.n_rows)
    answer = np.empty((table.n_rows, width))
    if whole.any():
        part = table if whole.all() else table.take(whole)
        complete = _with_target(model, part.select(others), target)
        fill = _state_given_all if variable.is_discrete else _number_given_all
        answer[whole] = fill(model, complete, target)
    gaps = np.flatnonzero(~whole)
    if (found := completed(model, table.take(gaps).select(others))) is not None:
        answer[gaps] = found.answers(target)
        gaps = gaps[:0]
    for row in gaps.tolist():
        answer[row] = _given_some(model, table, others, row, target)
    if variable.is_discrete:
        return Predictions(variable, answer)
    return NormalPredictions(target, answer[:, 0].copy(), answer[:, 1].copy())


def _with_target(model: ConditionalGaussianNetwork, table: Table, target: str) -> Columns:
    variable = model.schema[target]
    added = np.zeros(table.n_rows, dtype=np.uint32 if variable.is_discrete else np.float64)
    columns = [added if name == target else table.column(name) for name in model.schema.names]
    schema = Schema(v if v.name == target else table.schema[v.name] for v in model.schema)
    return columns_of(model, Table(schema, columns))


def _state_given_all(model: ConditionalGaussianNetwork, columns: Columns, target: str) -> Floats:
    """Posterior of a state: the families that know it, in each of its states."""
    engine = model._engine
    n = len(columns[target])
    logs = np.zeros((n, engine.schema[target].cardinality))
    for code in range(logs.shape[1]):
        columns[target] = np.full(n, code, dtype=np.uint32)
        for factor in engine.factors:
            names = engine.schema.names_of(factor.scope)
            if target in names:
                with np.errstate(divide="ignore"):
                    logs[:, code] += np.log(factor.table[tuple(columns[name] for name in names)])
        for family in engine.families.values():
            if target in family.discrete:
                logs[:, code] += log_family(family, engine.schema, columns)
    highest = logs.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):  # a row that is impossible in every state: NaN
        shares = np.exp(logs - highest)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _number_given_all(model: ConditionalGaussianNetwork, columns: Columns, target: str) -> Floats:
    """Mean and variance of a number: its own line and those of its children are products of Normals."""
    engine = model._engine
    n = len(columns[target])
    precision, pull = np.zeros(n), np.zeros(n)
    columns[target] = np.zeros(n)
    for family in engine.families.values():
        if target not in (family.child, *family.continuous):
            continue
        row = positions(family, engine.schema, columns, n)
        rest = np.asarray(columns[family.child], dtype=np.float64) - family.intercepts[row]
        for k, parent in enumerate(family.continuous):
            rest -= family.slopes[row, k] * np.asarray(columns[parent], dtype=np.float64)
        own = family.child == target
        slope = -np.ones(n) if own else family.slopes[row, family.continuous.index(target)]
        precision += slope * slope / family.variances[row]
        pull += slope * rest / family.variances[row]
    return np.stack([pull / precision, 1 / precision], axis=1)


def _given_some(
    model: ConditionalGaussianNetwork, table: Table, others: list[str], row: int, target: str
) -> Floats:
    """One row that misses something, as a question of its own; NaN where it is impossible."""
    try:
        answer = model.query(target, shown_in(table, others, row))
    except ImpossibleEvidence:
        return np.array(math.nan)
    if isinstance(answer, Distribution):
        return answer.array
    assert isinstance(answer, NormalMixture)
    return np.array([answer.mean, answer.variance])
