"""Every public learner once: what it takes and what it cannot do without, made from a table of labels.

What tests say of all learners goes by this table: the promises, the order of columns, what is refused by
name. A new learner is entered here, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import treewright as tw
from treewright import learners
from treewright.statistics import Experiments, mixed_moments

Made = Callable[[tw.Table], Any]


class Call:
    """A learner by its first argument and its options; those that are functions are given the table."""

    def __init__(self, first: Made, **options: Any) -> None:
        self.first, self.options = first, options

    def options_for(self, table: tw.Table) -> dict[str, Any]:
        return {name: one(table) if callable(one) else one for name, one in self.options.items()}


def learned(name: str, table: tw.Table) -> tw.Learned:
    """What a learner finds in a table."""
    call = LEARNERS[name]
    return getattr(learners, name)(call.first(table), **call.options_for(table))


def whole(table: tw.Table) -> tw.Table:
    return table


def counter(table: tw.Table) -> tw.Counter:
    return tw.count(table)


def score(table: tw.Table) -> tw.BIC:
    return tw.BIC(counter(table))


def g_test(table: tw.Table) -> tw.GTest:
    return tw.GTest(counter(table))


def first_column(table: tw.Table) -> str:
    return min(table.schema.names)


def chance(table: tw.Table) -> np.random.Generator:
    return np.random.default_rng(5)


def few(table: tw.Table, n: int = 6) -> tw.Table:
    """The first columns by name, in the order of the table."""
    return table.select([name for name in table.schema.names if name in sorted(table.schema.names)[:n]])


def even_rows(table: tw.Table) -> tw.Counter:
    return tw.count(few(table).take(np.arange(0, min(table.n_rows, 2_000), 2)))


def odd_rows(table: tw.Table) -> tw.Counter:
    return tw.count(few(table).take(np.arange(1, min(table.n_rows, 2_000), 2)))


def windows(table: tw.Table) -> list[list[str]]:
    """Overlapping sets of columns, four at a time by name."""
    names = sorted(table.schema.names)
    return [names[i : i + 4] for i in range(0, max(len(names) - 2, 1), 2)]


def separation_tree(table: tw.Table) -> tw.SeparationTree:
    return tw.separation_tree_from_hypergraph(table.schema, windows(table))


def databases(table: tw.Table) -> list[tw.Table]:
    """Two sets of columns that share some, each in the order of the table."""
    names = sorted(table.schema.names)
    half = len(names) // 2 + 1
    parts = names[:half], names[-half:]
    return [table.select([name for name in table.schema.names if name in part]) for part in parts]


def experiments(table: tw.Table) -> Experiments:
    """Rows in which the first column was set where the second has its first label."""
    first, second = sorted(table.schema.names)[:2]
    set_here = table.column(second) == 0
    columns = {**table.to_dict(), "set": np.where(set_here, first, "none").tolist()}
    return Experiments(tw.read_table(columns, schema=None), "set")


def with_numbers(table: tw.Table) -> tw.Table:
    """A number beside each of three columns, which depends on what they hold alone."""
    names = sorted(table.schema.names)[:3]
    codes = {name: table.column(name).astype(float) for name in names}
    waves = np.sin(np.arange(table.n_rows))
    numbers = {f"n_{name}": codes[name] + 0.5 * codes[names[0]] + waves for name in names}
    schema = tw.Schema([*table.schema, *map(tw.Variable, numbers)])
    return tw.Table(schema, [*table.columns, *numbers.values()])


def by(criterion: Callable[..., Any], **options: Any) -> Made:
    return lambda table: criterion(counter(table), **options)


LEARNERS: dict[str, Call] = {
    "learn_aggressive": Call(score, rng=chance, perturbations=2),
    "learn_blankets": Call(by(tw.BlanketsJointPosterior), treewidth=6),
    "learn_blocks": Call(counter),
    "learn_bounded_treewidth": Call(score, treewidth=3, rng=chance),
    "learn_by_separation_tree": Call(separation_tree, test=g_test),
    "learn_bounded_mixed": Call(
        lambda table: tw.MixedBIC(mixed_moments(with_numbers(table))), treewidth=2, perturbations=1
    ),
    "learn_chow_liu": Call(score),
    "learn_class_blanket": Call(whole, target=first_column),
    "learn_cutset_bag": Call(counter, n_networks=3, rng=chance),
    "learn_cutset_network": Call(counter, rng=chance),
    "learn_dag_climbing": Call(by(tw.K2)),
    "learn_efficient_markov": Call(counter, rng=chance, delta=0.1, min_rows=50, smoothing=1.0),
    "learn_exact": Call(lambda table: tw.BDeu(tw.count(few(table, 13)))),
    "learn_feature_induction": Call(even_rows, valid=odd_rows, most_features=3),
    "learn_from_databases": Call(databases),
    "learn_from_experiments": Call(experiments),
    "learn_graphical_lasso": Call(counter),
    "learn_grow_shrink_network": Call(g_test),
    "learn_hidden_tree": Call(counter, states=4, epochs=3, rng=chance),
    "learn_hill_climbing": Call(score),
    "learn_hybrid": Call(score, test=g_test),
    "learn_in_hypergraph": Call(score, hyperedges=windows),
    "learn_k_dependence": Call(counter, target=first_column),
    "learn_knots": Call(counter),
    "learn_l1_neighbourhoods": Call(counter, n_penalties=4),
    "learn_mixed": Call(lambda table: tw.MixedBIC(mixed_moments(with_numbers(table)))),
    "learn_mixture": Call(counter, components=3, steps=3, rng=chance),
    "learn_naive_bayes": Call(counter, target=first_column),
    "learn_pac_junction_tree": Call(even_rows, treewidth=2),
    "learn_paper_knots": Call(counter, rng=chance),
    "learn_pc": Call(g_test),
    "learn_tabu": Call(score),
    "learn_thin_junction_tree": Call(score, treewidth=3),
    "learn_tpda": Call(g_test),
    "learn_tree_augmented": Call(counter, target=first_column),
    "learn_treewidth_chains": Call(score, treewidth=3),
}
