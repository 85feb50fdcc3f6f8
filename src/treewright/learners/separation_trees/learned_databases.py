"""What learning from several tables returns: the network, and what the tables could and could not say."""

from __future__ import annotations

from dataclasses import dataclass, field

from treewright.graphs import DSeparationTree
from treewright.graphs.directed.arcs import NamedArc
from treewright.learners.independence.functional import remarks_on_functional
from treewright.learners.learned import LearnedPattern
from treewright.learners.separation_trees.audit import SeparatorAudit
from treewright.learners.separation_trees.learned_tree import LearnedSeparationTree
from treewright.statistics.homogeneity import Homogeneity
from treewright.tables.databases import Databases
from treewright.tables.exports import counted
from treewright.tables.report import listed

NamedQuestion = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True)
class LearnedFromDatabases(LearnedPattern):
    """A network learned from several tables with overlapping columns; everything by name.

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
        The d-separation tree of the hypergraph.
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

    Examples
    --------
    >>> import treewright as tw
    >>> tables = [{"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9}, {"b": [0, 1] * 20, "c": [0, 1] * 20}]
    >>> learned = tw.learn_from_databases(tables)
    >>> learned.structure.edges()
    [('a', 'b'), ('b', 'c')]
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

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before the result is trusted; none if there is nothing."""
        said: list[str] = []
        if self.engine == "class":
            said += remarks_on_few_rows(self.databases)
        if not self.homogeneity.is_homogeneous:
            said.append(f"the tables differ where they overlap: {self.homogeneity}")
        if self.undecided_edges:
            said.append(f"undecided, since no table covers a test: {_listed(self.undecided_edges)}")
        if self.never_observed_together:
            said.append(f"never observed together, no edge assumed: {_listed(self.never_observed_together)}")
        if self.model_based:
            n = counted(len(self.model_based), "question")
            said.append(f"{n} that no table covers, answered from completed tables")
        if self.found is not None:
            said += remarks_on_functional(self.found.functional)
        if self.audit is not None and self.audit.untestable:
            said.append(f"{counted(self.audit.n_untestable, 'separator')} of the tree could not be tested")
        if self.audit is not None and self.audit.contradictions:
            said.append(f"the tables contradict the hypergraph: {self.audit.contradictions[0]}")
        return tuple(said)

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
        return "\n".join([*lines, *self.warnings])


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
