"""Searches under a width bound, from a loaded table to a certified network.

The paper reports that chains cost about a quarter more than the greedy search, and that time grows about
linearly with the bound. Scores are BIC on the rows learned from.
"""

from __future__ import annotations

from collections.abc import Callable

from common import Results, console, density_rows, duration, network_rows, one_thread, seconds
from rich.table import Table as RichTable

import treewright as tw

Learner = Callable[..., tw.learners.Certified]

# BIC of chains with plain arcs at the bound on the same rows, as an independent program found it
PLAIN = {
    ("nltcs.test", 2): -21068.2,
    ("nltcs.test", 4): -20279.1,
    ("plants.test", 2): -53559.0,
    ("plants.test", 5): -50756.3,
}
CHAINS_AGAINST_GREEDY = 1 / 1.5  # chains may take half as long again
PLANTS_SECONDS = 0.2


def named(table: tw.Table) -> tw.Table:
    """Names in the order of the columns, since ties go by name."""
    names = [f"v{i:03d}" for i in range(len(table.schema))]
    return tw.Table.from_codes(list(table.columns), table.schema.cardinalities, names)


def learn(learner: Learner, table: tw.Table, treewidth: int) -> tw.learners.Certified:
    return learner(tw.BIC(tw.count(table)), treewidth=treewidth)


def compare(results: Results, scores: RichTable, table: tw.Table, shown: str, treewidth: int) -> None:
    found = {
        one: learn(one, table, treewidth) for one in (tw.learn_treewidth_chains, tw.learn_thin_junction_tree)
    }
    chains, thin = (seconds(lambda one=one: learn(one, table, treewidth), 5) for one in found)
    results.add(
        f"chains, width {treewidth}", shown, chains, "thin junction tree", thin, CHAINS_AGAINST_GREEDY
    )
    if (shown, treewidth) == ("plants.test", 2):
        results.add("chains, width 2", shown, chains, "promised time", PLANTS_SECONDS, 1)
    plain = PLAIN.get((shown, treewidth))
    plain = tw.learners.ChainVariants(at_bound="plain-arcs")
    alone = tw.learn_treewidth_chains(tw.BIC(tw.count(table)), treewidth=treewidth, variants=plain)
    ours = [f"{learned.score:,.1f}" for learned in (*found.values(), alone)]
    scores.add_row(shown, str(treewidth), *ours, "" if plain is None else f"{plain:,.1f}")


# BIC of the search under a bound: seconds to spend, and what a prototype reached (local optimum, all of it)
SEARCHES = {
    ("nltcs.test", 2): (1, -20750, -20592),
    ("nltcs.test", 4): (1, -20161, -20052),
    ("plants.test", 2): (1, -53077, -52214),
    ("plants.test", 5): (1, -49707, -49261),
    ("plants.test", 8): (1, -49216, -48742),
    ("kdd.test", 2): (1, -74637, -74472),
    ("kdd.test", 5): (1, -73936, -73751),
    ("plants.train", 2): (5, -256261, -252132),
    ("plants.train", 5): (5, -235905, -233922),
    ("plants.train", 8): (5, -231715, -230254),
    ("jester.train", 2): (5, -508328, -506383),
    ("jester.train", 5): (5, -494809, -493739),
    ("bnetflix.train", 5): (5, -869869, -868205),
    ("nltcs.train", 4): (2, -99150, -98769),
}


def search_under_a_bound() -> RichTable:
    """The local optimum and what the time allows after it, beside the figures of a prototype."""
    grid = RichTable("data", "width", "local", "takes", "prototype", "in time", "prototype", "of seconds")
    grid.title = "learn_bounded_treewidth, BIC"
    for (shown, treewidth), (limit, local, further) in SEARCHES.items():
        rows = density_rows(*shown.split("."))
        if rows is None:
            continue
        score = tw.BIC(tw.count(named(rows)))

        def run(effort: float, score: tw.BIC = score, width: int = treewidth, most: float = limit) -> float:
            return tw.learn_bounded_treewidth(score, treewidth=width, effort=effort, seconds=most).score

        found, takes = run(0), seconds(lambda: run(0), 1)
        cells = [f"{found:,.0f}", duration(takes), f"{local:,}", f"{run(1e6):,.0f}", f"{further:,}"]
        grid.add_row(shown, str(treewidth), *cells, str(limit))
    return grid


def growth_with_width(table: tw.Table, shown: str) -> RichTable:
    """Seconds against the bound, and seconds for each edge beyond the tree."""
    grid = RichTable(
        "data",
        "width",
        "chains",
        "of that chains",
        "each edge",
        "thin junction tree",
        title="time against width",
    )
    for treewidth in range(1, 11):
        learned = learn(tw.learn_treewidth_chains, table, treewidth)
        chains = seconds(lambda k=treewidth: learn(tw.learn_treewidth_chains, table, k), 3)
        thin = seconds(lambda k=treewidth: learn(tw.learn_thin_junction_tree, table, k), 3)
        phases = {phase.name: phase.seconds for phase in learned.trace.phases}
        edges = max(1, sum(len(one.edges) for one in learned.iterations))
        share = phases["chains"] / sum(phases.values())
        grid.add_row(
            shown, str(treewidth), duration(chains), f"{share:.0%}", duration(chains / edges), duration(thin)
        )
    return grid


def main() -> None:
    one_thread()
    results = Results("bounded treewidth, one thread")
    scores = RichTable(
        "data", "width", "chains", "thin junction tree", "plain arcs", "known for plain arcs", title="BIC"
    )
    for name, widths in (("nltcs", (2, 4)), ("plants", (2, 5, 8))):
        rows = density_rows(name, "test")
        if rows is not None:
            for treewidth in widths:
                compare(results, scores, named(rows), f"{name}.test", treewidth)
    for name in ("alarm", "hepar2", "andes"):
        table, shown = network_rows(name, 10_000)
        for treewidth in (2, 4):
            compare(results, scores, table, shown, treewidth)
    console.print(scores)
    console.print(search_under_a_bound())
    console.print(growth_with_width(network_rows("hepar2", 10_000)[0], "hepar2"))
    plants = density_rows("plants", "test")
    if plants is not None:
        console.print(growth_with_width(plants, "plants.test"))
    results.finish()


if __name__ == "__main__":
    main()
