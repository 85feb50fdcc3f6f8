"""How dense a page is drawn, and that what it holds fits."""

import itertools
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.pages import embedded_model
from tests.reports.test_layout import n_crossings

import treewright as tw
from treewright.reports.explorer.explorer import _CALLED_ELSEWHERE
from treewright.reports.explorer.page_data import loading
from treewright.reports.explorer.page_file import page_code
from treewright.reports.explorer.text_width import text_width

KILOBYTE = 1_000


def published(name):
    file = Path(os.environ.get("TREEWRIGHT_DATA", ""), "networks", f"{name}.bif.gz")
    if not file.is_file():
        pytest.skip(f"TREEWRIGHT_DATA names no folder with networks/{name}.bif.gz")
    return tw.read_model(file)


@pytest.mark.parametrize("kind", _CALLED_ELSEWHERE)
def test_code_and_style_stay_small(kind):
    assert len("".join(page_code(_CALLED_ELSEWHERE[kind])).encode()) <= 120 * KILOBYTE


def test_the_page_of_alarm_stays_small():
    model = tw.load_network("alarm")
    assert len(tw.to_html(model, title="alarm", file="alarm.twm").encode()) <= 100 * KILOBYTE


def test_the_page_of_pathfinder_stays_small():
    assert len(tw.to_html(published("pathfinder")).encode()) <= 250 * KILOBYTE


def test_small_networks_have_cards():
    model = embedded_model(tw.to_html(tw.load_network("alarm")))
    assert model["density"] == "cards"
    assert "card_sizes" not in model
    assert len(model["layout"]["routes"]) == len(model["edges"]) == 46
    assert_apart(model["layout"])
    assert_apart(model["tree"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "density"), [("andes", "pills"), ("pigs", "dots")])
def test_large_networks_have_pills_or_dots(name, density):
    model = embedded_model(tw.to_html(published(name)))
    assert model["density"] == density
    assert len(model["card_sizes"]) == len(model["variables"])
    assert_apart(model["layout"])


@pytest.mark.parametrize(("name", "most"), [("alarm", 8), pytest.param("andes", 638, marks=pytest.mark.slow)])
def test_lines_of_a_page_cross_seldom(name, most):
    model = embedded_model(tw.to_html(tw.load_network(name) if name == "alarm" else published(name)))
    routes = dict(zip(map(tuple, model["edges"]), model["layout"]["routes"], strict=True))
    assert n_crossings(SimpleNamespace(routes=routes)) <= 1.05 * most


def assert_apart(layout):
    """No two boxes overlap."""
    boxes = sorted(
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(layout["centres"], layout["sizes"], strict=True)
    )
    for a, b in itertools.combinations(boxes, 2):
        assert b[0] >= a[2] - 0.2 or b[1] >= a[3] - 0.2 or a[1] >= b[3] - 0.2


def test_cards_have_room_for_what_they_say():
    names = ["W" * 18, "W" * 40, "i", "変数の名前"]
    schema = tw.Schema([tw.Variable(name, ("no", "M" * 18)) for name in names])
    model = tw.BayesianNetwork(tw.Dag(schema, []), {name: [0.5, 0.5] for name in names})
    widths = [size[0] for size in embedded_model(tw.to_html(model))["layout"]["sizes"]]
    assert min(widths) >= 18 * 11 * 1.0 + 134  # the state
    assert widths[0] >= 18 * 12 * 1.1 + 54
    assert widths[1] < widths[0] + 20  # what is longer is cut
    assert text_width("変数", 10) > 20


def test_how_a_model_is_opened_again():
    assert loading("alarm.twm") == "tw.load('alarm.twm')"
    assert loading("it's.BIF") == 'tw.read_model("it\'s.BIF")'


def test_edges_without_beliefs_have_what_learning_left():
    dag = tw.load_network("asia").dag
    gains = {edge: float(i + 1) for i, edge in enumerate(dag.edges())}
    model = embedded_model(tw.to_html(dag, gains=gains))
    assert model["kind"] == "structure"
    assert max(model["shares"]) == 1
    assert dict(model["legend"])["wide"].startswith("width: the thicker, the more the edge explains")
    assert model["told"][0].endswith(" nats")
