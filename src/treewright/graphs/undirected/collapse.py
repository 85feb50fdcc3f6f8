"""Which variables a distribution depends on, when it is a product of functions of overlapping sets."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.graphs._bits import set_bits
from treewright.types import Scope


def collapsed_scope(n: int, sets: Sequence[Scope], wanted: Scope) -> Scope:
    """The variables on which the distribution of `wanted` depends in a product of functions of the sets.

    Whatever hangs together outside of the result has all its neighbours in it in one of the sets, so that
    summing it out leaves a product of functions of the sets, cut to the result [1]_. No variable that was
    added to `wanted` can be spared.

    References
    ----------
    .. [1] Asmussen & Edwards (1983). Collapsibility and response variables in contingency tables. Biometrika
       70, 567-578.

    Examples
    --------
    >>> chain = [(0, 1), (1, 2), (2, 3), (3, 4)]
    >>> collapsed_scope(5, chain, (1, 2)), collapsed_scope(5, chain, (0, 2))
    ((1, 2), (0, 1, 2))
    """
    graph = _Sections(n, sets)
    kept = set(wanted)
    for part, around in graph.parts(kept):
        if not graph.share_a_set(around):
            kept |= {v for v in part if graph.n_sets(v) > 1}
    for v in sorted(kept - set(wanted)):
        kept.remove(v)
        if not all(graph.share_a_set(around) for _, around in graph.parts(kept)):
            kept.add(v)
    return tuple(sorted(kept))


class _Sections:
    """The graph in which variables that share a set are neighbours, as bits."""

    def __init__(self, n: int, sets: Sequence[Scope]) -> None:
        self._sets = [sum(1 << v for v in scope) for scope in sets]
        self._near = [0] * n
        self._holding = [0] * n
        for scope, bits in zip(sets, self._sets, strict=True):
            for v in scope:
                self._near[v] |= bits
                self._holding[v] += 1

    def n_sets(self, v: int) -> int:
        return self._holding[v]

    def share_a_set(self, variables: int) -> bool:
        return not variables or any(variables & ~bits == 0 for bits in self._sets)

    def parts(self, kept: set[int]) -> list[tuple[list[int], int]]:
        """What hangs together outside of some variables, each with the bits of its neighbours among them."""
        inside = sum(1 << v for v in kept)
        left = ((1 << len(self._near)) - 1) & ~inside
        found = []
        while left:
            part, front = 0, left & -left
            around = 0
            while front:
                part |= front
                reach = 0
                for v in set_bits(front):
                    reach |= self._near[v]
                around |= reach & inside
                front = reach & left & ~part
            left &= ~part
            found.append((list(set_bits(part)), around))
        return found
