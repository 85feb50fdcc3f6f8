"""Learning the equivalence class of a DAG over a d-separation tree (Xie, Geng & Zhao 2006, Algorithm 1).

A d-separation tree cuts the variables into overlapping nodes such that each separator d-separates its two
sides. Then separators of pairs need only be looked for inside nodes: with exact answers the result is the
class of the true DAG, and with data tests are fewer, condition on little and count small tables.
"""

from __future__ import annotations

from typing import Any

from treewright.arguments import SCORE, SEPARATION_TREE, TEST, require, require_option
from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import LocalScore, refuse_other_variables
from treewright.graphs import (
    BoundKnowledge,
    DSeparationTree,
    Knowledge,
    bind_knowledge,
    find_colliders,
    orient_consistently,
)
from treewright.learners.independence.collider_rules import Claims, Evidence, contest, majority
from treewright.learners.independence.functional import functional_columns, remarks_on_functional
from treewright.learners.independence.pc import best_inside, named_triple, obey, refuse_odd_score, stands
from treewright.learners.learned import Trace, TraceBuilder, tell
from treewright.learners.separation_trees.learned_tree import LearnedSeparationTree, Separation
from treewright.learners.separation_trees.node_skeletons import (
    NodeSkeletons,
    chosen_depth,
    find_node_skeletons,
)
from treewright.learners.separation_trees.refinement import FoundTree, refuse_torn_arcs
from treewright.learners.separation_trees.settings import NodeColliderRule, NodeSearch
from treewright.types import Progress


def learn_by_separation_tree(
    tree: DSeparationTree | FoundTree,
    test: IndependenceTest,
    *,
    search: NodeSearch = NodeSearch(),  # noqa: B008 -- frozen
    score: LocalScore | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    progress: Progress | None = None,
) -> LearnedSeparationTree:
    """Learn a DAG up to Markov equivalence, never looking beyond one node of a tree.

    Two variables that can be d-separated at all either share no node of the tree or share one that also holds
    a separator (Theorem 1 of [1]_). The result does not depend on the order of the columns or of the nodes.

    Parameters
    ----------
    tree
        A d-separation tree of the unknown DAG: of a legitimate hypergraph
        (:func:`separation_tree_from_hypergraph`), the junction tree of any undirected independence graph
        (`DSeparationTree.of`), or what :func:`find_separation_tree` makes of data.
    test
        Decides independence, from data or from an oracle.
    search
        How the nodes are searched, and how directions are judged.
    score
        For ``NodeSearch(collider_rule="score")``: a score-equivalent one, such as SparseQNML.
    knowledge
        Arcs that are required or forbidden. A pair that is forbidden both ways is never tested; a required
        arc is never removed, and its ends must share a node.
    progress
        Called with a :class:`~treewright.types.Step` where a part of the work begins.

    Returns
    -------
    LearnedSeparationTree
        The class, with the separator, the p-value and the node of every edge that was removed.

    References
    ----------
    .. [1] Xie, Geng & Zhao (2006). Decomposition of structural learning about directed acyclic graphs.
       Artificial Intelligence 170, 422-439. Algorithm 1.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "1234567"])
    >>> arcs = ["12", "13", "15", "24", "34", "47", "56", "67"]
    >>> truth = tw.Dag(schema, arcs and [tuple(arc) for arc in arcs])
    >>> tree = tw.separation_tree_from_hypergraph(schema, ["1234", "1356", "467"])
    >>> learned = tw.learn_by_separation_tree(tree, tw.DSeparationOracle(truth))
    >>> learned.structure == tw.Cpdag.of(truth)
    True
    >>> print(learned.why_not("2", "3"))
    2 and 3 are independent given {1} (p = 1, in the node {1, 2, 3, 4})
    """
    made = tree if isinstance(tree, FoundTree) else FoundTree(tree, Trace())
    require("learn_by_separation_tree", SEPARATION_TREE, made.structure)
    require("test= of learn_by_separation_tree", TEST, test)
    require_option("learn_by_separation_tree", SCORE, score=score)
    search.check()
    refuse_odd_score(search.collider_rule, score)
    depth = chosen_depth(search, test)
    tree = on_schema(made.structure, test)
    known = bind_knowledge(knowledge, test.schema)
    refuse_torn_arcs(tree, known)
    trace = TraceBuilder()
    # steps 2 and 3: search the nodes, join what they found
    nodes = find_node_skeletons(tree, test, search=search, known=known, trace=trace, progress=progress)
    with trace.phase("functional columns"):
        asked = [(u, v, sets[0][0]) for (u, v), sets in nodes.separations.items() if sets[0][0]]
        functional = functional_columns(test, asked)
    tell(progress, "directions")
    if score is not None:
        structure, dag = best_inside(nodes.graph, known, score, trace)
        found: dict[str, Any] = {"structure": structure, "dag": dag, "skeleton": nodes.graph}
    else:
        with trace.phase("colliders") as tallies:  # step 4
            before = nodes.answers.n_evaluated
            claims = claim_colliders(nodes, search.collider_rule, depth)
            tallies.update(tests=claims.n_tests, claims=len(claims.colliders))
            tallies["evaluated"] = nodes.answers.n_evaluated - before
        found = directed(nodes, known, claims, trace)  # step 5
    known.check(found["structure"])
    known.check(found["dag"])
    return LearnedSeparationTree(
        **found,
        trace=Trace((*made.trace.phases, *trace.build().phases)),
        tree=tree,
        separations=named_separations(nodes),
        functional=functional,
        audit=made.audit,
        levels=made.levels,
        n_asked=nodes.answers.n_asked,
        n_evaluated=nodes.answers.n_evaluated,
        notes=remarks_on_functional(functional),
        _barred=barred_pairs(known),
    )


def claim_colliders(nodes: NodeSkeletons, rule: NodeColliderRule, depth: int | None) -> Claims:
    """Judge every unshielded triple whose ends share a node; claims come strongest first."""
    if rule == "first":
        return smallest_separator(nodes)
    around = rule == "contest"
    evidence = Evidence(*nodes.search.weigh_triples(around, depth, nodes.answers))
    return majority(evidence) if rule == "majority" else contest(evidence)


def smallest_separator(nodes: NodeSkeletons) -> Claims:
    """A collider if the smallest set that took the edge away leaves the middle out; ranked by its p-value."""
    separators = {pair: sets[0][0] for pair, sets in nodes.separations.items()}
    p_values = {pair: sets[0][1] for pair, sets in nodes.separations.items()}
    colliders = find_colliders(nodes.graph, separators)  # by name
    ranked = sorted(colliders, key=lambda collider: -p_values[collider[0], collider[2]])
    return Claims(ranked, [], 0)


def directed(
    nodes: NodeSkeletons, known: BoundKnowledge, claims: Claims, trace: TraceBuilder
) -> dict[str, Any]:
    """Direct the edges of the claims and what follows from them; gives the attributes of the result."""
    with trace.phase("orientation"):
        graph, arcs, unobeyed = obey(nodes, known)
        oriented = orient_consistently(graph, [c for c in claims.colliders if stands(graph, c)], arcs=arcs)
    return {
        "structure": oriented.graph,
        "skeleton": graph,
        "ambiguous": tuple(named_triple(graph.schema, triple) for triple in claims.ambiguous),
        "unobeyed": unobeyed,
        **{name: getattr(oriented, name) for name in ("dag", "dropped", "added", "skipped")},
    }


def named_separations(nodes: NodeSkeletons) -> dict[tuple[str, str], tuple[Separation, ...]]:
    schema, clusters = nodes.tree.schema, [*nodes.tree.clusters, None]
    return {
        (schema.names[u], schema.names[v]): tuple(
            Separation(schema.names_of(scope), p_value, clusters[node]) for scope, p_value, node in sets
        )
        for (u, v), sets in nodes.separations.items()
    }


def barred_pairs(known: BoundKnowledge) -> frozenset[tuple[str, str]]:
    """The pairs that knowledge keeps apart, smaller name first."""
    if known.is_empty:
        return frozenset()
    names, n = known.schema.names, len(known.schema)
    pairs = [(names[u], names[v]) for u in range(n) for v in range(u) if not known.allowed_pairs[u, v]]
    return frozenset((min(pair), max(pair)) for pair in pairs)


def on_schema(tree: DSeparationTree, test: IndependenceTest) -> DSeparationTree:
    """The tree with the variables in the order of the test."""
    if tree.schema.names == test.schema.names:
        return tree
    refuse_other_variables("the tree and the test", tree.schema, test.schema)
    return DSeparationTree(test.schema, tree.clusters, tree.edges, reduced=tree.reduced)
