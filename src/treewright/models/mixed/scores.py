"""How much the mean of a function moves with the numbers of a mixed network.

The mean of a function g, given what is known, moves with a number theta of the network by Cov(g, score | e),
where the score is the derivative of the log-density by theta. Given the joint states s of a part, g and the
scores of its lines are polynomials in Normals, so that the covariance inside s has a closed form; between the
joint states it is what a second propagation says, in which E[g | s, e] is one table more:

    E[g | e] (E_g[score] - E[score])  +  sum over s of P(s | e) Cov(g, score | s, e)

The score of an intercept is r / v, of a slope r x / v, of a variance (r^2 / v - 1) / 2v, with r the distance
of the number from its line and v its variance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treewright.inference.conditional_gaussian import (
    Belief,
    ConditionalGaussianEngine,
    LinearFamily,
    MixedEvidence,
    Part,
)
from treewright.inference.engine import Factor
from treewright.inference.evidence import Evidence
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.models.discrete.sensitivity import masses_by_cells
from treewright.models.mixed.answering import ask
from treewright.types import Cells, Floats, Names


class Question(NamedTuple):
    """The mean of a function g: where it is worked out, what it is, and its curve where it is of a number."""

    tree: JunctionTreeEngine
    evidence: Evidence
    mean: float
    centre: float | None  # g is the squared distance from here; None: the number itself


class Scores:
    """What is known about the parts that matter: how likely each joint state is, and the Normals in it."""

    def __init__(
        self, engine: ConditionalGaussianEngine, evidence: MixedEvidence, target: str | None
    ) -> None:
        self.engine, self.evidence, self.target = engine, evidence, target
        self.tree, _ = ask(engine, evidence)
        self.log_known = self.tree.log_mass(evidence.states)
        known = engine.schema.names_of(evidence.states.observed)
        self.parts = engine.parts(evidence.numbers, () if target is None else (target,), known)
        for part in self.parts:
            engine.check(part)

    def weights(self, tree: JunctionTreeEngine, states: Evidence, scope: Names) -> Floats:
        """How likely each joint state is, in a row."""
        if not scope:
            return np.ones(1)
        return np.asarray(tree.joint(self.engine.schema.scope(scope), states)[0]).ravel()

    def normals(self) -> tuple[Part, Floats, Floats]:
        """The part of the target, and in each of its joint states the target's mean and variance."""
        assert self.target is not None
        part = next(one for one in self.parts if self.target in one.hidden)
        at = part.hidden.index(self.target)
        found = [(b.mean[:, at], b.covariance[:, at, at]) for b in self.engine.beliefs(part, self.evidence)]
        means, variances = (np.concatenate(one) for one in zip(*found, strict=True))
        return part, means, variances

    def moments(self) -> tuple[float, float]:
        part, means, variances = self.normals()
        weights = self.weights(self.tree, self.evidence.states, part.scope)
        mean = float(weights @ means)
        return mean, float(weights @ (variances + (means - mean) ** 2))

    def of_number(self, centre: float | None) -> Question:
        """The target, from the least of its means in a joint state on, or its squared distance."""
        part, means, variances = self.normals()
        table = means - means.min() if centre is None else variances + (means - centre) ** 2
        mean = float(self.weights(self.tree, self.evidence.states, part.scope) @ table)
        schema = self.engine.schema
        scope = schema.scope(part.scope)
        factor = Factor(scope, table.reshape([schema.cardinalities[v] for v in scope]))
        tree = JunctionTreeEngine(schema, [*self.tree.factors, factor])
        return Question(tree, self.evidence.states, mean, centre)

    def by_table(self, name: str, questions: list[Question]) -> list[Cells]:
        """By the cells of a table, the others held."""
        v, plain = self.engine.schema.index(name), (self.tree, self.evidence.states)
        asked = [*((one.tree, one.evidence) for one in questions), plain]
        *moved, base = masses_by_cells(asked, v, self.log_known)
        return [by - one.mean * base for by, one in zip(moved, questions, strict=True)]

    def by_lines(self, questions: list[Question]) -> dict[str, list[Floats]]:
        """Of each line that matters, for each question: by intercept, variance and slopes.

        A row for each joint state of the discrete parents.
        """
        found: dict[str, list[Floats]] = {}
        for part in self.parts:
            shapes = {f.child: (len(f.intercepts), 2 + len(f.continuous)) for f in part.families}
            found |= {name: [np.zeros(shape) for _ in questions] for name, shape in shapes.items()}
            weights = self.weights(self.tree, self.evidence.states, part.scope)
            tilted = [self._tilted(one, part, weights) for one in questions]
            rows = {family.child: self._rows(part, family) for family in part.families}
            begin = 0
            for belief in self.engine.beliefs(part, self.evidence):
                some = slice(begin, begin := begin + len(belief.log_density))
                for family in part.families:
                    line = _Line(family, part, rows[family.child][some], belief, self.evidence.numbers)
                    scores = line.scores()
                    for moved, one, tilt in zip(found[family.child], questions, tilted, strict=True):
                        by = tilt[some, None] * scores
                        if self.target in part.hidden:
                            at = part.hidden.index(str(self.target))
                            by = by + weights[some, None] * line.with_target(at, one.centre)
                        np.add.at(moved, rows[family.child][some], by)
        return found

    def _tilted(self, question: Question, part: Part, weights: Floats) -> Floats:
        """How much more each joint state weighs where g is large."""
        if question.mean == 0:
            return np.zeros(weights.shape)
        return question.mean * (self.weights(question.tree, question.evidence, part.scope) - weights)

    def _rows(self, part: Part, family: LinearFamily) -> npt.NDArray[np.intp]:
        """Which line of a family each joint state of its part takes."""
        schema, states = self.engine.schema, self.evidence.states
        digits: dict[str, Any] = dict(zip(schema.names_of(states.observed), states.states, strict=True))
        shape = [schema[name].cardinality for name in part.scope]
        if shape:
            every = np.unravel_index(np.arange(math.prod(shape)), shape)
            digits |= dict(zip(part.scope, every, strict=True))
        row = np.zeros(math.prod(shape), dtype=np.intp)
        for name in family.discrete:
            row = row * schema[name].cardinality + digits[name]
        return row


class _Line:
    """One family in some joint states: its distance r from the line, as means and covariances say."""

    def __init__(
        self,
        family: LinearFamily,
        part: Part,
        rows: npt.NDArray[np.intp],
        belief: Belief,
        numbers: Mapping[str, float],
    ) -> None:
        column = {name: k for k, name in enumerate(part.hidden)}
        self.all_means, self.covariance, self.variance = (
            belief.mean,
            belief.covariance,
            family.variances[rows],
        )
        slopes = family.slopes[rows]
        self.places = [column.get(name) for name in family.continuous]
        self.means = [
            belief.mean[:, column[name]] if name in column else np.full(len(rows), numbers[name])
            for name in family.continuous
        ]
        child = column.get(family.child)
        y = np.full(len(rows), numbers[family.child]) if child is None else belief.mean[:, child]
        self.rest = y - family.intercepts[rows] - sum(slopes[:, k] * m for k, m in enumerate(self.means))
        weights = np.zeros((len(rows), len(part.hidden)))  # r as a sum of hidden numbers
        if child is not None:
            weights[:, child] = 1.0
        for k, at in enumerate(self.places):
            if at is not None:
                weights[:, at] -= slopes[:, k]
        self.with_rest = np.einsum("nij,nj->ni", belief.covariance, weights)  # Cov(each hidden number, r)
        self.spread = np.einsum("ni,ni->n", self.with_rest, weights)  # Var(r)

    def scores(self) -> Floats:
        """The mean score of intercept, variance and slopes in each joint state."""
        v, r = self.variance, self.rest
        slopes = [
            (r * mean + (0.0 if at is None else self.with_rest[:, at])) / v
            for at, mean in zip(self.places, self.means, strict=True)
        ]
        return np.stack([r / v, ((r * r + self.spread) / v - 1) / (2 * v), *slopes], axis=1)

    def with_target(self, at: int, centre: float | None) -> Floats:
        """The covariance of each score with a hidden number, or with its squared distance from a centre."""
        v, r, own = self.variance, self.rest, self.with_rest[:, at]
        linear = [own / v, r * own / (v * v)]
        squared = [np.zeros(len(own)), (own / v) ** 2]
        for place, mean in zip(self.places, self.means, strict=True):
            beside = np.zeros(len(own)) if place is None else self.covariance[:, at, place]
            linear.append((r * beside + mean * own) / v)
            squared.append(2 * own * beside / v)
        once = np.stack(linear, axis=1)
        if centre is None:
            return once
        found: Floats = np.stack(squared, axis=1) + 2 * (self.all_means[:, at] - centre)[:, None] * once
        return found
