"""Which unshielded triples are v-structures, judged from separators.

Where u - w - v with u and v apart, w is a collider exactly when the sets that separate u from v leave it out.
With exact answers all separators agree; with data they may not, and a rule decides. Every rule returns its
claims strongest first, ties by name, so that `orient_consistently` can let the stronger win.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from treewright.graphs import Collider, find_colliders
from treewright.learners.independence.skeleton import Separators, Skeleton
from treewright.statistics.families import Query
from treewright.types import Floats

ColliderRule = Literal["contest", "majority", "conservative", "first"]


@dataclass(frozen=True)
class Evidence:
    """The unshielded triples, and the separators of their ends with and without the middle.

    `n_...` says how many there are, `p_...` gives the largest p-value among them, 0 where there is none.
    """

    triples: list[Collider]
    n_with: npt.NDArray[np.int64]
    n_without: npt.NDArray[np.int64]
    p_with: npt.NDArray[np.float64]
    p_without: npt.NDArray[np.float64]
    n_tests: int


@dataclass(frozen=True)
class Claims:
    """Colliders, strongest first; triples that a rule leaves open; tests that were asked to find out."""

    colliders: list[Collider]
    ambiguous: list[Collider]
    n_tests: int


def claim_colliders(skeleton: Skeleton, rule: ColliderRule, depth: int | None) -> Claims:
    """Judge every unshielded triple by a rule."""
    return first_separator(skeleton) if rule == "first" else RULES[rule](weigh(skeleton, depth))


def weigh(skeleton: Skeleton, depth: int | None) -> Evidence:
    """Ask for every set of size up to `depth` around the ends of every triple whether it separates them."""
    return Evidence(*skeleton.search.weigh_triples(depth, skeleton.answers))


def contest(evidence: Evidence) -> Claims:
    """A collider if the best separator without the middle beats the best one with it."""
    lead = evidence.p_without - evidence.p_with
    return _claims(evidence, lead > 0, lead)


def majority(evidence: Evidence) -> Claims:
    """A collider if most separators leave the middle out; ambiguous when half of them do."""
    collider = evidence.n_without > evidence.n_with
    tied = (evidence.n_without == evidence.n_with) & (evidence.n_with > 0)
    return _claims(evidence, collider, evidence.p_without, tied)


def conservative(evidence: Evidence) -> Claims:
    """A collider if all separators leave the middle out; ambiguous when only some do."""
    collider = (evidence.n_without > 0) & (evidence.n_with == 0)
    mixed = (evidence.n_without > 0) & (evidence.n_with > 0)
    return _claims(evidence, collider, evidence.p_without, mixed)


def first_separator(skeleton: Skeleton) -> Claims:
    """A collider if the set that took the edge away leaves the middle out; ranked by the p-value of that."""
    colliders = find_colliders(skeleton.graph, skeleton.separators)  # by name
    ranked, n_tests = clearest_first(colliders, skeleton.separators, skeleton.answers.separation)
    return Claims(ranked, [], n_tests)


def clearest_first(
    colliders: list[Collider], separators: Separators, clarity: Callable[[list[Query]], Floats]
) -> tuple[list[Collider], int]:
    """Colliders by how clearly their ends were separated, those of equal clarity as they come."""
    pairs = list(dict.fromkeys((u, v) for u, _, v in colliders))
    found = clarity([(u, v, separators[u, v]) for u, v in pairs])
    rank = dict(zip(pairs, found.tolist(), strict=True))
    return sorted(colliders, key=lambda collider: -rank[collider[0], collider[2]]), len(pairs)


RULES: dict[str, Callable[[Evidence], Claims]] = {
    "contest": contest,
    "majority": majority,
    "conservative": conservative,
}


def _claims(
    evidence: Evidence,
    collider: npt.NDArray[np.bool_],
    strength: npt.NDArray[np.float64],
    ambiguous: npt.NDArray[np.bool_] | None = None,
) -> Claims:
    order = np.argsort(-strength, kind="stable")  # triples come by name, and stay so among equals
    claimed = [evidence.triples[i] for i in order[collider[order]].tolist()]
    left_open = [] if ambiguous is None else [evidence.triples[i] for i in np.flatnonzero(ambiguous).tolist()]
    return Claims(claimed, left_open, evidence.n_tests)
