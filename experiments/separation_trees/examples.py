"""Examples 1 to 3 of the paper and its walk through ALARM: every tree, separator and edge, with pictures.

Nothing is drawn but what the learner returns. All answers come from a d-separation oracle, those of Example 2
from rows of three tables, none of which has all columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import treewright as tw
from experiments.common import Experiment, Row, markdown_table, run
from experiments.common.data import data_folder
from experiments.common.experiment import ROOT
from experiments.separation_trees.drawing import Places, class_part, layered, picture, sets_part, tree_part
from experiments.separation_trees.setting import ALARM_NAMES, ALARM_SETS, PAGE, numbered, seeded
from treewright.graphs import Cpdag, Pdag

PLACES_7 = {
    "1": (90.0, 20.0), "2": (24.0, 80.0), "3": (90.0, 80.0), "4": (56.0, 145.0), "5": (165.0, 55.0),
    "6": (165.0, 120.0), "7": (110.0, 195.0),
}  # fmt: skip
PLACES_3 = {"1": (70.0, 24.0), "2": (24.0, 100.0), "3": (116.0, 100.0)}
PLACES_6 = {
    "1": (95.0, 24.0), "2": (24.0, 60.0), "3": (165.0, 60.0), "4": (50.0, 130.0), "5": (140.0, 130.0),
    "6": (95.0, 195.0),
}  # fmt: skip


@dataclass(frozen=True)
class Story:
    """An example: the sets, what was learned from them, and the truth."""

    title: str
    file: str
    sets: Sequence[Sequence[str]]
    tree: tw.graphs.DSeparationTree
    found: Pdag
    truth: tw.Dag
    local: Sequence[Sequence[tuple[str, str]]]
    places: Places

    def draw(self) -> str:
        sets = sets_part("sets", self.sets, self.places)
        tree = tree_part("tree, with the skeleton of each node", self.tree, self.local)
        found = class_part("result", self.found, self.places)
        if len(self.truth.schema) > 10:
            return picture([sets, found], [tree])
        return picture([sets, tree, found])


def graph_of(names: str, arcs: str) -> tw.Dag:
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in names])
    return tw.Dag(schema, [(arc[0], arc[1]) for arc in arcs.split()])


EXAMPLE_1 = graph_of("1234567", "12 13 15 24 34 47 56 67")
EXAMPLE_2 = graph_of("123", "12 13")
EXAMPLE_3 = graph_of("123456", "12 13 23 14 24 15 35 46 56")


def told(title: str, file: str, truth: tw.Dag, sets: Sequence[Sequence[str]], places: Places) -> Story:
    """What the oracle finds over the tree of some sets."""
    tree = tw.separation_tree_from_hypergraph(truth.schema, sets)
    learned = tw.learn_by_separation_tree(tree, tw.DSeparationOracle(truth))
    return Story(title, file, sets, tree, learned.structure, truth, local_skeletons(learned), places)


def local_skeletons(learned: tw.learners.LearnedSeparationTree) -> list[list[tuple[str, str]]]:
    """For each node the pairs that it did not separate."""
    apart = {(pair, one.node) for pair, separations in learned.separations.items() for one in separations}
    return [
        [pair for pair in combinations(sorted(node), 2) if (pair, node) not in apart]
        for node in learned.tree.clusters
    ]


def moral_story() -> Story:
    moral = EXAMPLE_1.moral_graph()
    tree = tw.graphs.DSeparationTree.of(moral)
    learned = tw.learn_by_separation_tree(tree, tw.DSeparationOracle(EXAMPLE_1))
    pairs = [tuple(edge) for edge in moral.edges()]
    return Story(
        "Example 1, moral graph", "separation_trees_example_1.svg", pairs, tree, learned.structure, EXAMPLE_1,
        local_skeletons(learned), PLACES_7,
    )  # fmt: skip


def refined_story(
    title: str, file: str, truth: tw.Dag, sets: Sequence[Sequence[str]], places: Places
) -> Story:
    oracle, fine = tw.DSeparationOracle(truth), tw.learners.TreeSettings(refine_above=3)
    tree = tw.learners.find_separation_tree(oracle, sets, settings=fine)
    learned = tw.learn_by_separation_tree(tree, oracle)
    return Story(title, file, sets, learned.tree, learned.structure, truth, local_skeletons(learned), places)


def glued_story() -> Story:
    """Example 2 from rows: three tables of two columns each."""
    tables = [model_2().sample(20_000, rng=seeded("example 2", pair)).select(list(pair)) for pair in SETS_2]
    learned = tw.learn_from_databases(tables, engine="tests")
    assert learned.found is not None
    return Story(
        "Example 2", "separation_trees_example_2.svg", SETS_2, learned.tree, learned.structure, EXAMPLE_2,
        local_skeletons(learned.found), PLACES_3,
    )  # fmt: skip


SETS_2 = ("12", "13", "23")


def model_2() -> tw.BayesianNetwork:
    strong = [[0.85, 0.15], [0.2, 0.8]]
    return tw.BayesianNetwork(EXAMPLE_2, {"1": [0.5, 0.5], "2": strong, "3": strong})


def stories() -> list[Story]:
    alarm = numbered(tw.load_network("alarm").dag)
    number = dict(zip(ALARM_NAMES, alarm.schema.names, strict=True))
    sets = [[number[name] for name in one] for one in ALARM_SETS]
    places = layered(alarm)
    one = "separation_trees_example_1"
    return [
        moral_story(),
        told("Example 1, hypergraph", f"{one}_sets.svg", EXAMPLE_1, ["1234", "1356", "467"], PLACES_7),
        refined_story("Example 1, refined", f"{one}_refined.svg", EXAMPLE_1, ["1235", "234567"], PLACES_7),
        told("Example 1, torn apart", f"{one}_torn.svg", EXAMPLE_1, ["124", "1356", "467"], PLACES_7),
        glued_story(),
        told(
            "Example 3", "separation_trees_example_3.svg", EXAMPLE_3, ["123", "124", "135", "456"], PLACES_6
        ),
        told("ALARM, three sets", "separation_trees_alarm_sets.svg", alarm, sets, places),
        refined_story("ALARM, refined", "separation_trees_alarm.svg", alarm, sets, places),
    ]


def measure(full: bool) -> Iterator[Row]:
    for story in stories():
        tree = story.tree
        yield {
            "example": story.title,
            "sets": [list(one) for one in story.sets] if len(story.truth.schema) < 10 else len(story.sets),
            "nodes": len(tree.clusters),
            "largest": tree.width + 1,
            "node_list": [[name.strip() for name in node] for node in tree.clusters],
            "separators": [[name.strip() for name in one] for one in tree.separators],
            "edges": story.found.n_edges,
            "open": [[name.strip() for name in pair] for pair in story.found.undirected_edges()],
            "legitimate": is_legitimate(story),
            "exact": story.found == Cpdag.of(story.truth),
        }


def is_legitimate(story: Story) -> bool:
    try:
        tw.graphs.check_tree(story.truth, story.tree)
    except tw.errors.TreewrightError:
        return False
    return True


def tables(rows: list[Row]) -> Mapping[str, str]:
    lines = [
        [
            row["example"],
            f"{row['nodes']}, largest {row['largest']}",
            listed(row["separators"]),
            row["edges"],
            listed(row["open"]),
            "yes" if row["exact"] else "no",
        ]
        for row in rows
    ]
    header = ["", "nodes", "separators", "edges", "undirected", "the class of the truth"]
    return {"examples": markdown_table(header, lines)}


def listed(sets: Sequence[Sequence[str]], most: int = 9) -> str:
    if len(sets) > most:
        return f"{len(sets)}, of up to {max(map(len, sets))} variables"
    return ", ".join("{" + ", ".join(one) + "}" for one in sets)


def write_pictures(root: Path) -> None:
    folder = (root / PAGE).parent / "pictures"
    for story in stories():
        (folder / story.file).write_text(story.draw(), encoding="utf-8")


EXPERIMENT = Experiment("separation_trees.examples", measure, tables, PAGE)

if __name__ == "__main__":
    run(EXPERIMENT)
    if data_folder() is not None:
        write_pictures(ROOT)
