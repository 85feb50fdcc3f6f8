"""Markov-network structures by scores of blankets: what tests and searches cost, and what they find.

python benchmarks/bench_blanket_scores.py              # one core, 4,000 rows of binary variables
python benchmarks/bench_blanket_scores.py --quality 4  # mean Hamming distance over so many draws
python benchmarks/bench_blanket_scores.py --calibration 2  # are edge probabilities what they say?

Graphs come from the folder `graphs` of TREEWRIGHT_DATA (edge lists, CSV) and, without it, are made here.
"""

from __future__ import annotations

import sys
from itertools import combinations
from time import process_time

import numpy as np
from common import console, folder, one_thread

import treewright as tw
from treewright.graphs.undirected.triangulation import find_maximal_cliques

SIZES = (250, 1_000, 4_000)
BINS = (0.0, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 1.0 + 1e-9)


def schema_of(n: int) -> tw.Schema:
    return tw.Schema([tw.Variable(f"v{i:03d}", (0, 1)) for i in range(n)])


def made_here() -> dict[str, tw.UndirectedGraph]:
    """A star, a ring whose second neighbours are joined, a lattice, a chain of cliques."""
    star = [(0, i) for i in range(1, 32)]
    ring = [(i, (i + k) % 40) for i in range(40) for k in (1, 2)]
    lattice = [(i, i + 1) for i in range(36) if i % 6 != 5] + [(i, i + 6) for i in range(30)]
    cliques = [pair for c in range(8) for pair in combinations(range(4 * c, 4 * c + 5), 2)]
    shapes = {"star": (32, star), "ring": (40, ring), "lattice": (36, lattice), "cliques": (33, cliques)}
    return {name: tw.UndirectedGraph(schema_of(n), edges) for name, (n, edges) in shapes.items()}


def graphs(names: tuple[str, ...]) -> dict[str, tw.UndirectedGraph]:
    where = folder()
    if where is None:
        return made_here()
    found = {}
    for name in names:
        lines = (where / "graphs" / f"{name}.csv").read_text().split()
        edges = [tuple(map(int, line.split(",")[:2])) for line in lines if line.split(",")[0].isdigit()]
        labels = {v: i for i, v in enumerate(sorted({v for edge in edges for v in edge}))}
        found[name] = tw.UndirectedGraph(schema_of(len(labels)), [(labels[a], labels[b]) for a, b in edges])
    return found


def drawn(graph: tw.UndirectedGraph, n_rows: int, seed: int) -> tw.Table:
    """Independent rows of a network with uniform factors on the maximal cliques."""
    rng = np.random.default_rng(seed)
    factors = [(clique, rng.uniform(size=(2,) * len(clique))) for clique in find_maximal_cliques(graph)]
    return tw.MarkovNetwork(graph.schema, factors).sample(n_rows, rng=rng)


def milliseconds(work) -> float:  # type: ignore[no-untyped-def]
    best = float("inf")
    for _ in range(5):
        started = process_time()
        work()
        best = min(best, process_time() - started)
    return 1e3 * best


def tests() -> None:
    """Fresh tests of all pairs, both sides, when everybody has a blanket of the same size."""
    rows = drawn(tw.UndirectedGraph(schema_of(64), [(i, i + 1) for i in range(63)]), 4_000, 0)
    counter = tw.count(rows)
    tw.IndependenceBasedScore(counter).score(tw.UndirectedGraph(rows.schema))  # bit planes are made once
    for size in (0, 2, 4, 6, 8):
        ring = [(i, (i + k) % 64) for i in range(64) for k in range(1, size // 2 + 1)]
        graph, costs = tw.UndirectedGraph(rows.schema, ring), []
        for repetition in range(5):
            score = tw.IndependenceBasedScore(counter, prior=0.5 + 0.001 * (10 * size + repetition + 1))
            started = process_time()
            score.score(graph)
            costs.append((process_time() - started) / score.n_tests)
        console.print(f"blankets of {size}: {1e6 * min(costs):.2f} microseconds a test")


def searches() -> None:
    for name, graph in graphs(("karate", "dolphins", "hub_64", "curtis54")).items():
        rows = drawn(graph, 4_000, 0)
        line = []
        for kind in (tw.BlanketsJointPosterior, tw.IndependenceBasedScore, tw.MarginalPseudoLikelihood):
            cost = milliseconds(lambda k=kind, r=rows: tw.learn_blankets(k(tw.count(r))))
            found = tw.learn_blankets(kind(tw.count(rows))).structure
            line.append(f"{kind.__name__} {cost:.1f} ms, {tw.compare(graph, found).hamming} wrong")
        console.print(f"{name} ({graph.n_edges} edges): " + "; ".join(line))
    six = drawn(tw.UndirectedGraph(schema_of(6), [(0, i) for i in range(1, 6)]), 4_000, 0)
    cost = milliseconds(lambda: tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(six)), "exhaustive"))
    console.print(f"all graphs of six variables: {cost:.1f} ms")
    edges = [(i, int(np.random.default_rng(i).integers(i))) for i in range(1, 500)]
    large = drawn(tw.UndirectedGraph(schema_of(500), edges), 4_000, 0)
    started = process_time()
    tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(large)))
    console.print(f"500 variables: {process_time() - started:.2f} s")


def quality(draws: int) -> None:
    names = (
        "hub_16",
        "hub_32",
        "hub_64",
        "scale_free_32_1",
        "scale_free_32_2",
        "karate",
        "curtis54",
        "dolphins",
    )
    ways = {
        "auto": (tw.BlanketsJointPosterior, "auto"),
        "fast": (tw.BlanketsJointPosterior, "fast"),
        "ib": (tw.IndependenceBasedScore, "auto"),
        "mpl": (tw.MarginalPseudoLikelihood, "auto"),
        "ibmap": (tw.BlanketsJointPosterior, "ibmap"),
    }
    for name, graph in (graphs(names) | made_here()).items():
        wrong: dict[tuple[str, int], list[int]] = {}
        for draw in range(draws):
            rows = drawn(graph, max(SIZES), 1_000 + draw)
            for size in SIZES:
                counter = tw.count(rows.take(np.arange(size, dtype=np.uint32)))
                for way, (kind, search) in ways.items():
                    found = tw.learn_blankets(kind(counter), search).structure
                    wrong.setdefault((way, size), []).append(tw.compare(graph, found).hamming)
        shown = "; ".join(
            f"{way} " + ", ".join(f"{np.mean(wrong[way, size]):.1f}" for size in SIZES) for way in ways
        )
        console.print(f"{name} ({graph.n_edges} edges), {SIZES} rows: {shown}")


def calibration(draws: int) -> None:
    """Of the pairs given a probability between two bounds, how many are edges?"""
    for way in ("posterior", "bootstrap"):
        given, true = np.zeros(len(BINS) - 1), np.zeros(len(BINS) - 1)
        for graph in graphs(("hub_32", "karate")).values():
            for draw in range(draws):
                rows = drawn(graph, 1_000, 2_000 + draw)
                rng = np.random.default_rng(draw)
                n = len(rows.schema)
                sure = (
                    tw.learners.sample_edges(
                        tw.BlanketsJointPosterior(tw.count(rows)), rng=rng, steps=10 * n * n
                    )
                    if way == "posterior"
                    else tw.edge_confidence(
                        rows,
                        lambda again: tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(again)), "fast"),
                        repetitions=20,
                        rng=rng,
                    )
                )
                for u, v in combinations(range(n), 2):
                    at = int(np.searchsorted(BINS, sure.strength(u, v), side="right")) - 1
                    given[at] += 1
                    true[at] += graph.adjacent(u, v)
        bounds = zip(BINS, BINS[1:], given, true, strict=False)
        shown = (f"{a:g}-{min(b, 1):g}: {t:.0f} of {g:.0f}" for a, b, g, t in bounds if g)
        console.print(f"{way}: edges among pairs, by probability: " + ", ".join(shown))


def main() -> None:
    one_thread()
    for option, run in (("--quality", quality), ("--calibration", calibration)):
        if option in sys.argv:
            run(int(sys.argv[sys.argv.index(option) + 1]))
            return
    tests()
    searches()


if __name__ == "__main__":
    main()
