"""Variables numbered by the rank of their names, as the native core knows them.

The core breaks ties by number. Handed ranks of names in the place of columns, it finds the same whatever the
order of the columns; these functions lead there and back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from treewright.graphs.edges import Pairs, as_array
from treewright.tables.schema import Schema
from treewright.types import Arc

Entry = TypeVar("Entry", bound=np.generic)


def ranks_by_name(schema: Schema) -> npt.NDArray[np.uint32]:
    """The place of each variable among the sorted names."""
    return np.array(schema.name_ranks, dtype=np.uint32)


def variables_by_rank(schema: Schema) -> npt.NDArray[np.intp]:
    """The variables in the order of their names."""
    return np.array(schema.name_order, dtype=np.intp)


def rank_matrix(schema: Schema, matrix: npt.NDArray[Entry]) -> npt.NDArray[Entry]:
    """A matrix over the variables with its lines and columns in the order of names.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("b"), Variable("a")])
    >>> ranked = rank_matrix(schema, np.array([[1, 2], [3, 4]]))
    >>> ranked.tolist(), unrank_matrix(schema, ranked).tolist()
    ([[4, 3], [2, 1]], [[1, 2], [3, 4]])
    """
    order = schema.name_order
    return np.ascontiguousarray(matrix[np.ix_(order, order)])


def unrank_matrix(schema: Schema, matrix: npt.NDArray[Entry]) -> npt.NDArray[Entry]:
    """A matrix in the order of names with its lines and columns in the order of the schema."""
    ranks = schema.name_ranks
    return matrix[np.ix_(ranks, ranks)]


def rank_pairs(schema: Schema, pairs: Iterable[Arc] | npt.NDArray[np.integer]) -> Pairs:
    """Pairs of variables as the core takes them: two columns of ranks."""
    array = pairs if isinstance(pairs, np.ndarray) else as_array(pairs)
    return np.ascontiguousarray(ranks_by_name(schema)[array].reshape(-1, 2))


def unrank_pairs(schema: Schema, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.intp]:
    """Pairs of ranks as pairs of variables, in the same two columns."""
    return np.asarray(variables_by_rank(schema)[pairs].reshape(-1, 2))
