"""d-separation: the independences that a directed graph promises.

A path is blocked by a set when it has a vertex in the set that is not a collider on the path, or a collider
that is neither in the set nor above it. Two variables are d-separated by a set that blocks every path between
them. The core answers by reachability: one walk over the graph tells all variables that one variable is not
separated from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treewright.arguments import DAG, require
from treewright.errors import SchemaError
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Scope

if TYPE_CHECKING:
    from treewright.graphs.directed.dag import Dag

Query = tuple[NameOrIndex, NameOrIndex, Iterable[NameOrIndex]]


def is_d_separated(
    dag: Dag, x: Sequence[NameOrIndex], y: Sequence[NameOrIndex], given: Iterable[NameOrIndex] = ()
) -> bool:
    """Whether two sets of variables are d-separated, that is, every pair between them.

    Examples
    --------
    >>> from treewright.graphs import Dag
    >>> from treewright.tables import Variable
    >>> chain = Dag(Schema([Variable(name) for name in "abc"]), [("a", "b"), ("b", "c")])
    >>> is_d_separated(chain, ["a"], ["c"]), is_d_separated(chain, ["a"], ["c"], ["b"])
    (False, True)
    """
    require("is_d_separated", DAG, dag)
    sources, targets, known = (dag.schema.scope(part) for part in (x, y, given))
    _require_disjoint(dag.schema, sources, targets, known)
    connected = dag.native.connected(sources, known)
    return not connected[list(targets)].any()


def d_separated_many(dag: Dag, queries: Iterable[Query]) -> npt.NDArray[np.bool_]:
    """Answer many questions (x, y, given) about single variables in one call.

    Examples
    --------
    >>> from treewright.graphs import Dag
    >>> from treewright.tables import Variable
    >>> chain = Dag(Schema([Variable(name) for name in "abc"]), [("a", "b"), ("b", "c")])
    >>> d_separated_many(chain, [("a", "c", ()), ("a", "c", ("b",))]).tolist()
    [False, True]
    """
    require("d_separated_many", DAG, dag)
    asked = list(queries)
    try:  # indices, the common case inside a search, go straight to the core
        answers = dag.native.separated_many(asked)  # type: ignore[arg-type]
    except (TypeError, ValueError, IndexError):
        answers = dag.native.separated_many([as_query(dag.schema, *query) for query in asked])
    return answers.view(np.bool_)


def d_separated_from_all(
    dag: Dag, x: NameOrIndex, given: Iterable[NameOrIndex] = ()
) -> npt.NDArray[np.bool_]:
    """For every variable of the schema: is it d-separated from x? False at x itself, True at the given.

    Examples
    --------
    >>> from treewright.graphs import Dag
    >>> from treewright.tables import Variable
    >>> chain = Dag(Schema([Variable(name) for name in "abcd"]), [("a", "b"), ("b", "c")])
    >>> d_separated_from_all(chain, "a").tolist()
    [False, False, False, True]
    """
    require("d_separated_from_all", DAG, dag)
    source, known = dag.schema.index(x), dag.schema.scope(given)
    _require_disjoint(dag.schema, (source,), (), known)
    return ~dag.native.connected((source,), known).view(np.bool_)


def as_query(
    schema: Schema, x: NameOrIndex, y: NameOrIndex, given: Iterable[NameOrIndex] = ()
) -> tuple[int, int, Scope]:
    """A question (x, y, given) as indices, refused when a variable stands in two places."""
    query = schema.index(x), schema.index(y), schema.scope(given)
    _require_disjoint(schema, query[:1], query[1:2], query[2])
    return query


def _require_disjoint(schema: Schema, x: Scope, y: Scope, given: Scope) -> None:
    if len({*x, *y, *given}) == len(x) + len(y) + len(given):
        return
    for first, one, second, other in (("x", x, "y", y), ("x", x, "given", given), ("y", y, "given", given)):
        both = sorted(schema.names_of(set(one) & set(other)))
        if both:
            raise SchemaError(
                f"x, y and given have no variable in common; found {both[0]!r} in {first} and in {second}"
            )
