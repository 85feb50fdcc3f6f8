"""Settings of the search over d-separation trees that few will ever change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from treewright.criteria.tests.independence import as_level, one_of
from treewright.errors import SettingError
from treewright.graphs.undirected.triangulation import Method
from treewright.ranges import in_range

LocalSearch = Literal["pc", "exhaustive"]
Depth = int | None | Literal["auto"]
NodeColliderRule = Literal["contest", "first", "majority", "max_p", "score"]
GraphMethod = Literal["auto", "blankets", "inverse-covariance"]
GRAPH_METHODS = ("auto", "blankets", "inverse-covariance")
_RULES = ("contest", "first", "majority", "max_p", "score")
_REFINE_ABOVE = 8


@in_range
@dataclass(frozen=True)
class TreeSettings:
    """How a d-separation tree is made, see :func:`find_separation_tree`.

    Attributes
    ----------
    refine_above
        Nodes larger than this are refined: an independence graph is estimated inside every node, and the tree
        of their union is taken, again while the largest node shrinks. None: never. ``"auto"``: 8 for one
        table; trees of several tables with different columns are not refined.
    alpha_uig
        Level at which independence graphs are estimated. An edge too many costs time, a missing one may cost
        true edges; with a generous one nodes are large, and tests inside them as weak as those of PC.
    max_node
        A tree of an estimated graph with a larger node is estimated again at a tenth of the level, and so on;
        `levels` of the result says so. That ends at the level divided by the number of pairs, where hardly a
        pair is joined by chance: nodes that are still larger are so for a reason, and stay.
    graph_method, largest_blanket
        How independence graphs are estimated, see :func:`estimate_independence_graph`.
    triangulation
        The elimination rule. Where it leaves a node of more than 12 variables, the narrowest of several rules
        is taken instead if it is better.
    """

    refine_above: int | Literal["auto"] | None = "auto"
    alpha_uig: float = 0.01
    max_node: int = 20
    graph_method: GraphMethod = "auto"
    largest_blanket: int | Literal["auto"] | None = "auto"
    triangulation: Method = "min_fill"

    def check(self) -> None:
        """Refuse what has no meaning before any work is done."""
        one_of("graph_method", self.graph_method, GRAPH_METHODS)
        as_level(self.alpha_uig)
        for name in ("refine_above", "max_node"):
            size = getattr(self, name)
            if name == "refine_above" and (size is None or size == "auto"):
                continue
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise SettingError(f"{name} must be a number of variables from 1 on; found {size!r}")

    @property
    def largest_unrefined(self) -> float:
        """Variables of the largest node that is left as it is."""
        if self.refine_above is None:
            return float("inf")
        return _REFINE_ABOVE if self.refine_above == "auto" else self.refine_above


@dataclass(frozen=True)
class NodeSearch:
    """How the nodes of a tree are searched, see :func:`learn_by_separation_tree`.

    Attributes
    ----------
    local
        ``"pc"``: separators among what still surrounds a pair inside the node; ``"exhaustive"``: among all
        subsets of the node, which is the form that the paper proves, and exponential in the size of a node.
    depth
        Largest separator looked for; None for no limit. ``"auto"``: 3 for data, no limit for exact answers
        and for an exhaustive search.
    collider_rule
        How separators that disagree about the middle of a triple are judged. ``"first"``: by the smallest,
        ties by name; ``"majority"``: by most of those that took the edge away; ``"max_p"``: by the one with
        the largest p-value; ``"contest"``: as ``"max_p"``, with all sets around the ends inside their nodes
        tried as well. ``"score"`` asks no separator: it searches the class of best score among the edges of
        the joined skeleton, which may leave some of them out.
    verify
        Whether the edges that are left are tried once more, by sets around them in the joined skeleton: fewer
        false edges, and some true ones less.
    """

    local: LocalSearch = "pc"
    depth: Depth = "auto"
    collider_rule: NodeColliderRule = "contest"
    verify: bool = False

    def check(self) -> None:
        """Refuse what has no meaning before any work is done."""
        one_of("local", self.local, ("pc", "exhaustive"))
        one_of("collider_rule", self.collider_rule, _RULES)


@in_range
@dataclass(frozen=True)
class DatabaseSettings:
    """What is seldom changed in :func:`learn_from_databases`.

    Attributes
    ----------
    completion
        For tests that no table covers. ``"fit"``: answered from the completed distribution, and listed in
        `model_based`. ``"none"``: not made; the edge stays and is listed in `undecided_edges`.
    homogeneity_alpha
        Level at which a difference between tables that overlap becomes a note.
    tree, search
        How the engine "tests" makes its tree and searches the nodes.
    """

    completion: Literal["fit", "none"] = "fit"
    homogeneity_alpha: float = 0.01
    tree: TreeSettings = TreeSettings()
    search: NodeSearch = NodeSearch()
