"""Gaussian BIC: a linear regression on the parents, less the price of its parameters.

The likelihood of a family is a difference of two terms that belong to *sets* of variables: the logarithm of
the determinant of the covariance, with the child and without it. Each set's term is computed in name order
and rounded once, so two graphs of one equivalence class have exactly equal scores and a search meets no false
preference.

Sigmoid BIC is of a variable that switches between two levels as its parents push it: it is Normal around th0
+ th1 sigma(b + w . x), sigma(z) = 1 / (1 + exp(-z)). A straight line and a step are its two ends, which is
why it suits gene expression. For fixed (b, w) the two levels are a least-squares line, so only (b, w) is
searched, by Levenberg-Marquardt from several starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from treewright import _core
from treewright.arguments import MOMENTS, require
from treewright.criteria.scores.score import NamedFamily, PluralScore, as_candidates, as_families, as_family
from treewright.errors import SchemaError, SettingError
from treewright.graphs.ranked import rank_matrix
from treewright.ranges import in_range
from treewright.statistics.moments import ContinuousTable, Moments
from treewright.statistics.sigmoid_families import SigmoidFamilies, SigmoidFit
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


class SigmoidBIC(PluralScore):
    """BIC of families whose child follows a sigmoid of its parents.

    The local score is the log-likelihood at the best fit found, less (ln m)/2 for each of |P| + 4 free
    parameters (2 without parents). It is never below that of the constant model with the same penalty.

    Parameters
    ----------
    table
        Continuous and finite columns, one row at least; weights, if any, weigh the rows.
    screen
        With a number L, :meth:`local_additions` fits only the L candidates of largest linear gain (ties by
        name). The others get the likelihood of the smaller family, as if their weight were held at zero, less
        the full penalty: no search takes that for a gain. None (the default) fits all.

    Notes
    -----
    A fit is a function of its family alone, whatever was asked before and on however many threads; the order
    of parents and columns does not matter. Starts, on standardised columns: the direction of the linear
    regression scaled to unit spread; along the same direction the best of several bends off the centre, for
    a moderate and for a steep response; the fit without the linearly least useful parent, its weight zero;
    and a nearly linear sigmoid.

    **Departures.** Elidan & Gould (2008) name the sigmoid and do not say how it is fitted. Turning the sign
    of the linear direction about a central bend gives the same model again (sigma(-z) = 1 - sigma(z)), so the
    turned start is replaced by bends to both sides of the centre.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from treewright import Schema, Variable
    >>> x = np.linspace(-3, 3, 60)
    >>> y = 2 + 5 / (1 + np.exp(1 - 2 * x)) + 0.01 * np.sin(40 * x)
    >>> table = SimpleNamespace(
    ...     schema=Schema([Variable("x"), Variable("y")]), n_rows=60, columns=(x, y), weights=None
    ... )
    >>> score = SigmoidBIC(table)
    >>> score.local("y", ("x",)) > score.local("y")
    True
    >>> fit = score.fit_family("y", ("x",))
    >>> round(fit.b, 1), round(fit.w[0], 1)
    (-1.0, 2.0)
    """

    is_score_equivalent = False

    @in_range
    def __init__(self, table: ContinuousTable, *, screen: int | None = None) -> None:
        if screen is not None and screen < 1:
            raise SettingError(f"screen is a number of candidates, 1 at least, or None; found {screen}")
        families = SigmoidFamilies(table)
        if not families.moments.n >= 1:
            raise SchemaError(f"a sigmoid BIC needs one row at least; found {families.moments.n}")
        self._table, self._screen, self._n = table, screen, float(families.moments.n)
        self._families, self._native = families, families.native

    def __repr__(self) -> str:
        return f"SigmoidBIC({len(self.schema)} columns, {self._n:g} rows)"

    def __reduce__(self) -> tuple[Callable[..., SigmoidBIC], tuple[ContinuousTable]]:
        return partial(SigmoidBIC, screen=self._screen), (self._table,)

    @property
    def schema(self) -> Schema:
        return self._table.schema

    @property
    def screen(self) -> int | None:
        return self._screen

    def local_many(self, families: Sequence[NamedFamily]) -> Floats:
        """Scores of many families, in the order given."""
        known = as_families(self.schema, families)
        n_parents = np.array([len(parents) for _, parents in known], dtype=np.int64)
        return self._native.log_likelihoods(known) - self._penalty(n_parents)

    def local_additions(
        self, child: NameOrIndex, parents: Iterable[NameOrIndex], candidates: Sequence[NameOrIndex]
    ) -> Floats:
        """Scores of `child` with each candidate added to its parents; see `screen`."""
        target, known = as_family(self.schema, child, parents)
        added = as_candidates(self.schema, target, known, candidates)
        if self._screen is None or len(added) <= self._screen:
            return self.local_many([(target, (*known, one)) for one in added])
        chosen = self._native.screen(target, known, added, self._screen)
        unfitted = float(self._native.log_likelihoods([(target, known)])[0])
        scores = np.full(len(added), unfitted - float(self._penalty(np.array(len(known) + 1))))
        scores[chosen] = self.local_many([(target, (*known, added[k])) for k in chosen])
        return scores

    def fit_family(self, child: NameOrIndex, parents: Sequence[NameOrIndex] = ()) -> SigmoidFit:
        """The parameters behind a local score."""
        target, _ = as_family(self.schema, child, parents)
        scope = self.schema.scope(parents)
        return self._families.fit_many([(target, scope)])[0]

    def _penalty(self, n_parents: npt.NDArray[np.int64]) -> Floats:
        penalty: Floats = 0.5 * math.log(self._n) * np.where(n_parents > 0, n_parents + 4, 2)
        return penalty
