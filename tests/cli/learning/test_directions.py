"""Every method says which edges have a direction: in JSON, in its listing, in its file, in its picture."""

import json

import pytest
from tests.pages import embedded_model

import treewright as tw
from treewright.cli.learning.methods import METHODS
from treewright.graphs import Dag

UNDIRECTED = ("bjp", "ib", "mpl", "l1")
DENSITIES = [name for name, method in METHODS.items() if method.is_density]
NETWORKS = [name for name in METHODS if name not in (*UNDIRECTED, *DENSITIES, "auto")]


def pairs(edges):
    return {frozenset(edge) for edge in edges}


@pytest.mark.slow
@pytest.mark.parametrize("method", NETWORKS)
def test_a_network_is_shown_as_its_class(run_json, asia_rows, tmp_path, method):
    file = tmp_path / "m.twm"
    found = run_json("learn", asia_rows, "--method", method, "-o", file)
    model = tw.load(file)
    assert pairs(found["undirected_edges"]) <= pairs(found["edges"])
    assert found["undirected_edges"] == [list(edge) for edge in model.pattern.undirected_edges()]
    assert model.pattern == tw.Cpdag.of(model.dag)  # every score here is equivalent, and nothing was known
    assert tw.verify(file).valid
    svg = tw.to_svg(model.structure)
    assert svg.count("marker-end=") == len(found["edges"]) - len(found["undirected_edges"])
    assert svg.count("(either direction fits)") == len(found["undirected_edges"])


@pytest.mark.slow
@pytest.mark.parametrize("method", NETWORKS)
def test_what_is_known_is_directed(run_json, asia_rows, tmp_path, method):
    told = {"forbidden": [["bronc", "smoke"], ["lung", "smoke"]]}
    (tmp_path / "known.json").write_text(json.dumps(told))
    file = tmp_path / "m.twm"
    found = run_json(
        "learn", asia_rows, "--method", method, "--knowledge", tmp_path / "known.json", "-o", file
    )
    known = tw.Knowledge(**told).on(tw.load(file).schema)
    dag = Dag(known.schema, [tuple(edge) for edge in found["edges"]])
    assert found["undirected_edges"] == [list(edge) for edge in known.pattern_of(dag).undirected_edges()]
    assert not pairs(found["undirected_edges"]) & {
        frozenset(("bronc", "smoke")),
        frozenset(("lung", "smoke")),
    }
    assert tw.verify(file).valid


@pytest.mark.slow
@pytest.mark.parametrize("method", [*UNDIRECTED, *DENSITIES])
def test_edges_that_never_had_a_direction(run_json, asia_rows, tmp_path, method):
    found = run_json("learn", asia_rows, "--method", method, "-o", tmp_path / "m.twm")
    assert found["directed"] is False
    assert found["undirected_edges"] == found["edges"]
    assert "gains" not in found
    assert tw.verify(tmp_path / "m.twm").valid
    page = tw.to_html(tw.load(tmp_path / "m.twm"))
    assert "An arrow is not a cause" not in page


@pytest.mark.slow
def test_a_score_that_is_not_equivalent_says_so(run_json, asia_rows):
    found = run_json("learn", asia_rows, "--method", "hill-climbing", "--score", "k2")
    assert found["undirected_edges"] == []
    assert any(
        note.startswith("K2 prefers some networks to others that promise the same independences")
        for note in found["notes"]
    )
    plain = run_json("learn", asia_rows, "--method", "hill-climbing", "--score", "bdeu")
    assert not any("promise the same independences" in note for note in plain["notes"])


@pytest.mark.slow
def test_the_listing_marks_them_and_says_once_what_an_arrow_is_not(run, asia_rows, tmp_path):
    file = tmp_path / "m.twm"
    said = run("learn", asia_rows, "--method", "hill-climbing", "-o", file).stdout
    line = next(line for line in said.splitlines() if "smoke" in line and "lung" in line)
    assert "--" in line
    assert line.rstrip().endswith("either direction fits")
    assert "->" in next(line for line in said.splitlines() if "xray" in line)
    assert " ".join(said.split()).count("An arrow is not a cause: it tells how rows hang together") == 1
    drawn = " ".join(run("explore", file, "-o", tmp_path / "p.html").stdout.split())
    assert "7 edges (2 without direction) drawn in" in drawn
    page = embedded_model((tmp_path / "p.html").read_text(encoding="utf-8"))
    assert str(page).count("An arrow is not a cause") == 1
    assert dict(page["legend"])["wide"].startswith("width: mutual information")
    assert all(told.endswith(" nats") for told in page["told"])


@pytest.mark.slow
def test_gains_are_what_an_arc_adds_to_the_score(run_json, asia_rows, tmp_path):
    found = run_json("learn", asia_rows, "--method", "hill-climbing", "-o", tmp_path / "m.twm")
    score = tw.SparseQNML(tw.count(tw.read_table(asia_rows)))
    dag = Dag(score.schema, [tuple(edge) for edge in found["edges"]])
    for tail, head, gain in found["gains"]:
        assert gain == pytest.approx(score.score(dag) - score.score(dag.without([(tail, head)])), abs=1e-6)
    assert len(found["gains"]) == len(found["edges"])
    assert tw.load(tmp_path / "m.twm").provenance["gains"] == found["gains"]
