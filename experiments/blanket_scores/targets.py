"""The graphs that rows come from: files of the folder that TREEWRIGHT_DATA names, or the package's own."""

from __future__ import annotations

import csv
import zlib

import numpy as np

import treewright as tw
from experiments.common import data_file

SIX_NODES = ("six_cycle", "six_chain", "six_dhub", "six_tailhub", "six_star", "six_split")
LARGER = (
    "hub_16",
    "hub_32",
    "hub_64",
    "scale_free_16_1",
    "scale_free_32_1",
    "scale_free_32_2",
    "scale_free_64_2",
    "karate",
    "curtis54",
    "will57",
    "dolphins",
)
SMALL = ("hub_16", "scale_free_16_1", "karate")


def target(name: str) -> tw.UndirectedGraph:
    """A graph over binary variables."""
    if name in tw.networks.list_graphs():
        return tw.networks.load_graph(name)
    kind, _, size = name.partition("_")
    if kind == "hub":
        return tw.networks.hub_graph(int(size) // 8)
    file = data_file("graphs", f"{name}.csv")
    if file is None:  # one of its kind
        n, links = map(int, name.removeprefix("scale_free_").split("_"))
        return tw.networks.scale_free_graph(n, links, rng=np.random.default_rng(zlib.crc32(name.encode())))
    with file.open(encoding="utf-8", newline="") as lines:
        edges = [(int(row["u"]), int(row["v"])) for row in csv.DictReader(lines)]
    n = 1 + max(max(pair) for pair in edges)
    schema = tw.Schema([tw.Variable(f"x{v:02d}", (0, 1)) for v in range(n)])
    return tw.UndirectedGraph(schema, edges)


def rows_of(name: str, draw: int, n: int) -> tw.Table:
    """Rows of a random model on a graph: model and rows follow from the names, and fewer rows come first."""
    model = tw.networks.random_markov_network(target(name), rng=seeded(name, draw, "model"))
    return model.sample(n, rng=seeded(name, draw, "rows"))


def seeded(*key: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(key).encode()))
