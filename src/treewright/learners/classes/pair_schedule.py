"""Which pairs of variables a search over classes may join, and when it lets them in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.errors import SchemaError, SettingError
from treewright.graphs import UndirectedGraph
from treewright.learners.classes.copies import Copies
from treewright.tables.schema import Schema
from treewright.types import Matrix

Allowed = UndirectedGraph | Matrix


@dataclass(frozen=True)
class PairSchedule:
    """Which pairs a search lets in when: undirected graphs, or symmetric matrices in the order of the schema.

    Attributes
    ----------
    first
        The pairs to begin with; by default those that are useful on their own.
    again
        With effort 2 or 3: variables are reopened among these pairs and the first ones, in three ways and
        with a second start, before others are let in, and not once more after that.
    loosely
        With effort 2 or 3 and a score that charges for each edge: these pairs and the first ones are searched
        at half that price and then at all of it, which lets in edges that pay only together. The better of
        the two classes stays.
    singly
        With `again`: single edges are reopened as well, among the same pairs, before others are let in.
    then
        The pairs that are let in afterwards, beside the first ones; by default all that are allowed.
    """

    first: Allowed | None = None
    again: Allowed | None = None
    loosely: Allowed | None = None
    singly: bool = False
    then: Allowed | None = None


@dataclass(frozen=True)
class Stages:
    """The pairs of each stage, copies left out: which are joined first, looked at again, and let in later."""

    allowed: Matrix
    first: Matrix
    again: Matrix | None
    loosely: Matrix | None
    later: Matrix
    singly: bool
    has_later: bool  # whether `then` was given

    def with_first(self, pairs: Matrix) -> Matrix:
        return self.allowed & (self.first | pairs)

    def let_everything_in(self, certificate: bool) -> bool:
        return bool(((self.later if certificate else self.first) | ~self.allowed).all())


def plan_stages(
    schedule: PairSchedule, allowed: Matrix, copies: Copies, useful: Callable[[], Matrix], schema: Schema
) -> Stages:
    """The pairs of each stage; an original stands for its copies, `useful` gives the default of the first."""

    def chosen(name: str) -> Matrix | None:
        given = getattr(schedule, name)
        return None if given is None else copies.with_partners_of_copies(pair_matrix(given, name, schema))

    first, then = chosen("first"), chosen("then")
    first = useful() if first is None else first
    return Stages(
        allowed=allowed,
        first=first,
        again=chosen("again"),
        loosely=chosen("loosely"),
        later=allowed if then is None else allowed & (first | then),
        singly=schedule.singly,
        has_later=then is not None,
    )


def pair_matrix(given: Allowed | None, name: str, schema: Schema) -> Matrix:
    """A symmetric matrix of pairs in the order of the schema; by default all."""
    n = len(schema)
    if given is None:
        return ~np.eye(n, dtype=np.bool_)
    if isinstance(given, UndirectedGraph):
        require_same_names(schema, given.schema, name)
        pairs = np.zeros((n, n), dtype=np.bool_)
        for u, v in given.edges():
            a, b = schema.index(u), schema.index(v)
            pairs[a, b] = pairs[b, a] = True
        return pairs
    pairs = np.asarray(given, dtype=np.bool_)
    if pairs.shape != (n, n) or not (pairs == pairs.T).all():
        raise SettingError(
            f"{name} must be an undirected graph or a symmetric matrix of {n} x {n} truth values; found "
            f"the shape {pairs.shape}" + ("" if pairs.shape != (n, n) else ", not symmetric")
        )
    return pairs


def require_same_names(ours: Schema, theirs: Schema, name: str) -> None:
    if sorted(ours.names) != sorted(theirs.names):
        odd = sorted(set(ours.names) ^ set(theirs.names))
        raise SchemaError(
            f"{name} and the score must have the same variables; only one of them has "
            + ", ".join(map(repr, odd[:20]))
        )
