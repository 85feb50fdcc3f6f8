"""What every model shares (a score, a file, a picture), and what every directed one shares beyond that."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.undirected.cluster_trees import ClusterTree
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Cells, Floats

if TYPE_CHECKING:
    from treewright.models.model import AnyModel


class ModelBase(ABC):
    """A distribution that scores rows, is kept in a file and shows its picture in a notebook."""

    @property
    @abstractmethod
    def schema(self) -> Schema: ...

    @abstractmethod
    def log_probability(self, table: Table) -> Cells:
        """Natural logarithm of the probability of each row; minus infinity where the model says never."""

    def score(self, table: Table) -> float:
        """Mean log-likelihood (or log-density) per row, in nats; rows count by their weights."""
        return mean_log_probability(self.log_probability(table), table)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        certificate: ClusterTree | None = None,
        treewidth: int | None = None,
    ) -> None:
        """Write the model to a file that :func:`treewright.load` reads back exactly.

        Parameters
        ----------
        path
            Where; a name that ends in .gz is compressed, a pipe or device is written through.
        certificate
            Clusters that prove a treewidth, kept beside the model for :func:`treewright.verify`.
        treewidth
            The bound that the clusters are to prove, if one was promised.
        """
        from treewright.models.formats import twm

        twm.save(cast("AnyModel", self), path, certificate=certificate, treewidth=treewidth)

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        """Pickles and copies go through the bytes of the native file."""
        from treewright.models.formats import twm

        return twm.from_bytes, (twm.to_bytes(cast("AnyModel", self)),)

    def to_dot(self) -> str:
        """The structure as text for Graphviz."""
        from treewright.models.convert import to_dot

        return to_dot(cast("Any", self).structure)

    def _repr_html_(self) -> str:
        import treewright  # drawing knows models: nobody who only asks loads it

        return treewright.reports.notebook_picture(cast("Any", self))


class DirectedModel(ModelBase):
    """A model on the arcs of a `Dag`, which its making puts into `_dag`."""

    _dag: Dag

    @property
    def schema(self) -> Schema:
        return self._dag.schema

    @property
    def dag(self) -> Dag:
        return self._dag

    @property
    def structure(self) -> Dag:
        return self._dag

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """Free parameters."""

    def __repr__(self) -> str:
        sizes = f"{len(self.schema)} variables, {self._dag.n_edges} arcs, {self.n_parameters:,} parameters"
        return f"<{type(self).__name__}: {sizes}>"

    def __hash__(self) -> int:
        return hash((self.schema.names, tuple(self._dag.edges())))


def mean_log_probability(logs: Floats, table: Table) -> float:
    """The mean of the rows' log-probabilities, each row counted by its weight."""
    weights = np.ones(len(logs)) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
    counted = weights > 0  # a row of weight zero says nothing, even where it is impossible
    if not counted.any():
        raise SchemaError("a score is a mean over rows; the table has none (or all have weight zero)")
    return float(np.average(logs[counted], weights=weights[counted]))
