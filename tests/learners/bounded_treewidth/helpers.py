"""What the tests of bounded treewidth share: a score that is a table of gains, small networks, tables."""

from __future__ import annotations

import numpy as np
from tests.reference.graphs.undirected import plain_schema

from treewright import Table, _core
from treewright.criteria.scores.native_scores import native_scores
from treewright.criteria.scores.score import PluralScore, as_families
from treewright.tables import Schema, Variable


class Gains(PluralScore):
    """The sum of what each parent adds, by a matrix [parent, child]."""

    is_score_equivalent = True
    resolution = 2.0**-30

    def __init__(self, gains):
        self.gains = np.asarray(gains, dtype=float)
        self._schema = plain_schema(len(self.gains))

    @property
    def schema(self):
        return self._schema

    def local_many(self, families):
        known = as_families(self.schema, families)
        return np.array([self.gains[list(parents), child].sum() for child, parents in known])


def gains_of(n, given):
    """Gains of single arcs; all others lose."""
    gains = np.full((n, n), -1.0)
    for (s, t), gain in given.items():
        gains[s, t] = gain
    return gains


def network_of(arcs, cover=None, n=None, gains=None, block_wise=True):
    """A native network; the cover of a forest is its skeleton."""
    arcs = np.array(list(arcs), dtype=np.uint32).reshape(-1, 2)
    cover = arcs if cover is None else np.array(list(cover), dtype=np.uint32)
    n = int(max(arcs.max(), cover.max())) + 1 if n is None else n
    scores = native_scores(Gains(np.ones((n, n)) if gains is None else gains))
    none = np.zeros((0, 0), dtype=np.uint64)
    return _core.BoundedNetwork(scores, arcs, _core.graph_rows(n, cover), block_wise, 0, none)


def families(text):
    """Arcs from "1<-0; 2<-0,1"."""
    pairs = (one.strip().split("<-") for one in text.split(";"))
    return [(int(parent), int(child)) for child, parents in pairs for parent in parents.split(",")]


def pairs(text):
    """Edges from "02 03 6-10"."""
    return [
        tuple(map(int, one.split("-"))) if "-" in one else (int(one[0]), int(one[1])) for one in text.split()
    ]


def as_set(array):
    return {(u, v) for u, v in array.tolist()}


def cover_edges(network):
    return as_set(_core.graph_edges(network.cover()))


def dependent_table(seed, n, n_rows, cardinalities=(2, 3), names=None):
    """Columns that copy earlier ones now and then; names are not in column order."""
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(n):
        r = int(rng.choice(cardinalities))
        codes = rng.integers(0, r, n_rows)
        for source in rng.permutation(len(columns))[:3]:
            codes = np.where(rng.random(n_rows) < 0.35, columns[source] % r, codes)
        columns.append(codes)
    names = rng.permutation(n) if names is None else names
    schema = Schema(
        Variable(f"v{name:02d}", tuple(range(int(c.max()) + 1)))
        for name, c in zip(names, columns, strict=True)
    )
    return Table(schema, [c.astype(np.uint8) for c in columns])
