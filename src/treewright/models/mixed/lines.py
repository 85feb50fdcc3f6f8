"""The lines of one continuous variable: one for every joint state of its discrete parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arguments import as_numbers
from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.inference.conditional_gaussian import LinearFamily
from treewright.limits import check_table
from treewright.tables.schema import Schema
from treewright.types import Brief, Floats, Scope


@dataclass(frozen=True, eq=False)
class Lines(Brief):
    """Intercepts, coefficients by continuous parent, and variances of one variable.

    Each is an array with an axis for every discrete parent, in schema order; plain numbers without any.

    Examples
    --------
    >>> Lines([6.0, 10.0], {"sun": [2.0, 1.5]}, [4.0, 9.0]).variances.tolist()
    [4.0, 9.0]
    """

    intercepts: Floats
    coefficients: dict[str, Floats] = field(default_factory=dict)
    variances: Floats = field(default_factory=lambda: np.ones(()))

    def __init__(
        self,
        intercepts: npt.ArrayLike,
        coefficients: Mapping[str, npt.ArrayLike] | None = None,
        variances: npt.ArrayLike = 1.0,
    ) -> None:
        object.__setattr__(self, "intercepts", _numbers(intercepts))
        given = {name: _numbers(values) for name, values in (coefficients or {}).items()}
        object.__setattr__(self, "coefficients", given)
        object.__setattr__(self, "variances", _numbers(variances))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lines):
            return NotImplemented
        return (
            self.coefficients.keys() == other.coefficients.keys()
            and np.array_equal(self.intercepts, other.intercepts)
            and np.array_equal(self.variances, other.variances)
            and all(np.array_equal(c, other.coefficients[name]) for name, c in self.coefficients.items())
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_parameters(self) -> int:
        return self.intercepts.size * (2 + len(self.coefficients))


def _numbers(values: Any) -> Floats:
    array = as_numbers("intercepts, coefficients and variances", values)
    array.setflags(write=False)
    return array


def parents_by_kind(dag: Dag, v: int) -> tuple[Scope, Scope]:
    """The discrete and the continuous parents of a variable."""
    parents = dag.parents(v)
    kinds = [dag.schema[p].is_discrete for p in parents]
    return (
        tuple(p for p, discrete in zip(parents, kinds, strict=True) if discrete),
        tuple(p for p, discrete in zip(parents, kinds, strict=True) if not discrete),
    )


def refuse_numbers_above_states(dag: Dag) -> None:
    """A discrete variable has discrete parents: otherwise what follows from states is no Normal."""
    for tail, head in dag.edges():
        if dag.schema[head].is_discrete and not dag.schema[tail].is_discrete:
            raise SchemaError(
                f"in a conditional Gaussian network discrete variables have discrete parents; found the arc "
                f"{tail} -> {head}, and {tail!r} is continuous: turn it, or cut {tail!r} with bins="
            )


def check_lines(dag: Dag, v: int, lines: Lines) -> None:
    """Refuse lines that are not one finite line for every joint state, with a variance above zero."""
    name = dag.schema.names[v]
    discrete, continuous = parents_by_kind(dag, v)
    shape = tuple(dag.schema.cardinalities[p] for p in discrete)
    wanted = sorted(dag.schema.names_of(continuous))
    if sorted(lines.coefficients) != wanted:
        raise SchemaError(
            f"{name!r} has the continuous parents {', '.join(map(repr, wanted)) or 'none'}; coefficients "
            f"were given for {', '.join(map(repr, sorted(lines.coefficients))) or 'none'}"
        )
    arrays = {"intercepts": lines.intercepts, "variances": lines.variances}
    arrays |= {f"coefficients for {parent!r}": c for parent, c in lines.coefficients.items()}
    for what, array in arrays.items():
        if array.shape != shape:
            raise SchemaError(
                f"the {what} of {name!r} have the shape {array.shape}; its discrete parents ask for {shape}"
            )
        if not np.isfinite(array).all():
            raise SchemaError(f"the {what} of {name!r} hold something that is not a finite number")
    if not (lines.variances > 0).all():
        found = float(lines.variances.min())
        raise SchemaError(f"the variances of {name!r} are above 0; found {found!r}")


def check_lines_fit(schema: Schema, discrete: Scope, n_continuous: int) -> None:
    """Refuse lines for more joint states than memory would hold."""
    check_table(schema, discrete, 8 * (2 + n_continuous))


def as_family(dag: Dag, v: int, lines: Lines) -> LinearFamily:
    """The lines as engines take them: parents by name, joint states in one row."""
    schema = dag.schema
    discrete, _ = parents_by_kind(dag, v)
    names = schema.names_of(discrete)
    order = sorted(range(len(names)), key=names.__getitem__)
    parents = tuple(sorted(lines.coefficients))

    def flat(array: Floats) -> Floats:
        return np.ascontiguousarray(array.transpose(order)).ravel()

    slopes = np.stack([flat(lines.coefficients[name]) for name in parents], axis=1) if parents else None
    intercepts = flat(lines.intercepts)
    return LinearFamily(
        schema.names[v],
        tuple(names[k] for k in order),
        parents,
        intercepts,
        np.zeros((len(intercepts), 0)) if slopes is None else slopes,
        flat(lines.variances),
    )
