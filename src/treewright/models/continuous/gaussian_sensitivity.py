"""How much an answer of a Gaussian network moves with each of its numbers.

The answer about a target given values e is its mean and its variance. Let c weigh the target by one and
what is observed by minus the coefficients of its regression on e, and r weigh what is observed by how far
the values are from their means, in units of their covariance. Then an intercept of v moves the mean by
alpha_v, a variance moves the mean by alpha_v beta_v and the variance by alpha_v squared, and the
coefficient of u in v moves the mean by alpha_v E[u | e] + beta_v Cov(u, target | e) and the variance by 2
alpha_v Cov(u, target | e), where alpha and beta are c and r carried against the arrows: the weight of a
variable and of all that it flows into.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treewright.errors import EvidenceError
from treewright.inference.evidence import RealEvidence, RealGiven, read_real_evidence
from treewright.inference.refusals import within_range
from treewright.models.answers import html_table
from treewright.models.discrete.sensitivity import list_moves
from treewright.models.labelled import make_frame
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats, Scope

if TYPE_CHECKING:
    from treewright.models.continuous.gaussian_network import GaussianNetwork

_SHOWN = 8
_LEAST = 1e-12  # a derivative below is rounding
_DETERMINED = 1e-12  # a pivot below this share of its variance: the values before it say what this one is


class Moves(NamedTuple):
    """Derivatives of an answer's mean and of its variance."""

    mean: float
    variance: float


@dataclass(frozen=True)
class MovingParameter:
    """One number of a Gaussian network and the derivatives of an answer by it.

    `kind` is ``"coefficient"``, ``"intercept"`` or ``"variance"``; `parent` that of a coefficient, else None.
    """

    variable: str
    kind: str
    parent: str | None
    value: float
    mean: float
    variance: float

    def __str__(self) -> str:
        return f"{self.kind} of {f'{self.parent} in ' if self.parent else ''}{self.variable}"


class GaussianSensitivity:
    """How much the mean and the variance of an answer move with each number of a Gaussian network.

    `mean` and `variance` are the answer itself; :meth:`intercept`, :meth:`noise` and :meth:`coefficients` the
    derivatives of both. Iterating gives the numbers that move the answer, the strongest first: those that
    move its mean or its deviation, which have the same unit, most.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable("sun"), tw.Variable("heat")])
    >>> dag = tw.Dag(schema, [("sun", "heat")])
    >>> model = tw.GaussianNetwork(dag, [6.0, 10.0], {"heat": {"sun": 2.0}}, [4.0, 9.0])
    >>> model.sensitivity("sun", given={"heat": 27.0})
    sun: mean 7.6, standard deviation 1.2 moves most with
      coefficient of sun in heat   2.0000  mean by  -2.14  variance by  -0.922
      intercept of sun             6.0000  mean by  +0.36  variance by  +0
      intercept of heat           10.0000  mean by  -0.32  variance by  +0
      variance of sun              4.0000  mean by  +0.144  variance by  +0.13
      variance of heat             9.0000  mean by  -0.064  variance by  +0.102
    """

    def __init__(self, model: GaussianNetwork, target: str, answer: Moves, flows: _Flows) -> None:
        self.target, (self.mean, self.variance) = target, answer
        self._model, self._flows = model, flows

    @property
    def _schema(self) -> Schema:
        return self._model.schema

    def intercept(self, name: NameOrIndex) -> Moves:
        """By the intercept of one variable."""
        return Moves(float(self._flows.alpha[self._schema.index(name)]), 0.0)

    @within_range()
    def noise(self, name: NameOrIndex) -> Moves:
        """By the variance of one variable given its parents."""
        v, (alpha, beta, _, _) = self._schema.index(name), self._flows
        return Moves(float(alpha[v] * beta[v]), float(alpha[v] ** 2))

    @within_range()
    def coefficients(self, name: NameOrIndex) -> dict[str, Moves]:
        """By the coefficients of one variable's parents, by name."""
        v, (alpha, beta, means, covariances) = self._schema.index(name), self._flows
        return {
            self._schema.names[u]: Moves(
                float(alpha[v] * means[u] + beta[v] * covariances[u]), float(2 * alpha[v] * covariances[u])
            )
            for u in self._model.dag.parents(v)
        }

    def _all(self) -> Iterator[MovingParameter]:
        for name in self._schema.names:
            for parent, by in self.coefficients(name).items():
                weight = self._model.coefficients(name)[parent]
                yield MovingParameter(name, "coefficient", parent, weight, *by)
            yield MovingParameter(name, "intercept", None, self._model.intercept(name), *self.intercept(name))
            yield MovingParameter(name, "variance", None, self._model.variance(name), *self.noise(name))

    def _size(self, one: MovingParameter) -> float:
        of_deviation = abs(one.variance) / (2 * math.sqrt(self.variance)) if self.variance > 0 else 0.0
        return round(max(abs(one.mean), of_deviation), 12)

    def __iter__(self) -> Iterator[MovingParameter]:
        found = [one for one in self._all() if self._size(one) > _LEAST]
        return iter(sorted(found, key=self._size, reverse=True))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow: a row for each number that moves the answer."""
        found = list(self)
        columns: dict[str, list[Any]] = {"number": [str(one) for one in found]}
        columns |= {what: [getattr(one, what) for one in found] for what in ("value", "mean", "variance")}
        return make_frame(columns, library)

    def _rows(self) -> list[tuple[str, ...]]:
        strongest = [one for one, _ in zip(self, range(_SHOWN), strict=False)]
        return [(str(o), f"{o.value:.4f}", f"{o.mean:+.3g}", f"{o.variance:+.3g}") for o in strongest]

    def _title(self) -> str:
        return f"{self.target}: mean {self.mean:.6g}, standard deviation {math.sqrt(self.variance):.6g}"

    def __repr__(self) -> str:
        return list_moves(self._title(), self._rows(), ["mean", "variance"], len(self) - _SHOWN)

    def _repr_html_(self) -> str:
        heads = ("number", "is", "moves the mean by", "the variance by")
        return f"<p>{self._title()}</p>" + html_table(heads, self._rows())


class _Flows(NamedTuple):
    """Of every variable: alpha and beta; its mean and its covariance with the target, given what is known."""

    alpha: Floats
    beta: Floats
    means: Floats
    covariances: Floats


@within_range()
def gaussian_sensitivity(model: GaussianNetwork, target: str, given: RealGiven | None) -> GaussianSensitivity:
    """Derivatives of one answer by every number of the network, see `GaussianNetwork.sensitivity`."""
    schema = model.schema
    t, evidence = schema.index(target), read_real_evidence(schema, given)
    if t in evidence.observed:
        raise EvidenceError(f"{target} is given, so no number moves it; ask about a variable that is not")
    answer = model.query(target, given)  # refuses values that contradict each other
    regressed, surprise = _regression(model, t, evidence)
    n, seen = len(schema), list(evidence.observed)
    weights, surprises = np.zeros(n), np.zeros(n)
    weights[t] = 1.0
    weights[seen], surprises[seen] = -regressed, surprise
    alpha, beta = _against_arrows(model, weights), _against_arrows(model, surprises)
    prior, _ = model._engine.means(RealEvidence(), tuple(range(n)))
    means = prior + _along_arrows(model, model.variances * beta)
    flows = _Flows(alpha, beta, means, _along_arrows(model, model.variances * alpha))
    return GaussianSensitivity(model, target, Moves(answer.mean, answer.variance), flows)


def _regression(model: GaussianNetwork, t: int, evidence: RealEvidence) -> tuple[Floats, Floats]:
    """Coefficients of the target on what is observed; how far the values are from what was expected."""
    seen = evidence.observed
    if not seen:
        return np.zeros(0), np.zeros(0)
    scope: Scope = (*seen, t)
    covariance = model._engine.covariance(RealEvidence(), scope)
    expected, _ = model._engine.means(RealEvidence(), seen)
    inner, k = covariance[:-1, :-1], len(seen)
    sides = np.column_stack([covariance[:-1, -1], np.array(evidence.values) - expected[list(seen)]])
    root = np.zeros((k, k))
    for i in range(k):
        root[i, :i] = _forward(root[:i, :i], inner[i, :i])
        pivot = inner[i, i] - root[i, :i] @ root[i, :i]
        if pivot <= _DETERMINED * inner[i, i]:
            raise EvidenceError(
                f"the other values determine {model.schema.names[seen[i]]} already, so no number can move "
                "alone; leave it out of what is given"
            )
        root[i, i] = math.sqrt(pivot)
    solved = np.column_stack([_backward(root, _forward(root, side)) for side in sides.T])
    return solved[:, 0], solved[:, 1]


def _forward(root: Floats, side: Floats) -> Floats:
    found = np.zeros(len(side))
    for i in range(len(side)):
        found[i] = (side[i] - root[i, :i] @ found[:i]) / root[i, i]
    return found


def _backward(root: Floats, side: Floats) -> Floats:
    return _forward(root[::-1, ::-1].T, side[::-1])[::-1]


def _against_arrows(model: GaussianNetwork, weights: Floats) -> Floats:
    """The weight of each variable and, through coefficients, of all that it flows into."""
    found = weights.copy()
    for v in reversed(model.dag.topological_order):
        for name, weight in model.coefficients(v).items():
            found[model.schema.index(name)] += weight * found[v]
    return found


def _along_arrows(model: GaussianNetwork, amounts: Floats) -> Floats:
    """What reaches each variable of amounts that enter everywhere."""
    found = amounts.copy()
    for v in model.dag.topological_order:
        for name, weight in model.coefficients(v).items():
            found[v] += weight * found[model.schema.index(name)]
    return found
