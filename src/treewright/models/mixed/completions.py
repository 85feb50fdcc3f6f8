"""Rows of states and numbers with gaps, completed in every way that a mixed network allows.

Given what a row shows, its gaps fall into groups that know nothing of each other; in each joint state of the
states of a group its numbers are jointly Normal. So expected moments, and answers about many rows at once,
are sums over few states, exact, and taken in the core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import ImpossibleEvidence, TableTooLarge
from treewright.limits import format_bytes, format_count, memory_limit
from treewright.models.mixed.lines import as_family
from treewright.models.model import align_evidence
from treewright.tables.report import listed
from treewright.tables.table import Table
from treewright.types import Floats, Names

if TYPE_CHECKING:
    from treewright.models.mixed.conditional_gaussian_network import ConditionalGaussianNetwork

Codes = npt.NDArray[np.int32]


class Completions:
    """What a network makes of the gaps of some rows.

    Parameters
    ----------
    model
        A mixed network.
    table
        Rows; columns that it lacks are missing in every row.
    """

    def __init__(self, model: ConditionalGaussianNetwork, table: Table) -> None:
        self.discrete, self.continuous = kinds_by_name(model)
        self.n_rows, columns = table.n_rows, aligned(model, table)
        weights = [] if table.weights is None else [np.ascontiguousarray(table.weights, dtype=np.float64)]
        schema = model.schema
        try:
            self.native = _core.MixedCompletions(
                [schema[name].cardinality for name in self.discrete],
                self._tables(model),
                self._lines(model),
                [columns[name] for name in self.discrete],
                [columns[name] for name in self.continuous],
                weights,
                table.n_rows,
                float(memory_limit()),
            )
        except _core.TooLarge as refused:
            self._refuse(refused)
        except ValueError as refused:
            raise ImpossibleEvidence(f"{refused}, so nothing follows from it") from refused

    def log_densities(self) -> Floats:
        """Of what each row shows."""
        return self.native.log_densities()

    def answers(self, name: str) -> Floats:
        """For each row the probabilities of a variable's states, or mean and variance of a number."""
        if name in self.discrete:
            found = self.native.state_shares(self.discrete.index(name))
        else:
            found = self.native.number_moments(self.continuous.index(name))
        return np.asarray(found).reshape(self.n_rows, -1)

    def _tables(self, model: ConditionalGaussianNetwork) -> list[tuple[list[int], Floats]]:
        network, found = model.discrete, []
        for name in self.discrete:
            v = network.schema.index(name)
            scope = [*network.schema.names_of(network.dag.parents(v)), name]
            found.append((self._at(scope), np.ascontiguousarray(network.tables[v], dtype=np.float64).ravel()))
        return found

    def _lines(self, model: ConditionalGaussianNetwork) -> list[Any]:
        found = []
        for name in model.by_layers():
            family = as_family(model.dag, model.schema.index(name), model.lines(name))
            own = self.continuous.index(name), self._at(family.discrete)
            numbers = [self.continuous.index(parent) for parent in family.continuous]
            arrays = (family.intercepts, family.slopes, family.variances)
            found.append((*own, numbers, *(np.ascontiguousarray(one).ravel() for one in arrays)))
        return found

    def _at(self, names: list[str] | Names) -> list[int]:
        return [self.discrete.index(name) for name in names]

    def _refuse(self, refused: _core.TooLarge) -> NoReturn:
        scope, cells, size = refused.args
        if not scope:
            raise TableTooLarge(
                f"what these rows may hold in their gaps takes more than {format_bytes(int(size))}, the "
                "memory limit; learn from fewer rows, raise the limit with set_memory_limit or "
                "TREEWRIGHT_MEMORY, or cut the numbers with bins="
            ) from None
        raise TableTooLarge(
            f"a row misses {listed([self.discrete[v] for v in scope])}, which hang together: "
            f"{format_count(int(cells))} joint states, too many to walk through; cut the numbers with bins=, "
            "or leave out rows or columns with many gaps"
        ) from None


def kinds_by_name(model: ConditionalGaussianNetwork) -> tuple[Names, Names]:
    """Names of the discrete variables and of the continuous ones, each sorted."""
    kinds: tuple[list[str], list[str]] = [], []
    for variable in model.schema:
        kinds[not variable.is_discrete].append(variable.name)
    return tuple(sorted(kinds[0])), tuple(sorted(kinds[1]))


def aligned(model: ConditionalGaussianNetwork, table: Table) -> dict[str, Any]:
    """Codes with -1 where a cell is missing, and numbers with NaN there, by name."""
    seen = align_evidence(model.schema, table)
    found: dict[str, Any] = {}
    for variable, codes, mask in zip(model.schema, seen.codes, seen.missing, strict=True):
        kind, gap = (np.int32, -1) if variable.is_discrete else (np.float64, np.nan)
        column = np.full(table.n_rows, gap, dtype=kind) if codes is None else codes.astype(kind)
        if mask is not None:
            column[mask] = gap
        found[variable.name] = np.ascontiguousarray(column)
    return found


def in_order(table: Table) -> Table:
    """The rows sorted by what they hold, so that sums over them do not depend on how they came."""
    keys: list[npt.NDArray[Any]] = [] if table.weights is None else [np.asarray(table.weights)]
    for name in sorted(table.schema.names):
        v = table.schema.index(name)
        mask, column = table.missing.get(v), np.asarray(table.columns[v])
        if mask is not None:
            column = np.where(mask, column.dtype.type(0), column)
            keys.append(mask)
        keys.append(column)
    return table.take(np.lexsort(keys)) if keys else table
