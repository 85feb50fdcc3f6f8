"""How much `learn_knots` looks at when it is not told.

More search finds a better score. Whether that is a better network depends on the score: where the rows call
for BDeu (near-certain tables) a better optimum has fewer errors; where they stay with qNML, or states are
seen in groups, it may have more false edges (docs/papers/bayesian_knots.md). With few rows for many variables
the search stops early whatever the score, and then a second look at single edges pays.
"""

from __future__ import annotations

from treewright.criteria.scores.dirichlet_scores import BDeu
from treewright.criteria.scores.grouped_score import GroupedScore
from treewright.criteria.scores.likelihood_scores import QNML
from treewright.criteria.scores.native_scores import without_price
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError

# The level of the rescue, and the stricter one above so many variables.
_RESCUE, _STRICT_RESCUE, _MANY = 0.2, 0.05, 1_000
# Up to so many rows pairs at that level take part when edges are cheaper; with more a trace is clearer.
_FEW_ROWS = 500
# Up to so many variables single edges are reopened among all pairs, above among those of a clear trace.
_FEW_VARIABLES = 100


def suited_effort(score: LocalScore, everything: bool) -> int:
    """The effort for a score, whether `everything` is let in at the end or not."""
    n = len(score.schema)
    if not everything or n > _MANY:
        return 1
    return 3 if n <= _FEW_VARIABLES and isinstance(_of_states(score), BDeu) else 2


def reopens_edges(score: LocalScore, n_rows: float) -> bool:
    """Whether single edges are reopened before all pairs are let in: few rows for many variables."""
    n = len(score.schema)
    return n > _FEW_VARIABLES and n_rows <= 2 * n and isinstance(_of_states(score), BDeu | QNML)


def _of_states(score: LocalScore) -> LocalScore | None:
    """The score inside its prices, unless it sees states in groups."""
    return None if isinstance(score, GroupedScore) and score.groups else without_price(score)[0]


def rescue_level(rescue: float | None, n: int) -> float:
    """The level at which a marginal dependence among `n` variables is a weak trace."""
    if rescue is None:
        return _STRICT_RESCUE if n > _MANY else _RESCUE
    if not 0 <= rescue < 1:
        raise SettingError(f"rescue is a level from 0 to 1, 1 excluded, 0 for no rescue; found {rescue!r}")
    return float(rescue)


def loose_level(level: float, n_rows: float, n: int) -> float:
    """The level for edges at half their price: rows for few variables only make chance look useful."""
    return 0.0 if 2 * n_rows < n else level * min(1.0, _FEW_ROWS / max(n_rows, 1.0))
