"""How wide the intervals are that numbers fell into: what lies between a probability and a density."""

from __future__ import annotations

import numpy as np

from treewright.tables._reading.bins import edges_of
from treewright.tables._reading.interpret import is_missing_label
from treewright.tables.readers import read_table
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Floats


def log_widths(table: Table, schema: Schema) -> Floats:
    """For each row, the logarithms of the widths of the intervals that its numbers fall into, added up.

    A model of intervals says how probable an interval is; spread evenly over its width that is a density,
    which is what a model of numbers says. Numbers beyond the outermost edges count as those at the edge.
    Cells that are missing, and columns of one number alone, have no width.

    Examples
    --------
    >>> rows = {"x": [0.5, 1.0, 2.0, 6.5], "y": ["a", "b", "a", "b"]}
    >>> cut = read_table(rows, bins={"x": 2})
    >>> cut.schema["x"].states
    ('[0.5, 1.5)', '[1.5, 6.5]')
    >>> np.exp(log_widths(read_table(rows), cut.schema))
    array([1., 1., 5., 5.])
    """
    found = np.zeros(table.n_rows)
    cut = [v.name for v in table.schema if not v.is_discrete and schema[v.name].states is not None]
    if not cut:
        return found
    seen = read_table(table.select(cut), schema=schema.select(cut), missing="em")
    for name in cut:
        states = [state for state in schema[name].states or () if not is_missing_label(state)]
        edges = edges_of(states)
        if edges is None or len(edges) < 2:  # one number alone
            continue
        codes = np.asarray(seen.column(name))
        widths = np.zeros(len(schema[name].states or ()))
        widths[: len(edges) - 1] = _log_spans(edges)
        gaps = seen.missing.get(seen.schema.index(name))
        found += widths[codes] if gaps is None else np.where(gaps, 0.0, widths[codes])
    return found


def _log_spans(edges: Floats) -> Floats:
    """Of each interval; one number alone has no width and counts as a state."""
    with np.errstate(over="ignore", divide="ignore"):
        spans = np.diff(edges)
        logs = np.where(np.isinf(spans), np.log(np.diff(edges / 2)) + np.log(2), np.log(spans))
    return np.where(spans == 0, 0.0, logs)
