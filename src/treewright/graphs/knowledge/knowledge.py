"""What is known before learning: arcs that must or must not be there.

:class:`Knowledge` is written down by names and belongs to no table; :meth:`Knowledge.on` binds it to the
variables of one. All that could contradict itself does so there, before anything is learned, and the message
names the arcs. What is left is two matrices: the arcs that are allowed and those that are required. The
required arcs are acyclic and allowed, hence a graph that obeys the knowledge always exists.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.arguments import SCHEMA, STRUCTURE, require
from treewright.errors import KnowledgeError
from treewright.graphs.directed.cpdag import Cpdag
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.orientation import add_directions
from treewright.graphs.directed.pdag import Pdag, as_pdag
from treewright.graphs.edges import NamedArc, listed
from treewright.graphs.knowledge.files import read_knowledge, refuse_what_is_none, write_knowledge
from treewright.graphs.knowledge.rules import allowed_and_required, arc_matrix
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.once import cached_property
from treewright.tables.schema import Schema, repeated
from treewright.types import Arc, Brief, Matrix

DagT = TypeVar("DagT", bound=Dag)


@dataclass(frozen=True)
class Knowledge(Brief):
    """Background knowledge about the arcs of a network, by names.

    Parameters
    ----------
    required
        Arcs (from, to) that must be there.
    forbidden
        Arcs (from, to) that must not be there; the other direction stays open.
    forbidden_edges
        Pairs that must not be joined, in either direction.
    tiers
        Lists of names, earliest first: no arc leads from a later tier to an earlier one. Variables that no
        tier names are free.
    forbid_within_tiers
        Whether arcs between variables of one tier are forbidden as well.
    order
        All variables in a total order: parents come before their children.
    parents
        For some children, exactly the parents they have; an empty list makes a root.

    Raises
    ------
    KnowledgeError
        When an arc is no pair of different names, or a name occurs twice where it may occur once; and from
        :meth:`on`, when a name is unknown or the parts contradict each other.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name) for name in ("age", "smoker", "cancer")])
    >>> knowledge = Knowledge(required=[("smoker", "cancer")], tiers=[["age"], ["smoker", "cancer"]])
    >>> bound = knowledge.on(schema)
    >>> bound.allows("age", "cancer"), bound.allows("cancer", "age")
    (True, False)
    >>> bound.is_symmetric
    False
    >>> Knowledge(required=[("cancer", "age")], tiers=[["age"], ["cancer"]]).on(schema)
    Traceback (most recent call last):
    ...
    treewright.errors.KnowledgeError: cancer -> age is required, but 'cancer' is in tier 2 and 'age' in tier 1
    """

    required: Sequence[NamedArc] = ()
    forbidden: Sequence[NamedArc] = ()
    tiers: Sequence[Sequence[str]] | None = None
    order: Sequence[str] | None = None
    parents: Mapping[str, Sequence[str]] | None = None
    forbidden_edges: Sequence[NamedArc] = field(default=(), kw_only=True)
    forbid_within_tiers: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        settle = object.__setattr__  # tuples take the place of whatever was given
        for part in ("required", "forbidden", "forbidden_edges"):
            settle(self, part, tuple(_pair(part, item) for item in _items(part, getattr(self, part))))
        if self.tiers is not None:
            settle(self, "tiers", tuple(_names("tiers", tier) for tier in _items("tiers", self.tiers)))
            _once("tiers", [name for tier in self.tiers for name in tier])
        if self.order is not None:
            settle(self, "order", _names("order", self.order))
            _once("order", self.order)
        if self.parents is not None:
            settle(self, "parents", _families(self.parents))
        if self.forbid_within_tiers and self.tiers is None:
            raise KnowledgeError("forbid_within_tiers needs tiers; found none")

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Knowledge:
        """Read a JSON file whose keys are the parameters of this class.

        Raises
        ------
        FormatError
            When the file is not such JSON; the message says where.
        """
        return cls(**read_knowledge(path))

    def to_json(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write what :meth:`from_json` reads; what was not given is left out.

        A file that holds no knowledge is refused, unless `replace` says so.
        """
        if not replace and os.path.isfile(path) and os.path.getsize(path):
            refuse_what_is_none(path)
        write_knowledge(path, {part.name: getattr(self, part.name) for part in fields(self)})

    def on(self, schema: Schema) -> BoundKnowledge:
        """Bind to the variables of a schema; what comes back is proven free of contradictions."""
        require("Knowledge.on", SCHEMA, schema)
        allowed, required = allowed_and_required(self, schema)
        return BoundKnowledge(schema, allowed, required)

    def __hash__(self) -> int:
        return hash(tuple(_hashable(getattr(self, part.name)) for part in fields(self)))


@dataclass(frozen=True, eq=False, repr=False)
class BoundKnowledge:
    """Knowledge about the variables of one schema, as matrices [from, to] that do not change.

    Examples
    --------
    >>> from treewright.tables import Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> bound = Knowledge(forbidden_edges=[("a", "b")]).on(schema)
    >>> bound.is_symmetric, int(bound.allowed.sum()), bound.required_arcs()
    (True, 4, [])
    >>> bound.check(Dag(schema, [("b", "a")]))
    Traceback (most recent call last):
    ...
    treewright.errors.KnowledgeError: against the knowledge: the graph has b -> a, which is not allowed
    """

    schema: Schema
    allowed: Matrix
    required: Matrix

    def __post_init__(self) -> None:
        for matrix in (self.allowed, self.required):
            matrix.flags.writeable = False

    def __repr__(self) -> str:
        n = len(self.schema)
        banned = n * (n - 1) - int(self.allowed.sum())
        return f"BoundKnowledge({n} variables, {int(self.required.sum())} arcs required, {banned} ruled out)"

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether it only rules out pairs: then it cannot tell apart the members of an equivalence class."""
        return not self.required.any() and bool((self.allowed == self.allowed.T).all())

    @cached_property
    def is_empty(self) -> bool:
        """Whether it says nothing: every arc is allowed, none required."""
        n = len(self.schema)
        return not self.required.any() and int(self.allowed.sum()) == n * (n - 1)

    @cached_property
    def allowed_pairs(self) -> Matrix:
        """The pairs that may be joined in one direction at least: a symmetric matrix."""
        pairs: Matrix = self.allowed | self.allowed.T
        pairs.flags.writeable = False
        return pairs

    @cached_property
    def mentions(self) -> npt.NDArray[np.intp]:
        """For each variable, 2 when an arc of it is required, 1 when one is ruled out, else 0."""
        barred = ~(self.allowed | np.eye(len(self.schema), dtype=np.bool_))
        is_required = self.required.any(axis=0) | self.required.any(axis=1)
        is_barred = barred.any(axis=0) | barred.any(axis=1)
        return np.where(is_required, 2, np.where(is_barred, 1, 0)).astype(np.intp)

    def allows(self, tail: str | int, head: str | int) -> bool:
        return bool(self.allowed[self.schema.index(tail), self.schema.index(head)])

    def required_arcs(self) -> list[Arc]:
        """Index pairs (from, to), sorted."""
        return [(u, v) for u, v in np.argwhere(self.required).tolist()]

    def required_dag(self) -> Dag:
        """The graph of the required arcs alone: the smallest that obeys."""
        return Dag(self.schema, self.required_arcs())

    def obeyed_by(self, graph: Dag | Pdag | UndirectedGraph) -> bool:
        return not self.violations(graph)

    def violations(self, graph: Dag | Pdag | UndirectedGraph) -> list[str]:
        """What a graph over these variables has that it must not have, and lacks that it must have.

        An edge without direction stands for both of its directions, one of which must be allowed.
        """
        _refuse_other_variables(self.schema, graph)
        if self.is_empty:
            return []
        directed, undirected = _marks(self.schema, graph)
        names = self.schema.names
        either = undirected | undirected.T
        wrong = [(u, v) for u, v in np.argwhere(directed & ~self.allowed).tolist()]
        found = [f"has {names[u]} -> {names[v]}, which is not allowed" for u, v in _by_name(names, wrong)]
        apart = np.argwhere(np.triu(either & ~self.allowed_pairs)).tolist()
        found += [f"has {names[u]} - {names[v]}, which is not allowed" for u, v in _by_name(names, apart)]
        absent = np.argwhere(self.required & ~directed & ~either).tolist()
        found += [f"lacks {names[u]} -> {names[v]}, which is required" for u, v in _by_name(names, absent)]
        return found

    def one_way(self, edges: Iterable[Arc]) -> list[Arc]:
        """The edges that may point one way only, as arcs."""
        both = [(u, v) for edge in edges for u, v in (edge, edge[::-1])]
        return [(u, v) for u, v in both if self.required[u, v] or not self.allowed[v, u]]

    def pattern_of(self, dag: Dag) -> Pdag:
        """What is sure about a DAG: its class, the directions that are known, and what follows from both.

        An edge has a direction when all graphs of the class that obey have it so (Meek 1995).

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> dag = Dag(Schema([Variable(name) for name in "abc"]), [("a", "b"), ("b", "c")])
        >>> Knowledge(tiers=[["a"], ["b"]]).on(dag.schema).pattern_of(dag).directed_edges()
        [('a', 'b'), ('b', 'c')]
        """
        cpdag = Cpdag.of(dag)
        arcs = self.one_way(cpdag.index_edges())
        return add_directions(cpdag, arcs) if arcs else cpdag

    def settled(self, dag: DagT, *, equivalent: bool = True) -> DagT:
        """A graph that was checked to obey, with its pattern; a score that is not equivalent directs all."""
        self.check(dag)
        return dag.as_one_of(self.pattern_of(dag) if equivalent else as_pdag(dag))

    def check(self, graph: Dag | Pdag | UndirectedGraph) -> None:
        """Refuse a graph that goes against the knowledge, with what is wrong."""
        found = self.violations(graph)
        if found:
            more = f" and {len(found) - 5} more" if len(found) > 5 else ""
            raise KnowledgeError("against the knowledge: the graph " + "; ".join(found[:5]) + more)


def bind_knowledge(knowledge: Knowledge | BoundKnowledge | None, schema: Schema) -> BoundKnowledge:
    """What a learner was told, about the variables it learns; nothing told allows everything."""
    if isinstance(knowledge, BoundKnowledge):
        if knowledge.schema.names != schema.names:
            raise KnowledgeError(
                "the knowledge was bound to other variables: "
                f"{listed(knowledge.schema.names)} instead of {listed(schema.names)}"
            )
        return knowledge
    if knowledge is None:
        n = len(schema)
        return BoundKnowledge(schema, ~np.eye(n, dtype=bool), np.zeros((n, n), dtype=bool))
    if not isinstance(knowledge, Knowledge):
        raise KnowledgeError(f"knowledge is a Knowledge object or None; found {knowledge!r}")
    return knowledge.on(schema)


def _refuse_other_variables(schema: Schema, graph: Dag | Pdag | UndirectedGraph) -> None:
    require("knowledge", STRUCTURE, graph)
    if graph.schema.names != schema.names and set(graph.schema.names) != set(schema.names):
        raise KnowledgeError("the graph and the knowledge are about different variables")


def _marks(schema: Schema, graph: Dag | Pdag | UndirectedGraph) -> tuple[Matrix, Matrix]:
    """Directed and undirected edges of a graph in the numbers of `schema`, whatever its column order."""
    marks = as_pdag(graph)
    return arc_matrix(schema, marks.directed_edges()), arc_matrix(schema, marks.undirected_edges())


def _by_name(names: Sequence[str], pairs: Iterable[Any]) -> list[Arc]:
    return sorted(((u, v) for u, v in pairs), key=lambda pair: (names[pair[0]], names[pair[1]]))


def _items(part: str, given: object) -> Iterable[Any]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise KnowledgeError(f"{part} is a list; found {given!r}")
    return given


def _names(part: str, given: object) -> tuple[str, ...]:
    names = tuple(_items(part, given))
    for name in names:
        if not isinstance(name, str):
            raise KnowledgeError(f"{part}: a variable is given by its name; found {name!r}")
        if "\0" in name:
            raise KnowledgeError(f"{part}: no name has the character NUL; found {name!r}")
    return names


def _pair(part: str, item: object) -> NamedArc:
    names = _names(part, item) if not isinstance(item, str) and isinstance(item, Iterable) else ()
    if len(names) != 2:
        raise KnowledgeError(f"{part} holds pairs of names; found {item!r}")
    if names[0] == names[1]:
        raise KnowledgeError(f"{part}: {names[0]!r} cannot be joined with itself")
    return names[0], names[1]


def _once(part: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise KnowledgeError(f"{part}: each variable has one place; found more than once: {repeated(names)}")


def _families(given: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(given, Mapping):
        raise KnowledgeError(f"parents gives a list of names for each child; found {given!r}")
    families = {}
    for child in _names("parents", given.keys()):
        parents = _names(f"parents of {child!r}", given[child])
        _once(f"parents of {child!r}", parents)
        if child in parents:
            raise KnowledgeError(f"parents: {child!r} cannot be joined with itself")
        families[child] = parents
    return families


def _hashable(value: Any) -> Any:
    return tuple(sorted(value.items())) if isinstance(value, dict) else value
