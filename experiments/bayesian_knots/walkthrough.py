"""The steps of the pipeline on ALARM, as pictures: tree, stars, clusters, knots, and the network at the end.

Nodes wear the colour of their star; a band of several colours marks a variable that lies in several clusters.
In the picture of the knots a variable stands once for each cluster it lies in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

import treewright as tw
from experiments.common import Experiment, Row, markdown_table, run
from treewright.graphs import Star, UndirectedGraph
from treewright.learners import LearnedPaperKnots, discover_stars, measure_dependencies

NETWORK, ROWS, SEED = "alarm", 1_000, 3


def measure(full: bool) -> Iterator[Row]:
    """The same rows with and without the folder of data: ALARM belongs to the package."""
    learned = _learned()
    clusters = learned.clusters
    truth = tw.load_network(NETWORK).dag.skeleton()
    for number, centre in enumerate(clusters.centres):
        place = clusters.grown_from.index(number) if number in clusters.grown_from else None
        edges = [] if place is None else learned.knots[place].graph.edges()
        yield {
            "centre": centre,
            "star": list(clusters.disjoint[number]),
            "cluster": [] if place is None else list(clusters.overlapping[place]),
            "edges": len(edges),
            "wrong": sum(not truth.adjacent(u, v) for u, v in edges),
        }


@cache
def _learned() -> LearnedPaperKnots:
    table = tw.load_network(NETWORK).sample(ROWS, rng=np.random.default_rng(SEED))
    return tw.learners.learn_paper_knots(
        tw.count(table), combine="dag", settings=tw.learners.KnotSettings(threads=1)
    )


def tables(rows: list[Row]) -> Mapping[str, str]:
    lines = [
        [row["centre"], ", ".join(row["star"]), _others(row), row["edges"], row["wrong"]] for row in rows
    ]
    header = ["centre", "star", "taken in by expansion", "edges of the knot", "of them false"]
    return {"walkthrough": markdown_table(header, lines)}


def _others(row: Row) -> str:
    if not row["cluster"]:
        return "lies inside another cluster"
    return ", ".join(name for name in row["cluster"] if name not in row["star"])


def pictures(rows: list[Row]) -> Mapping[str, str]:
    table = tw.load_network(NETWORK).sample(ROWS, rng=np.random.default_rng(SEED))
    measured = measure_dependencies(tw.count(table))
    stars = discover_stars(measured)
    apart = tw.graphs.Clusters(table.schema, stars, [star.members for star in stars])
    learned = _learned()
    found = {
        "tree": measured.tree,
        "stars": GroupedGraph(measured.tree, apart),
        "clusters": GroupedGraph(measured.tree, learned.clusters),
        "knots": knots_side_by_side(learned),
        "network": learned.structure,
        "search": tw.learn_knots(tw.count(table)).structure,
    }
    return {f"bayesian_knots_{name}.svg": tw.to_svg(graph) for name, graph in found.items()}


class GroupedGraph(UndirectedGraph):
    """An undirected graph whose picture shows clusters."""

    def __init__(self, graph: UndirectedGraph, clusters: tw.graphs.Clusters) -> None:
        super().__init__(graph.schema, graph.index_edges())
        object.__setattr__(self, "clusters", clusters)


def knots_side_by_side(learned: LearnedPaperKnots) -> tw.graphs.ClusteredDag:
    """All knots as one graph; the second copy of a variable has a 2 behind its name, and so on."""
    copies: dict[str, int] = {}
    variables: list[tw.Variable] = []
    arcs: list[tuple[str, str]] = []
    stars: list[Star] = []
    for place, knot in enumerate(learned.knots):
        called = {}
        for name in knot.variables:
            copies[name] = copies.get(name, 0) + 1
            called[name] = name if copies[name] == 1 else f"{name} {copies[name]}"
        scope = range(len(variables), len(variables) + len(called))
        variables += [tw.Variable(name) for name in called.values()]
        arcs += [(called[u], called[v]) for u, v in knot.dag.edges()]
        centre = learned.clusters.centres[learned.clusters.grown_from[place]]
        stars.append(Star(scope[list(called).index(centre)], tuple(scope)))
    schema = tw.Schema(variables)
    return tw.graphs.ClusteredDag(
        schema, arcs, tw.graphs.Clusters(schema, stars, [star.members for star in stars])
    )


EXPERIMENT = Experiment(
    "bayesian_knots.walkthrough", measure, tables, "docs/measured/bayesian_knots.md", pictures
)

if __name__ == "__main__":
    run(EXPERIMENT)
