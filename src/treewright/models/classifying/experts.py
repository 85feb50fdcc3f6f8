"""The members that one table makes: each structure counted, smoothed and ready to be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treewright.graphs import Dag
from treewright.inference.batch import EvidenceColumns
from treewright.models.classifying.backoff import smoothed_network
from treewright.models.classifying.members import Member, NetworkMember
from treewright.models.classifying.pool import pooled
from treewright.models.classifying.reading import ColumnWords, in_words
from treewright.statistics import Counter
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Flags, Floats

if TYPE_CHECKING:
    from treewright.models.classifying.counts import PairCounts


def network_member(dag: Dag, counter: Counter, target: int, smoothing: float) -> NetworkMember:
    """A network whose tables fall back on the class last."""
    return NetworkMember.of(smoothed_network(dag, counter, smoothing, last=(target,)), target)


@dataclass(frozen=True)
class Panel:
    """Members over the same states, by name, and how they say the columns that are read.

    A lone member that is counts and nothing else keeps them in `counts`.
    """

    schema: Schema
    members: Mapping[str, Member]
    words: tuple[ColumnWords, ...]
    remark: str = ""
    counts: PairCounts | None = None

    @classmethod
    def of(
        cls, read: Schema, table: Table, members: Mapping[str, Member], *, gaps: bool, remark: str = ""
    ) -> Panel:
        """Members of a table, which was made of rows that had been `read`; `gaps` may be states of it."""
        pairs = zip(read, table.schema, strict=True)
        words = tuple(ColumnWords.of(one, ours, has_gaps=gaps) for one, ours in pairs)
        return cls(table.schema, members, words, remark)

    def only(self, names: Sequence[str]) -> Panel:
        """Some of the members."""
        return replace(self, members={name: self.members[name] for name in names})

    def log_posteriors(self, rows: EvidenceColumns, hidden: Sequence[Flags | None] = ()) -> list[Floats]:
        """What each member says about each row."""
        columns = in_words(self.words, self.schema, rows, hidden)
        return [member.log_posterior(columns) for member in self.members.values()]


def opinions_of(
    panels: Sequence[Panel], rows: EvidenceColumns, hidden: Sequence[Flags | None] = ()
) -> list[Floats]:
    """What the members of all panels say, blind to what is `hidden`."""
    return [one for panel in panels for one in panel.log_posteriors(rows, hidden)]


def decided(opinions: Sequence[Floats], weights: Floats | None) -> Floats:
    """One opinion: that of the only member, or the weighted product."""
    return opinions[0] if weights is None else pooled(opinions, np.asarray(weights))
