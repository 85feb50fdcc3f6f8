"""The front-door formula: an effect in two steps, each free of what is behind, where nothing measured is.

For a set M on every directed path from x to y, with nothing unblocked from behind x into M, nor from behind M
to y once x is known: ``P(y | do(x)) = sum over m of P(m | x) sum over x' of P(y | x', m) P(x')`` (Pearl 1995,
eq. 13). Of lines: what x does to each of M, times what that does to y once x and the others are known.
"""

from __future__ import annotations

import numpy as np

from treewright.models.continuous.gaussian_network import GaussianNetwork
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.types import Floats

Names = tuple[str, ...]


def through_front_door(model: BayesianNetwork, x: str, y: str, between: Names) -> Floats:
    """A row for each state of x; NaN where the formula needs a state that never occurs with another."""
    joint = model.query([x, y, *between]).array
    joint = joint.reshape(*joint.shape[:2], -1)  # x, y, configuration of the set
    of_pair = joint.sum(axis=1)
    of_x = of_pair.sum(axis=1)
    seen = of_x > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        rows_of_pair = joint[seen] / of_pair[seen][:, None]
        inner = np.einsum("x,xym->ym", of_x[seen], rows_of_pair)
        first = of_pair / of_x[:, None]
        needed = np.where(first[:, None] > 0, first[:, None] * inner, 0.0)
    made = needed.sum(axis=-1)
    made[~seen] = np.nan
    return np.asarray(made)


def slope_through_front_door(model: GaussianNetwork, x: str, y: str, between: Names) -> float:
    """What a unit of x moves y by, along all of the set."""
    joint = model.query([x, *between, y]).covariance
    to_between = joint[0, 1:-1] / joint[0, 0]
    onwards = np.linalg.solve(joint[:-1, :-1], joint[:-1, -1])[1:]
    return float(to_between @ onwards)
