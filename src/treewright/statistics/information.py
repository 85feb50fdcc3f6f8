"""Entropy and mutual information, in nats, from any counter."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from treewright.arguments import COUNTS, require
from treewright.errors import SchemaError
from treewright.statistics.counter import Counter
from treewright.statistics.families import TestSettings, as_family_statistics
from treewright.tables.schema import NameOrIndex
from treewright.types import Scope


def entropy(counter: Counter, scope: Iterable[NameOrIndex], given: Iterable[NameOrIndex] = ()) -> float:
    """Empirical entropy of some variables, given others.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}))
    >>> round(entropy(counter, ("a",)), 6), round(entropy(counter, ("a", "b"), given=("b",)), 6)
    (0.693147, 0.693147)
    """
    require("entropy", COUNTS, counter)
    condition = counter.schema.scope(given)
    both = (*condition, *(v for v in counter.schema.scope(scope) if v not in condition))
    return max(0.0, _entropy(counter, both) - _entropy(counter, condition))


def mutual_information(
    counter: Counter, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()
) -> float:
    """Empirical mutual information of two variables, given others: G2 / 2n.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 1, 0, 1], "b": [0, 1, 0, 1]}))
    >>> round(mutual_information(counter, "a", "b"), 6)
    0.693147
    """
    require("mutual_information", COUNTS, counter)
    schema = counter.schema
    query = (schema.index(x), schema.index(y), schema.scope(given))
    schema.scope((*query[:2], *query[2]))  # each variable once
    if not counter.n_rows:
        return 0.0
    statistic, _ = as_family_statistics(counter).test_queries(TestSettings(), [query])
    return float(statistic[0]) / (2 * counter.n_rows)


def pairwise_information(
    counter: Counter, variables: Iterable[NameOrIndex] | None = None
) -> npt.NDArray[np.float64]:
    """Mutual information of all pairs, as a symmetric matrix with a zero diagonal.

    Parameters
    ----------
    variables
        Rows and columns of the matrix; by default all discrete variables.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 1, 0, 1], "b": [0, 1, 0, 1], "c": [0, 0, 1, 1]}))
    >>> pairwise_information(counter).round(4).tolist()
    [[0.0, 0.6931, 0.0], [0.6931, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    require("pairwise_information", COUNTS, counter)
    schema = counter.schema
    every = [v for v, variable in enumerate(schema) if variable.is_discrete]
    scope = tuple(every) if variables is None else schema.scope(variables)
    native = getattr(counter, "pairwise_information", None)
    return np.asarray(native(scope)) if native is not None else information_from_tests(counter, scope)


def information_from_tests(counter: Counter, scope: Scope) -> npt.NDArray[np.float64]:
    """Pairwise information from one batch of G2 tests, for counters that know no shorter way."""
    matrix = np.zeros((len(scope), len(scope)))
    if counter.n_rows and len(scope) > 1:
        rows, columns = np.triu_indices(len(scope), 1)
        queries = [(scope[i], scope[j], ()) for i, j in zip(rows, columns, strict=True)]
        statistic, _ = as_family_statistics(counter).test_queries(TestSettings(), queries)
        matrix[rows, columns] = matrix[columns, rows] = statistic / (2 * counter.n_rows)
    return matrix


def _entropy(counter: Counter, scope: tuple[int, ...]) -> float:
    if not counter.n_rows:
        return 0.0
    continuous = [counter.schema.names[v] for v in scope if not counter.schema[v].is_discrete]
    if continuous:
        raise SchemaError(
            f"entropy counts states; {', '.join(map(repr, continuous))} is continuous: read it with bins="
        )
    counts = counter.sparse_counts(scope).counts / counter.n_rows if scope else np.ones(1)
    return float(-np.sum(counts * np.log(counts)))
