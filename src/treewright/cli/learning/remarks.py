"""What `treewright learn` says beside its result: about the rows, the search and the model."""

from __future__ import annotations

from typing import Any

from treewright.cli.data import remarks_on
from treewright.learners import Learned
from treewright.models import GaussianNetwork
from treewright.models.model import AnyModel
from treewright.tables.databases import Databases
from treewright.tables.report import listed
from treewright.tables.table import Table


def remarks_on_rows(rows: Table | Databases) -> list[str]:
    if isinstance(rows, Table):
        return remarks_on(rows.report)
    return [
        f"{name}: {said}"
        for name, table in zip(rows.names, rows.tables, strict=True)
        for said in remarks_on(table.report)
    ]


def remarks_on_search(learned: Learned[Any]) -> list[str]:
    """What a search could not decide, or found odd."""
    found = list(learned.notes)
    if learned.trace.stopped_by == "seconds":
        found.append("the clock ended the search, so another run may end elsewhere; --effort is repeatable")
    return found


def remarks_on_model(model: AnyModel) -> list[str]:
    """Where the rows did not determine a regression."""
    if not isinstance(model, GaussianNetwork):
        return []
    found = []
    if model.floored:
        found.append(f"determined by its parents, so it has the least variance: {listed(model.floored)}")
    if model.redundant:
        children = listed(sorted(model.redundant))
        found.append(f"some parents determine others, which have the coefficient zero: {children}")
    return found
