import re
from xml.etree import ElementTree

import numpy as np
import pytest
from tests import hostile

from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork
from treewright.networks import load_network, random_network
from treewright.reports.render import to_static_html, to_svg
from treewright.tables.schema import Schema, Variable


class Undirected:
    schema = Schema([Variable(name, ("a", "b")) for name in "wxyz"])

    def edges(self):
        return [("w", "x"), ("w", "y"), ("x", "y"), ("y", "z")]


class Class:
    """Two arcs into y, and an undirected edge w - x."""

    schema = Undirected.schema

    def undirected_edges(self):
        return [("w", "x")]

    def directed_edges(self):
        return [("x", "y"), ("z", "y")]


def nodes(svg):
    return re.findall(r'<g class="node[^"]*" data-name="([^"]*)"', svg)


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_every_variable_and_arc_is_drawn(name):
    model = load_network(name)
    svg = to_svg(model.dag, marginals=model.marginals())
    ElementTree.fromstring(svg)  # well-formed
    assert sorted(nodes(svg)) == sorted(model.schema.names)
    assert svg.count('class="edge"') == svg.count("marker-end=") == len(model.dag.edges())
    assert svg.count('class="bar"') == sum(model.schema.cardinalities)
    assert 'class="bar"' not in to_svg(model.dag)
    assert to_svg(model) == to_svg(model.dag)


def test_pages_load_nothing_from_elsewhere():
    page = to_static_html(load_network("alarm"), given={"HRBP": "LOW"})
    addresses = set(re.findall(r"[a-z]+://[^\"' )]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not a link
    assert not re.search(r"\b(src|href|@import)\b", page)
    assert set(re.findall(r"url\(([^)]*)\)", page)) == {"#treewright-arrow"}
    assert "prefers-color-scheme:dark" in page


def drawn(model):
    """A page, and a picture alone, that say everything that a model has to say."""
    first, second = model.schema.names
    given = {second: model.schema.variables[1].states[1]}
    return to_static_html(model, title=first, given=given), to_svg(model.dag, marginals=model.marginals())


@pytest.mark.parametrize("kind", hostile.LABELS)
def test_hostile_labels_stay_labels(kind):
    model = hostile.named(kind)
    page, svg = drawn(model)
    for shown, plain in zip((page, svg), drawn(hostile.harmless()), strict=True):
        hostile.assert_nothing_broke_out(shown, plain)
    in_page = page[page.index("<svg") : page.index("</svg>") + 6]
    for picture in (svg, in_page):
        root = ElementTree.fromstring(picture)
        said = {g.get("data-name") for g in root.iter("{http://www.w3.org/2000/svg}g")} - {None}
        assert said == {as_said(name) for name in model.schema.names}


def as_said(name):
    """Characters that XML has no room for have pictures; white space in an attribute is a space."""
    return re.sub(r"[\t\n\r]", " ", name.replace("\r\n", "\n").replace("\x1b", "␛"))


def test_pictures_are_deterministic():
    model = random_network(40, 3, rng=np.random.default_rng(1))
    again = random_network(40, 3, rng=np.random.default_rng(1))
    assert to_static_html(model).encode() == to_static_html(again).encode()


def test_evidence_is_marked():
    page = to_static_html(load_network("asia"), title="Clinic", given={"smoke": "yes"})
    assert page.count('class="node seen"') == 1
    assert "given <b>smoke</b> = yes" in page
    assert "<h1>Clinic</h1>" in page
    assert "8 variables · 8 edges · 18 parameters" in page


def test_undirected_and_partly_directed_graphs():
    svg = to_svg(Undirected())
    assert svg.count('class="edge"') == 4
    assert "marker-end=" not in svg
    svg = to_svg(Class())
    assert svg.count('class="edge"') == 3
    assert svg.count("marker-end=") == 2
    assert "<h1>Class</h1>" in to_static_html(Class())


def test_many_states_and_long_names_are_cut_short():
    schema = Schema([Variable("n" * 60, tuple(f"state {i}" for i in range(30)))])
    model = BayesianNetwork(Dag(schema, []), [np.full(30, 1 / 30)])
    svg = to_svg(model.dag, marginals=model.marginals())
    assert "and 22 more states" in svg
    assert f">{'n' * 27}…<" in svg
    assert f"<title>{'n' * 60}</title>" in svg


def test_empty_structure():
    ElementTree.fromstring(to_svg(Dag(Schema([]), [])))


def test_sure_edges_are_thick():
    import numpy as np

    import treewright as tw

    schema = tw.Schema([tw.Variable(name) for name in "abc"])
    counts = np.array([[0, 5.0, 1], [5.0, 0, 0], [1.0, 0, 0]])
    confidence = tw.learners.EdgeConfidence(schema, 10, counts)
    graph = confidence.averaged_graph(0.0)
    picture = tw.to_svg(graph, confidence=confidence)
    assert 'data-confidence="1.000" style="stroke-width:3.20;opacity:1.00"' in picture
    assert "<title>a - c: 20%</title>" in picture
    assert "data-confidence" in to_static_html(graph, confidence=confidence)
    assert "data-confidence" not in tw.to_svg(graph)
