"""Asking a model: every question that an exact engine answers, with names and labels.

Networks of tables and feature graphs differ in where their numbers come from, not in what can be asked of
them. A model that is derived from :class:`Asking` says what its schema and its engine are, and how much mass
its product has in all: none to speak of for a Bayesian network, the partition function for a Markov network.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treewright.errors import ImpossibleEvidence
from treewright.inference.batch import check_answer_size, columns_from_rows
from treewright.inference.engine import Cost, Engine
from treewright.inference.evidence import Evidence, EvidenceReader, Given, state_of
from treewright.inference.refusals import sampling_seed
from treewright.limits import table_axes
from treewright.models.answers import (
    Distribution,
    Explanation,
    ManyMarginals,
    Marginals,
    Predictions,
    list_targets,
)
from treewright.models.model import ModelBase, Rows, Unseen, align_evidence, as_evidence
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.tables.schema import Label, NameOrIndex
from treewright.tables.table import Table
from treewright.types import Cells, Scope


class Asking(ModelBase):
    """What every exact model of discrete variables can be asked.

    Examples
    --------
    >>> import treewright as tw
    >>> asia = tw.load_network("asia")
    >>> round(asia.query("lung", given={"xray": "yes", "smoke": "yes"})["yes"], 4)
    0.646
    >>> round(asia.query(["lung", "bronc"])["yes", "no"], 6)  # two variables together
    0.0235
    >>> round(asia.query("lung", given={"xray": {"yes": 0.8, "no": 0.2}})["yes"], 4)  # soft evidence
    0.1628
    >>> result = asia.marginals(given={"xray": "yes"})
    >>> round(result["lung"]["yes"], 4), round(result.probability_of_evidence, 4)
    (0.4887, 0.1103)
    >>> many = asia.marginals_many([{"xray": "yes"}, {"xray": "no", "smoke": "yes"}])
    >>> many.array("lung")[:, 0].round(4).tolist()
    [0.4887, 0.0024]
    >>> round(asia.probability_of({"smoke": "yes", "lung": "yes"}), 6)
    0.05
    >>> answer = asia.mpe(given={"xray": "yes"})
    >>> answer["lung"], answer["smoke"], round(answer.probability, 4)
    ('yes', 'yes', 0.0259)
    >>> dict(asia.marginal_map(["lung", "bronc"], given={"dysp": "yes"}))
    {'lung': 'no', 'bronc': 'yes'}
    >>> sick = asia.sample(1000, given={"xray": "yes"}, rng=np.random.default_rng(7))
    >>> set(sick.labels("xray").tolist()), sick.n_rows
    ({'yes'}, 1000)
    >>> asia.predict(sick, "either").tolist()[:3] == sick.labels("either").tolist()[:3]
    True
    >>> asia.predict_table({"xray": ["yes", None]}, "lung").array[:, 0].round(4).tolist()
    [0.4887, 0.055]
    >>> cost = tw.load_network("alarm").cost()
    >>> cost.width, cost.largest_cells, cost.refused
    (4, 144, False)
    """

    @abstractmethod
    def _make_engine(self) -> Engine:
        """The engine of the model's numbers; made when the first question comes."""

    @cached_property
    def _engine(self) -> Engine:
        return self._make_engine()

    @cached_property
    def _log_constant(self) -> float:
        """Natural logarithm of the mass of the whole product."""
        return 0.0

    @in_range
    def sample(self, n: int, given: Given | None = None, *, rng: np.random.Generator | None = None) -> Table:
        """Draw rows, given what is known.

        One 64-bit seed is taken from `rng`; without one it is taken from the system, and the rows are others
        each time. For one seed they are the same for any number of threads, and the first rows of a longer
        sample are the rows of a shorter one. Rows given evidence are exact draws, none is
        rejected or weighted.

        What feature networks draw, and Bayesian networks given evidence, is the same for any order of
        columns. Bayesian networks without evidence and Markov networks go through their variables in the
        order of the schema, so that what was drawn with a seed stays what it was: with another order of
        columns they draw other rows of the same distribution.
        """
        seed = sampling_seed(self.schema, n, rng)
        return self._draw(n, self._read(given), seed)

    def _draw(self, n: int, evidence: Evidence, seed: int) -> Table:
        drawn, log_evidence = self._engine.sample(n, evidence, seed=seed)
        self._require_possible(log_evidence, evidence)
        return Table(self.schema, drawn)

    # questions

    def query(self, targets: str | Sequence[str], given: Given | None = None) -> Distribution:
        """The distribution of one variable, or the joint distribution of several, given what is known.

        What is known is said by name: a state, or a mapping from every state to its likelihood (soft
        evidence).
        """
        scope, evidence = self._targets(targets), self._read(given)
        table, log_evidence = self._engine.joint(scope, evidence)
        self._require_possible(log_evidence, evidence)
        log_probability = self._log_probability_of(log_evidence, evidence)
        return Distribution([self.schema[v] for v in scope], table, log_probability)

    def marginals(self, given: Given | None = None) -> Marginals:
        """The distribution of every variable given what is known, in one propagation."""
        evidence = self._read(given)
        cells, log_evidence = self._engine.marginals(evidence)
        if log_evidence == -math.inf:
            self._require_possible(log_evidence, evidence)
        return Marginals(self.schema, cells, self._log_probability_of(log_evidence, evidence))

    def marginals_many(self, rows: Rows | Sequence[Mapping[str, Label]]) -> ManyMarginals:
        """The distribution of every variable given each row, for many rows at once.

        Rows are a table (or a frame, or what else is read), or mappings. Missing cells, columns that it lacks
        and names that a mapping leaves out are not observed. Equal rows are asked once.
        """
        everything = tuple(range(len(self.schema)))
        if isinstance(rows, list | tuple) and not (rows and all(isinstance(row, str) for row in rows)):
            check_answer_size(self.schema, everything, len(rows))
            columns = columns_from_rows(self._read, rows)
        else:
            columns = align_evidence(self.schema, as_evidence(self.schema, rows))
            check_answer_size(self.schema, everything, columns.n_rows)
        cells, logs = self._engine.marginals_many(columns, everything)
        return ManyMarginals(self.schema, cells, np.minimum(logs - self._log_constant, 0.0))

    def log_evidence(self, rows: Rows) -> Cells:
        """Natural logarithm of the probability of what each row shows; missing cells are summed out.

        Columns that the rows lack are summed out too. Equal to :meth:`log_probability` for whole rows.
        """
        table = as_evidence(self.schema, rows)
        _, logs = self._engine.marginals_many(align_evidence(self.schema, table), ())
        return np.minimum(logs - self._log_constant, 0.0)

    def predict(self, rows: Rows, target: str, *, unseen: Unseen = "error") -> npt.NDArray[Any]:
        """The most probable state of one variable for every row, given the row's other cells.

        Rows are a table, or a frame, dictionary, array or file. Missing cells and columns that are not there
        are not observed, and neither is the target where the rows have it. Labels that the model does not
        know are refused, or dealt with as :meth:`score` says: `unseen` "ignore" or "state".
        """
        answer = self.predict_table(rows, target, unseen=unseen)
        if answer.n_impossible:
            raise ImpossibleEvidence(
                f"row {int(np.argmax(answer.impossible))} has probability zero under the model, so nothing "
                f"follows from it; {answer.n_impossible:,} of {len(answer):,} rows are like this"
            )
        return answer.labels

    def predict_table(self, rows: Rows, target: str, *, unseen: Unseen = "error") -> Predictions:
        """The same with the probability of every state; a row of probability zero holds NaN."""
        v = self.schema.index(target)
        columns = align_evidence(self.schema, as_evidence(self.schema, rows, v, unseen)).without(v)
        check_answer_size(self.schema, (v,), columns.n_rows)
        return Predictions(self.schema[v], self._engine.marginals_many(columns, (v,))[0])

    def probability_of(self, given: Given) -> float:
        """Probability that all of this holds."""
        evidence = self._read(given)
        return math.exp(self._log_probability_of(self._engine.log_mass(evidence), evidence))

    def mpe(self, given: Given | None = None) -> Explanation:
        """The most probable explanation: the states of all variables that are jointly most probable."""
        evidence = self._read(given)
        codes, log_probability = self._engine.most_probable(evidence)
        self._require_possible(log_probability, evidence)
        return self._explanation(range(len(self.schema)), codes, log_probability - self._log_constant)

    def marginal_map(self, targets: Sequence[str], given: Given | None = None) -> Explanation:
        """The jointly most probable states of some variables, the others summed out (marginal MAP).

        Not the same as reading those variables off :meth:`mpe`. Answered exactly through the joint table of
        the targets, and refused with :class:`TableTooLarge` when that exceeds the memory limit.
        """
        scope, evidence = self._targets(targets), self._read(given)
        table, log_evidence = self._engine.joint(scope, evidence)
        self._require_possible(log_evidence, evidence)
        best = np.unravel_index(int(table.argmax()), table.shape)
        log_probability = math.log(float(table[best])) + log_evidence - self._log_constant
        codes = {v: int(code) for v, code in zip(table_axes(self.schema, scope), best, strict=True)}
        return self._explanation(scope, [codes.get(v, 0) for v in scope], log_probability)

    def joint(self, scope: Iterable[NameOrIndex]) -> Cells:
        """Joint probabilities of a scope as a plain array, one axis per variable in the order given.

        Of more than 64 variables, those of a single state have none (the last one always has one).
        """
        return self._engine.joint(self.schema.scope(scope))[0]

    def cost(self, given: Given | None = None, targets: str | Sequence[str] | None = None) -> Cost:
        """What a question would cost: all marginals, or the joint of some targets. Nothing is computed."""
        scope = () if targets is None else self._targets(targets)
        return self._engine.cost(self._read(given), scope)

    @cached_property
    def _read(self) -> EvidenceReader:
        return EvidenceReader(self.schema)

    def _targets(self, targets: str | Sequence[str]) -> Scope:
        return self.schema.scope(list_targets(targets))

    def _require_possible(self, log_mass: float, evidence: Evidence) -> None:
        if log_mass == -math.inf:
            self._engine.refuse_impossible(evidence)

    def _explanation(self, scope: Iterable[int], codes: Sequence[int], log_probability: float) -> Explanation:
        variables = [self.schema[v] for v in scope]
        states = {one.name: state_of(one, code) for one, code in zip(variables, codes, strict=True)}
        return Explanation(states, log_probability)

    def _log_probability_of(self, log_mass: float, evidence: Evidence) -> float:
        log_probability = log_mass - self._log_constant
        # sums that are one but for rounding; likelihoods may well exceed one
        return log_probability if evidence.weighted else min(log_probability, 0.0)
