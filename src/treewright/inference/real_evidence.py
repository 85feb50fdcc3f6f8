"""What is known about continuous variables: a finite number for each, by name, checked once at the door."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from treewright.errors import EvidenceError, nearest
from treewright.tables.schema import Schema
from treewright.types import Scope

RealGiven = Mapping[str, float]


@dataclass(frozen=True)
class RealEvidence:
    """Observed variables by rising position, and their values.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("height"), Variable("weight")])
    >>> read_real_evidence(schema, {"weight": 61.5})
    RealEvidence(observed=(1,), values=(61.5,))
    """

    observed: Scope = ()
    values: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.observed)

    def describe(self, schema: Schema, *, limit: int = 12) -> str:
        """As people write it, for messages."""
        pairs = zip(self.observed[:limit], self.values[:limit], strict=True)
        more = f" and {len(self) - limit} more" if len(self) > limit else ""
        return ", ".join(f"{schema.names[v]}={value!r}" for v, value in pairs) + more


def read_real_evidence(schema: Schema, given: RealGiven | None) -> RealEvidence:
    """Evidence about continuous variables.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> read_real_evidence(Schema([Variable("height")]), {"height": "tall"})
    Traceback (most recent call last):
    treewright.errors.EvidenceError: evidence height='tall' is not a finite number; height is continuous
    """
    if given is None:
        return RealEvidence()
    if not isinstance(given, Mapping):
        raise EvidenceError(f"evidence is a mapping from names to numbers; found {type(given).__name__}")
    found = sorted(_read_item(schema, name, value) for name, value in given.items())
    return RealEvidence(tuple(v for v, _ in found), tuple(value for _, value in found))


def _read_item(schema: Schema, name: str, value: object) -> tuple[int, float]:
    if not isinstance(name, str) or name not in schema:
        raise EvidenceError(
            f"evidence {name}={value!r} names no variable of the model; "
            f"variables are {nearest(name, schema.names)}"
        )
    plain = value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value
    if isinstance(plain, bool) or not isinstance(plain, int | float) or not math.isfinite(plain):
        raise EvidenceError(f"evidence {name}={plain!r} is not a finite number; {name} is continuous")
    return schema.index(name), float(plain)
