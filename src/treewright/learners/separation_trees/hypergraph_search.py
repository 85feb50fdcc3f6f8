"""Score search among the pairs that a hypergraph allows.

Knowledge of who belongs together serves a search by score as well as one by tests: variables that share no
set are never joined, so the search over equivalence classes looks at fewer pairs and cannot go wrong there.
"""

from __future__ import annotations

from collections.abc import Iterable

from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.errors import KnowledgeError
from treewright.graphs import BoundKnowledge, Knowledge, UndirectedGraph, bind_knowledge, build_two_section
from treewright.learners.classes.class_search import LearnedClass
from treewright.learners.classes.hill_climbing import learn_hill_climbing
from treewright.learners.classes.pair_schedule import adjacency
from treewright.ranges import in_range
from treewright.tables.schema import NameOrIndex
from treewright.types import Progress


@in_range
def learn_in_hypergraph(
    score: LocalScore,
    hyperedges: Iterable[Iterable[NameOrIndex]] | UndirectedGraph | None = None,
    *,
    knowledge: Knowledge | BoundKnowledge | None = None,
    effort: int = 2,
    max_parents: int | None = None,
    progress: Progress | None = None,
) -> LearnedClass:
    """Learn a network of high score in which variables that share no set are not joined.

    Parameters
    ----------
    score
        Any decomposable score; a score-equivalent one leads to a search over equivalence classes.
    hyperedges
        Sets of variables that together hold every one, or a graph of the pairs that may be joined, such as
        an estimated independence graph; None allows every pair.
    knowledge
        Arcs that are required or forbidden. The ends of a required one must be allowed to be joined.
    effort, max_parents, progress
        As for :func:`learn_hill_climbing`.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> network = tw.load_network("asia")
    >>> score = tw.BIC(tw.count(network.sample(5_000, rng=np.random.default_rng(0))))
    >>> sets = [["asia", "tub", "lung", "either", "xray"], ["smoke", "lung", "bronc", "either", "dysp"]]
    >>> tw.learners.learn_in_hypergraph(score, sets).cpdag.undirected_edges()
    [('bronc', 'smoke'), ('lung', 'smoke')]
    """
    require("learn_in_hypergraph", SCORE, score)
    schema = score.schema
    known = bind_knowledge(knowledge, schema)
    if hyperedges is not None:
        graph = (
            hyperedges if isinstance(hyperedges, UndirectedGraph) else build_two_section(schema, hyperedges)
        )
        known = restricted(known, graph)
    return learn_hill_climbing(
        score, knowledge=known, effort=effort, max_parents=max_parents, progress=progress
    )


def restricted(known: BoundKnowledge, graph: UndirectedGraph) -> BoundKnowledge:
    """The knowledge, and that only edges of a graph may be there."""
    allowed = known.allowed & adjacency(UndirectedGraph(known.schema, graph.edges()))
    for u, v in known.required_dag().edges():
        if not allowed[known.schema.index(u), known.schema.index(v)]:
            raise KnowledgeError(
                f"{u!r} -> {v!r} is required, but the two share no hyperedge: put them into one"
            )
    return BoundKnowledge(known.schema, allowed, known.required.copy())
