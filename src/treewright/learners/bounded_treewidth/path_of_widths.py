"""One network for every width up to a bound, and the choice among them.

How wide a network should be is a question about the data as much as about the price of inference. Each width
starts where the one before ended, so the score never falls along the path; where it stops rising, or where
rows that were held back are explained no better, further width is not worth its price.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from treewright.arguments import SCORE, require
from treewright.criteria.scores.score import LocalScore
from treewright.errors import SettingError
from treewright.graphs import BoundKnowledge, Dag, Knowledge
from treewright.graphs.undirected.triangulation import require_perfect_order
from treewright.learners.bounded_treewidth.certified import Certified
from treewright.learners.bounded_treewidth.default_search import check_effort, draw_seeds, search_from
from treewright.learners.bounded_treewidth.growth import check_bounds
from treewright.learners.bounded_treewidth.search import BoundedSettings, BoundedStart
from treewright.learners.classes.chow_liu import bind_in_order
from treewright.tables.schema import NameOrIndex


def trace_widths(
    score: LocalScore,
    treewidth: int,
    *,
    effort: float = 1,
    rng: np.random.Generator | None = None,
    order: Sequence[NameOrIndex] | None = None,
    knowledge: Knowledge | BoundKnowledge | None = None,
    max_parents: int | None = None,
) -> tuple[Certified, ...]:
    """Learn one network for each width 1, 2, ..., `treewidth`; none scores lower than the one before.

    Parameters
    ----------
    score, effort, order, knowledge, max_parents
        As for :func:`learn_bounded_treewidth`; the effort is spent at every width.
    treewidth
        The largest width.
    rng
        Draws a seed for every width.

    Returns
    -------
    tuple of Certified
        By width. :func:`choose_width` takes one of them.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(5_000, rng=np.random.default_rng(0))
    >>> path = tw.learners.trace_widths(tw.BIC(tw.count(table)), treewidth=3)
    >>> [learned.width for learned in path]
    [1, 2, 2]
    """
    require("trace_widths", SCORE, score)
    check_bounds(score.schema, treewidth, max_parents)
    check_effort(effort, 1, None)
    known = bind_in_order(knowledge, score.schema, order)
    path: list[Certified] = []
    start: BoundedStart | None = None
    for width, seed in enumerate(draw_seeds(rng, treewidth), start=1):
        settings = BoundedSettings(score, known, width, max_parents)
        path.append(search_from(start, settings, [seed], effort=effort))
        start = start_at(path[-1])
    return tuple(path)


def start_at(learned: Certified) -> BoundedStart:
    """What was learned, with the proof that came with it."""
    order = require_perfect_order(learned.certificate.graph(), "the certificate")
    return BoundedStart(learned.structure, order)


def choose_width(path: Sequence[Certified], judge: Callable[[Dag], float] | None = None) -> Certified:
    """The network of a path that is judged best; of equals the narrowest.

    Parameters
    ----------
    path
        Networks by width, as :func:`trace_widths` gives them.
    judge
        Higher is better, such as the log-likelihood of rows that were held back; by default the score that
        was learned with, which charges for parameters itself if it is penalised.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> asia, rng = tw.load_network("asia"), np.random.default_rng(0)
    >>> counter, held_back = tw.count(asia.sample(5_000, rng=rng)), asia.sample(1_000, rng=rng)
    >>> path = tw.learners.trace_widths(tw.BIC(counter), treewidth=3)
    >>> def judge(dag):
    ...     return float(tw.fit(dag, counter, prior=tw.Dirichlet(1.0)).log_probability(held_back).sum())
    >>> tw.learners.choose_width(path).width, tw.learners.choose_width(path, judge).width
    (2, 2)
    """
    if not path:
        raise SettingError("a path has at least one network; found none")
    values = [learned.score if judge is None else judge(learned.structure) for learned in path]
    return path[values.index(max(values))]
