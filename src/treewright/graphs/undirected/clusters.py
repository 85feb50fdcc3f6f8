"""A map of the domain: groups of variables that belong together.

Star discovery gives disjoint *stars*, expansion makes them overlap (Zeng & Hernandez 2008). What several
clusters share holds them together: clusters that are joined by shared variables, directly or through others,
form a *region*, and regions are parts of the domain that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.arguments import SCHEMA, require
from treewright.errors import GraphError, SchemaError
from treewright.graphs._bits import find_leader
from treewright.graphs.directed.dag import Dag
from treewright.graphs.edges import GivenPairs
from treewright.once import cached_property
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Brief, Names, Scope

Pairs = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Star(Brief):
    """A cluster before expansion: a variable of the dependency tree with those next to it, as indices."""

    centre: int
    members: Scope


@dataclass(frozen=True)
class Bridge:
    """A variable that was added to a cluster only to reach it from there.

    `anchor` is the member on whose account it was added, `weight` the dependence between the two, in nats.
    """

    anchor: str
    variable: str
    weight: float


@dataclass(frozen=True, init=False, repr=False)
class Clusters:
    """Overlapping clusters of the variables of a schema, each grown from a star.

    Parameters
    ----------
    stars
        Disjoint, together all variables.
    expanded
        For each star its cluster, which holds the star. Clusters inside another one are left out.
    bridges
        Variables that were added to join regions.

    Attributes
    ----------
    star_scopes, cluster_scopes
        Stars and clusters as indices, members in the order of their names.
    grown_from
        For each cluster the position of its star.

    Examples
    --------
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name) for name in "abcde"])
    >>> stars = [Star(0, (0, 1)), Star(3, (2, 3)), Star(4, (4,))]
    >>> clusters = Clusters(schema, stars, [(0, 1, 2), (2, 3), (4,)])
    >>> clusters.centres, clusters.disjoint
    (('a', 'd', 'e'), (('a', 'b'), ('c', 'd'), ('e',)))
    >>> clusters.overlapping, clusters.overlaps, clusters.regions
    ((('a', 'b', 'c'), ('c', 'd'), ('e',)), ('c',), (('a', 'b', 'c', 'd'), ('e',)))
    >>> clusters.share("a", "c"), clusters.share("a", "d")
    (True, False)
    """

    schema: Schema
    stars: tuple[Star, ...]
    star_scopes: tuple[Scope, ...]
    cluster_scopes: tuple[Scope, ...]
    grown_from: tuple[int, ...]
    bridges: tuple[Bridge, ...]

    def __init__(
        self,
        schema: Schema,
        stars: Iterable[Star],
        expanded: Iterable[Iterable[NameOrIndex]],
        bridges: Iterable[Bridge] = (),
    ) -> None:
        require("Clusters", SCHEMA, schema)
        found = tuple(stars)
        disjoint = tuple(schema.by_name(star.members) for star in found)
        grown = tuple(schema.by_name(schema.scope(one)) for one in expanded)
        _check(schema, found, disjoint, grown)
        kept = _largest(grown, len(schema))
        values = schema, found, disjoint, tuple(grown[i] for i in kept), kept, tuple(bridges)
        for field, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, field.name, value)

    def __len__(self) -> int:
        return len(self.cluster_scopes)

    def __repr__(self) -> str:
        n = len(self.schema)
        return f"Clusters({n} variables, {len(self.stars)} stars, {len(self)} clusters)"

    @property
    def centres(self) -> Names:
        """The centre of each star."""
        return self.schema.names_of(star.centre for star in self.stars)

    @property
    def disjoint(self) -> tuple[Names, ...]:
        """The stars: every variable lies in one of them."""
        return tuple(map(self.schema.names_of, self.star_scopes))

    @property
    def overlapping(self) -> tuple[Names, ...]:
        """The clusters after expansion, none inside another."""
        return tuple(map(self.schema.names_of, self.cluster_scopes))

    @cached_property
    def overlaps(self) -> Names:
        """The variables that lie in more than one cluster, by name."""
        times = np.bincount([v for scope in self.cluster_scopes for v in scope], minlength=len(self.schema))
        return tuple(sorted(self.schema.names_of(np.flatnonzero(times > 1).tolist())))

    @cached_property
    def region_of(self) -> tuple[int, ...]:
        """For each cluster the number of its region; regions are numbered as their first clusters come."""
        number: dict[int, int] = {}
        return tuple(
            number.setdefault(leader, len(number))
            for leader in join_sets(self.cluster_scopes, len(self.schema))
        )

    @cached_property
    def regions(self) -> tuple[Names, ...]:
        """The variables of each region, by name: no cluster reaches from one into another."""
        members: list[set[int]] = [set() for _ in range(max(self.region_of, default=-1) + 1)]
        for region, scope in zip(self.region_of, self.cluster_scopes, strict=True):
            members[region].update(scope)
        return tuple(tuple(sorted(self.schema.names_of(part))) for part in members)

    def star_of(self, variable: NameOrIndex) -> int:
        """The position of the star that holds a variable."""
        return self._star_of[self.schema.index(variable)]

    @cached_property
    def _star_of(self) -> dict[int, int]:
        return {v: i for i, scope in enumerate(self.star_scopes) for v in scope}

    def clusters_of(self, variable: NameOrIndex) -> tuple[int, ...]:
        """The positions of the clusters that hold a variable."""
        v = self.schema.index(variable)
        return tuple(i for i, scope in enumerate(self.cluster_scopes) if v in scope)

    @cached_property
    def pairs(self) -> Pairs:
        """Which pairs share a cluster: a symmetric matrix in the order of the schema."""
        n = len(self.schema)
        pairs = np.zeros((n, n), dtype=np.bool_)
        for scope in self.cluster_scopes:
            pairs[np.ix_(scope, scope)] = True
        np.fill_diagonal(pairs, False)
        pairs.flags.writeable = False
        return pairs

    def share(self, u: NameOrIndex, v: NameOrIndex) -> bool:
        """Whether two variables lie in a common cluster."""
        return bool(self.pairs[self.schema.index(u), self.schema.index(v)])

    def covered(self, edges: Iterable[tuple[NameOrIndex, NameOrIndex]]) -> float:
        """The share of some edges whose ends share a cluster; 1 when there are none."""
        inside = [self.share(u, v) for u, v in edges]
        return sum(inside) / len(inside) if inside else 1.0

    @classmethod
    def from_dict(cls, schema: Schema, told: Mapping[str, Any]) -> Clusters:
        """The clusters of a schema that :meth:`to_dict` has told of."""
        stars = [
            Star(schema.index(centre), schema.scope(members))
            for centre, members in zip(told["centres"], told["disjoint"], strict=True)
        ]
        grown = dict(zip(told["grown_from"], told["overlapping"], strict=True))
        expanded = [grown.get(i, star.members) for i, star in enumerate(stars)]
        return cls(schema, stars, expanded, [Bridge(*bridge) for bridge in told["bridges"]])

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON; `grown_from` holds positions in `centres`."""
        flat = {key: list(getattr(self, key)) for key in ("centres", "grown_from", "overlaps")}
        deep = {key: list(map(list, getattr(self, key))) for key in ("disjoint", "overlapping", "regions")}
        return flat | deep | {"bridges": [[b.anchor, b.variable, b.weight] for b in self.bridges]}


def join_sets(scopes: Iterable[Sequence[int]], n: int) -> list[int]:
    """For each set the first one that it is joined to, directly or through others, by common members."""
    leader: list[int] = []
    first_with = [-1] * n
    for i, scope in enumerate(scopes):
        leader.append(i)
        for v in scope:
            if first_with[v] < 0:
                first_with[v] = i
            a, b = sorted((find_leader(leader, i), find_leader(leader, first_with[v])))
            leader[b] = a
    return [find_leader(leader, i) for i in range(len(leader))]


def _largest(grown: tuple[Scope, ...], n: int) -> tuple[int, ...]:
    """Positions of the sets that lie in no other; of equal ones the first."""
    sets = [frozenset(scope) for scope in grown]
    holding: list[list[int]] = [[] for _ in range(n)]
    for i, scope in enumerate(grown):
        for v in scope:
            holding[v].append(i)

    def is_inside(i: int) -> bool:
        rarest = min(grown[i], key=lambda v: len(holding[v]))
        others = (j for j in holding[rarest] if j != i and sets[i] <= sets[j])
        return any(len(sets[j]) > len(sets[i]) or j < i for j in others)

    return tuple(i for i in range(len(grown)) if not is_inside(i))


def _check(
    schema: Schema, stars: tuple[Star, ...], disjoint: tuple[Scope, ...], grown: tuple[Scope, ...]
) -> None:
    if len(grown) != len(stars):
        raise GraphError(f"each star grows into one cluster; found {len(stars)} stars, {len(grown)} clusters")
    times = np.bincount([v for scope in disjoint for v in scope], minlength=len(schema))
    for v in schema.name_order:
        if times[v] != 1:
            raise GraphError(f"every variable lies in one star; {schema.names[v]!r} lies in {times[v]}")
    for star, core, cluster in zip(stars, disjoint, grown, strict=True):
        if star.centre not in core:
            raise GraphError(f"a star holds its centre; {schema.names[star.centre]!r} is not in its star")
        if not set(core) <= set(cluster):
            lost = schema.names_of(v for v in core if v not in cluster)
            raise GraphError(
                f"a cluster holds the star it grows from; the cluster of {schema.names[star.centre]!r} lacks "
                + ", ".join(map(repr, lost))
            )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class ClusteredDag(Dag):
    """A directed acyclic graph with a map of its variables, which pictures show as coloured groups.

    It equals every graph of the same arcs: clusters are no part of what a network says.

    Examples
    --------
    >>> from treewright.graphs.undirected.clusters import Star
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> clusters = Clusters(schema, [Star(0, (0, 1)), Star(2, (2,))], [(0, 1), (1, 2)])
    >>> dag = ClusteredDag(schema, [("a", "b"), ("a", "c")], clusters)
    >>> dag.clusters.overlapping, dag.clusters.covered(dag.edges())
    ((('a', 'b'), ('b', 'c')), 0.5)
    """

    clusters: Clusters

    def __init__(self, schema: Schema, arcs: GivenPairs, clusters: Clusters) -> None:
        super().__init__(schema, arcs)
        if set(clusters.schema.names) != set(schema.names):
            odd = sorted(set(clusters.schema.names) ^ set(schema.names))[0]
            raise SchemaError(f"clusters are about the variables of their graph; {odd!r} is in one only")
        object.__setattr__(self, "clusters", clusters)

    def __reduce__(self) -> tuple[Any, ...]:
        return ClusteredDag, (self.schema, self._arcs, self.clusters), {"pattern": self.pattern}
