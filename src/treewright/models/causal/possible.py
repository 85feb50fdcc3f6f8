"""Every effect that a member of a learned class gives (IDA, Maathuis, Kalisch & Bühlmann 2009).

Rows cannot tell the members of a class apart: each has the same distribution, and another story of who causes
whom. What a member says about setting x depends on the parents of x in it alone: adjust for them. So the
possible parents of x give all possible effects, without a look at the rest of each member.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import numpy as np

from treewright.errors import SchemaError
from treewright.graphs.directed.cpdag import Cpdag
from treewright.graphs.directed.members import find_possible_parents
from treewright.graphs.directed.pdag import Pdag
from treewright.models.causal.effects import adjusted, check_ends
from treewright.models.causal.told import Effect, LinearEffect, Told, assumptions_about
from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.tables.schema import Label
from treewright.types import Brief

Found = TypeVar("Found", bound=Told)
_SHOWN = 8


@dataclass(frozen=True)
class PossibleEffect(Brief, Generic[Found]):
    """One possible effect: the parents of the treatment, the members that have them, and what they say.

    `members` is None where counting them would take long.
    """

    parents: tuple[str, ...]
    members: int | None
    effect: Found


@dataclass(frozen=True, repr=False)
class PossibleEffects(Generic[Found]):
    """The effects of a treatment in all members of a class, one for each set of parents that it may have.

    By the size of the set, then by its names; `found[0].effect` is one of them.
    """

    treatment: str
    outcome: str
    items: tuple[PossibleEffect[Found], ...]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[PossibleEffect[Found]]:
        return iter(self.items)

    def __getitem__(self, which: int) -> PossibleEffect[Found]:
        return self.items[which]

    @property
    def members(self) -> int | None:
        """The members of the class; None where counting them would take long."""
        counts = [one.members for one in self.items]
        return None if None in counts else sum(cast("list[int]", counts))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What has to hold, in sentences that begin with *if*."""
        return (
            "one member of the class is the truth: the rows sufficed, and show no independence by accident",
            *assumptions_about(self.treatment),
        )

    def bounds(
        self, state: Label | None = None, *, to: Label | None = None, since: Label | None = None
    ) -> tuple[float, float]:
        """The least and the greatest effect over the members.

        Of tables the change of P(outcome = state) when the treatment is set `to` one state rather than
        `since` another; of lines the slope, and nothing is named.
        """
        found = np.array([_number(one.effect, state, to, since) for one in self.items])
        return float(found.min()), float(found.max())  # NaN where one of them is

    def __repr__(self) -> str:
        n, more = self.members, len(self.items) - _SHOWN
        many = "many" if n is None else f"{n:,}"
        lines = [f"{self.outcome} given do({self.treatment}), in {many} member{'s' * (n != 1)} of the class"]
        for one in self.items[:_SHOWN]:
            where = "many" if one.members is None else f"{one.members:,}"
            lines.append(f"  parents {{{', '.join(one.parents)}}}, in {where}:")
            shown = repr(one.effect).splitlines()[1:]
            lines += [
                f"  {line}" for line in shown if not line.startswith(("  if", "  adjusted", "  nothing"))
            ]
        lines += [f"  and {more:,} more sets of parents"] if more > 0 else []
        return "\n".join([*lines, *(f"  if {one}" for one in self.assumptions)])


def _number(effect: Told, state: Label | None, to: Label | None, since: Label | None) -> float:
    if isinstance(effect, LinearEffect):
        return effect.slope
    if state is None or to is None or since is None:
        raise SchemaError(
            "the bounds of an effect are asked for by a state of the outcome and two of the treatment, as in "
            "bounds('yes', to='yes', since='no')"
        )
    return cast("Effect", effect).change(state, to=to, since=since)


def possible_effects(
    model: BayesianNetwork | GaussianNetwork, treatment: str, outcome: str, pattern: Pdag | None
) -> PossibleEffects[Any]:
    """Effects over a class, see `model.effects`."""
    check_ends(model, treatment, outcome)
    known = model.dag.with_pattern(pattern).pattern if pattern is not None else model.pattern
    graph = Cpdag.of(model.dag) if known is None else known
    found = find_possible_parents(graph, treatment)
    items = [
        PossibleEffect(parents, members, adjusted(model, treatment, outcome, parents))
        for parents, members in found.items()
    ]
    return PossibleEffects(treatment, outcome, tuple(items))
