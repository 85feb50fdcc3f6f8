"""Scores for variables of many states: they are seen through groups of their states.

A score pays for every declared cell. Beside a variable of 60 to 100 states that is more than a few hundred
rows can return: its edges are missing, and false ones between its neighbours take their place. Here states
that say the same about the others are merged beforehand (:func:`~treewright.statistics.merge_states`). The
score stays a difference of set functions, those of the merged columns: structures that it cannot tell apart
still tie to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from treewright.arguments import COUNTS, require
from treewright.criteria.scores.edge_prior import EdgePrior
from treewright.criteria.scores.likelihood_scores import QNML
from treewright.criteria.scores.score import LocalScore
from treewright.statistics.counter import Counter
from treewright.statistics.merged import Groups, MergedCounter
from treewright.statistics.state_merging import merge_states
from treewright.tables.schema import Schema


class GroupedScore(EdgePrior):
    """Any score of counts over groups of states where a variable has many, less ln n for each edge.

    Parameters
    ----------
    make
        From a counter to a score, such as :class:`~treewright.BIC`.
    above
        Variables with more states than this are seen through groups.
    groups
        The groups by name, if they are known; by default those of
        :func:`~treewright.statistics.merge_states`.

    Attributes
    ----------
    groups
        By name, the groups of each variable that is merged. Structures and their parameters keep all states:
        the groups only decide about edges.

    Examples
    --------
    >>> import treewright as tw
    >>> codes = ["a", "b", "c", "d"] * 25
    >>> counter = tw.count(tw.read_table({"code": codes, "vowel": [code == "a" for code in codes]}))
    >>> score = tw.criteria.GroupedScore(tw.BIC, counter, above=3)
    >>> score.groups
    {'code': (('a',), ('b', 'c', 'd'))}
    """

    def __init__(
        self,
        make: Callable[[Counter], LocalScore],
        counter: Counter,
        *,
        above: int = 8,
        groups: Mapping[str, Groups] | None = None,
    ) -> None:
        require(type(self).__name__, COUNTS, counter)
        self.groups = merge_states(counter, above=above) if groups is None else dict(groups)
        seen = MergedCounter(counter, self.groups) if self.groups else counter
        self._schema = counter.schema
        super().__init__(make(seen), math.log(max(len(counter.schema), 1)))

    @property
    def schema(self) -> Schema:
        """The variables with all their states."""
        return self._schema

    def __repr__(self) -> str:
        inner = type(self.inner).__name__
        return f"GroupedScore({inner}, {len(self.schema)} variables, {len(self.groups)} of them merged)"


class GroupedQNML(GroupedScore):
    """`SparseQNML` over groups of states where a variable has many; the same score where none has.

    It has the settings and attributes of :class:`GroupedScore`.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> rng = np.random.default_rng(0)
    >>> code = rng.integers(40, size=300)
    >>> noisy = {name: (code % 2 + (rng.random(300) < 0.1)) % 2 for name in "xyz"}
    >>> counter = tw.count(tw.read_table({"code": [f"code {c}" for c in code], **noisy}))
    >>> tw.learn_hill_climbing(tw.SparseQNML(counter)).structure.n_edges
    3
    >>> score = tw.criteria.GroupedQNML(counter)
    >>> len(score.groups["code"]), tw.learn_hill_climbing(score).cpdag.undirected_edges()
    (2, [('code', 'x'), ('code', 'y'), ('code', 'z')])
    """

    def __init__(
        self, counter: Counter, *, above: int = 8, groups: Mapping[str, Groups] | None = None
    ) -> None:
        super().__init__(QNML, counter, above=above, groups=groups)

    def __repr__(self) -> str:
        return f"GroupedQNML({len(self.schema)} variables, {len(self.groups)} of them merged)"
