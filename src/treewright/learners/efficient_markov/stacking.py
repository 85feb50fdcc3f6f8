"""Weighing learned models against each other on rows that none of them has seen.

The weights of a mixture of fixed models that make validation rows likeliest are found by EM; the likelihood
is concave in them, so there is one best answer. A stack is never worse on these rows than its best member:
where the weights found should be, the best member stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.types import Floats

_STEPS = 5000
_ENOUGH = 1e-10  # nats a row: smaller gains end the search


@dataclass(frozen=True)
class Stack:
    """Members, by position among the candidates, with their weights and the score of the mixture."""

    members: tuple[int, ...]
    weights: tuple[float, ...]
    score: float


def stack(logs: Floats, row_weights: Floats, *, prior: float = 0.5, least: float = 0.005) -> Stack:
    """Find the weights of models from the log-likelihoods of validation rows.

    Parameters
    ----------
    logs
        One line per model, one column per row; minus infinity where a model gives a row no chance.
    row_weights
        How often each row counts.
    prior
        Pseudo-rows for each model, which keep weights from zero.
    least
        Models of a smaller weight are dropped, and the others weighed again.

    Examples
    --------
    >>> logs = np.log([[0.8, 0.8, 0.1], [0.1, 0.1, 0.9], [0.01, 0.01, 0.01]])
    >>> found = stack(logs, np.ones(3), prior=0.0)
    >>> found.members, [round(w, 3) for w in found.weights]
    ((0, 1), [0.702, 0.298])
    """
    every = tuple(range(len(logs)))
    weights = weigh(logs, row_weights, prior)
    kept = tuple(int(k) for k in np.flatnonzero(weights >= least)) or every
    stacks = [Stack((int(np.argmax(alone := singles(logs, row_weights))),), (1.0,), float(alone.max()))]
    stacks.append(weighed(logs, row_weights, kept, prior))
    return max(stacks, key=lambda one: (one.score, -len(one.members)))


def select(logs: Floats, row_weights: Floats, size: int, *, prior: float = 0.5) -> Stack:
    """Greedy forward selection: begin with the best model and add, one by one, what helps the stack most."""
    best = stack(logs[[first := int(np.argmax(singles(logs, row_weights)))]], row_weights)
    best = Stack((first,), (1.0,), best.score)
    while len(best.members) < min(size, len(logs)):
        others = [k for k in range(len(logs)) if k not in best.members]
        grown = [weighed(logs, row_weights, (*best.members, k), prior) for k in others]
        candidate = max(grown, key=lambda one: one.score)
        if candidate.score <= best.score:
            break
        best = candidate
    return best


def weighed(logs: Floats, row_weights: Floats, members: Sequence[int], prior: float) -> Stack:
    """The stack of some members, best weights first."""
    part = logs[list(members)]
    weights = weigh(part, row_weights, prior)
    return Stack(tuple(members), tuple(float(w) for w in weights), score_of(part, row_weights, weights))


def weigh(logs: Floats, row_weights: Floats, prior: float) -> Floats:
    """EM over the weights alone, to convergence."""
    chances = np.exp(logs - logs.max(axis=0))
    total = float(row_weights.sum())
    weights = np.full(len(logs), 1 / len(logs))
    reached = -np.inf
    for _ in range(_STEPS):
        mixed = (weights[:, None] * chances).sum(axis=0)
        score = float((row_weights * np.log(mixed)).sum() / total)
        if prior:
            score += prior * float(np.log(weights).sum()) / total  # what EM with a prior climbs
        if score - reached < _ENOUGH:
            break
        reached = score
        belongs = (weights[:, None] * (chances * (row_weights / mixed))).sum(axis=1)
        weights = (belongs + prior) / (total + prior * len(logs))
    return weights


def singles(logs: Floats, row_weights: Floats) -> Floats:
    """The score of every model alone."""
    scores: Floats = np.where(np.isneginf(logs).any(axis=1), -np.inf, 0.0)
    finite = np.isfinite(scores)
    scores[finite] = (logs[finite] * row_weights).sum(axis=1) / row_weights.sum()
    return scores


def score_of(logs: Floats, row_weights: Floats, weights: Floats) -> float:
    """Mean log-likelihood of the rows under the mixture."""
    top = logs.max(axis=0)
    mixed = (weights[:, None] * np.exp(logs - top)).sum(axis=0)
    return float((row_weights * (top + np.log(mixed))).sum() / row_weights.sum())
