"""How far a learned shape is from the truth.

Three distances, because they see different things. The *skeleton* asks which pairs are joined; the
*structural Hamming distance* (SHD) also asks whether the class of the graph directs them alike, and counts a
pair once however wrong it is; `hamming` is the skeleton's part of it. `dist` hardly sees false edges in
sparse graphs, since it divides them by all pairs that are not joined: read F1 and SHD beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import comb, hypot
from typing import Any

from treewright.arguments import STRUCTURE, require
from treewright.errors import GraphError, SchemaError
from treewright.graphs.directed.cpdag import Cpdag
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.pdag import Pdag, as_pdag, find_consistent_extension
from treewright.graphs.edges import NamedArc, listed, named_pairs
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.once import cached_property
from treewright.types import Arc, Brief, Pictured

Shape = Dag | Pdag | UndirectedGraph


@dataclass(frozen=True)
class SkeletonComparison:
    """Which pairs are joined: true positives are the edges found.

    A ratio without a denominator: precision is 1 when nothing was found and nothing was to be found, 0 when
    something was; recall is 1 when nothing was to be found, since nothing was missed; specificity is 1 when
    every pair is joined in truth; F1 is 1 when both skeletons are empty.
    """

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def precision(self) -> float:
        return _ratio(self.tp, self.tp + self.fp, otherwise=0.0 if self.fn else 1.0)

    @property
    def recall(self) -> float:
        return _ratio(self.tp, self.tp + self.fn, otherwise=1.0)

    @property
    def f1(self) -> float:
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn, otherwise=1.0)

    @property
    def sensitivity(self) -> float:
        """Another name of recall."""
        return self.recall

    @property
    def specificity(self) -> float:
        """Share of the pairs apart in truth that are apart in the learned graph."""
        return _ratio(self.tn, self.tn + self.fp, otherwise=1.0)

    @property
    def dist(self) -> float:
        """Distance of (sensitivity, specificity) from (1, 1); 0 is best."""
        return hypot(1 - self.sensitivity, 1 - self.specificity)

    def to_dict(self) -> dict[str, float]:
        names = ("tp", "fp", "fn", "precision", "recall", "f1", "sensitivity", "specificity", "dist")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Comparison(Brief, Pictured):
    """What `compare` found.

    Attributes
    ----------
    shd
        Pairs whose marks differ between the equivalence classes; the skeleton's part alone when a graph is
        undirected, since it has no directions to compare.
    shd_dag
        Pairs whose marks differ between the DAGs themselves; None unless both are DAGs.
    skeleton
        Counts and ratios over all pairs.
    hamming
        Edges that one skeleton has and the other has not.
    missing, extra, misoriented
        Name pairs, sorted: edges not found, edges found wrongly, edges found with another mark than in the
        truth.
    irregularity
        Of truth and learned: sum over the skeleton's edges of the difference of degrees (Albertson 1997).
    """

    shd: int
    shd_dag: int | None
    skeleton: SkeletonComparison
    hamming: int
    missing: tuple[NamedArc, ...]
    extra: tuple[NamedArc, ...]
    misoriented: tuple[NamedArc, ...]
    irregularity: tuple[int, int]
    _graphs: tuple[Shape, Shape] = field(repr=False, compare=False)

    @cached_property
    def treewidths(self) -> tuple[int, int]:
        """Upper bounds for the moral graphs of truth and learned; computed when first asked for."""
        from treewright.graphs.undirected.triangulation import bound_treewidth_above

        truth, learned = (bound_treewidth_above(moral_graph(graph)) for graph in self._graphs)
        return truth, learned

    @property
    def graphs(self) -> tuple[Shape, Shape]:
        """Truth and learned, over the same variables."""
        return self._graphs

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, ready for JSON; without the treewidths, which cost more than the rest."""
        pairs = {key: list(map(list, getattr(self, key))) for key in ("missing", "extra", "misoriented")}
        figures = {"shd": self.shd, "shd_dag": self.shd_dag, "skeleton": self.skeleton.to_dict()}
        return figures | {"hamming": self.hamming} | pairs | {"irregularity": list(self.irregularity)}


def compare(truth: object, learned: object) -> Comparison:
    """Compare a learned shape with the true one; variables are matched by name.

    Parameters
    ----------
    truth, learned
        A `Dag`, `Cpdag`, `Pdag` or `UndirectedGraph`, or anything whose `structure` is one (a result of a
        learner, a model). To compare an undirected graph with the moral graph of a DAG, pass
        `dag.moral_graph()`.

    Raises
    ------
    SchemaError
        When the two speak of different variables.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abcd"])
    >>> truth = Dag(schema, [("a", "c"), ("b", "c"), ("c", "d")])
    >>> found = compare(truth, Dag(schema, [("a", "c"), ("c", "b"), ("a", "d")]))
    >>> found.shd, found.hamming, found.skeleton.f1
    (4, 2, 0.6666666666666666)
    >>> found.missing, found.extra, found.misoriented
    ((('c', 'd'),), (('a', 'd'),), (('a', 'c'), ('b', 'c')))
    """
    first, second = _matched(truth, learned)
    one, other = class_marks(first), class_marks(second)
    common = one.keys() & other.keys()
    missing, extra = one.keys() - other.keys(), other.keys() - one.keys()
    undirected = isinstance(first, UndirectedGraph) or isinstance(second, UndirectedGraph)
    misoriented = set() if undirected else {pair for pair in common if one[pair] != other[pair]}
    apart = comb(len(first.schema), 2) - len(one) - len(extra)
    are_dags = isinstance(first, Dag) and isinstance(second, Dag)
    return Comparison(
        shd=len(missing) + len(extra) + len(misoriented),
        shd_dag=_differences(_marks(first), _marks(second)) if are_dags else None,
        skeleton=SkeletonComparison(tp=len(common), fp=len(extra), fn=len(missing), tn=apart),
        hamming=len(missing) + len(extra),
        missing=tuple(named_pairs(first.schema, missing, ordered=False)),
        extra=tuple(named_pairs(first.schema, extra, ordered=False)),
        misoriented=tuple(named_pairs(first.schema, misoriented, ordered=False)),
        irregularity=(irregularity(first), irregularity(second)),
        _graphs=(first, second),
    )


def shd(a: object, b: object) -> int:
    """Structural Hamming distance: the number of pairs at which two equivalence classes differ.

    Examples
    --------
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name) for name in "abc"])
    >>> shd(Dag(schema, [("a", "b"), ("b", "c")]), Dag(schema, [("c", "b"), ("b", "a")]))
    0
    """
    return compare(a, b).shd


def irregularity(graph: Shape) -> int:
    """Sum over the edges of the difference of the two degrees: :meth:`UndirectedGraph.irregularity`."""
    require("irregularity", STRUCTURE, graph)
    return (graph if isinstance(graph, UndirectedGraph) else graph.skeleton()).irregularity()


def moral_graph(graph: Shape) -> UndirectedGraph:
    """The moral graph of a DAG, or of any member of a class; an undirected graph is its own."""
    if isinstance(graph, UndirectedGraph):
        return graph
    dag = graph if isinstance(graph, Dag) else find_consistent_extension(graph)
    return graph.skeleton() if dag is None else dag.moral_graph()


def _matched(truth: object, learned: object) -> tuple[Shape, Shape]:
    first, second = _shape(truth), _shape(learned)
    ours, theirs = set(first.schema.names), set(second.schema.names)
    if ours != theirs:
        only = [
            f"only in the {which}: {listed(sorted(names))}"
            for which, names in (("truth", ours - theirs), ("learned graph", theirs - ours))
            if names
        ]
        raise SchemaError(f"the two graphs speak of different variables; {'; '.join(only)}")
    return first, _over_schema_of(first, second)


def _shape(given: object) -> Shape:
    shape = given
    while not isinstance(shape, Shape):
        if not hasattr(shape, "structure"):
            raise GraphError(
                "a comparison takes a Dag, Cpdag, Pdag or UndirectedGraph, or an object whose structure "
                f"is one; found {type(given).__name__}"
            )
        shape = shape.structure
    return shape


def _over_schema_of(first: Shape, second: Shape) -> Shape:
    schema = first.schema
    if schema.names == second.schema.names:
        return second
    if isinstance(second, Pdag):
        return type(second)(schema, second.directed_edges(), second.undirected_edges())
    kind = Dag if isinstance(second, Dag) else UndirectedGraph  # what else a graph carries is not compared
    return kind(schema, second.edges())


def class_marks(graph: Shape) -> Mapping[Arc, Arc | None]:
    """Each pair that is joined with its direction, if the class of the graph gives it one."""
    return _marks(Cpdag.of(graph) if isinstance(graph, Dag) else graph)


def _marks(graph: Shape) -> Mapping[Arc, Arc | None]:
    """Each joined pair with its direction, if it has one."""
    marks = as_pdag(graph)
    directed: dict[Arc, Arc | None] = {(min(arc), max(arc)): arc for arc in marks.index_directed_edges()}
    return directed | dict.fromkeys(marks.index_undirected_edges())


def _differences(one: Mapping[Arc, Arc | None], other: Mapping[Arc, Arc | None]) -> int:
    nothing = (-1, -1)
    return sum(one.get(pair, nothing) != other.get(pair, nothing) for pair in one.keys() | other.keys())


def _ratio(part: int, whole: int, *, otherwise: float) -> float:
    return part / whole if whole else otherwise
