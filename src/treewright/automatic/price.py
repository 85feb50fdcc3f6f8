"""What exact answers of a network cost, and how narrow it has to be for them to be cheap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from treewright.errors import TableTooLarge
from treewright.graphs import Dag, JunctionTree, triangulate_strongly
from treewright.inference import Cost, GaussianCost
from treewright.limits import format_bytes, memory_limit
from treewright.models import fit
from treewright.statistics import Counter, MixedMoments, Moments

SECONDS = 1.0  # that one question may take
_CELLS_PER_SECOND = 10.0**8  # where nothing better is known


@dataclass(frozen=True)
class Price:
    """The width of a network (numbers before labels), with its proof, and what a question costs.

    There is no cost where no table fits.
    """

    certificate: JunctionTree
    cost: Cost | GaussianCost | None

    @property
    def width(self) -> int:
        return self.certificate.width

    def to_dict(self) -> dict[str, Any]:
        """What JSON can say of it."""
        return {"width": self.width, **({} if self.cost is None else vars(self.cost))}

    def __str__(self) -> str:
        answers = f"with treewidth {self.width} an exact answer takes"
        if self.cost is None:
            return f"{answers} more than the memory limit"
        verdict = ", above the memory limit" if self.cost.refused else ""
        time = f"about {self.cost.seconds:.2g} s" if self.cost.seconds >= 0.001 else "less than a millisecond"
        memory = f" and {format_bytes(self.cost.bytes)}" if self.cost.bytes else ""
        return f"{answers} {time}{memory}{verdict}"


def price_of(
    dag: Dag, source: Counter | Moments | MixedMoments, certificate: JunctionTree | None = None
) -> Price:
    """What questions would cost once the network is fitted."""
    proof = certificate or JunctionTree.of(triangulate_strongly(dag.moral_graph()))
    try:
        return Price(proof, fit(dag, source).cost())
    except TableTooLarge:  # a family alone
        return Price(proof, None)


def affordable(price: Price) -> bool:
    cost = price.cost
    return cost is not None and not cost.refused and cost.seconds <= SECONDS


def bound_for(price: Price, treewidth: int | None) -> int | None:
    """The treewidth that a search has to stay under; None where the network may stay as it is.

    Tables grow by the states of a variable for each step of width. If all variables of the largest table had
    equally many, so many of them would fit what is allowed.
    """
    limit = price.width if treewidth is None else treewidth
    if affordable(price):
        return limit if price.width > limit else None
    if price.cost is None or isinstance(price.cost, GaussianCost):
        return max(1, min(limit, price.width - 1))
    allowed = memory_limit() / 8
    if price.cost.seconds > SECONDS:
        rate = price.cost.largest_cells / price.cost.seconds if math.isfinite(price.cost.seconds) else 0.0
        allowed = min(allowed, (rate or _CELLS_PER_SECOND) * SECONDS)
    each = max(math.log(price.cost.largest_cells) / (price.cost.width + 1), math.log(2))
    return max(1, min(limit, price.width - 1, math.floor(math.log(allowed) / each) - 1))
