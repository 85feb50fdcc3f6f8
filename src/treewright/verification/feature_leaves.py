"""The leaves of a feature graph: tables, trees, hidden trees, stored rows, and the constant one.

Each says which variables it is about, what its rows sum to, which sets of variables its numbers hold
together, and whether rows with some known states are possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, product
from typing import Protocol

NO_PARENT = 2**32 - 1
TOLERANCE = 1e-9

Known = dict[int, int]


class BrokenNode(ValueError):  # noqa: N818
    """What is wrong with a node, and the variables it is about."""

    def __init__(self, message: str, variables: Iterable[int] = ()) -> None:
        super().__init__(message)
        self.variables = tuple(sorted(variables))


def require(condition: bool, message: str, variables: Iterable[int] = ()) -> None:
    if not condition:
        raise BrokenNode(message, variables)


def whole(values: object) -> bool:
    """Whether this is a list of whole numbers of 32 bits."""
    return isinstance(values, list) and all(type(x) is int and 0 <= x < 2**32 for x in values)


def distribution(logs: Sequence[float]) -> None:
    total = math.fsum(map(math.exp, logs))
    require(abs(total - 1) <= TOLERANCE, f"has probabilities that add up to {total!r}, not 1")


class Leaf(Protocol):
    """What is asked of a leaf."""

    scope: frozenset[int]
    total: float
    cliques: list[frozenset[int]]

    def possible(self, known: Known) -> bool: ...


class One:
    """About nothing."""

    def __init__(self, integers: list[int], numbers: list[float], sizes: Sequence[int]) -> None:
        require(not integers and not numbers, "is one and says more")
        self.scope, self.total, self.cliques = frozenset[int](), 1.0, list[frozenset[int]]()

    def possible(self, known: Known) -> bool:
        return True


class Listed:
    """Joint states of some variables, each with the log of its probability."""

    variables: list[int]
    rows: dict[tuple[int, ...], float]

    def possible(self, known: Known) -> bool:
        return any(
            log > -math.inf and all(known.get(v, a) == a for v, a in zip(self.variables, row, strict=True))
            for row, log in self.rows.items()
        )


class Table(Listed):
    """Every joint state of some variables, the last one fastest."""

    def __init__(self, integers: list[int], numbers: list[float], sizes: Sequence[int]) -> None:
        check_scope(integers, sizes)
        cells = math.prod(sizes[v] for v in integers)
        require(len(numbers) == cells, f"has {len(numbers)} numbers; the states ask for {cells}")
        distribution(numbers)
        states = product(*(range(sizes[v]) for v in integers))
        self.variables, self.rows = integers, dict(zip(states, numbers, strict=True))
        self.scope, self.cliques = frozenset(integers), [frozenset(integers)]
        self.total = math.fsum(map(math.exp, numbers))


class Tree:
    """A variable given the ones before it, again and again; parents form a clique."""

    def __init__(self, integers: list[int], numbers: list[float], sizes: Sequence[int]) -> None:
        require(bool(integers) and integers[0] > 0, "does not say its variables")
        self.sizes = sizes
        self.variables: list[int] = []
        self.parents: list[list[int]] = []  # places in the list of variables
        self.rows: list[dict[tuple[int, ...], float]] = []  # states of parents and variable -> log
        at = 1
        for place in range(integers[0]):
            require(at + 2 <= len(integers), "does not say its variables")
            require(integers[at + 1] <= len(integers) - at - 2, "does not say its variables")
            above = integers[at + 2 : at + 2 + integers[at + 1]]
            self._check_parents(place, above)
            require(integers[at] < len(sizes), "names a variable that is not there")
            self.variables.append(integers[at])
            self.parents.append(above)
            at += 2 + len(above)
        require(at == len(integers), "says more than its variables")
        require(len(set(self.variables)) == len(self.variables), "names a variable twice")
        self.total = self._read(numbers)
        self.scope = frozenset(self.variables)
        self.cliques = [
            frozenset([v, *(self.variables[p] for p in above)])
            for v, above in zip(self.variables, self.parents, strict=True)
        ]

    def _check_parents(self, place: int, above: list[int]) -> None:
        require(len(set(above)) == len(above), "names a parent twice")
        require(all(p < place for p in above), "has a variable whose parent does not come before it")
        if above:
            last = max(above)
            clique = {last, *self.parents[last]}
            require(set(above) <= clique, "has a variable whose parents are no clique")

    def _read(self, numbers: list[float]) -> float:
        first, total = 0, 1.0
        for v, above in zip(self.variables, self.parents, strict=True):
            shape = [self.sizes[self.variables[p]] for p in above]
            cells, r = math.prod(shape) * self.sizes[v], self.sizes[v]
            require(first + cells <= len(numbers), "has not as many numbers as it needs")
            part = numbers[first : first + cells]
            for row in range(0, cells, r):
                distribution(part[row : row + r])
            total *= math.fsum(map(math.exp, part)) / math.prod(shape)
            states = product(*map(range, [*shape, r]))
            self.rows.append(dict(zip(states, part, strict=True)))
            first += cells
        require(first == len(numbers), "has not as many numbers as it needs")
        return total

    def possible(self, known: Known) -> bool:
        """From the last variable back: which states of its parents leave it a way."""
        ways: list[tuple[list[int], set[tuple[int, ...]]]] = []
        for place in reversed(range(len(self.variables))):
            v, above = self.variables[place], self.parents[place]
            mine = [way for way in ways if max(way[0]) == place]
            ways = [way for way in ways if max(way[0]) != place]
            family, good = [*above, place], set[tuple[int, ...]]()
            for cell, log in self.rows[place].items():
                at = dict(zip(family, cell, strict=True))
                open_ = log > -math.inf and known.get(v, at[place]) == at[place]
                if open_ and all(tuple(at[p] for p in needs) in fine for needs, fine in mine):
                    good.add(cell[:-1])
            if not good:
                return False
            if above:
                ways.append((above, good))
        return True


class Hidden:
    """A tree of hidden states, each with an emission."""

    def __init__(self, integers: list[int], numbers: list[float], sizes: Sequence[int]) -> None:
        fits = len(integers) >= 5 and len(integers) == 3 + 2 * integers[2]
        require(fits and integers[0] > 0 and integers[1] < 2, "does not say its variables")
        self.h, self.ar = integers[0], integers[1] == 1
        self.variables, self.parents = integers[3::2], integers[4::2]
        require(all(v < len(sizes) for v in self.variables), "names a variable that is not there")
        require(len(set(self.variables)) == len(self.variables), "names a variable twice")
        self.sizes, self.numbers = sizes, numbers
        self.first: list[tuple[int, int]] = []  # where transition and emission begin
        at = 0
        for place, (v, parent) in enumerate(zip(self.variables, self.parents, strict=True)):
            root = parent == NO_PARENT
            require(root or parent < place, "has a variable whose parent does not come before it")
            rows = 1 if root else self.h
            contexts = self.contexts(place) * self.h
            self.first.append((at, at + rows * self.h))
            end = at + rows * self.h + contexts * sizes[v]
            require(end <= len(numbers), "has not as many numbers as it needs")
            self._check_rows(at, rows, self.h)
            self._check_rows(at + rows * self.h, contexts, sizes[v])
            at = end
        require(at == len(numbers), "has not as many numbers as it needs")
        self.scope, self.total = frozenset(self.variables), 1.0
        self.cliques = [self.scope]

    def contexts(self, place: int) -> int:
        parent = self.parents[place]
        return 1 if not self.ar or parent == NO_PARENT else self.sizes[self.variables[parent]]

    def _check_rows(self, at: int, rows: int, r: int) -> None:
        for row in range(rows):
            distribution(self.numbers[at + row * r : at + (row + 1) * r])

    def possible(self, known: Known) -> bool:
        """From the last variable back: which pairs of observed and hidden state have a way below them."""
        n = len(self.variables)
        below: list[list[set[tuple[int, int]]]] = [[] for _ in range(n)]
        for place in reversed(range(n)):
            v, parent = self.variables[place], self.parents[place]
            t, sent = self.first[place][0], set[tuple[int, int]]()
            states = [x for x in range(self.sizes[v]) if known.get(v, x) == x]
            for k in range(self.contexts(place)):
                good = [h for h in range(self.h) if self._emits(place, (k, h), states, below[place])]
                for g in range(1 if parent == NO_PARENT else self.h):
                    if any(self.numbers[t + g * self.h + h] > -math.inf for h in good):
                        sent.add((k, g))
            if not sent:
                return False
            if parent != NO_PARENT:
                below[parent].append(sent)
        return True

    def _emits(
        self, place: int, here: tuple[int, int], states: list[int], below: list[set[tuple[int, int]]]
    ) -> bool:
        (k, h), r = here, self.sizes[self.variables[place]]
        first = self.first[place][1] + (k * self.h + h) * r
        return any(
            self.numbers[first + x] > -math.inf and all((x if self.ar else 0, h) in fine for fine in below)
            for x in states
        )


class Rows(Listed):
    """Distinct rows with weights; codes lie side by side in words of 32 bits, never across two."""

    def __init__(self, integers: list[int], numbers: list[float], sizes: Sequence[int]) -> None:
        require(bool(integers) and 0 < integers[0] < len(integers), "does not say its variables")
        self.variables = integers[1 : 1 + integers[0]]
        check_scope(self.variables, sizes)
        fields, word, used = [], 0, 0
        for v in self.variables:
            bits = max(1, (sizes[v] - 1).bit_length())
            if used + bits > 32:
                word, used = word + 1, 0
            fields.append((word, used, bits))
            used += bits
        words, stored = word + 1, integers[1 + integers[0] :]
        require(bool(numbers) and len(stored) == words * len(numbers), "has not as many rows as weights")
        distribution(numbers)
        self.rows = {}
        for row, log in enumerate(numbers):
            here = stored[row * words : (row + 1) * words]
            codes = tuple(here[w] >> shift & (1 << bits) - 1 for w, shift, bits in fields)
            require(
                all(a < sizes[v] for v, a in zip(self.variables, codes, strict=True)), "has a strange row"
            )
            told = [0] * words
            for (w, shift, _), code in zip(fields, codes, strict=True):
                told[w] |= code << shift
            require(told == here, "has a row with bits of no variable")
            require(codes not in self.rows, "has a row twice")
            self.rows[codes] = log
        self.scope, self.cliques = frozenset(self.variables), [frozenset(self.variables)]
        self.total = math.fsum(map(math.exp, numbers))


def check_scope(scope: list[int], sizes: Sequence[int]) -> None:
    require(bool(scope) and all(v < len(sizes) for v in scope), "names a variable that is not there")
    rising = all(a < b for a, b in pairwise(scope))
    require(rising, "has a scope that is not rising")


LEAVES: dict[str, Callable[[list[int], list[float], Sequence[int]], Leaf]] = {
    "one": One,
    "table": Table,
    "tree": Tree,
    "hidden": Hidden,
    "rows": Rows,
}
