"""A Markov network as a file tells it, before it is known to be one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treewright.errors import TreewrightError
from treewright.models.formats.draft import Draft
from treewright.models.formats.report import Renormalised
from treewright.models.formats.text import Place
from treewright.models.undirected.markov_network import MarkovNetwork, checked_factor
from treewright.tables.schema import Schema
from treewright.types import Scope


@dataclass(frozen=True)
class DraftFactor:
    """A table with one axis per variable of its scope, and where it stands."""

    scope: Scope
    cells: npt.NDArray[np.float64]
    at: Place


@dataclass
class FactorDraft:
    """Variables that a draft has collected, and factors over them."""

    draft: Draft
    factors: list[DraftFactor]

    @property
    def notes(self) -> list[str]:
        return self.draft.notes

    @property
    def renormalised(self) -> list[Renormalised]:
        return self.draft.renormalised

    def finish(self) -> MarkovNetwork:
        """The model, or the first reason why there is none."""
        source = self.draft.source
        if not len(self.draft):
            raise source.error("the file declares no variable")
        schema = Schema(self.draft.variable(v) for v in range(len(self.draft)))
        for factor in self.factors:
            try:
                checked_factor(schema, (factor.scope, factor.cells))
            except TreewrightError as error:
                raise source.error(str(error), factor.at) from None
        return MarkovNetwork(schema, [(factor.scope, factor.cells) for factor in self.factors])
