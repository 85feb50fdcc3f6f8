"""Products of tables enumerated in fractions: whatever the numbers are, nothing is lost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from treewright.inference import Evidence, Factor


def masses(cardinalities: Sequence[int], factors: Sequence[Factor], evidence: Evidence) -> dict:
    """The mass of every joint state that agrees with the evidence, as far as it is not zero."""
    seen = dict(zip(evidence.observed, evidence.states, strict=True))
    weigh = dict(zip(evidence.weighted, evidence.likelihoods, strict=True))
    found = {}
    for states in product(*map(range, cardinalities)):
        if any(states[v] != state for v, state in seen.items()):
            continue
        cells = [float(factor.table[tuple(states[v] for v in factor.scope)]) for factor in factors]
        cells += [likelihood[states[v]] for v, likelihood in weigh.items()]
        if all(cells):
            found[states] = math.prod(map(Fraction, cells))
    return found


def margin(found: dict, scope: Sequence[int]) -> dict:
    """Shares of the joint states of some variables in the whole mass."""
    total, sums = sum(found.values()), {}
    for states, mass in found.items():
        key = tuple(states[v] for v in scope)
        sums[key] = sums.get(key, 0) + mass
    return {key: mass / total for key, mass in sums.items()}


def log_of(number: Fraction) -> float:
    """The logarithm of a fraction of any size."""
    shift = number.numerator.bit_length() - number.denominator.bit_length()
    return math.log(number / Fraction(2) ** shift) + shift * math.log(2)
