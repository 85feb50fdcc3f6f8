"""Gaussian BIC: a linear regression on the parents, less the price of its parameters.

The likelihood of a family is a difference of two terms that belong to *sets* of variables: the logarithm of
the determinant of the covariance, with the child and without it. Each set's term is computed in name order
and rounded once, so two graphs of one equivalence class have exactly equal scores and a search meets no false
preference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treewright import _core
from treewright.arguments import MOMENTS, require
from treewright.criteria.scores.score import NamedFamily, PluralScore, as_candidates, as_families, as_family
from treewright.errors import SchemaError
from treewright.graphs.ranked import rank_matrix
from treewright.statistics.moments import Moments
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats


class GaussianBIC(PluralScore):
    """BIC of linear-Gaussian families.

    The local score of a child with parents P is

        -m/2 (ln(2 pi s2) + 1) - (ln m)/2 (|P| + 2),

    m the number of rows and s2 the mean squared residual of the regression on P with intercept.

    Notes
    -----
    *Ties.* A score is a multiple of :attr:`unit` and small enough for doubles to add a few of them without
    rounding: score-equivalent changes have exactly equal gains. The order of parents and columns does not
    matter.

    *Floor.* A variable whose variance, given those of its set that come before it by name, is below 1e-12 of
    its own variance is given that much. The term stays one of the set, so ties stay exact. A constant column
    counts as uncorrelated with every other, of variance 1e-12. :attr:`floored` names the children met that
    way.

    *Few rows.* With no more rows than columns enough parents fit any child exactly, and the score rewards
    what completes such a fit: a search that sets no bound to the parents then ends in a dense graph. The
    network fitted to it names these children (`floored`); ``max_parents=`` or a treewidth prevents them.

    Examples
    --------
    >>> from treewright import Schema, Variable
    >>> from treewright.statistics import Moments
    >>> schema = Schema([Variable("x0"), Variable("x1")])
    >>> rows = [(0, 0.1), (1, 1.9), (2, 4.2), (3, 5.8), (4, 8.1)]
    >>> score = GaussianBIC(Moments.of_block(schema, rows))
    >>> round(score.local("x1", ("x0",)), 6)
    0.102061
    >>> gain = score.local("x1", ("x0",)) - score.local("x1")
    >>> gain == score.local("x0", ("x1",)) - score.local("x0")
    True
    """

    is_score_equivalent = True

    def __init__(self, moments: Moments) -> None:
        require("GaussianBIC", MOMENTS, moments)
        if not moments.n >= 1:
            raise SchemaError(f"a Gaussian BIC needs one row at least; found {moments.n}")
        self._moments = moments
        scatter = rank_matrix(moments.schema, moments.scatter)
        self._native = _core.GaussianScore(scatter, float(moments.n), moments.schema.name_ranks)
        self._floored: set[int] = set()

    def __repr__(self) -> str:
        return f"GaussianBIC({len(self.schema)} columns, {self.moments.n} rows)"

    def __reduce__(self) -> tuple[type[GaussianBIC], tuple[Moments]]:
        return GaussianBIC, (self._moments,)

    @property
    def schema(self) -> Schema:
        return self._moments.schema

    @property
    def moments(self) -> Moments:
        return self._moments

    @property
    def unit(self) -> float:
        """The step in which scores are counted, in nats; differences below it mean nothing."""
        return self._native.unit

    @property
    def floored(self) -> tuple[str, ...]:
        """Children, by name, that were a linear function of their parents in a family scored so far."""
        return tuple(sorted(self.schema.names_of(self._floored)))

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        """Scores of many families, in the order given."""
        try:
            scores, floored = self._native.local_many(families)  # type: ignore[arg-type]
        except (TypeError, ValueError, IndexError):  # names, or something to be refused by name
            scores, floored = self._native.local_many(as_families(self.schema, families))
        for i in np.flatnonzero(floored).tolist():
            self._floored.add(self.schema.index(families[i][0]))
        return scores

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        """Scores of `child` with each candidate added to its parents: bit by bit those of :meth:`local`."""
        target, known = as_family(self.schema, child, parents)
        added = as_candidates(self.schema, target, known, candidates)
        scores, floored = self._native.local_additions(target, known, added)
        if floored.any():
            self._floored.add(target)
        return scores
