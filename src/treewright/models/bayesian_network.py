"""A directed acyclic graph with a table per variable: the distribution of its states given its parents.

The probability of a row is the product over variables of one table entry each. Everything else (marginals,
conditionals, joint tables, samples) follows from that product.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.errors import ImpossibleEvidence, SchemaError
from treewright.graphs.cluster_trees import ClusterTree
from treewright.graphs.dag import Dag
from treewright.inference.batch import EvidenceColumns, check_answer_size, columns_from_rows
from treewright.inference.cost import Cost
from treewright.inference.evidence import Evidence, EvidenceReader, Given, state_of
from treewright.inference.factor import Factor
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.inference.sampling import sampling_seed
from treewright.models.answers import Distribution, Explanation, ManyMarginals, Marginals
from treewright.models.family_tables import Cells, checked_table, tables_by_variable
from treewright.models.model import Codes, align_columns, align_evidence, mean_log_probability
from treewright.tables.schema import Label, NameOrIndex, Schema, Scope
from treewright.tables.table import Table

if TYPE_CHECKING:
    import networkx as nx

    from treewright.models.dirichlet import Dirichlet
    from treewright.models.family_counts import FamilyCounter, FamilyCounts


class BayesianNetwork:
    """A Bayesian network over discrete variables.

    Parameters
    ----------
    dag
        The structure.
    tables
        One array per variable, in schema order or by name: an axis per parent in the order of
        `dag.parents(v)`, then one for the variable's own states. Every row sums to one (within 1e-6).
    unseen
        Parent configurations without any row behind them, per variable, as `fit` reports them.
    provenance
        Where the model came from: anything that JSON can say. Saved with the model.

    Examples
    --------
    >>> from treewright.graphs.dag import Dag
    >>> from treewright.tables.schema import Schema, Variable
    >>> schema = Schema([Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))])
    >>> model = BayesianNetwork(
    ...     Dag(schema, [("rain", "wet")]), {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.0, 1.0]]}
    ... )
    >>> model.query("rain", given={"wet": "yes"})
    rain
      no   0.285714
      yes  0.714286
    >>> model.n_parameters
    3
    """

    def __init__(
        self,
        dag: Dag,
        tables: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike],
        *,
        unseen: Mapping[str, int] | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        self._dag = dag
        self._tables = tuple(
            checked_table(dag, v, table) for v, table in enumerate(tables_by_variable(dag.schema, tables))
        )
        self._unseen = dict(unseen or {})
        self._provenance = dict(provenance or {})
        self._counts: FamilyCounts | None = None
        self._prior: Dirichlet | None = None

    @property
    def schema(self) -> Schema:
        return self._dag.schema

    @property
    def dag(self) -> Dag:
        return self._dag

    @property
    def structure(self) -> Dag:
        return self._dag

    @property
    def tables(self) -> tuple[Cells, ...]:
        """The tables in schema order, read-only."""
        return self._tables

    @property
    def unseen(self) -> dict[str, int]:
        """Parent configurations that the fitted rows never showed, per variable that has some."""
        return dict(self._unseen)

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the model came from, as far as it knows."""
        return dict(self._provenance)

    @property
    def counts(self) -> FamilyCounts | None:
        """The counts behind the tables, if the model was fitted with `keep_counts=True`."""
        return self._counts

    @property
    def prior(self) -> Dirichlet | None:
        """The prior that goes with the counts; None without counts, or for maximum likelihood."""
        return self._prior

    def with_provenance(self, provenance: Mapping[str, Any]) -> BayesianNetwork:
        """The same model with another story of where it came from."""
        made = BayesianNetwork(self._dag, self._tables, unseen=self._unseen, provenance=provenance)
        made._counts, made._prior = self._counts, self._prior
        return made

    def with_counts(self, counts: FamilyCounts | None, prior: Dirichlet | None = None) -> BayesianNetwork:
        """The same model carrying the counts behind its tables; None takes them away (and files shrink)."""
        made = BayesianNetwork(self._dag, self._tables, unseen=self._unseen, provenance=self._provenance)
        made._counts, made._prior = counts, prior
        return made

    def partial_fit(self, data: Table | FamilyCounter) -> BayesianNetwork:
        """A new model from the rows behind this one and further rows; this one stays as it is.

        The model must carry its counts (`fit(..., keep_counts=True)`). Whole counts add exactly: fitting part
        after part gives the very model that all rows give at once, in any order of the parts.

        Parameters
        ----------
        data
            A table, whose columns and states are met by name, or anything that counts.

        Examples
        --------
        >>> import treewright as tw
        >>> asia = tw.load_network("asia")
        >>> rows = asia.sample(300, rng=np.random.default_rng(7))
        >>> first, second = rows.shards(2)
        >>> model = tw.fit(asia.dag, tw.count(first), keep_counts=True)
        >>> model.partial_fit(second) == tw.fit(asia.dag, tw.count(rows))
        True
        """
        from treewright.models.partial_fit import partial_fit

        return partial_fit(self, data)

    def table(self, name: NameOrIndex) -> Cells:
        """The table of one variable: an axis per parent (in schema order), then the variable's states."""
        return self._tables[self.schema.index(name)]

    @property
    def n_parameters(self) -> int:
        """Free parameters: one less than the states, for every parent configuration."""
        return sum(table.size - table.size // table.shape[-1] for table in self._tables)

    def __repr__(self) -> str:
        sizes = (
            f"{len(self.schema)} variables, {len(self._dag.edges())} arcs, {self.n_parameters:,} parameters"
        )
        return f"<BayesianNetwork: {sizes}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return (
            self.schema == other.schema
            and self._dag.edges() == other._dag.edges()
            and all(np.array_equal(a, b) for a, b in zip(self._tables, other._tables, strict=True))
        )

    def __hash__(self) -> int:
        return hash((self.schema.names, tuple(self._dag.edges())))

    # rows

    def log_probability(self, table: Table) -> Cells:
        """Natural logarithm of the probability of each row; minus infinity where the model says never."""
        return _core.log_probability_rows(
            *self._native_tables, codes=align_columns(self.schema, table), n_rows=table.n_rows
        )

    def score(self, table: Table) -> float:
        """Mean log-likelihood per row, in nats; rows count by their weights."""
        return mean_log_probability(self.log_probability(table), table)

    def sample(self, n: int, given: Given | None = None, *, rng: np.random.Generator) -> Table:
        """Draw rows, given what is known.

        One 64-bit seed is taken from `rng`; the rows are the same for any number of threads, and the first
        rows of a longer sample are the rows of a shorter one. Rows given evidence are exact draws, none is
        rejected or weighted.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> asia = load_network("asia")
        >>> asia.sample(1000, rng=np.random.default_rng(7)).n_rows
        1000
        >>> sick = asia.sample(1000, given={"xray": "yes"}, rng=np.random.default_rng(7))
        >>> set(sick.labels("xray").tolist())
        {'yes'}
        """
        seed = sampling_seed(self.schema, n, rng)
        evidence = self._read(given)
        if len(evidence) == 0:
            columns = _core.sample_rows(
                *self._native_tables, order=self._dag.topological_order, seed=seed, first_row=0, n_rows=n
            )
            return Table(self.schema, cast("list[Codes]", columns))
        drawn, log_evidence = self._engine.sample(n, evidence, seed=seed)
        if log_evidence == -math.inf:
            self._engine.refuse_impossible(evidence)
        return Table(self.schema, drawn)

    # questions

    def query(self, targets: str | Sequence[str], given: Given | None = None) -> Distribution:
        """The distribution of one variable, or the joint distribution of several, given what is known.

        Parameters
        ----------
        targets
            A name, or a sequence of names.
        given
            What is known, by name: a state, or a mapping from every state to its likelihood (soft evidence).

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> asia = load_network("asia")
        >>> round(asia.query("lung", given={"xray": "yes", "smoke": "yes"})["yes"], 4)
        0.646
        >>> round(asia.query(["lung", "bronc"])["yes", "no"], 6)
        0.0235
        >>> round(asia.query("lung", given={"xray": {"yes": 0.8, "no": 0.2}})["yes"], 4)
        0.1628
        """
        scope = self._targets(targets)
        evidence = self._read(given)
        table, log_evidence = self._engine.joint(scope, evidence)
        if log_evidence == -math.inf:
            self._engine.refuse_impossible(evidence)
        return Distribution([self.schema[v] for v in scope], table, _rounded(log_evidence, evidence))

    def marginals(self, given: Given | None = None) -> Marginals:
        """The distribution of every variable given what is known, in one propagation.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> result = load_network("asia").marginals(given={"xray": "yes"})
        >>> round(result["lung"]["yes"], 4), round(result.probability_of_evidence, 4)
        (0.4887, 0.1103)
        """
        evidence = self._read(given)
        cells, log_evidence = self._engine.marginals(evidence)
        if log_evidence == -math.inf:
            self._engine.refuse_impossible(evidence)
        return Marginals(self.schema, cells, _rounded(log_evidence, evidence))

    def marginals_many(self, rows: Table | Sequence[Mapping[str, Label]]) -> ManyMarginals:
        """The distribution of every variable given each row, for many rows at once.

        Parameters
        ----------
        rows
            A table, whose missing cells (and columns that it lacks) are not observed; or a sequence of
            mappings from names to states. Equal rows are asked once.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> asia = load_network("asia")
        >>> result = asia.marginals_many([{"xray": "yes"}, {"xray": "no", "smoke": "yes"}])
        >>> result.array("lung")[:, 0].round(4).tolist()
        [0.4887, 0.0024]
        """
        everything = tuple(range(len(self.schema)))
        check_answer_size(self.schema, everything, len(rows))
        columns = self._columns(rows)
        cells, logs = self._engine.marginals_many(columns.codes, columns.missing, columns.n_rows, everything)
        return ManyMarginals(self.schema, cells, np.minimum(logs, 0.0))

    def predict(self, table: Table, target: str) -> npt.NDArray[Any]:
        """The most probable state of one variable for every row, given the row's other cells.

        Missing cells are not observed, and neither is the target where the table has it.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> asia = load_network("asia")
        >>> rows = asia.sample(3, rng=np.random.default_rng(1))
        >>> asia.predict(rows, "either").tolist() == rows.labels("either").tolist()
        True
        """
        v = self.schema.index(target)
        columns = align_evidence(self.schema, table).without(v)
        check_answer_size(self.schema, (v,), columns.n_rows)
        cells, logs = self._engine.marginals_many(columns.codes, columns.missing, columns.n_rows, (v,))
        impossible = np.flatnonzero(logs == -math.inf)
        if impossible.size:
            raise ImpossibleEvidence(
                f"row {int(impossible[0])} has probability zero under the model, so nothing follows from it; "
                f"{impossible.size:,} of {columns.n_rows:,} rows are like this"
            )
        states = np.empty(len(self.schema[v].states or ()), dtype=object)
        states[:] = self.schema[v].states
        best: npt.NDArray[Any] = states[cells.argmax(axis=1)] if columns.n_rows else states[:0]
        return best

    def probability_of(self, given: Given) -> float:
        """Probability that all of this holds.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> round(load_network("asia").probability_of({"smoke": "yes", "lung": "yes"}), 6)
        0.05
        """
        evidence = self._read(given)
        return math.exp(_rounded(self._engine.log_mass(evidence), evidence))

    def mpe(self, given: Given | None = None) -> Explanation:
        """The most probable explanation: the states of all variables that are jointly most probable.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> answer = load_network("asia").mpe(given={"xray": "yes"})
        >>> answer["lung"], answer["smoke"], round(answer.probability, 4)
        ('yes', 'yes', 0.0259)
        """
        evidence = self._read(given)
        codes, log_probability = self._engine.most_probable(evidence)
        if log_probability == -math.inf:
            self._engine.refuse_impossible(evidence)
        return self._explanation(range(len(self.schema)), codes, log_probability)

    def marginal_map(self, targets: Sequence[str], given: Given | None = None) -> Explanation:
        """The jointly most probable states of some variables, the others summed out (marginal MAP).

        Not the same as reading those variables off :meth:`mpe`. Answered exactly through the joint table of
        the targets, and refused with :class:`TableTooLarge` when that exceeds the memory limit.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> dict(load_network("asia").marginal_map(["lung", "bronc"], given={"dysp": "yes"}))
        {'lung': 'no', 'bronc': 'yes'}
        """
        scope = self._targets(targets)
        evidence = self._read(given)
        table, log_evidence = self._engine.joint(scope, evidence)
        if log_evidence == -math.inf:
            self._engine.refuse_impossible(evidence)
        best = np.unravel_index(int(table.argmax()), table.shape)
        log_probability = math.log(float(table[best])) + log_evidence
        return self._explanation(scope, [int(code) for code in best], log_probability)

    def joint(self, scope: Iterable[NameOrIndex]) -> Cells:
        """Joint probabilities of a scope as a plain array, one axis per variable in the order given."""
        return self._engine.joint(self.schema.scope(scope))[0]

    def cost(self, given: Given | None = None, targets: str | Sequence[str] | None = None) -> Cost:
        """What a question would cost: all marginals, or the joint of some targets. Nothing is computed.

        Examples
        --------
        >>> from treewright.networks import load_network
        >>> cost = load_network("alarm").cost()
        >>> cost.width, cost.largest_cells, cost.refused
        (4, 108, False)
        """
        scope = () if targets is None else self._targets(targets)
        return self._engine.cost(self._read(given), scope)

    # files

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        certificate: ClusterTree | None = None,
        treewidth: int | None = None,
    ) -> None:
        """Write the model to a file that :func:`treewright.models.formats.twm.load` reads back exactly.

        Parameters
        ----------
        path
            Where; a name that ends in .gz is compressed, a pipe or device is written through.
        certificate
            Clusters that prove a treewidth, kept beside the model for :func:`treewright.verify`.
        treewidth
            The bound that the clusters are to prove, if one was promised.
        """
        from treewright.models.formats import twm

        twm.save(self, path, certificate=certificate, treewidth=treewidth)

    @cached_property
    def _engine(self) -> JunctionTreeEngine:
        families = [Factor((*self._dag.parents(v), v), table) for v, table in enumerate(self._tables)]
        return JunctionTreeEngine(self.schema, families, directed=True)

    @cached_property
    def _read(self) -> EvidenceReader:
        return EvidenceReader(self.schema)

    def _targets(self, targets: str | Sequence[str]) -> Scope:
        names = [targets] if isinstance(targets, str) else list(targets)
        if not names:
            raise SchemaError("a query asks about at least one variable; found none")
        return self.schema.scope(names)

    def _columns(self, rows: Table | Sequence[Mapping[str, Label]]) -> EvidenceColumns:
        if isinstance(rows, Table):
            return align_evidence(self.schema, rows)
        return columns_from_rows(self._read, rows)

    def _explanation(self, scope: Iterable[int], codes: Sequence[int], log_probability: float) -> Explanation:
        variables = self.schema.variables
        states = {
            variables[v].name: state_of(variables[v], code) for v, code in zip(scope, codes, strict=True)
        }
        return Explanation(states, log_probability)

    @cached_property
    def _native_tables(self) -> tuple[list[int], list[list[int]], list[Cells]]:
        parents = [list(self._dag.parents(v)) for v in range(len(self.schema))]
        return list(self.schema.cardinalities), parents, [table.ravel() for table in self._tables]

    # exchange with files and other libraries; each door is a thin one

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        """Pickles and copies go through the bytes of the native file."""
        from treewright.models.formats import twm

        return twm.from_bytes, (twm.to_bytes(self),)

    def to_networkx(self) -> nx.DiGraph[str]:
        """The model as a `networkx.DiGraph` whose nodes carry their states, parents and tables."""
        from treewright.models.convert import to_networkx

        return to_networkx(self)

    def to_pgmpy(self) -> Any:
        """The model as a network of pgmpy, which must be installed."""
        from treewright.models.convert import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """The model as a network of pyAgrum, which must be installed."""
        from treewright.models.convert import to_pyagrum

        return to_pyagrum(self)

    def to_dot(self) -> str:
        """The structure as text for Graphviz."""
        from treewright.models.convert import to_dot

        return to_dot(self.dag)


def _rounded(log_evidence: float, evidence: Evidence) -> float:
    # sums that are one but for rounding; likelihoods may well exceed one
    return log_evidence if evidence.weighted else min(log_evidence, 0.0)
