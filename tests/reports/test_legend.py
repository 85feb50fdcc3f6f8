"""Legends: what they say, that nothing is cut off or overlaps, and how strong lines are."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import treewright as tw
from treewright.graphs import Cpdag, Pdag
from treewright.reports.legend import Strength, kept_gains, strength_of
from treewright.reports.render import to_static_html

ASIA = tw.load_network("asia")
LEARNED = ASIA.dag.with_pattern(Cpdag.of(ASIA.dag))
SENTENCE = "An arrow is not a cause: it tells how rows hang together, not what acting would change."
NAMESPACE = "{http://www.w3.org/2000/svg}"


def keys(svg):
    return [
        text.text
        for text in ElementTree.fromstring(svg).iter(f"{NAMESPACE}text")
        if "key" in text.get("class")
    ]


def test_a_learned_network_has_lines_where_either_direction_fits():
    svg = tw.to_svg(LEARNED)
    assert svg.count('class="edge"') == 8
    assert svg.count("marker-end=") == 5
    assert keys(svg) == [
        "direction told by the rows, the knowledge or the score",
        "either direction fits the rows equally well",
        SENTENCE,
    ]
    assert "<title>smoke - lung (either direction fits)</title>" in svg
    assert "<title>lung → either</title>" in svg


@pytest.mark.parametrize(
    ("structure", "said"),
    [
        (ASIA.dag, ["arc of the network, as it was given", SENTENCE]),
        (ASIA.dag.moral_graph(), ["joined, without direction"]),
        (Cpdag.of(ASIA.dag), keys(tw.to_svg(LEARNED))),
        (Pdag(ASIA.schema, [], [("lung", "smoke")]), ["either direction fits the rows equally well"]),
        (tw.Dag(ASIA.schema), []),
    ],
)
def test_every_kind_of_structure_is_explained(structure, said):
    assert keys(tw.to_svg(structure)) == said


def test_parts_of_a_feature_graph_are_no_network():
    model = tw.EfficientMarkov().fit(ASIA.sample(500, rng=np.random.default_rng(0))).model_
    assert "from a node of the feature graph to its parts" in model._repr_html_()
    assert SENTENCE not in model._repr_html_()


@pytest.mark.parametrize("n", [2, 8, 40, 120])
def test_the_legend_stands_above_the_picture_and_inside_it(n):
    network = tw.networks.random_network(n, 1, rng=np.random.default_rng(n))
    dag = network.dag.with_pattern(Cpdag.of(network.dag))
    root = ElementTree.fromstring(tw.to_svg(dag, gains=dict.fromkeys(dag.edges(), 2.0)))
    left, top, width, height = map(float, root.get("viewBox").split())
    lowest = -np.inf
    for text in root.iter(f"{NAMESPACE}text"):
        if "key" in text.get("class"):
            x, y = float(text.get("x")), float(text.get("y"))
            assert left <= x
            assert x + 6.0 * len(text.text) <= left + width
            assert top <= y - 11
            lowest = max(lowest, y)
    corners = [re.search(r"translate\((\S+) (\S+)\)", g.get("transform")) for g in root.iter(f"{NAMESPACE}g")]
    assert lowest < min(float(corner[2]) for corner in corners)
    assert height > 0


def test_edges_that_explain_more_are_thicker():
    gains = {("smoke", "lung"): 25.0, ("smoke", "bronc"): 100.0, ("tub", "either"): -3.0}
    svg = tw.to_svg(LEARNED, gains=gains)
    thick = dict(re.findall(r'data-to="(\w+)"[^>]* data-gain="([^"]*)"', svg))
    assert (thick["bronc"], thick["lung"], thick["xray"]) == ("1.000", "0.500", "0.000")
    assert "<title>smoke - lung (either direction fits): 25.0 nats</title>" in svg
    assert "the thicker, the more the edge explains, up to 100 nats of all rows" in svg
    assert strength_of(None, {}) is None
    assert strength_of(None, {("a", "b"): 0.0}) is None
    assert isinstance(strength_of(None, {("a", "b"): 1.0}), Strength)


def test_a_model_shows_what_learning_left_beside_it():
    model = tw.BayesianNetwork(LEARNED, ASIA.tables, provenance={"gains": [["smoke", "lung", 5.0]]})
    assert 'data-gain="1.000"' in model._repr_html_()
    assert "8 edges (3 without direction)" in model._repr_html_()
    resampled = {"repetitions": 4, "edges": [["lung", "smoke", 1.0, 3.0]]}
    model = tw.BayesianNetwork(LEARNED, ASIA.tables, provenance={"confidence": resampled})
    assert 'data-confidence="1.000"' in to_static_html(model)
    assert "the more of 4 resamplings found the edge" in to_static_html(model)


@pytest.mark.parametrize("kept", [None, 3, {}, [["a", "b"]], [["a", "b", 1]], [["a", 2, 1.0]], [3]])
def test_what_a_file_says_wrongly_is_left_out(kept):
    assert kept_gains({"gains": kept}) is None
    model = tw.BayesianNetwork(LEARNED, ASIA.tables, provenance={"gains": kept, "confidence": kept})
    assert "data-gain" not in model._repr_html_()
    assert "data-confidence" not in model._repr_html_()
