"""Structural EM of numbers: rounds as for labels, by moments as a linear-Gaussian network expects them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from treewright.automatic.gap_prices import share_of_pairs
from treewright.automatic.rows import is_complete
from treewright.automatic.search import LearnedAutomatically
from treewright.automatic.structural_em import Explained, fill_suitably
from treewright.errors import MissingValuesError
from treewright.graphs import Dag
from treewright.models import GaussianNetwork
from treewright.models.fitting.em_lines import fit_lines_em
from treewright.once import cached_property
from treewright.statistics import Moments, moments
from treewright.statistics.gaps.expected_moments import NumbersWithGaps
from treewright.tables import Table
from treewright.tables.exports import counted


@dataclass(frozen=True)
class RoundsOfNumbers:
    """Rows of numbers with gaps, as the rounds of structural EM ask of them."""

    table: Table

    @cached_property
    def shown(self) -> float:
        return share_of_pairs(self.table)

    @cached_property
    def rows(self) -> NumbersWithGaps:
        return NumbersWithGaps(self.table)

    def there(self) -> Moments:
        return self.rows.available

    def whole(self, rows: Table) -> Moments:
        return moments(rows)

    def explain(self, dag: Dag, facts: Moments | None = None) -> Explained[GaussianNetwork, Moments]:
        fitted = fit_lines_em(dag, self.rows)
        return Explained(fitted.model, fitted.moments, fitted.trace.log_likelihood[-1])


def learn_numbers_with_gaps(
    table: Table, options: dict[str, Any]
) -> tuple[LearnedAutomatically, GaussianNetwork, list[str]]:
    """The default for rows of numbers with gaps."""
    filled = fill_suitably(RoundsOfNumbers(table), options)
    assert isinstance(filled.learned, LearnedAutomatically)
    return filled.learned, filled.model, [filled.about(table)]


def fit_all_numbers(dag: Dag, table: Table) -> tuple[GaussianNetwork, list[str]]:
    """Lines from all rows on a structure from those that miss nothing."""
    fitted = fit_lines_em(dag, NumbersWithGaps(table))
    whole = f"the {int(is_complete(table).sum()):,} of {table.n_rows:,} rows that miss nothing"
    ended = "" if fitted.trace.converged else ", not converged"
    rounds = counted(fitted.trace.n_rounds, "round")
    return fitted.model, [f"structure from {whole}; lines from all rows by EM ({rounds}{ended})"]


def refuse_way(missing: str, em: str = "missing='em'") -> NoReturn:
    """Refuse what only labels can do with gaps; `em` is how the caller lets a user ask for all rows."""
    raise MissingValuesError(
        f"{missing} is for labels, and these columns are numbers with gaps; {em} learns a Gaussian network "
        "from all rows, by expected moments"
    )
