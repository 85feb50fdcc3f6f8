"""Which findings moved a class, in bits that add up.

Findings are told one after the other, each time the one that moves the class most; what it moves, given those
before it, are its bits. So the bits of all findings add up to the whole way from the share of the class among
all rows to its probability in this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import SchemaError
from treewright.estimators.rows import rows_for
from treewright.tables import Table, read_table


@dataclass(frozen=True)
class Finding:
    """One cell of a row: what it moved after those before it, and what it would move by itself."""

    name: str
    value: Any
    bits: float
    alone: float


@dataclass(frozen=True)
class Findings:
    """Why a class was told: findings in the order of what they move."""

    name: str
    label: Any
    prior: float
    probability: float
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        lines = [f"{self.name}={self.label}: {self.prior:.4g} before, {self.probability:.4g} now"]
        width = max((len(f"{one.name}={one.value}") for one in self.findings), default=0)
        for one in self.findings:
            told = f"{one.name}={one.value}"
            lines.append(f"  {told:<{width}}  {one.bits:+.2f} bits ({one.alone:+.2f} alone)")
        return "\n".join(lines)


def explained(classifier: Any, row: Any) -> Findings:
    """Tell the findings of one row to a classifier, the strongest first."""
    table = row if isinstance(row, Table) else read_table(rows_for(classifier, row), missing="em")
    if table.n_rows != 1:
        raise SchemaError(f"explain takes one row; found {table.n_rows}")
    known = classifier._panels[0].schema.names[:-1]
    shown = [v for v, name in enumerate(table.schema.names) if name in known and v not in table.missing]
    at = int(classifier.predict_log_proba(table)[0].argmax())

    def bits(told: list[list[int]]) -> Any:
        """Bits of the class where each list of cells is told and the others are not."""
        hidden = {v: np.array([v not in some for some in told]) for v in range(len(table.schema))}
        many = table.take(np.zeros(len(told), dtype=np.intp))
        masked = Table(
            many.schema, [_masked(many, v, hidden[v]) for v in hidden], missing=_masks(many, hidden)
        )
        return classifier.predict_log_proba(masked)[:, at] / np.log(2)

    start = float(bits([[]])[0])
    alone = bits([[v] for v in shown]) - start if shown else np.zeros(0)
    told: list[int] = []
    found, now, left = [], start, list(shown)
    while left:
        after = bits([[*told, v] for v in left])
        best = int(np.argmax(np.abs(after - now)))
        v = left.pop(best)
        value = table.labels(v)[0]
        found.append(
            Finding(table.schema.names[v], value, float(after[best]) - now, float(alone[shown.index(v)]))
        )
        now = float(after[best])
        told.append(v)
    label = classifier.classes_[at]
    return Findings(classifier._target.name, label, float(2**start), float(2**now), tuple(found))


def _masked(table: Table, v: int, hidden: Any) -> Any:
    column = table.columns[v]
    return column if table.schema[v].is_discrete else np.where(hidden, np.nan, column)


def _masks(table: Table, hidden: dict[int, Any]) -> Any:
    return {v: mask | table.missing[v] if v in table.missing else mask for v, mask in hidden.items()}
