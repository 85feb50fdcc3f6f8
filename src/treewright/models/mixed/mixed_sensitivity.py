"""How much an answer of a mixed network moves with each number of its tables and of its lines.

An answer is the mean, given what is known, of a function: one in a state and zero elsewhere, a number, or
its squared distance from its mean; :mod:`.scores` has the equations. Cells of tables move as in Bayesian
networks: the rest of the row is scaled. Numbers of lines are moved alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treewright.errors import EvidenceError, SchemaError
from treewright.models.answers import html_table
from treewright.models.discrete.sensitivity import along_rows, list_moves, with_state
from treewright.models.labelled import make_frame
from treewright.models.mixed.scores import Question, Scores
from treewright.tables.schema import Label
from treewright.types import Cells, Floats

if TYPE_CHECKING:
    from treewright.models.mixed.conditional_gaussian_network import (
        ConditionalGaussianNetwork,
        MixedGiven,
    )

_SHOWN = 8
_LEAST = 1e-12  # a derivative below is rounding


@dataclass(frozen=True)
class MovingMixedNumber:
    """One number of a mixed network and how the answer moves with it.

    `kind` is ``"probability"`` (of a `state`), ``"intercept"``, ``"coefficient"`` (of a `parent`) or
    ``"variance"``; `given` are the states of discrete parents that it is for; `moves` has a derivative for
    each part of the answer: its ``"probability"``, or its ``"mean"`` and its ``"variance"``.
    """

    variable: str
    kind: str
    parent: str | None
    state: Label | None
    given: dict[str, Label]
    value: float
    moves: dict[str, float]

    def __str__(self) -> str:
        above = ", ".join(f"{name}={state}" for name, state in self.given.items())
        where = f" | {above}" if above else ""
        if self.kind == "probability":
            return f"P({self.variable}={self.state}{where})"
        return f"{self.kind} of {f'{self.parent} in ' if self.parent else ''}{self.variable}{where}"


class MixedSensitivity:
    """How much one answer of a mixed network moves with each of its numbers.

    `answer` has the parts of the answer by name: the ``"probability"`` of a state, or the ``"mean"`` and the
    ``"variance"`` of a number. Iterating gives the numbers that move it, the strongest first: those that
    move a probability, or a mean or a deviation (which have the same unit), most.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.models import ConditionalGaussianNetwork, Lines
    >>> schema = tw.Schema([tw.Variable("sky", ("clear", "grey")), tw.Variable("sun")])
    >>> lines = {"sun": Lines([8.0, 4.0], {}, [1.0, 4.0])}
    >>> model = ConditionalGaussianNetwork(tw.Dag(schema, [("sky", "sun")]), {"sky": [0.25, 0.75]}, lines)
    >>> model.sensitivity("sky", "clear", given={"sun": 6.0})
    P(sky=clear | ...) = 0.1295 moves most with
      P(sky=clear)                 0.2500  probability by  +0.601
      P(sky=grey)                  0.7500  probability by  -0.601
      intercept of sun | sky=clear 8.0000  probability by  -0.225
      variance of sun | sky=clear  1.0000  probability by  +0.169
      intercept of sun | sky=grey  4.0000  probability by  -0.0564
    """

    def __init__(self, target: str, state: Label | None, answer: dict[str, float], found: _Found) -> None:
        self.target, self.state, self.answer, self._found = target, state, answer, found

    def derivatives(self, name: str, kind: str = "probability", parent: str | None = None) -> list[Cells]:
        """By the numbers of one kind of one variable, for each part of the answer; as the model has them."""
        return self._found.arrays[name, kind, parent]

    def _all(self) -> Iterator[MovingMixedNumber]:
        for (name, kind, parent), moved in self._found.arrays.items():
            values, axes = self._found.values[name, kind, parent]
            sizes = np.max([self._scale(k) * np.abs(one) for k, one in enumerate(moved)], axis=0)
            for at in map(tuple, np.argwhere(sizes > _LEAST).tolist()):
                labels = {one: states[int(k)] for (one, states), k in zip(axes, at, strict=True)}
                state = labels.pop(name) if kind == "probability" else None
                moves = {part: float(one[at]) for part, one in zip(self.answer, moved, strict=True)}
                yield MovingMixedNumber(name, kind, parent, state, labels, float(values[at]), moves)

    def _scale(self, part: int) -> float:
        """A variance moves the deviation by so much."""
        variance = self.answer.get("variance", 0.0)
        return 1.0 if part == 0 else 0.5 / math.sqrt(variance) if variance > 0 else 0.0

    def _size(self, one: MovingMixedNumber) -> float:
        return round(max(self._scale(k) * abs(x) for k, x in enumerate(one.moves.values())), 12)

    def __iter__(self) -> Iterator[MovingMixedNumber]:
        return iter(sorted(self._all(), key=self._size, reverse=True))

    def __len__(self) -> int:
        return sum(1 for _ in self._all())

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, polars or pyarrow: a row for each number that moves the answer."""
        found = list(self)
        columns: dict[str, list[Any]] = {"number": [str(one) for one in found]}
        columns["value"] = [one.value for one in found]
        return make_frame(
            columns | {part: [one.moves[part] for one in found] for part in self.answer}, library
        )

    def _title(self) -> str:
        if self.state is not None:
            return f"P({self.target}={self.state} | ...) = {self.answer['probability']:.4f}"
        deviation = math.sqrt(self.answer["variance"])
        return f"{self.target}: mean {self.answer['mean']:.6g}, standard deviation {deviation:.6g}"

    def _rows(self) -> list[tuple[str, ...]]:
        strongest = [one for one, _ in zip(self, range(_SHOWN), strict=False)]
        return [
            (str(o), f"{o.value:.4f}", *(f"{round(x, 12) + 0.0:+.3g}" for x in o.moves.values()))
            for o in strongest
        ]

    def __repr__(self) -> str:
        return list_moves(self._title(), self._rows(), list(self.answer), len(self) - _SHOWN)

    def _repr_html_(self) -> str:
        heads = ("number", "is", *(f"moves the {part} by" for part in self.answer))
        return f"<p>{self._title()}</p>" + html_table(heads, self._rows())


Key = tuple[str, str, str | None]  # variable, kind, parent
Axes = list[tuple[str, tuple[Label, ...]]]
_Kind = tuple[Key, list[Cells], Floats, Axes]


class _Found(NamedTuple):
    """Of each kind of number: one array for each part of the answer, what the numbers are, and their axes."""

    arrays: dict[Key, list[Cells]]
    values: dict[Key, tuple[Floats, Axes]]


def mixed_sensitivity(
    model: ConditionalGaussianNetwork, target: str, state: Label | None, given: MixedGiven | None
) -> MixedSensitivity:
    """Derivatives of one answer by every number, see `ConditionalGaussianNetwork.sensitivity`."""
    variable, evidence = model.schema[target], model._read(given)
    if variable.is_discrete and state is None:
        raise SchemaError(f"{target!r} has states, and one of them is asked about: say which, as state=")
    if not variable.is_discrete and state is not None:
        raise SchemaError(f"{target!r} is a number, which has no states: ask about it without state=")
    engine = model._engine
    seen = {*evidence.numbers, *engine.schema.names_of(evidence.states.observed)}
    if target in seen:
        raise EvidenceError(f"{target} is given, so no number moves it; ask about a variable that is not")
    about = Scores(engine, evidence, None if variable.is_discrete else target)
    if state is not None:
        code = variable.code(state)
        v = engine.schema.index(target)
        share = float(about.tree.joint((v,), evidence.states)[0][code])
        questions = [Question(about.tree, with_state(evidence.states, v, code), share, None)]
        answer = {"probability": share}
    else:
        answer = dict(zip(("mean", "variance"), about.moments(), strict=True))
        questions = [about.of_number(None), about.of_number(answer["mean"])]
    asked = {target, *seen, *engine.schema.names_of(evidence.states.weighted)}
    matter = asked | set(model.schema.names_of(model.dag.ancestors(model.schema.scope(asked))))
    lines, arrays, values = about.by_lines(questions), {}, {}
    for name in model.schema.names:
        if model.schema[name].is_discrete:
            moved = about.by_table(name, questions) if name in matter else None
            kinds: Iterable[_Kind] = [_of_table(model, name, moved, len(questions))]
        else:
            kinds = _of_lines(model, name, lines.get(name), len(questions))
        for key, found, value, axes in kinds:
            arrays[key], values[key] = found, (value, axes)
    return MixedSensitivity(target, state, answer, _Found(arrays, values))


def _axes(model: ConditionalGaussianNetwork, name: str) -> tuple[Axes, list[int]]:
    """The discrete parents as the model has them, and where each is where they are sorted by name."""
    parents = [model.schema[p] for p in model.dag.parents(name)]
    axes: Axes = [(one.name, tuple(one.states or ())) for one in parents if one.is_discrete]
    return axes, [sorted(one for one, _ in axes).index(one) for one, _ in axes]


def _of_table(
    model: ConditionalGaussianNetwork, name: str, moved: list[Cells] | None, n_questions: int
) -> _Kind:
    """By the numbers of a table, the rest of each row scaled."""
    (axes, order), table = _axes(model, name), np.asarray(model.discrete.table(name))
    found = [np.zeros(table.shape) for _ in range(n_questions)]
    if moved is not None:
        found = [along_rows(table, np.transpose(one, [*order, len(order)])) for one in moved]
    own = (name, tuple(model.schema[name].states or ()))
    return (name, "probability", None), found, table, [*axes, own]


def _of_lines(
    model: ConditionalGaussianNetwork, name: str, moved: list[Floats] | None, n_questions: int
) -> Iterator[_Kind]:
    """By intercepts, coefficients and variances, each with an axis for every discrete parent."""
    (axes, order), lines = _axes(model, name), model.lines(name)
    shape = [len(states) for _, states in sorted(axes)]

    def of(column: int) -> list[Cells]:
        if moved is None:
            return [np.zeros(lines.intercepts.shape) for _ in range(n_questions)]
        return [np.transpose(one[:, column].reshape(shape), order) for one in moved]

    for k, parent in enumerate(sorted(lines.coefficients)):
        yield (name, "coefficient", parent), of(2 + k), lines.coefficients[parent], axes
    yield (name, "intercept", None), of(0), lines.intercepts, axes
    yield (name, "variance", None), of(1), lines.variances, axes
