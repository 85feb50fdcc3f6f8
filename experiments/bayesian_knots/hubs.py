"""Generated networks around a hub of 60 to 100 states.

Forty variables of two to four states, three in four of them effects of the hub, and up to two earlier ones as
further parents. Effects see the hub through eight groups of states that all of them share (`shared`), through
three to eight groups of their own (`own`), or distinguish every state (`free`). In `noise` the hub has no
effect at all: whoever joins it with anything is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import treewright as tw

KINDS = ("shared", "own", "free", "noise")
_SHARED = 8
_CONCENTRATION = 0.5

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Effect:
    """A variable, its parents (0 is the hub), the groups in which it sees the hub, and its table."""

    parents: tuple[int, ...]
    groups: Codes
    rows: npt.NDArray[np.float64]

    def draw(self, columns: list[Codes], sizes: list[int], rng: np.random.Generator) -> Codes:
        row = np.zeros(len(columns[0]), dtype=np.intp)
        for p in self.parents:
            if p == 0:
                row = row * (self.groups.max() + 1) + self.groups[columns[0]]
            else:
                row = row * sizes[p] + columns[p]
        below = self.rows.cumsum(axis=1)[row][:, :-1]
        drawn: Codes = (rng.random(len(row))[:, None] > below).sum(axis=1)
        return drawn


@dataclass(frozen=True)
class HubNetwork:
    """A hub with its effects."""

    schema: tw.Schema
    dag: tw.Dag
    weights: npt.NDArray[np.float64]
    effects: tuple[Effect, ...]

    def sample(self, n_rows: int, rng: np.random.Generator) -> tw.Table:
        sizes = list(self.schema.cardinalities)
        columns: list[Codes] = [rng.choice(sizes[0], size=n_rows, p=self.weights)]
        for effect in self.effects:
            columns.append(effect.draw(columns, sizes, rng))
        return tw.Table(self.schema, columns)


def hub_network(kind: str, seed: int, n_effects: int = 40) -> HubNetwork:
    """One network of a kind."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    states = int(rng.integers(60, 101))
    sizes = [states, *(int(r) for r in rng.integers(2, 5, size=n_effects))]
    names = ["hub", *(f"x{i:02d}" for i in range(1, n_effects + 1))]
    schema = tw.Schema(tw.Variable(name, tuple(range(r))) for name, r in zip(names, sizes, strict=True))
    shared = rng.integers(_SHARED, size=states)
    effects = tuple(_effect(kind, v, sizes, shared, rng) for v in range(1, n_effects + 1))
    arcs = [(p, v) for v, effect in enumerate(effects, start=1) for p in effect.parents]
    return HubNetwork(schema, tw.Dag(schema, arcs), rng.dirichlet(np.ones(states)), effects)


def _effect(kind: str, v: int, sizes: list[int], shared: Codes, rng: np.random.Generator) -> Effect:
    of_hub = kind != "noise" and rng.random() < 0.75
    n_earlier = min(int(rng.integers(3)), v - 1)
    earlier = rng.choice(np.arange(1, v), size=n_earlier, replace=False) if n_earlier else np.arange(0)
    parents = (*((0,) if of_hub else ()), *(int(p) for p in earlier))
    groups = shared
    if kind == "own":
        groups = rng.integers(int(rng.integers(3, 9)), size=sizes[0])
    elif kind == "free":
        groups = np.arange(sizes[0])
    n_rows = int(np.prod([groups.max() + 1 if p == 0 else sizes[p] for p in parents]))
    return Effect(parents, groups, rng.dirichlet(np.full(sizes[v], _CONCENTRATION), size=n_rows))
