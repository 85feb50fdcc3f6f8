"""What learning from one table or several returns, and why it has no edge where it has none."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.criteria import IndependenceTest
from treewright.criteria.scores.score import LocalScore
from treewright.graphs import BoundKnowledge, DSeparationTree
from treewright.learners.classes.copies import remarks_on_copies
from treewright.learners.separation_trees.absent_edges import explain_absent_edge
from treewright.learners.separation_trees.learned_databases import LearnedFromDatabases
from treewright.learners.separation_trees.learned_tree import Absence
from treewright.tables.schema import NameOrIndex


@dataclass(frozen=True)
class LearnedFromTables(LearnedFromDatabases):
    """What was learned from one table or several, everything by name.

    Attributes
    ----------
    structure, dag, databases, engine, tree, homogeneity, model_based, undecided_edges, score, found, audit
        As for :class:`LearnedFromDatabases`. Where one table was searched by a score and without a
        hypergraph, `tree` is that of the network that was found.
    copies
        Pairs of columns of one table that are relabellings of each other, for the engine "class".

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.learners.separation_trees.from_tables import learn_from_tables
    >>> rows = tw.read_databases([{"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9}])
    >>> learned = learn_from_tables(rows)
    >>> learned.structure.edges()
    [('a', 'b')]
    >>> print(learned.why_not("a", "c"))
    an edge between a and c would lower the score by 2.01; the network separates them by {} (p = 1)
    """

    copies: tuple[tuple[str, str], ...] = ()
    _sets_tree: DSeparationTree | None = field(default=None, repr=False)
    _criterion: LocalScore | None = field(default=None, repr=False)
    _test: IndependenceTest | None = field(default=None, repr=False)
    _known: BoundKnowledge | None = field(default=None, repr=False)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before the result is trusted; none if there is nothing."""
        return (*remarks_on_copies(self.copies), *super().warnings)

    def why_not(self, u: NameOrIndex, v: NameOrIndex) -> Absence:
        """Why there is no edge between two variables; `str()` says it in a sentence."""
        if self.found is not None:
            return self.found.why_not(u, v)
        assert self._criterion is not None
        assert self._test is not None
        assert self._known is not None
        schema = self._known.schema
        allowed = bool(self._known.allowed_pairs[schema.index(u), schema.index(v)])
        return explain_absent_edge(
            self.dag, u, v, score=self._criterion, test=self._test, tree=self._sets_tree, allowed=allowed
        )
