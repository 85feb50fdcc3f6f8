"""Sigmoid BIC: a variable that switches between two levels as its parents push it.

The child is Normal around th0 + th1 sigma(b + w . x), sigma(z) = 1 / (1 + exp(-z)). A straight line and a
step are its two ends, which is why it suits gene expression. For fixed (b, w) the two levels are a
least-squares line, so only (b, w) is searched, by Levenberg-Marquardt from several starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from treewright.criteria.scores.score import NamedFamily, PluralScore, as_candidates, as_families, as_family
from treewright.errors import SchemaError, SettingError
from treewright.statistics.moments import ContinuousTable
from treewright.statistics.sigmoid_families import SigmoidFamilies, SigmoidFit
from treewright.tables.schema import NameOrIndex, Schema
from treewright.types import Floats


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
