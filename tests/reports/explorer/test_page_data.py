import base64
import gzip
import json

import numpy as np
import pytest
from tests.reports.explorer.test_explorer import published

import treewright as tw
from treewright.errors import EvidenceError, ImpossibleEvidence
from treewright.models import FeatureNetwork, GaussianNetwork, MarkovNetwork
from treewright.reports.explorer import page_data as module
from treewright.reports.explorer.page_data import n_stored_rows, page_data


def unpacked(text, kind="<f8"):
    return np.frombuffer(gzip.decompress(base64.b64decode(text)), dtype=kind)


def cells_of(data):
    cards = [len(one["states"]) for one in data["variables"]]
    return sum(int(np.prod([cards[v] for v in scope])) for scope in data["plan"]["scopes"])


def test_tables_keep_every_bit():
    asia = tw.load_network("asia")
    data = page_data(asia, title="Clinic", file="asia.twm")
    assert (data["kind"], data["title"], data["file"], data["directed"]) == (
        "tables",
        "Clinic",
        "asia.twm",
        True,
    )
    np.testing.assert_array_equal(
        unpacked(data["numbers"]), np.concatenate([table.ravel() for table in asia.tables])
    )
    assert [one["scope"] for one in data["factors"]] == [[*asia.dag.parents(v), v] for v in range(8)]
    assert data["variables"][0] == {"name": "asia", "states": ["yes", "no"]}
    assert json.loads(json.dumps(data)) == data


def check_plan(data):
    """Children first, separators in the parent's order, every factor and variable at home."""
    scopes, residual, parent = data["plan"]["scopes"], data["plan"]["residual"], data["plan"]["parent"]
    seen = set()
    for i, (scope, n, above) in enumerate(zip(scopes, residual, parent, strict=True)):
        own, separator = scope[:n], scope[n:]
        assert seen.isdisjoint(own)
        seen.update(own)
        if above < 0:
            assert separator == []
        else:
            assert above > i
            assert separator == [v for v in scopes[above] if v in separator]
    moving = {v for v, one in enumerate(data["variables"]) if len(one["states"]) > 1}
    assert seen == moving
    for factor in data["factors"]:
        assert not moving & {*factor["scope"]} or any(
            moving & {*factor["scope"]} <= {*scope} for scope in scopes
        )


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_plans_are_junction_forests(name):
    data = page_data(tw.load_network(name))
    check_plan(data)
    assert cells_of(data) <= {"asia": 40, "alarm": 1_083}[name]


def test_single_states_and_potentials_of_any_size():
    schema = tw.Schema([tw.Variable("a", (1, 2)), tw.Variable("b", (True,)), tw.Variable("c", ("x", "y"))])
    model = MarkovNetwork(schema, {("a", "b"): [[4e200], [1e200]], ("c",): [1.0, 3.0]})
    data = page_data(model)
    check_plan(data)
    assert data["variables"][0] == {"name": "a", "states": ["1", "2"], "literals": ["1", "2"]}
    assert data["variables"][1]["literals"] == ["True"]
    assert "literals" not in data["variables"][2]
    assert data["directed"] is False
    assert data["arrows"] == ["none"]
    assert unpacked(data["numbers"]).max() <= 1


def test_given_is_checked_and_written_as_likelihoods():
    asia = tw.load_network("asia")
    data = page_data(asia, given={"smoke": "no", "xray": {"yes": 0.8, "no": 0.2}})
    assert data["given"] == [[2, [0.0, 1.0]], [asia.schema.index("xray"), [0.8, 0.2]]]
    with pytest.raises(ImpossibleEvidence):
        page_data(asia, given={"tub": "yes", "either": "no"})
    with pytest.raises(EvidenceError):
        page_data(asia, given={"smoke": "perhaps"})


def test_beyond_the_limit_a_page_has_the_beliefs_of_its_writing(monkeypatch):
    alarm = tw.load_network("alarm")
    monkeypatch.setattr(module, "MOST_CELLS", 800)
    data = page_data(alarm, file="alarm.twm", given={"HR": "HIGH"})
    assert "plan" not in data
    expected = alarm.marginals({"HR": "HIGH"})
    np.testing.assert_array_equal(
        unpacked(data["starting"]), np.concatenate([expected.array(name) for name in alarm.schema.names])
    )
    assert data["note"] == (
        "Beliefs here are those of the time of writing: its junction tree has more than 800 cells. "
        "In Python: tw.load('alarm.twm').marginals(given={...})"
    )


def test_a_feature_graph_comes_with_its_arrays_and_says_what_it_stores():
    schema = tw.Schema([tw.Variable(name, (0, 1)) for name in "ab"])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    rows = builder.rows([*"ab"], np.array([[0, 1], [1, 1]]), [0.25, 0.75])
    parts = [rows, builder.table([*"ab"], [[0.25] * 2] * 2)]
    model = FeatureNetwork(builder.graph(builder.mixture(parts, [0.5, 0.5])))
    data = page_data(model)
    assert (data["kind"], data["exact"]) == ("features", False)
    np.testing.assert_array_equal(unpacked(data["numbers"]), model.graph.numbers)
    assert unpacked(data["arrays"]["kinds"], "<u4").tolist() == [int(kind) for kind in model.graph.arrays[0]]
    assert n_stored_rows(model) == 2
    assert n_stored_rows(tw.load_network("asia")) == 0


def test_a_gaussian_network_comes_with_its_families():
    schema = tw.Schema([tw.Variable("sun"), tw.Variable("heat")])
    model = GaussianNetwork(tw.Dag(schema, [("sun", "heat")]), [6.0, 0.1], {"heat": {"sun": 2.0}}, [4.0, 9.0])
    data = page_data(model, given={"heat": 27.0})
    assert data["variables"] == [{"name": "sun"}, {"name": "heat"}]
    assert data["given"] == [[1, 27.0]]
    assert data["families"][1] == {"parents": [0], "weights": [2.0], "offset": 0.1, "variance": 9.0}
    assert data["order"] == [0, 1]


def test_a_structure_has_no_numbers():
    data = page_data(tw.load_network("asia").dag)
    assert data["kind"] == "structure"
    assert {"numbers", "plan", "starting"}.isdisjoint(data)


def test_the_same_model_gives_the_same_data(tmp_path):
    alarm = tw.load_network("alarm")
    alarm.save(tmp_path / "alarm.twm")
    again = tw.load(tmp_path / "alarm.twm")
    assert json.dumps(page_data(alarm)) == json.dumps(page_data(again))


def hidden_tree(n, states, hidden, autoregressive=False):
    """A chain of variables with many states and many hidden ones."""
    names = [f"x{i:02}" for i in range(n)]
    schema = tw.Schema([tw.Variable(name, tuple(range(states))) for name in names])
    parents = {name: names[i - 1] if i else None for i, name in enumerate(names)}
    transitions = [np.full((hidden,) if i == 0 else (hidden, hidden), 1 / hidden) for i in range(n)]
    shapes = [(states, hidden, states) if autoregressive and i else (hidden, states) for i in range(n)]
    emissions = [np.full(shape, 1 / states) for shape in shapes]
    builder = tw.graphs.FeatureGraphBuilder(schema)
    return FeatureNetwork(
        builder.graph(builder.hidden(parents, transitions, emissions, autoregressive=autoregressive))
    )


@pytest.mark.parametrize("autoregressive", [False, True])
def test_the_limit_counts_the_cliques_of_leaves(monkeypatch, autoregressive):
    """64 hidden and 100 observed states: a page works through 416,000 cells, not 10,496 numbers."""
    model = hidden_tree(3, 20 if autoregressive else 100, 64, autoregressive)
    ours = {False: 6_400 + 2 * 100 * 64 * 64, True: 1_280 + 2 * 20 * 64 * 64 * 20}[autoregressive]
    stored = len(model.graph.numbers) + len(model.graph.arrays[4])
    assert module._cells_of(model) == ours + stored
    monkeypatch.setattr(module, "MOST_CELLS", ours + stored)
    assert "arrays" in page_data(model)
    monkeypatch.setattr(module, "MOST_CELLS", ours + stored - 1)
    data = page_data(model, file="deep.twm")
    assert "arrays" not in data
    assert f"its graph has more than {ours + stored - 1:,} cells" in data["note"]


def test_the_limit_counts_the_codes_of_stored_rows(monkeypatch):
    schema = tw.Schema([tw.Variable(f"x{i}", (0, 1)) for i in range(10)])
    builder = tw.graphs.FeatureGraphBuilder(schema)
    codes = np.unique(np.random.default_rng(0).integers(0, 2, (300, 10), dtype=np.uint32), axis=0)
    rows = builder.rows(schema.names, codes, np.full(len(codes), 1 / len(codes)))
    model = FeatureNetwork(builder.graph(rows))
    monkeypatch.setattr(module, "MOST_CELLS", 10 * len(codes))
    assert "note" in page_data(model)
    monkeypatch.setattr(module, "MOST_CELLS", 10 * len(codes) + 3_000)
    assert "note" not in page_data(model)


def test_beyond_the_limit_a_gaussian_network_keeps_its_families(monkeypatch):
    schema = tw.Schema([tw.Variable("sun"), tw.Variable("heat")])
    model = GaussianNetwork(tw.Dag(schema, [("sun", "heat")]), [6.0, 0.1], {"heat": {"sun": 2.0}}, [4.0, 9.0])
    monkeypatch.setattr(module, "MOST_CELLS", 3)
    data = page_data(model, file="sun.twm")
    assert "note" in data
    assert data["families"][1]["weights"] == [2.0]
    np.testing.assert_allclose(unpacked(data["starting"]), [6.0, 2.0, 12.1, 5.0])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("andes", 264_478), ("pigs", 690_147)])
def test_plans_of_large_networks_are_as_small_as_many_restarts_found_them(name, most):
    assert cells_of(page_data(published(name))) <= most


def test_pages_compute_up_to_their_most_cells(monkeypatch):
    """As many cells as a page has room for are computed with; one more, and the page is still."""
    asia, rng = tw.load_network("asia"), np.random.default_rng(0)
    table = tw.read_table({name: rng.normal(size=20) for name in "abc"})
    numbers = tw.fit(tw.Dag(table.schema, [("a", "b")]), tw.moments(table))
    n_tables = sum(one.size for one in asia.tables)
    n_cliques = cells_of(page_data(asia))
    for model, cells, part in ((asia, max(n_tables, n_cliques), "plan"), (numbers, 9, None)):
        monkeypatch.setattr(module, "MOST_CELLS", cells)
        data = page_data(model)
        assert "note" not in data
        assert part is None or part in data
        monkeypatch.setattr(module, "MOST_CELLS", cells - 1)
        assert "note" in page_data(model)
    monkeypatch.setattr(module, "MOST_CELLS", n_tables)
    assert "numbers" in page_data(asia)


def test_what_is_not_exact_is_said():
    table = tw.load_network("asia").sample(100, rng=np.random.default_rng(0))
    counter = tw.count(table)
    exact = FeatureNetwork(tw.learn_cutset_network(counter).structure)
    mixed = FeatureNetwork(
        tw.learn_mixture(counter, components=2, steps=1, rng=np.random.default_rng(0)).structure
    )
    for model in (exact, mixed):
        data = page_data(model)
        assert data["exact"] == model.is_exact
        assert ("unexplained" in data) == (not model.is_exact)
    assert exact.is_exact
    assert not mixed.is_exact
