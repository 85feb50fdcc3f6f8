"""The rows behind a counter, for what cannot be said in contingency tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.errors import SettingError
from treewright.statistics.cached import CachedCounter
from treewright.statistics.sharded import ShardedCounter
from treewright.statistics.whole import WholeCounter

if TYPE_CHECKING:
    from treewright.tables.table import Table


def tables_behind(counter: Any, purpose: str) -> list[Table]:
    """The tables that a counter counts: one, or one per shard.

    Raises
    ------
    SettingError
        When the counter holds no rows, as one that counts in a database does.

    Examples
    --------
    >>> import treewright as tw
    >>> counter = tw.count(tw.read_table({"a": ["x", "y"]}))
    >>> cached = tw.statistics.CachedCounter(counter)
    >>> [table.n_rows for table in tables_behind(cached, "fitting a feature graph")]
    [2]
    """
    parts = parts_of(counter)
    if parts is None:
        raise SettingError(
            f"{purpose} needs rows, and a {type(counter).__name__} only counts; read them with read_table "
            "and pass count(table)"
        )
    return [part.table for part in parts]


def parts_of(counter: Any) -> list[WholeCounter] | None:
    """The counters of tables in memory that a counter is made of; None where it has no rows to show."""
    if isinstance(counter, WholeCounter):
        return [counter]
    if isinstance(counter, CachedCounter):
        return parts_of(counter.counter)
    if not isinstance(counter, ShardedCounter):
        return None
    shards = [parts_of(shard) for shard in counter.counters]
    return None if None in shards else [part for shard in shards for part in shard or ()]
