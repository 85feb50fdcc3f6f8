"""Rows of bits and lists of sets: the two forms in which shapes cross to the native core."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from treewright.types import Scope

Rows = npt.NDArray[np.uint64]  # one row per vertex, bit v % 64 of word v // 64 says "adjacent to v"
Offsets = npt.NDArray[np.int64]
Members = npt.NDArray[np.uint32]


class FrozenGraph:
    """A value: what was set when it was made does not change."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a graph does not change; build another one (asked to set {name!r})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a graph does not change; build another one (asked to delete {name!r})")


def n_words(n: int) -> int:
    return (n + 63) // 64


def members(row: npt.NDArray[np.uint64]) -> Scope:
    """Positions of the set bits, rising."""
    octets = row.astype("<u8", copy=False).view(np.uint8)
    return tuple(np.flatnonzero(np.unpackbits(octets, bitorder="little")).tolist())


def set_bits(mask: int) -> Scope:
    """Positions of the set bits of a whole number, rising."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(found)


def unpack(rows: Rows) -> npt.NDArray[np.bool_]:
    """The square matrix of truth values behind rows of bits."""
    octets = rows.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=len(rows), bitorder="little").astype(np.bool_)


def pack(matrix: npt.NDArray[np.bool_]) -> Rows:
    """Rows of bits of a square matrix of truth values."""
    n = len(matrix)
    octets = np.zeros((n, 8 * n_words(n)), dtype=np.uint8)
    packed = np.packbits(matrix, axis=1, bitorder="little")
    octets[:, : packed.shape[1]] = packed
    return octets.view("<u8").astype(np.uint64, copy=False)


def row_of(scope: Sequence[int], n: int) -> npt.NDArray[np.uint64]:
    """One row with the bits of a scope set."""
    row = np.zeros(n_words(n), dtype=np.uint64)
    where = np.array(scope, dtype=np.uint64)
    np.bitwise_or.at(row, where // np.uint64(64), np.uint64(1) << where % np.uint64(64))
    return row


def find_leader(leader: list[int], i: int) -> int:
    """Who leads the part of a forest of leaders that holds a number; ways are halved as they are walked."""
    while leader[i] != i:
        leader[i] = leader[leader[i]]
        i = leader[i]
    return i


def to_sets(offsets: Offsets, flat: Members) -> tuple[Scope, ...]:
    """Sets as tuples of indices."""
    ends, everything = offsets.tolist(), flat.tolist()
    return tuple(tuple(everything[a:b]) for a, b in pairwise(ends))


def from_sets(sets: Iterable[Scope]) -> tuple[Offsets, Members]:
    """Sets one after the other, and where each begins."""
    listed = list(sets)
    offsets = np.zeros(len(listed) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in listed], out=offsets[1:])
    flat = np.fromiter((v for one in listed for v in one), dtype=np.uint32, count=int(offsets[-1]))
    return offsets, flat
