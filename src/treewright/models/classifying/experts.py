"""The members that one table makes: each structure counted, smoothed and ready to be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.graphs import Dag
from treewright.models.classifying.backoff import smoothed_network
from treewright.models.classifying.members import Member, NetworkMember
from treewright.models.classifying.pool import pooled
from treewright.models.model import Unseen, align_evidence, as_evidence
from treewright.statistics import Counter
from treewright.tables.schema import Schema
from treewright.types import Floats


def network_member(dag: Dag, counter: Counter, target: int, smoothing: float) -> NetworkMember:
    """A network whose tables fall back on the class last."""
    return NetworkMember.of(smoothed_network(dag, counter, smoothing, last=(target,)), target)


@dataclass(frozen=True)
class Panel:
    """Members over the same states, by name."""

    schema: Schema
    target: int
    members: Mapping[str, Member]
    remark: str = ""

    def only(self, names: Sequence[str]) -> Panel:
        """Some of the members."""
        return replace(self, members={name: self.members[name] for name in names})

    def log_posteriors(self, rows: Any, unseen: Unseen = "ignore") -> list[Floats]:
        """What each member says about each row."""
        table = as_evidence(self.schema, rows, self.target, unseen)
        columns = align_evidence(self.schema, table)
        return [member.log_posterior(columns) for member in self.members.values()]


def opinions_of(panels: Sequence[Panel], rows: Any, unseen: Unseen = "ignore") -> list[Floats]:
    """What the members of all panels say."""
    return [one for panel in panels for one in panel.log_posteriors(rows, unseen)]


def decided(opinions: Sequence[Floats], weights: Floats | None) -> Floats:
    """One opinion: that of the only member, or the weighted product."""
    return opinions[0] if weights is None else pooled(opinions, np.asarray(weights))
