"""What an answer about acting says: numbers, the set adjusted for, and what has to be assumed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.models.answers import Distribution
from treewright.models.labelled import LabelledTable
from treewright.ranges import in_range
from treewright.tables.schema import Label

Names = tuple[str, ...]


def assumptions_about(treatment: str) -> Names:
    """What has to hold before an effect in a network is one in the world."""
    return (
        "every arc is a cause",
        "nothing outside the network is a cause of two of its variables",
        f"setting {treatment} changes nothing but {treatment} and what follows from it",
    )


class Told:
    """What every effect says beside its numbers."""

    treatment: str
    outcome: str
    adjusted_for: Names | None
    front_door: Names | None
    by_surgery: bool

    @property
    def assumptions(self) -> Names:
        """What has to hold, in sentences that begin with *if*."""
        return assumptions_about(self.treatment)

    def numbers(self) -> list[str]:
        """Its numbers, as lines of text."""
        raise NotImplementedError

    def __repr__(self) -> str:
        head = f"{self.outcome} given do({self.treatment})"
        return "\n".join([head, *self.numbers(), *self._told()])

    def _told(self) -> list[str]:
        how = f"no effect: {self.outcome} is a cause of {self.treatment}"
        if self.adjusted_for is not None:
            how = f"adjusted for {{{', '.join(self.adjusted_for)}}}"
        elif self.front_door == ():
            how = f"no effect: nothing leads from {self.treatment} to {self.outcome}"
        elif self.front_door is not None:
            how = f"by the front door {{{', '.join(self.front_door)}}}"
        elif self.by_surgery:
            how = "by surgery: in each set to adjust for some states never meet"
        return [f"  {how}", *(f"  if {one}" for one in self.assumptions)]


@dataclass(frozen=True, repr=False)
class Effect(Told):
    """The distribution of an outcome for each state that a treatment is set to, if the arcs are causes.

    Attributes
    ----------
    table
        A row for each state of the treatment, a column for each state of the outcome. NaN where the rows of
        an adjustment never show that state together with a state of the set that occurs.
    adjusted_for
        The back-door set that the numbers come from; None where they come from elsewhere, and where there is
        no effect because the outcome is a cause of the treatment.
    front_door
        The front-door set that they come from instead.
    by_surgery
        Whether no set told it, so that the network was asked once the treatment had been set.
    """

    treatment: str
    outcome: str
    table: LabelledTable
    adjusted_for: Names | None
    front_door: Names | None = None
    by_surgery: bool = False

    def __getitem__(self, state: Label) -> Distribution:
        """The outcome once the treatment is set to a state."""
        x, y = self.table.variables
        return Distribution([y], np.asarray(self.table)[x.code(state)])

    def change(self, state: Label, *, to: Label, since: Label) -> float:
        """How much P(outcome = state) grows when the treatment is set `to` one state rather than another."""
        return self[to][state] - self[since][state]

    def numbers(self) -> list[str]:
        return repr(self.table).splitlines()[1:]


@dataclass(frozen=True, repr=False)
class LinearEffect(Told):
    """How much the mean of an outcome moves for each unit that a treatment is set higher, if arcs are causes.

    Attributes
    ----------
    slope, intercept
        The mean of the outcome is ``intercept + slope * value`` once the treatment is set to a value.
    adjusted_for
        The back-door set that the numbers come from; None where they come from elsewhere, and where there is
        no effect because the outcome is a cause of the treatment.
    front_door
        The front-door set that they come from instead.
    by_surgery
        Whether no set told it, so that the network was asked once the treatment had been set.
    """

    treatment: str
    outcome: str
    slope: float
    intercept: float
    adjusted_for: Names | None
    front_door: Names | None = None
    by_surgery: bool = False

    @in_range
    def mean(self, value: float) -> float:
        """The mean of the outcome once the treatment is set to a value."""
        return self.intercept + self.slope * value

    def numbers(self) -> list[str]:
        return [f"  mean {self.intercept:.6g} {self.slope:+.6g} for each unit of {self.treatment}"]
