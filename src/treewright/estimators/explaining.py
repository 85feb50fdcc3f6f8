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
from treewright.inference.batch import EvidenceColumns


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


def explained(classifier: Any, row: EvidenceColumns) -> Findings:
    """Tell the findings of one row to a classifier, the strongest first."""
    if row.n_rows != 1:
        raise SchemaError(f"explain takes one row; found {row.n_rows}")
    shown = [v for v in range(len(row.codes)) if _tells(classifier, row, v)]
    at = int(classifier._said(row)[0].argmax())

    def bits(told: list[list[int]]) -> Any:
        """Bits of the class where each list of cells is told and the others are not."""
        hidden = [np.array([v not in some for some in told]) for v in range(len(row.codes))]
        return classifier._said(row.repeated(len(told)), hidden)[:, at] / np.log(2)

    start = float(bits([[]])[0])
    alone = bits([[v] for v in shown]) - start if shown else np.zeros(0)
    told: list[int] = []
    found, now, left = [], start, list(shown)
    while left:
        after = bits([[*told, v] for v in left])
        best = int(np.argmax(np.abs(after - now)))
        v = left.pop(best)
        moved, by_itself = float(after[best]) - now, float(alone[shown.index(v)])
        found.append(Finding(classifier._schema.names[v], _value(classifier, row, v), moved, by_itself))
        now = float(after[best])
        told.append(v)
    label = classifier.classes_[at]
    return Findings(classifier._target.name, label, float(2**start), float(2**now), tuple(found))


def _is_gap(row: EvidenceColumns, v: int) -> bool:
    mask = row.missing[v]
    return mask is not None and bool(mask[0])


def _tells(classifier: Any, row: EvidenceColumns, v: int) -> bool:
    """Whether a cell is a finding: it is there, or that it is missing is a state of its column."""
    if row.codes[v] is None:
        return False
    return not _is_gap(row, v) or any(panel.words[v].gap is not None for panel in classifier._panels)


def _value(classifier: Any, row: EvidenceColumns, v: int) -> Any:
    if _is_gap(row, v):
        return "missing"
    states, cell = classifier._schema[v].states, np.asarray(row.codes[v])[0]
    return float(cell) if states is None else states[int(cell)]
