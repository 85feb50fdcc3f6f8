"""The tables that were counted for a counter, shared by every score, test and search that asks it.

A counter may be rows in memory, a file, a database or a cluster. Where it is slow to ask, what decides is how
often it is asked. A memory in the core looks up what is known, adds small tables up from larger ones and asks
for the rest in one call. It lives as long as its counter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from numbers import Integral
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from treewright import _core
from treewright.errors import WeightError
from treewright.limits import memory_limit
from treewright.statistics.counter import Counter, SparseCounts
from treewright.types import Scope

_SHARE = 8  # of the memory limit, for the tables of one counter
# From so many rows on tables that are planned and remembered are cheaper than counting for each question.
ROWS_TO_REMEMBER = 1 << 20
_MEMORIES: WeakKeyDictionary[Any, _core.TableMemory] = WeakKeyDictionary()


def memory_of(counter: Counter) -> _core.TableMemory | None:
    """The memory of a counter; None where tables cannot be added up from each other.

    That is so for real weights, whose sums depend on their order, and for several tables with other columns.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": [0, 1], "b": [1, 1]}))
    >>> memory_of(counter) is memory_of(counter)
    True
    """
    if not isinstance(counter.n_rows, Integral) or hasattr(counter, "covers"):
        return None
    found: _core.TableMemory | None = getattr(counter, "_table_memory", None)  # of one that remembers itself
    with suppress(TypeError):  # one that cannot be a key shares its memory with nobody
        found = found or _MEMORIES.get(counter)
    if found is None:
        found = new_memory(counter, memory_limit() // _SHARE)
        with suppress(TypeError):
            _MEMORIES[counter] = found
    return found


def tally_of(sources: Sequence[object]) -> tuple[int, int, int]:
    """Questions that reached the sources, tables asked of them, passes over rows; of those that remember."""
    found: dict[int, _core.TableMemory] = {}
    for source in sources:
        with suppress(TypeError):
            memory = getattr(source, "_table_memory", None) or _MEMORIES.get(source)
            if memory is not None:
                found[id(memory)] = memory
    tallies = [memory.tally for memory in found.values()]
    rounds, tables, passes = (sum(one[i] for one in tallies) for i in range(3))
    return rounds, tables, passes


def new_memory(counter: Counter, max_bytes: int) -> _core.TableMemory:
    packed = getattr(counter, "packed", None)
    if isinstance(packed, _core.PackedTable):
        return _core.TableMemory.of_rows(packed, max_bytes)
    cardinalities = counter.schema.cardinalities
    return _core.TableMemory.of_calls(*_called(counter), cardinalities, int(counter.n_rows), max_bytes)


def _called(counter: Counter) -> tuple[Callable[..., Any], Callable[..., Any]]:
    held: Counter | None = None
    weak = None
    try:  # a memory lives as long as its counter, which it must not hold
        weak = ref(counter)
    except TypeError:
        held = counter

    def alive() -> Counter:
        found = held if weak is None else weak()
        assert found is not None
        return found

    def count(scopes: list[Scope]) -> list[Any]:
        return [_whole(table).reshape(-1) for table in alive().counts_many(scopes)]

    def count_sparse(scopes: list[Scope]) -> list[tuple[Any, Any]]:
        found = sparse_counts_many(alive(), scopes)
        return [(np.ascontiguousarray(one.codes, dtype=np.int64), _whole(one.counts)) for one in found]

    return count, count_sparse


def _whole(table: Any) -> Any:
    if table.dtype.kind not in "biu":
        raise WeightError("a counter of a whole number of rows gave real counts")
    return np.ascontiguousarray(table, dtype=np.int64)


def sparse_counts_many(counter: Counter, scopes: Sequence[Scope]) -> list[SparseCounts]:
    """Occupied cells of many scopes: in one call where the counter knows the plural."""
    plural = getattr(counter, "sparse_counts_many", None)
    if plural is not None:
        found: list[SparseCounts] = plural(scopes)
        return found
    return [counter.sparse_counts(scope) for scope in scopes]
