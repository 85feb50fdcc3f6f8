"""A feature graph with its parameters, asked like every other model.

What is exact is said by the graph. On a *deterministic* graph every row takes one way from the root to the
leaves: parameters have a closed form, and the most probable explanation and the entropy are exact. Mixtures
and hidden states leave probabilities, marginals and samples exact, but not those three: :meth:`mpe` and
:meth:`entropy` then refuse, and :meth:`FeatureNetwork.mpe_bound` and :meth:`FeatureNetwork.entropy_estimate`
answer with types of their own that say how far they may be off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright import _core
from treewright.arguments import FEATURES, require
from treewright.errors import NoExactAnswer, SettingError
from treewright.graphs.feature_graph import FeatureGraph
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.inference.batch import EvidenceColumns
from treewright.inference.evidence import Evidence, Given
from treewright.inference.feature_graph import FeatureGraphEngine
from treewright.models.answers import BoundedExplanation
from treewright.models.asking import Asking
from treewright.models.model import Rows, align_columns, align_evidence, as_evidence
from treewright.once import cached_property
from treewright.origins import origin_of
from treewright.ranges import in_range
from treewright.tables.schema import Label, Schema
from treewright.tables.table import Table
from treewright.types import Cells

if TYPE_CHECKING:
    import networkx as nx

    from treewright.models.discrete.family_counts import FamilyCounter
    from treewright.models.features.feature_sensitivity import FeatureSensitivity
    from treewright.models.undirected.log_linear import LogLinearModel
    from treewright.models.undirected.markov_network import MarkovNetwork


@dataclass(frozen=True)
class EstimatedEntropy:
    """The mean of -log p over drawn rows, its standard error, and how many rows were drawn."""

    nats: float
    standard_error: float
    n_rows: int


class FeatureNetwork(Asking):
    """The distribution of a feature graph.

    The graph has the parameters that a learner or :func:`fit` put on it; the `provenance`, anything that JSON
    can say, tells where the model came from.

    Examples
    --------
    >>> from treewright.graphs import FeatureGraphBuilder
    >>> from treewright.tables.schema import Variable
    >>> schema = Schema([Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))])
    >>> builder = FeatureGraphBuilder(schema)
    >>> dry, wet = builder.table("wet", [0.9, 0.1]), builder.table("wet", [0.2, 0.8])
    >>> graph = builder.graph(builder.split("rain", {"no": (0.75, dry), "yes": (0.25, wet)}))
    >>> model = FeatureNetwork(graph)
    >>> model.query("rain", given={"wet": "yes"})
    rain
      no   0.272727
      yes  0.727273
    >>> dict(model.mpe(given={"wet": "yes"})), round(model.entropy(), 6)
    ({'rain': 'yes', 'wet': 'yes'}, 0.931248)
    >>> builder = FeatureGraphBuilder(schema.select(["rain"]))
    >>> parts = [builder.table("rain", [0.9, 0.1]), builder.table("rain", [0.3, 0.7])]
    >>> answer = FeatureNetwork(builder.graph(builder.mixture(parts, [0.5, 0.5]))).mpe_bound()
    >>> answer["rain"], round(answer.probability, 6), round(math.exp(answer.log_upper_bound), 6)
    ('no', 0.6, 0.8)
    """

    def __init__(self, graph: FeatureGraph, *, provenance: Mapping[str, Any] | None = None) -> None:
        require("FeatureNetwork", FEATURES, graph)
        self._graph = graph
        self._provenance = dict(origin_of(graph) if provenance is None else provenance)

    @property
    def schema(self) -> Schema:
        return self._graph.schema

    @property
    def graph(self) -> FeatureGraph:
        return self._graph

    @cached_property
    def structure(self) -> UndirectedGraph:
        """Variables that meet on a path of the graph are joined."""
        return self._graph.to_undirected()

    @property
    def is_exact(self) -> bool:
        """Whether :meth:`mpe`, :meth:`entropy` and closed-form fitting are exact: no hidden choices."""
        return self._graph.is_deterministic

    @cached_property
    def n_parameters(self) -> int:
        """Free parameters: numbers less one per distribution, forbidden cells left out."""
        return self._parameters.n_free

    def _log_rows(self, table: Table) -> Cells:
        return self.engine.log_probability(align_columns(self.schema, table), table.n_rows)

    def log_evidence(self, rows: Rows) -> Cells:
        """Natural logarithm of the probability of what each row shows; missing cells are summed out.

        Equal to :meth:`log_probability` for rows without missing cells.
        """
        table = as_evidence(self.schema, rows)
        return np.minimum(self.engine.log_mass_many(align_evidence(self.schema, table)), 0.0)

    def mpe_bound(self, given: Given | None = None) -> BoundedExplanation:
        """A probable explanation, with bounds on how probable the best one is.

        On a deterministic graph this is :meth:`mpe`, and both bounds agree. Otherwise the search maximises
        over the row and the hidden choices together, then changes one variable at a time while that helps.
        """
        evidence = self._read(given)
        codes, log_probability, log_bound = self.engine.most_probable_bound(evidence)
        if log_probability == -math.inf and log_bound == -math.inf:
            self.engine.refuse_impossible(evidence)
        plain = self._explanation(range(len(self.schema)), codes, log_probability)
        return BoundedExplanation(dict(plain), log_probability, log_bound)

    def entropy(self, given: Given | None = None) -> float:
        """The entropy in nats, of everything or of what the evidence leaves; exact.

        Refused with :class:`NoExactAnswer` for mixtures and hidden states; see :meth:`entropy_estimate`.
        """
        if not self.is_exact:
            raise NoExactAnswer(
                "the entropy of a graph with mixtures or hidden states has no closed form; entropy_estimate "
                "draws rows and gives it with a standard error"
            )
        evidence = self._read(given)
        n = len(self.schema)
        unseen = EvidenceColumns([None] * n, [None] * n, 1)
        counts, log_mass = self.engine.expected_counts(unseen, None, evidence)
        if log_mass == -math.inf:
            self.engine.refuse_impossible(evidence)
        used = counts > 0
        expected = float(counts[used] @ self._graph.numbers[used]) + self._expected_likelihood(evidence)
        return max(0.0, log_mass - expected)

    @in_range
    def entropy_estimate(
        self, n: int = 10_000, given: Given | None = None, *, rng: np.random.Generator
    ) -> EstimatedEntropy:
        """The entropy in nats, estimated from drawn rows; for any graph."""
        if n < 2:
            raise SettingError(f"an estimate with a standard error needs at least 2 rows; asked for {n}")
        rows = self.sample(n, given, rng=rng)
        logs = self.log_probability(rows) + self._log_likelihoods(self._read(given), rows)
        logs -= self.engine.log_mass(self._read(given))
        return EstimatedEntropy(-float(logs.mean()), float(logs.std(ddof=1)) / math.sqrt(n), n)

    @in_range
    def refit(self, counter: FamilyCounter, alpha: float = 1.0) -> FeatureNetwork:
        """The same graph with parameters estimated anew from the rows of a counter.

        The counter must hold rows, as that of :func:`count`. The prior pretends to have seen `alpha` rows at
        every node, spread evenly over what may be there; 0 is maximum likelihood. Refused with
        :class:`NoExactAnswer` when the graph is not deterministic; :func:`fit` runs expectation maximisation
        then.
        """
        from treewright.models.features.feature_fitting import refit

        return refit(self, counter, alpha)

    def sensitivity(self, target: str, state: Label, given: Given | None = None) -> FeatureSensitivity:
        """How much each number of the graph moves P(target = state | given).

        One number of a distribution is moved, and the rest of it scaled.

        Examples
        --------
        >>> from treewright.graphs import FeatureGraphBuilder
        >>> from treewright.tables.schema import Variable
        >>> builder = FeatureGraphBuilder(Schema([Variable("rain", ("no", "yes"))]))
        >>> parts = [builder.table("rain", [0.9, 0.1]), builder.table("rain", [0.3, 0.7])]
        >>> model = FeatureNetwork(builder.graph(builder.mixture(parts, [0.5, 0.5])))
        >>> [(str(one), round(one.derivative, 4)) for one in model.sensitivity("rain", "yes")][:2]
        [('weight of node 0 at node 2', -0.6), ('weight of node 1 at node 2', 0.6)]
        """
        from treewright.models.features.feature_sensitivity import feature_sensitivity

        return feature_sensitivity(self, target, state, given)

    # conversions

    def to_log_linear(self, *, pushed: bool = False) -> LogLinearModel:
        """The same distribution as weighted features, one per parameter.

        The weights of what holds in a row add up to its log-probability; minus infinity says never. With
        `pushed`, the weights of inner nodes are pushed down into the leaves of the first child, so that only
        leaves have features, as in the paper.
        """
        from treewright.models.convert.log_linear import to_log_linear

        return to_log_linear(self._graph, pushed=pushed)

    @in_range
    def to_markov_network(self, *, clique_limit: int = 20) -> MarkovNetwork:
        """The same distribution as a product of tables over the cliques of a junction tree.

        Refused with :class:`TreewidthError`, before any table is made, when a clique has more than
        `clique_limit` variables.
        """
        from treewright.models.convert.features import to_markov_network

        return to_markov_network(self, clique_limit=clique_limit)

    def to_networkx(self) -> nx.DiGraph[int]:
        """The nodes of the graph as a `networkx.DiGraph`: arcs point to children and carry probabilities."""
        from treewright.models.convert.features import to_networkx

        return to_networkx(self._graph)

    def to_dot(self) -> str:
        """The nodes of the graph as text for Graphviz."""
        from treewright.models.convert.features import to_dot

        return to_dot(self._graph)

    def __repr__(self) -> str:
        kind = "deterministic" if self.is_exact else "with hidden choices"
        return f"<FeatureNetwork: {len(self.schema)} variables, {self._graph.n_nodes:,} nodes, {kind}>"

    def __eq__(self, other: object) -> bool:
        return self._graph == other._graph if isinstance(other, FeatureNetwork) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._graph)

    # what the engine sees

    @property
    def engine(self) -> FeatureGraphEngine:
        """What answers; made when the first question comes."""
        engine = self._engine
        assert isinstance(engine, FeatureGraphEngine)
        return engine

    def _make_engine(self) -> FeatureGraphEngine:
        return FeatureGraphEngine(self._graph)

    @cached_property
    def _parameters(self) -> _core.FeatureParameters:
        return _core.FeatureParameters(self._graph.native)

    def _expected_likelihood(self, evidence: Evidence) -> float:
        """What soft evidence adds to the expected log of a row's mass, as the engine scales it."""
        if not evidence.weighted:
            return 0.0
        cells, _ = self.engine.marginals(evidence)
        first = np.concatenate([[0], np.cumsum(self.schema.cardinalities)])
        total = 0.0
        for v, likelihood in zip(evidence.weighted, evidence.likelihoods, strict=True):
            here, scaled = cells[first[v] : first[v + 1]], np.array(likelihood) / max(likelihood)
            total += float(here[here > 0] @ np.log(scaled[here > 0]))
        return total

    def _log_likelihoods(self, evidence: Evidence, rows: Table) -> Cells:
        """The log-likelihood that soft evidence gives to each drawn row."""
        logs = np.zeros(rows.n_rows)
        for v, likelihood in zip(evidence.weighted, evidence.likelihoods, strict=True):
            logs += np.log(np.array(likelihood))[np.asarray(rows.columns[v])]
        return logs
