"""Clusters in pictures."""

import re

import numpy as np
import pytest

import treewright as tw
from treewright.graphs import Star
from treewright.reports.groups import Groups
from treewright.reports.render import to_static_html


@pytest.fixture
def clustered():
    schema = tw.Schema([tw.Variable(name, ("no", "yes")) for name in ("a", "b", "<c>", "d")])
    clusters = tw.graphs.Clusters(schema, [Star(0, (0, 1)), Star(2, (2, 3))], [(0, 1), (1, 2, 3)])
    return tw.graphs.ClusteredDag(schema, [("a", "b"), ("b", "<c>"), ("<c>", "d")], clusters)


def test_every_node_wears_its_colours(clustered):
    svg = tw.to_svg(clustered)
    assert svg.count('class="tint"') == 4
    assert svg.count('class="band"') == 5  # b lies in two clusters
    assert "b (cluster of a, also in that of &lt;c&gt;)" in svg
    assert len(set(re.findall(r'class="band"[^>]* fill="(#[0-9a-f]{6})"', svg))) == 2


def test_a_graph_without_clusters_is_drawn_as_before(clustered):
    svg = tw.to_svg(tw.Dag(clustered.schema, clustered.edges()))
    assert "tint" not in svg
    assert Groups.of(tw.Dag(clustered.schema)) is None


def test_page_and_notebook_tell_of_them(clustered):
    codes = np.random.default_rng(0).integers(0, 2, (4, 50))
    rows = {
        name: np.where(column, "yes", "no")
        for name, column in zip(clustered.schema.names, codes, strict=True)
    }
    model = tw.fit(clustered, tw.count(tw.read_table(rows)))
    page = to_static_html(model)
    assert "2 clusters, 1 shared variable" in page
    assert page.count('class="cluster"') == 2
    assert "2 clusters, 1 shared variable" in model._repr_html_()


def test_many_clusters_are_not_all_named():
    schema = tw.Schema([tw.Variable(f"v{i:02}") for i in range(15)])
    clusters = tw.graphs.Clusters(schema, [Star(v, (v,)) for v in range(15)], [(v,) for v in range(15)])
    assert "and 3 more" in Groups(clusters).legend()


def test_variables_in_another_order(clustered):
    other = clustered.schema.select(["d", "<c>", "b", "a"])
    turned = tw.graphs.ClusteredDag(other, clustered.edges(), clustered.clusters)
    groups = Groups.of(turned)
    assert groups.told(2) == "cluster of a, also in that of <c>"
    assert groups.told(0) == "cluster of <c>"
