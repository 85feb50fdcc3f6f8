"""A directed acyclic graph with tables and lines: states and numbers in one model, nothing cut.

A discrete variable has a table given its discrete parents. A continuous one is Normal around a line of its
continuous parents, with a line and a variance of its own for every joint state of its discrete parents
(Lauritzen & Wermuth 1989). Given the states, all numbers are jointly Normal, so every question has an exact
answer: posteriors of states, and mixtures of Normals with their exact means and variances.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treewright.arguments import DAG, require
from treewright.errors import EvidenceError, ImpossibleEvidence, SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.inference.conditional_gaussian import ConditionalGaussianEngine, MixedEvidence
from treewright.inference.engine import Cost, Factor
from treewright.inference.evidence import EvidenceReader, read_real_evidence
from treewright.inference.refusals import sampling_seed, within_range
from treewright.models.answers import Distribution, Explanation, Predictions, list_targets
from treewright.models.causal.doors import Actable
from treewright.models.continuous.normal_answers import JointNormal, NormalPredictions
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.mixed import answering
from treewright.models.mixed.lines import Lines, as_family, check_lines, refuse_numbers_above_states
from treewright.models.mixed.mixed_rows import log_densities, log_densities_shown, predict_rows
from treewright.models.mixed.mixtures import MixedMarginals, NormalMixture
from treewright.models.model import DirectedModel, Rows, Unseen, as_evidence, as_rows, by_variable
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.tables.schema import Label, NameOrIndex, Schema
from treewright.tables.table import Table
from treewright.types import Cells, Floats

if TYPE_CHECKING:
    from treewright.models.mixed.mixed_sensitivity import MixedSensitivity

MixedGiven = Mapping[str, "Label | Mapping[Label, float]"]


class ConditionalGaussianNetwork(Actable):
    """A conditional linear-Gaussian Bayesian network over discrete and continuous variables.

    Discrete variables have discrete parents only; continuous ones may have both.

    Parameters
    ----------
    tables
        For every discrete variable, by name: an axis per parent in the order of `dag.parents`, then one for
        its own states, as in :class:`BayesianNetwork`.
    lines
        For every continuous variable, by name, its :class:`Lines`. Variances are above zero.

    Examples
    --------
    >>> from treewright import Schema, Variable
    >>> schema = Schema([Variable("sky", ("clear", "grey")), Variable("sun"), Variable("heat")])
    >>> dag = Dag(schema, [("sky", "sun"), ("sky", "heat"), ("sun", "heat")])
    >>> model = ConditionalGaussianNetwork(
    ...     dag,
    ...     {"sky": [0.25, 0.75]},
    ...     {"sun": Lines([8.0, 4.0], {}, [1.0, 4.0]), "heat": Lines([6, 6], {"sun": [2, 1.5]}, [1, 1])},
    ... )
    >>> model.query("heat")
    heat: mean 14.5, standard deviation 5.24404 (2 Normals)
    >>> model.query("sky", given={"heat": 20.0})
    sky
      clear  0.885741
      grey   0.114259
    >>> model.query("sun", given={"heat": 20.0, "sky": "grey"})
    sun: mean 8.8, standard deviation 0.632456
    >>> model.mpe(given={"heat": 20.0})["sky"]
    'clear'
    >>> model
    <ConditionalGaussianNetwork: 3 variables (2 continuous), 3 arcs, 11 parameters>
    """

    def __init__(self, dag: Dag, tables: Mapping[str, npt.ArrayLike], lines: Mapping[str, Lines]) -> None:
        require("ConditionalGaussianNetwork", DAG, dag)
        self._dag = dag
        refuse_numbers_above_states(dag)
        discrete = dag.schema.select([v.name for v in dag.schema if v.is_discrete])
        continuous = dag.schema.select([v.name for v in dag.schema if not v.is_discrete])
        by_variable(discrete, tables, "table")
        by_variable(continuous, lines, "set of lines")
        arcs = [(tail, head) for tail, head in dag.edges() if head in discrete]
        self._network = BayesianNetwork(Dag(discrete, arcs), dict(tables))
        self._lines = {name: lines[name] for name in continuous.names}
        for name, given in self._lines.items():
            if not isinstance(given, Lines):
                raise SchemaError(f"the lines of {name!r} are a Lines object; found {type(given).__name__}")
            check_lines(dag, dag.schema.index(name), given)

    @property
    def discrete(self) -> BayesianNetwork:
        """The network of the discrete variables alone."""
        return self._network

    def table(self, name: NameOrIndex) -> Any:
        """The table of a discrete variable, with labels."""
        return self._network.table(self.schema[name].name)

    def lines(self, name: NameOrIndex) -> Lines:
        """The lines of a continuous variable."""
        wanted = self.schema[name].name
        if wanted not in self._lines:
            raise SchemaError(f"{wanted!r} is discrete and has a table, not lines; ask for table({wanted!r})")
        return self._lines[wanted]

    @property
    def continuous(self) -> tuple[str, ...]:
        """Names of the continuous variables, in schema order."""
        return tuple(self._lines)

    @property
    def n_parameters(self) -> int:
        """Free parameters: of the tables, and of every line its intercept, variance and coefficients."""
        return self._network.n_parameters + sum(one.n_parameters for one in self._lines.values())

    def __repr__(self) -> str:
        sizes = f"{len(self.schema)} variables ({len(self._lines)} continuous), {self._dag.n_edges} arcs"
        return self._told_after(f"<{type(self).__name__}: {sizes}, {self.n_parameters:,} parameters>")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConditionalGaussianNetwork):
            return NotImplemented
        return (
            self.schema == other.schema
            and self._dag == other._dag
            and self._network == other._network
            and self._lines == other._lines
        )

    __hash__ = DirectedModel.__hash__

    # rows

    def _log_rows(self, table: Table) -> Floats:
        return log_densities(self, table)

    def log_evidence(self, rows: Rows) -> Floats:
        """Natural logarithm of the density of what each row shows; what it misses is summed out exactly."""
        return log_densities_shown(self, as_rows(self.schema, rows))

    @in_range
    @within_range()
    def sample(
        self, n: int, given: MixedGiven | None = None, *, rng: np.random.Generator | None = None
    ) -> Table:
        """Draw rows, given what is known.

        One 64-bit seed is taken from `rng`, without one from the system, anew each time; the rows are the
        same for any number of threads and any order of columns, and the first rows of a longer sample are
        those of a shorter one. Rows given evidence are exact draws, none is rejected or weighted.
        """
        seed = sampling_seed(self.schema, n, rng)
        evidence = self._read(given)
        drawn = answering.draw(self._engine, evidence, n, seed)
        return Table(self.schema, [drawn[name] for name in self.schema.names])

    def predict(self, rows: Rows, target: str, *, unseen: Unseen = "error") -> npt.NDArray[Any]:
        """The most probable state, or the expected number, of one variable for every row.

        Given the row's other cells; missing cells and columns that the table lacks are not observed, and
        neither is the target. Rows that miss nothing are answered at once, others one by one.

        Examples
        --------
        >>> import treewright as tw
        >>> schema = tw.Schema([tw.Variable("sex", ("f", "m")), tw.Variable("height")])
        >>> model = ConditionalGaussianNetwork(
        ...     tw.Dag(schema, [("sex", "height")]),
        ...     {"sex": [0.5, 0.5]},
        ...     {"height": Lines([166.0, 179.0], {}, [42.0, 49.0])},
        ... )
        >>> model.predict({"height": [160.0, 180.0]}, "sex").tolist()
        ['f', 'm']
        >>> model.predict_table({"sex": ["f", None]}, "height").means.round(6).tolist()
        [166.0, 172.5]
        """
        answer = self.predict_table(rows, target, unseen=unseen)
        if isinstance(answer, NormalPredictions):
            impossible, found = np.isnan(answer.means), answer.means
        else:
            impossible, found = answer.impossible, answer.labels
        if impossible.any():
            raise ImpossibleEvidence(
                f"row {int(np.argmax(impossible))} has probability zero under the model, so nothing follows "
                f"from it; {int(impossible.sum()):,} of {len(answer):,} rows are like this"
            )
        return found

    @within_range()
    def predict_table(
        self, rows: Rows, target: str, *, unseen: Unseen = "error"
    ) -> Predictions | NormalPredictions:
        """The same with the probability of every state, or with variances; NaN for an impossible row."""
        v = self.schema.index(target)
        return predict_rows(self, as_evidence(self.schema, rows, v, unseen), target)

    # questions

    @within_range()
    def query(
        self, targets: str | Sequence[str], given: MixedGiven | None = None
    ) -> Distribution | NormalMixture | JointNormal:
        """What one variable is, or several together, given what is known.

        Of discrete variables a :class:`Distribution`, of a continuous one a :class:`NormalMixture`; of
        several continuous ones their exact means and covariances as a :class:`JointNormal`, the Normal with
        the moments of the mixture. States and numbers together are asked for in two questions.
        """
        names = list_targets(targets)
        evidence = self._read(given)
        kinds = {self.schema[name].is_discrete for name in names}
        if kinds == {True, False}:
            raise SchemaError(
                f"one question is about states or about numbers; found {', '.join(map(repr, names))}: ask "
                "twice, and put what is known of the first into given= of the second"
            )
        self.schema.scope(names)
        if kinds == {True}:
            return answering.joint_states(self._engine, evidence, names)
        if isinstance(targets, str):
            return answering.mixtures(self._engine, evidence, names)[0]
        return answering.joint_numbers(self._engine, evidence, names)

    @within_range()
    def marginals(self, given: MixedGiven | None = None) -> MixedMarginals:
        """What every variable is, given what is known."""
        evidence = self._read(given)
        states, log_density = answering.all_states(self._engine, evidence)
        found: dict[str, Distribution | NormalMixture] = dict(states)
        numbers = answering.mixtures(self._engine, evidence, self.continuous)
        found.update(zip(self.continuous, numbers, strict=True))
        return MixedMarginals(self.schema.names, found, log_density)

    @within_range()
    def log_density_of(self, given: MixedGiven) -> float:
        """Natural logarithm of the density of these numbers and states together."""
        try:
            return answering.log_density(self._engine, self._read(given))
        except ImpossibleEvidence:
            return -math.inf

    @within_range()
    def mpe(self, given: MixedGiven | None = None) -> Explanation:
        """The states and numbers that are jointly most probable: the highest point of the density.

        `log_probability` of the answer is the log-density of all of them and what is given together.
        """
        found, log_density = answering.highest_point(self._engine, self._read(given))
        return Explanation({name: found[name] for name in self.schema.names}, log_density)

    def sensitivity(
        self, target: str, state: Label | None = None, given: MixedGiven | None = None
    ) -> MixedSensitivity:
        """How much each number of tables and lines moves P(target = state | given).

        Of a continuous target, which has no `state`: its mean and its variance. Of a table one number is
        moved and the rest of its row scaled; intercepts, coefficients and variances are moved alone.
        """
        from treewright.models.mixed.mixed_sensitivity import mixed_sensitivity

        return mixed_sensitivity(self, target, state, given)

    def cost(self, given: MixedGiven | None = None, targets: str | Sequence[str] | None = None) -> Cost:
        """What a question would cost: all marginals, or those of some targets. Nothing is computed."""
        evidence = self._read(given)
        names: Iterable[str] = self.schema.names if targets is None else list_targets(targets)
        hidden = [n for n in names if not self.schema[n].is_discrete and n not in evidence.numbers]
        return self._engine.cost(evidence, hidden)

    def _read(self, given: MixedGiven | None) -> MixedEvidence:
        """Evidence by kind of variable."""
        if given is not None and not isinstance(given, Mapping):
            raise EvidenceError(f"evidence is a mapping from names to values; found {type(given).__name__}")
        numbers: dict[str, Any] = {}
        states: dict[str, Any] = {}
        for name, value in (given or {}).items():
            known = isinstance(name, str) and name in self.schema
            (states if known and self.schema[name].is_discrete else numbers)[name] = value
        reals = read_real_evidence(self.schema, numbers)  # which refuses unknown names too
        found = dict(zip(self.schema.names_of(reals.observed), reals.values, strict=True))
        read = self._reader(dict(sorted(states.items())))
        return MixedEvidence(read, dict(sorted(found.items())))

    @cached_property
    def _reader(self) -> EvidenceReader:
        return EvidenceReader(self._engine.schema)

    @cached_property
    def _engine(self) -> ConditionalGaussianEngine:
        network = self._network
        schema = Schema(sorted(network.schema, key=lambda variable: variable.name))
        factors = []
        for name in schema.names:
            v = network.schema.index(name)
            parents = network.schema.names_of(network.dag.parents(v))
            order = sorted(range(len(parents)), key=parents.__getitem__)
            scope = schema.scope([*(parents[k] for k in order), name])
            table: Cells = network.tables[v]
            factors.append(Factor(scope, np.ascontiguousarray(table.transpose([*order, len(order)]))))
        families = (as_family(self._dag, self.schema.index(n), self._lines[n]) for n in self.by_layers())
        return ConditionalGaussianEngine(schema, factors, families)

    def by_layers(self) -> list[str]:
        """The continuous variables, parents first, of those that may come next the first by name."""
        numbers = set(self.continuous)
        waiting = {n: {p for p in self._dag.parents(n) if p in numbers} for n in self.continuous}
        ready = sorted(n for n, parents in waiting.items() if not parents)
        order: list[str] = []
        while ready:
            name = heapq.heappop(ready)
            order.append(name)
            for child in self._dag.children(name):
                waiting[child].discard(name)
                if not waiting[child]:
                    heapq.heappush(ready, child)
        return order
