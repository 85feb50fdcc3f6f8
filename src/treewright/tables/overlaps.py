"""Sets of columns that overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from treewright.errors import SchemaError
from treewright.types import Scope

_MOST_WAYS = 4096


def reduced_sets(sets: Iterable[Scope]) -> list[Scope]:
    """The sets that lie in no other, each once, sorted; the empty one goes.

    Examples
    --------
    >>> reduced_sets([(0, 1), (1,), (0, 1), (1, 2), ()])
    [(0, 1), (1, 2)]
    """
    kept: list[Scope] = []
    for scope in sorted(set(sets), key=lambda s: (-len(s), s)):
        if scope and not any(set(scope) <= set(larger) for larger in kept):
            kept.append(scope)
    return sorted(kept)


def intersections(sets: Sequence[Scope]) -> list[Scope]:
    """All non-empty intersections of two or more of the sets, the small ones first.

    Refused when there are more than 4096 of them.

    Examples
    --------
    >>> intersections([(0, 1, 2), (1, 2, 3), (2, 4)])
    [(2,), (1, 2)]
    """
    whole = [frozenset(scope) for scope in sets]
    known: set[frozenset[int]] = set()
    waiting = list(whole)
    while waiting:
        one = waiting.pop()
        for other in whole:
            shared = one & other
            if shared and shared not in known and shared not in (one, other):
                known.add(shared)
                waiting.append(shared)
        if len(known) > _MOST_WAYS:
            raise SchemaError(
                f"the {len(sets)} column sets overlap in more than {_MOST_WAYS} different ways, too many to "
                "complete what no table has together; use fewer tables, or completion='none'"
            )
    return sorted((tuple(sorted(shared)) for shared in known), key=lambda s: (len(s), s))
