"""The rows that density learners work on: distinct, weighted, sorted, and some of them held out.

Columns are taken in the order of their names and rows in that of their content, so what is learned does not
depend on how a table was arranged. Where no validation rows are given, a tenth of the rows is held out; which
ones is a matter of the seed and of the rows' content.
"""

from __future__ import annotations

from dataclasses import dataclass

from treewright import _core
from treewright.errors import SchemaError, SettingError, nearest
from treewright.statistics.rows import MOST_STATES, RowSource, native_rows, row_blocks_of
from treewright.statistics.whole import count
from treewright.tables.schema import Schema
from treewright.tables.sharded import recoded
from treewright.tables.table import Table

HELD_OUT = 0.1  # of the rows, where nobody gave others


@dataclass(frozen=True)
class LearningRows:
    """Rows to learn from and rows to choose by."""

    schema: Schema
    train: _core.RowSet
    valid: _core.RowSet
    held_out: bool  # whether the validation rows were taken from the counter's own


def learning_rows(counter: RowSource, valid: Table | None, seed: int) -> LearningRows:
    """The rows of a counter, and those given to choose by or else a tenth of them."""
    schema = counter.schema
    whole = checked_rows(counter)
    if valid is not None:
        theirs = checked_rows(count(same_columns(schema, valid)))
        if not theirs.n_rows:
            raise SettingError(
                "valid= has no rows to choose by; leave it out to hold out a tenth of the rows"
            )
        return LearningRows(schema, refuse_none(whole), theirs, held_out=False)
    train, held = _core.hold_out(refuse_none(whole), HELD_OUT, seed)
    if not (train.n_rows and held.n_rows):
        return LearningRows(schema, whole, whole, held_out=True)  # too few rows to spare any
    return LearningRows(schema, train, held, held_out=True)


def checked_rows(counter: RowSource) -> _core.RowSet:
    """The distinct rows behind a counter, columns by name."""
    for variable in counter.schema:
        if not variable.is_discrete:
            raise SchemaError(
                f"{variable.name!r} is continuous; this learner takes discrete columns: read it with bins=, "
                "or leave it out with table.select"
            )
        if variable.cardinality > MOST_STATES:
            raise SchemaError(
                f"{variable.name!r} has {variable.cardinality:,} states; this learner takes up to "
                f"{MOST_STATES:,}: merge states, or leave the column out with table.select"
            )
    if not len(counter.schema):
        raise SchemaError("there are no columns to learn from")
    blocks = row_blocks_of(counter)
    if not blocks:
        raise SettingError(
            f"this learner looks at rows, and a {type(counter).__name__} has none to show; count a table in "
            "memory with tw.count(table)"
        )
    return native_rows(blocks)


def same_columns(schema: Schema, table: Table) -> Table:
    """The columns of a schema, with its states, from a table that has at least these."""
    for variable in schema:
        if variable.name not in table.schema:
            raise SchemaError(
                f"valid= lacks the column {variable.name!r}; its columns are "
                f"{nearest(variable.name, table.schema.names)}"
            )
        known = set(variable.states or ())
        strange = [state for state in table.schema[variable.name].states or () if state not in known]
        if strange or table.schema[variable.name].is_discrete != variable.is_discrete:
            raise SchemaError(
                f"valid= has {variable.name}={strange[0]!r}, a state that the rows to learn from do not "
                "know; read both with one schema="
                if strange
                else f"{variable.name!r} is continuous in valid= and discrete in the rows to learn from"
            )
    return recoded(table.select(schema.names), schema)


def refuse_none(rows: _core.RowSet) -> _core.RowSet:
    if not rows.n_rows:
        raise SettingError("there are no rows to learn from, or all have weight zero")
    return rows
