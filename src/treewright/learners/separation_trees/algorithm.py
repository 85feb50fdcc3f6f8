"""Learning the equivalence class of a DAG over a d-separation tree (Xie, Geng & Zhao 2006, Algorithm 1).

A d-separation tree cuts the variables into overlapping nodes such that each separator d-separates its two
sides. Then separators of pairs need only be looked for inside nodes: with exact answers the result is the
class of the true DAG, and with data tests are fewer, condition on little and count small tables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from treewright.arguments import SCORE, SEPARATION_TREE, TEST, require, require_option
from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import LocalScore
from treewright.criteria.tests.queries import one_of
from treewright.errors import KnowledgeError, SchemaError
from treewright.graphs import (
    BoundKnowledge,
    DSeparationTree,
    Knowledge,
    bind_knowledge,
    find_colliders,
    orient_consistently,
)
from treewright.learners.independence.collider_rules import Claims, Evidence, contest, majority
from treewright.learners.independence.functional import functional_columns
from treewright.learners.independence.pc import (
    best_inside,
    named_triple,
    obey,
    refuse_odd_score,
    stands,
)
from treewright.learners.independence.skeleton import tell
from treewright.learners.learned import TraceBuilder
from treewright.learners.separation_trees.learned_tree import LearnedSeparationTree, Separation
from treewright.learners.separation_trees.node_skeletons import (
    Depth,
    LocalSearch,
    NodeSkeletons,
    chosen_depth,
    find_node_skeletons,
)
from treewright.types import Progress

NodeColliderRule = Literal["contest", "first", "majority", "max_p", "score"]
_RULES = ("contest", "first", "majority", "max_p", "score")


def learn_by_separation_tree(
    tree: DSeparationTree,
    test: IndependenceTest,
    *,
    local: LocalSearch = "pc",
    depth: Depth = "auto",
    collider_rule: NodeColliderRule = "contest",
    score: LocalScore | None = None,
    verify: bool = False,
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
        (:func:`separation_tree_from_hypergraph`), or the junction tree of any undirected independence graph
        (`DSeparationTree.of`).
    test
        Decides independence, from data or from an oracle.
    local
        How a node is searched. ``"pc"``: separators among what still surrounds a pair inside the node;
        ``"exhaustive"``: among all subsets of the node, which is the form that [1]_ proves, and exponential
        in the size of a node.
    depth
        Largest separator looked for; None for no limit. ``"auto"``: 3 for data, no limit for exact answers
        and for an exhaustive search.
    collider_rule
        How separators that disagree about the middle of a triple are judged. ``"first"``: by the smallest,
        ties by name; ``"majority"``: by most of those that took the edge away; ``"max_p"``: by the one with
        the largest p-value; ``"contest"``: as ``"max_p"``, with all sets around the ends inside their nodes
        tried as well. ``"score"`` asks no separator: it searches the class of best score among the edges of
        the joined skeleton, which may leave some of them out.
    score
        For ``"score"``: a score-equivalent one, such as SparseQNML.
    verify
        Whether the edges that are left are tried once more, by sets around them in the joined skeleton: fewer
        false edges, and some true ones less.
    knowledge
        Arcs that are required or forbidden. A pair that is forbidden both ways is never tested; a required
        arc is never removed, and its ends must share a node.
    progress
        Called with a line about what is being done.

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
    require("learn_by_separation_tree", SEPARATION_TREE, tree)
    require("test= of learn_by_separation_tree", TEST, test)
    require_option("learn_by_separation_tree", SCORE, score=score)
    limit = check_settings(test, local, depth, collider_rule, score)
    tree = on_schema(tree, test)
    known = bind_knowledge(knowledge, test.schema)
    refuse_torn_arcs(tree, known)
    trace = TraceBuilder()
    nodes = find_node_skeletons(  # steps 2 and 3: search the nodes, join what they found
        tree, test, local=local, depth=limit, verify=verify, known=known, trace=trace, progress=progress
    )
    with trace.phase("functional columns"):
        asked = [(u, v, sets[0][0]) for (u, v), sets in nodes.separations.items() if sets[0][0]]
        functional = functional_columns(test, asked)
    tell(progress, "directions")
    if collider_rule == "score":
        assert score is not None
        structure, dag = best_inside(nodes.graph, known, score, trace)
        learned = reported(nodes, known, trace, structure=structure, dag=dag, skeleton=nodes.graph)
    else:
        with trace.phase("colliders") as tallies:  # step 4
            before = nodes.answers.n_evaluated
            claims = claim_colliders(nodes, collider_rule, limit)
            tallies.update(tests=claims.n_tests, claims=len(claims.colliders))
            tallies["evaluated"] = nodes.answers.n_evaluated - before
        learned = directed(nodes, known, claims, trace)  # step 5
    known.check(learned.structure)
    known.check(learned.dag)
    return replace(learned, functional=functional)


def check_settings(
    test: IndependenceTest,
    local: LocalSearch,
    depth: Depth,
    collider_rule: NodeColliderRule,
    score: LocalScore | None,
) -> int | None:
    """Refuse settings that do not fit before any work is done; gives the depth."""
    one_of("local", local, ("pc", "exhaustive"))
    one_of("collider_rule", collider_rule, _RULES)
    refuse_odd_score(collider_rule, score)
    return chosen_depth(depth, test, local)


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
) -> LearnedSeparationTree:
    """Direct the edges of the claims and what follows from them."""
    with trace.phase("orientation"):
        graph, arcs, unobeyed = obey(nodes, known)
        oriented = orient_consistently(graph, [c for c in claims.colliders if stands(graph, c)], arcs=arcs)
    return reported(
        nodes,
        known,
        trace,
        structure=oriented.graph,
        dag=oriented.dag,
        skeleton=graph,
        dropped=oriented.dropped,
        added=oriented.added,
        skipped=oriented.skipped,
        ambiguous=tuple(named_triple(graph.schema, triple) for triple in claims.ambiguous),
        unobeyed=unobeyed,
    )


def reported(
    nodes: NodeSkeletons, known: BoundKnowledge, trace: TraceBuilder, **found: Any
) -> LearnedSeparationTree:
    """What was found, with what the nodes can tell about it."""
    return LearnedSeparationTree(
        **found,
        trace=trace.build(),
        tree=nodes.tree,
        separations=named_separations(nodes),
        n_asked=nodes.answers.n_asked,
        n_evaluated=nodes.answers.n_evaluated,
        _barred=barred_pairs(known),
    )


def named_separations(nodes: NodeSkeletons) -> dict[tuple[str, str], tuple[Separation, ...]]:
    schema = nodes.tree.schema
    clusters = [*nodes.tree.clusters, None]
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
    odd = sorted(set(tree.schema.names) ^ set(test.schema.names))
    if odd:
        raise SchemaError(
            "the tree and the test must have the same variables; only one of them has "
            + ", ".join(map(repr, odd[:20]))
        )
    return DSeparationTree(test.schema, tree.clusters, tree.edges, reduced=tree.reduced)


def refuse_torn_arcs(tree: DSeparationTree, known: BoundKnowledge) -> None:
    """A required arc whose ends share no node can never be learned."""
    together = [frozenset(node) for node in tree.cluster_scopes]
    for u, v in known.required_dag().edges():
        ends = {known.schema.index(u), known.schema.index(v)}
        if not any(ends <= node for node in together):
            raise KnowledgeError(
                f"{u!r} -> {v!r} is required, but no node of the tree holds both: put them into one hyperedge"
            )
