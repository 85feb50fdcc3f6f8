"""How much an answer of a Markov network moves with each number of its factors.

Numbers of a factor are weights, not probabilities: multiplied by anything together they say the same, and
no row sums to one. So a number is moved on the scale of its logarithm, on which log-linear models have
their parameters. The answer P(t | e) then has the derivative P(t | e) (P(c | e, t) - P(c | e)) by the
logarithm of the number of the cell c: what the belief of the cell has to say about t. A number that is zero
has no logarithm to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treewright.inference.evidence import Given
from treewright.models.discrete.sensitivity import MovingNumbers, ask_about
from treewright.tables.schema import Label
from treewright.types import Cells

if TYPE_CHECKING:
    from treewright.models.undirected.markov_network import MarkovNetwork


@dataclass(frozen=True)
class MovingWeight:
    """One number of a factor, that of some states, and the derivative of the answer by its logarithm."""

    states: dict[str, Label]
    value: float
    derivative: float

    def __str__(self) -> str:
        return f"factor({', '.join(f'{name}={state}' for name, state in self.states.items())})"


class FactorSensitivity(MovingNumbers[MovingWeight]):
    """How much P(target = state | evidence) moves with the logarithm of each number of the factors.

    `probability` is the answer itself, :meth:`factor` the derivatives by the numbers of one factor, in its
    shape; iterating gives the numbers that move the answer, the strongest first, down to 1e-12.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in ("ann", "bob")])
    >>> model = tw.MarkovNetwork(schema, {("ann", "bob"): [[3.0, 1.0], [1.0, 3.0]], "ann": [1.0, 2.0]})
    >>> model.sensitivity("bob", "yes", given={"ann": "yes"})
    P(bob=yes | ...) = 0.7500 moves most with the logarithms of
      factor(ann=yes, bob=no)   1.0000  by  -0.188
      factor(ann=yes, bob=yes)  3.0000  by  +0.188
    """

    _kept, _by = "value", " the logarithms of"

    def factor(self, place: int) -> Cells:
        """The derivatives by the logarithms of one factor's numbers, counted as in `model.factors`."""
        return self._derivatives[place]

    def _number(self, labels: dict[str, Label], value: float, derivative: float) -> MovingWeight:
        return MovingWeight(labels, value, derivative)


def factor_sensitivity(
    model: MarkovNetwork, target: str, state: Label, given: Given | None
) -> FactorSensitivity:
    """Derivatives of one answer by every number of the factors, see `MarkovNetwork.sensitivity`."""
    asked = ask_about(model, target, state, given)
    tables = [factor.table for factor in model.factors]
    scopes = [factor.scope for factor in model.factors]
    derivatives = [np.zeros(table.shape) for table in tables]
    for place, scope in enumerate(scopes if asked.answer > 0 else ()):
        before, after = (asked.engine.joint(scope, known)[0] for known in (asked.evidence, asked.joined))
        derivatives[place] = np.asarray(asked.answer * (after - before))
    return FactorSensitivity(model.schema, scopes, tables, derivatives, asked)
