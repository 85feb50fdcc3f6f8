from xml.etree import ElementTree

import numpy as np
import pytest
from tests import hostile

import treewright as tw
from treewright.models import ConditionalGaussianNetwork, FeatureNetwork, GaussianNetwork, Lines
from treewright.reports import draw_comparison
from treewright.reports.comparison_picture import draw_comparison_page
from treewright.reports.notebook import bundle_for_notebook

ASIA = tw.load_network("asia")
ROWS = tw.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9})


def gaussian():
    schema = tw.Schema([tw.Variable("sun"), tw.Variable("heat")])
    return GaussianNetwork(tw.Dag(schema, [("sun", "heat")]), [6.0, 0.1], {"heat": {"sun": 2.0}}, [4.0, 9.0])


def mixed():
    schema = tw.Schema([tw.Variable("<b>&{{x}}", ("</svg>", '"')), tw.Variable("<i>")])
    lines = {"<i>": Lines([0.0, 4.0], {}, [1.0, 2.0])}
    return ConditionalGaussianNetwork(tw.Dag(schema, [(0, 1)]), {"<b>&{{x}}": [0.3, 0.7]}, lines)


def feature_network():
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "ab"])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    tables = [builder.table("b", [p, 1 - p]) for p in (0.5, 0.9)]
    return FeatureNetwork(builder.graph(builder.split("a", {0: (0.5, tables[0]), 1: (0.5, tables[1])})))


def confidence():
    counts = np.zeros((8, 8))
    counts[0, 1], counts[2, 3] = 9, 2
    return tw.learners.EdgeConfidence(ASIA.schema, 10, counts)


THINGS = {
    "network": lambda: ASIA,
    "Markov network": lambda: tw.MarkovNetwork.of(ASIA),
    "feature network": feature_network,
    "Gaussian network": gaussian,
    "dag": lambda: ASIA.dag,
    "class": lambda: tw.Cpdag.of(ASIA.dag),
    "undirected": ASIA.dag.moral_graph,
    "feature graph": lambda: feature_network().graph,
    "comparison": lambda: tw.compare(ASIA.dag, ASIA.dag.without([("asia", "tub")])),
    "confidence": confidence,
    "learned structure": lambda: tw.learn_pc(tw.DSeparationOracle(ASIA.dag)),
    "learned graph": lambda: tw.learn_blankets(tw.BlanketsJointPosterior(tw.count(ROWS))),
    "learned features": lambda: tw.learn_cutset_network(tw.count(ROWS)),
    "learned model": lambda: tw.learn(ROWS),
    "marginals": lambda: ASIA.marginals({"smoke": "yes"}),
    "distribution": lambda: ASIA.query("lung"),
    "joint": lambda: ASIA.query(["lung", "bronc", "tub", "either", "xray"]),
    "Normals": lambda: gaussian().marginals({"sun": 7.0}),
    "Normal": lambda: gaussian().query("heat"),
    "Normals together": lambda: gaussian().query(["heat", "sun"]),
    "mixed network": mixed,
    "mixtures": lambda: mixed().marginals({"<i>": 3.0}),
    "mixture": lambda: mixed().query("<i>"),
    "hostile": lambda: hostile.named("closing tag"),
}


@pytest.mark.parametrize("kind", THINGS)
def test_everything_has_a_picture_in_a_notebook(kind):
    thing = THINGS[kind]()
    bundle = thing._repr_mimebundle_(include=None, exclude=None)
    assert bundle == bundle_for_notebook(thing)
    assert bundle["text/plain"] == repr(thing)
    assert bundle["image/svg+xml"] in bundle["text/html"]
    root = ElementTree.fromstring(bundle["image/svg+xml"])
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert "<script" not in bundle["text/html"]


def bars(thing):
    return thing._repr_mimebundle_()["image/svg+xml"].count('class="bar"')


def test_small_models_and_answers_have_bars():
    assert bars(ASIA) == 16
    assert bars(ASIA.marginals()) == 16
    assert bars(ASIA.query("lung")) == 2
    assert bars(ASIA.dag) == 0
    assert "90.0%" in ASIA.query("lung", {"smoke": "yes"})._repr_mimebundle_()["image/svg+xml"]
    joint = ASIA.query(["lung", "bronc", "tub", "either", "xray"])._repr_mimebundle_()["image/svg+xml"]
    assert "and 24 more states" in joint


def test_models_with_many_variables_have_none():
    chain = [(v, v + 1) for v in range(79)]
    schema = tw.Schema([tw.Variable(f"x{v:02}", (0, 1)) for v in range(80)])
    model = tw.BayesianNetwork(tw.Dag(schema, chain), [[0.5, 0.5], *[[[0.5, 0.5]] * 2] * 79])
    assert bars(model) == 0
    assert "20 more variables are not shown" in model.marginals()._repr_mimebundle_()["text/html"]


def test_confidence_shows_the_edges_that_half_of_the_resamplings_found():
    bundle = confidence()._repr_mimebundle_()
    assert bundle["image/svg+xml"].count('class="edge"') == 1
    assert "1 edges found by at least half of 10 resamplings" in bundle["text/html"]


def test_a_comparison_tells_what_became_of_each_edge():
    schema = tw.Schema([tw.Variable(name) for name in "abcd"])
    truth = tw.Dag(schema, [("a", "c"), ("b", "c"), ("c", "d")])
    found = tw.Dag(schema, [("a", "c"), ("b", "c"), ("d", "c"), ("a", "d")])
    picture = draw_comparison(truth, found)
    root = ElementTree.fromstring(picture)
    space = {"s": "http://www.w3.org/2000/svg"}
    kinds = {
        frozenset((edge.get("data-from"), edge.get("data-to"))): edge.get("data-difference")
        for edge in root.findall(".//s:path[@class='edge']", space)
    }
    assert kinds == {
        frozenset("ac"): "same",
        frozenset("bc"): "same",
        frozenset("cd"): "turned",
        frozenset("ad"): "added",
    }
    said = [title.text for title in root.findall(".//s:path/s:title", space)]
    assert "d → c: turned: drawn as in the second" in said
    assert "a - d (either direction fits): added: in the second alone" in said
    assert picture._repr_svg_() == picture
    assert draw_comparison(found, truth).count('data-difference="missing"') == 2  # the edge and the legend


def test_variables_meet_by_name_and_order_does_not_matter():
    asia = ASIA.dag
    turned = tw.Schema(reversed(list(asia.schema)))
    other = tw.Dag(turned, asia.edges())
    assert 'data-difference="missing"' not in draw_comparison(asia, other)
    assert "8 edges in both, 0 added" in draw_comparison(asia, other)


def two_pictures(model, label):
    """The picture and the page of two structures that differ in all their edges."""
    none = model.dag.without(model.dag.edges())
    page = draw_comparison_page(model.dag, none, title=label, names=(label, label + "2"))
    return draw_comparison(model.dag, none), page


@pytest.mark.parametrize("kind", hostile.LABELS)
def test_nothing_breaks_out_of_a_comparison(kind):
    label = hostile.LABELS[kind]
    plain = two_pictures(hostile.harmless(), "first")
    for shown, expected in zip(two_pictures(hostile.named(kind), label), plain, strict=True):
        hostile.assert_nothing_broke_out(shown, expected)
    picture = two_pictures(hostile.named(kind), label)[0]
    assert ElementTree.fromstring(picture).get("role") == "img"


def test_a_state_may_hold_what_no_name_may():
    """The character NUL: a cell is what it is, and XML has none."""
    schema = tw.Schema([tw.Variable("a", ("x\0", "y"))])
    model = tw.BayesianNetwork(tw.Dag(schema, []), [[0.5, 0.5]])
    for bundle in (model._repr_mimebundle_(), model.marginals()._repr_mimebundle_()):
        assert "\0" not in bundle["image/svg+xml"] + bundle["text/html"]
        assert ElementTree.fromstring(bundle["image/svg+xml"]).get("role") == "img"
    with pytest.raises(tw.errors.SchemaError, match=r"^no name of a variable has the character NUL"):
        tw.Feature({"a\0": "x"})


def test_explanations_are_tables():
    shown = tw.load_network("asia").mpe({"xray": "yes"})._repr_html_()
    assert "<td>xray</td><td>yes</td>" in shown
    assert "log-probability" in shown
    schema = tw.Schema([tw.Variable("<b>", ("<i>", "x"))])
    hostile = tw.BayesianNetwork(tw.Dag(schema), [[0.9, 0.1]]).mpe()
    assert "<b>" not in hostile._repr_html_()
    assert "&lt;i&gt;" in hostile._repr_html_()
