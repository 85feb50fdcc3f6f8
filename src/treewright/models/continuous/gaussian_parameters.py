"""The numbers of a linear-Gaussian network, checked once where they enter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.tables.schema import Schema
from treewright.types import Floats

Numbers = Sequence[float] | Mapping[str, float] | Floats


def numbers_by_variable(schema: Schema, numbers: Numbers, what: str) -> Floats:
    """One finite number per variable, in schema order; read-only."""
    if isinstance(numbers, Mapping):
        absent = [name for name in schema.names if name not in numbers]
        unknown = [name for name in numbers if name not in schema]
        if absent or unknown:
            found = f"none for {absent[0]!r}" if absent else f"one for {unknown[0]!r}, which is no variable"
            raise SchemaError(f"every variable needs one {what}; found {found}")
        numbers = [numbers[name] for name in schema.names]
    array = np.array(numbers, dtype=np.float64)
    if array.shape != (len(schema),):
        raise SchemaError(f"{len(schema)} variables need one {what} each; found shape {array.shape}")
    if not np.isfinite(array).all():
        name = schema.names[int(np.argmin(np.isfinite(array)))]
        raise SchemaError(f"the {what} of {name!r} is not a finite number")
    array.setflags(write=False)
    return array


def checked_coefficients(
    dag: Dag, coefficients: Mapping[str, Mapping[str, float]]
) -> tuple[dict[str, float], ...]:
    """One mapping per variable, its parents in schema order."""
    schema = dag.schema
    for child in coefficients:
        schema.index(child)
    found = []
    for v, name in enumerate(schema.names):
        given, parents = coefficients.get(name, {}), schema.names_of(dag.parents(v))
        if sorted(given) != sorted(parents):
            wanted = ", ".join(map(repr, parents)) or "none"
            raise SchemaError(
                f"{name!r} needs one coefficient for each of its parents ({wanted}); "
                f"found {', '.join(map(repr, given)) or 'none'}"
            )
        numbers = {parent: float(given[parent]) for parent in parents}
        wrong = [parent for parent, number in numbers.items() if not math.isfinite(number)]
        if wrong:
            raise SchemaError(f"the coefficient of {wrong[0]!r} for {name!r} is not a finite number")
        found.append(numbers)
    return tuple(found)
