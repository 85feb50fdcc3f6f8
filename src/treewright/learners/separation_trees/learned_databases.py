"""What learning from tables returns: the network, and what the tables could and could not say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from treewright.graphs import DSeparationTree
from treewright.graphs.edges import NamedArc
from treewright.learners.classes.pair_schedule import remarks_on_copies
from treewright.learners.learned import LearnedPattern
from treewright.learners.separation_trees.audit import SeparatorAudit
from treewright.learners.separation_trees.learned_tree import Absence, LearnedSeparationTree
from treewright.statistics.several.homogeneity import Homogeneity
from treewright.tables.databases import Databases
from treewright.tables.exports import counted
from treewright.tables.report import listed
from treewright.tables.schema import NameOrIndex

NamedQuestion = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True)
class LearnedFromDatabases(LearnedPattern):
    """A network learned from one table, or from several with overlapping columns; everything by name.

    Attributes
    ----------
    structure
        The equivalence class; with directed knowledge a :class:`~treewright.graphs.Pdag`.
    dag
        A member of it: what a model can be fitted to, with ``tw.fit(learned.dag, learned.databases)``.
    databases
        The tables as they were aligned.
    engine
        "class" or "tests".
    tree
        The d-separation tree of the hypergraph. Where one table was searched by a score and without a
        hypergraph, it is that of the network that was found.
    homogeneity
        Whether what tables share is distributed alike in all of them.
    model_based
        Questions (x, y, given) that no table covers and that were answered by completing the tables.
    undecided_edges
        Edges that stay since a test that might have removed them could not be made.
    never_observed_together
        Pairs that share a node of the tree and no table, and about which nothing was completed: no edge, and
        no evidence either.
    score
        Of the structure, for the engine "class".
    found
        What the search inside the nodes found, for the engine "tests": separators, p-values, conflicts.
    audit
        What the rows say about the separators of the tree, and which of them no table could be asked about;
        None where nothing was asked.
    copies
        Pairs of columns of one table that are relabellings of each other, for the engine "class".
    notes
        What to know before the result is trusted; none if there is nothing.

    Examples
    --------
    >>> import treewright as tw
    >>> tables = [{"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9}, {"b": [0, 1] * 20, "c": [0, 1] * 20}]
    >>> learned = tw.learn_from_databases(tw.read_databases(tables))
    >>> learned.structure.edges()
    [('a', 'b'), ('b', 'c')]
    >>> print(learned.why_not("a", "c"))
    a and c share no node; the tree separates them by {b}
    >>> print(learned.report())
    2 tables, 3 columns, 76 rows; class search over 2 column sets: 2 edges
    1 comparison of what tables share: no difference at 0.01
    1 separator of the tree could not be tested
    """

    databases: Databases
    engine: str
    tree: DSeparationTree
    homogeneity: Homogeneity
    model_based: tuple[NamedQuestion, ...] = ()
    undecided_edges: tuple[NamedArc, ...] = ()
    never_observed_together: tuple[tuple[str, str], ...] = ()
    found: LearnedSeparationTree | None = field(default=None, repr=False)
    audit: SeparatorAudit | None = None
    copies: tuple[tuple[str, str], ...] = ()
    _explain: Callable[[NameOrIndex, NameOrIndex], Absence] = field(kw_only=True, repr=False, compare=False)

    def why_not(self, u: NameOrIndex, v: NameOrIndex) -> Absence:
        """Why there is no edge between two variables; `str()` says it in a sentence."""
        return self._explain(u, v)

    def report(self) -> str:
        """The whole story in a few lines."""
        tables = self.databases
        how = "class search" if self.engine == "class" else "tests inside nodes"
        lines = [
            f"{counted(len(tables), 'table')}, {counted(len(tables.schema), 'column')}, "
            f"{counted(tables.n_rows, 'row')}; {how} over {counted(len(tables.hyperedges), 'column set')}: "
            f"{counted(len(self.structure.edges()), 'edge')}"
        ]
        if self.homogeneity.is_homogeneous:
            lines.append(str(self.homogeneity))
        return "\n".join([*lines, *self.notes])


def notes_on(learned: LearnedFromDatabases) -> tuple[str, ...]:
    """What to know before a result is trusted; none if there is nothing."""
    said = list(remarks_on_copies(learned.copies))
    if learned.engine == "class":
        said += remarks_on_few_rows(learned.databases)
    if not learned.homogeneity.is_homogeneous:
        said.append(f"the tables differ where they overlap: {learned.homogeneity}")
    if learned.undecided_edges:
        said.append(f"undecided, since no table covers a test: {_listed(learned.undecided_edges)}")
    if learned.never_observed_together:
        said.append(f"never observed together, no edge assumed: {_listed(learned.never_observed_together)}")
    if learned.model_based:
        n = counted(len(learned.model_based), "question")
        said.append(f"{n} that no table covers, answered from completed tables")
    if learned.found is not None:
        said += learned.found.notes
    if learned.audit is not None and learned.audit.untestable:
        said.append(f"{counted(learned.audit.n_untestable, 'separator')} of the tree could not be tested")
    if learned.audit is not None and learned.audit.contradictions:
        said.append(f"the tables contradict the hypergraph: {learned.audit.contradictions[0]}")
    return tuple(said)


def remarks_on_few_rows(databases: Databases) -> list[str]:
    """Column sets with so few rows that a regression on enough of the other columns leaves no residual.

    A score of regressions then rewards whatever completes such a fit, and the graph is dense by chance.
    """
    if not databases.is_continuous:
        return []
    sizes = [(databases.rows(scope), len(scope)) for scope in databases.hyperedge_scopes]
    few = [f"{rows:,} rows of {columns:,} columns" for rows, columns in sizes if rows <= columns]
    if not few:
        return []
    return [
        f"no more rows than columns, so that enough parents fit a column exactly and edges may be chance: "
        f"{listed(few)}; bound them by max_parents=, or ask engine='tests'"
    ]


def _listed(pairs: tuple[tuple[str, str], ...], shown: int = 5) -> str:
    more = f" and {len(pairs) - shown} more" if len(pairs) > shown else ""
    return ", ".join(f"{u} - {v}" for u, v in pairs[:shown]) + more
