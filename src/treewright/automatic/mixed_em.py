"""Structural EM of labels and numbers together: rounds by moments as a mixed network expects them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.automatic.gap_prices import share_of_pairs
from treewright.automatic.search import LearnedAutomatically
from treewright.automatic.structural_em import Explained, fill_suitably
from treewright.errors import TableTooLarge
from treewright.graphs import Dag
from treewright.models import ConditionalGaussianNetwork
from treewright.models.fitting.em_mixed import alone, fit_mixed_em
from treewright.models.mixed.expected_moments import ExpectedMixedMoments
from treewright.models.mixed.mixed_fit import fit_mixed
from treewright.once import cached_property
from treewright.statistics import MixedMoments, mixed_moments
from treewright.tables import Table
from treewright.tables.exports import counted


@dataclass(frozen=True)
class RoundsOfBoth:
    """Rows of labels and numbers with gaps, as the rounds of structural EM ask of them."""

    table: Table

    @cached_property
    def shown(self) -> float:
        return share_of_pairs(self.table)

    @cached_property
    def by_themselves(self) -> ExpectedMixedMoments:
        return alone(self.table)

    def there(self) -> MixedMoments:
        return self.by_themselves

    def whole(self, rows: Table) -> MixedMoments:
        return mixed_moments(rows)

    def explain(
        self, dag: Dag, facts: ExpectedMixedMoments | None = None
    ) -> Explained[ConditionalGaussianNetwork, ExpectedMixedMoments]:
        fitted = fit_mixed_em(dag, self.table, begin=facts or self.by_themselves)
        return Explained(fitted.model, fitted.moments, fitted.moments.log_likelihood)


def learn_both_with_gaps(
    table: Table, options: dict[str, Any]
) -> tuple[LearnedAutomatically, ConditionalGaussianNetwork, list[str]]:
    """The default for rows of labels and numbers with gaps."""
    filled = fill_suitably(RoundsOfBoth(table), options)
    assert isinstance(filled.learned, LearnedAutomatically)
    return filled.learned, filled.model, [filled.about(table)]


def fit_all_mixed(
    dag: Dag, table: Table, complete: MixedMoments
) -> tuple[ConditionalGaussianNetwork, list[str]]:
    """Tables and lines from all rows, on a structure from those that miss nothing."""
    whole = f"the {complete.n_rows:,} of {table.n_rows:,} rows that miss nothing"
    if not table.has_missing:
        return fit_mixed(dag, complete), []
    try:
        fitted = fit_mixed_em(dag, table)
    except TableTooLarge as refused:
        return fit_mixed(dag, complete), [f"structure, tables and lines from {whole}, since {refused}"]
    ended = "" if fitted.trace.converged else ", not converged"
    rounds = counted(fitted.trace.n_rounds, "round")
    return fitted.model, [f"structure from {whole}; tables and lines from all rows by EM ({rounds}{ended})"]
