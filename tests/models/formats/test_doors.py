"""Reading, writing and converting by path, and the sizes that readers must bear."""

import copy
import os
import pickle
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tests.models.formats.samples import FORMATS, LABELS, collider, labelled

from treewright.errors import FormatError, SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork, fit, formats
from treewright.models.formats import convert_model, read_model, read_model_with_report, twm, write_model
from treewright.networks import load_network
from treewright.statistics import count
from treewright.tables.schema import Schema, Variable

# nodes, arcs and free parameters of the networks of the Bayesian Network Repository
REPOSITORY = {
    "asia": (8, 8, 18),
    "sachs": (11, 17, 178),
    "child": (20, 25, 230),
    "insurance": (27, 52, 1008),
    "alarm": (37, 46, 509),
    "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453),
    "win95pts": (76, 112, 574),
    "pathfinder": (109, 195, 72079),
    "andes": (223, 338, 1157),
    "pigs": (441, 592, 5618),
    "link": (724, 1125, 14211),
}


@pytest.fixture(scope="module")
def large():
    """79 variables with 188,124 free parameters."""
    n, parents = 79, 4
    schema = Schema([Variable(f"v{i}", tuple(f"s{j}" for j in range(5))) for i in range(n)])
    arcs = [(p, i) for i in range(n) for p in range(max(0, i - parents), i)]
    rng = np.random.default_rng(0)
    tables = [rng.dirichlet(np.ones(5), size=[5] * min(i, parents)) for i in range(n)]
    return BayesianNetwork(Dag(schema, arcs), tables)


@pytest.mark.slow
@pytest.mark.parametrize("name", REPOSITORY)
def test_networks_of_the_repository(name, tmp_path):
    path = Path(os.environ.get("TREEWRIGHT_DATA", "")) / "networks" / f"{name}.bif.gz"
    if "TREEWRIGHT_DATA" not in os.environ or not path.exists():
        pytest.skip("set TREEWRIGHT_DATA to a folder with networks/*.bif.gz")
    model, report = read_model_with_report(path)
    assert (report.n_variables, report.n_arcs, report.n_parameters) == REPOSITORY[name]
    assert report.notes == ()
    for ending in ("bif", "net", "uai.gz"):
        write_model(model, tmp_path / f"m.{ending}")
        assert read_model(tmp_path / f"m.{ending}") == model


@pytest.mark.slow
def test_a_large_file_is_read_at_once(large, tmp_path):
    assert large.n_parameters >= 187_000
    write_model(large, tmp_path / "m.bif")
    seconds = []
    for _ in range(3):
        start = time.process_time()
        model = read_model(tmp_path / "m.bif")
        seconds.append(time.process_time() - start)
    assert model == large
    assert min(seconds) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("ending", FORMATS)
def test_memory_is_a_small_multiple_of_the_file(large, ending, tmp_path):
    write_model(large, tmp_path / f"m.{ending}")
    size = (tmp_path / f"m.{ending}").stat().st_size
    tracemalloc.start()
    try:
        read_model(tmp_path / f"m.{ending}")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12 * size


@pytest.mark.parametrize("ending", FORMATS)
def test_examples_survive_every_format(ending, tmp_path):
    for name in ("asia", "alarm"):
        model = load_network(name)
        report = write_model(model, tmp_path / f"m.{ending}")
        assert report.format == ending
        again, read = read_model_with_report(tmp_path / f"m.{ending}")
        assert again == model
        assert read.n_parameters == model.n_parameters


def test_the_ending_says_the_format(tmp_path):
    for ending in ("BIF", "xml", "bifxml", "twm", "twm.gz", "xdsl.gz"):
        write_model(collider(), tmp_path / f"m.{ending}")
        assert read_model(tmp_path / f"m.{ending}") == collider()
    write_model(collider(), tmp_path / "noend", format="net")
    assert read_model(tmp_path / "noend", format="net") == collider()
    with pytest.raises(FormatError, match=r"the ending '.biff' says no format; .*did you mean '.bif'"):
        read_model("m.biff")
    with pytest.raises(FormatError, match=r"there is no format 'nett'; there are .*did you mean 'net'\?"):
        write_model(collider(), "m", format="nett")
    with pytest.raises(SchemaError, match="a BayesianNetwork or a MarkovNetwork; found Dag"):
        write_model(collider().dag, tmp_path / "m.bif")


def test_conversion_reports_both_ends(tmp_path):
    source = tmp_path / "a.bif"
    source.write_text(
        "variable a { type discrete [ 2 ] { <5, >=5 }; }\nprobability ( a ) { table 0.33333, 0.66666; }\n"
    )
    report = convert_model(source, tmp_path / "b.xdsl")
    assert str(report).splitlines() == [
        f"read {source} (bif): 1 variables, 0 arcs, 1 parameters",
        "  1 row of 'a' missed a sum of 1 by up to 1.0e-05 and was rescaled",
        f"wrote {tmp_path / 'b.xdsl'} (xdsl)",
        f"  originals are in {tmp_path / 'b.xdsl.names.json'}",
        "  state '<5' of 'a' is written as s_5",
        "  state '>=5' of 'a' is written as s_5_2",
    ]
    assert read_model(tmp_path / "b.xdsl") == read_model(source)
    assert f"names and labels from {tmp_path / 'b.xdsl.names.json'}" in str(
        read_model_with_report(tmp_path / "b.xdsl")[1]
    )
    with pytest.raises(FormatError, match="XDSL cannot say everything"):
        convert_model(source, tmp_path / "c.xdsl", strict=True)
    with pytest.raises(FormatError, match="says no format"):
        convert_model(tmp_path / "missing.bif", tmp_path / "c.nonsense")


@pytest.mark.parametrize("kind", LABELS)
def test_pickles_and_copies_are_the_native_bytes(kind):
    model = labelled(LABELS[kind])
    for again in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert again == model
    assert twm.to_bytes(model) in pickle.dumps(model, protocol=5)


def test_unseen_configurations_and_provenance_are_kept(tmp_path):
    asia = load_network("asia")
    table = asia.sample(50, rng=np.random.default_rng(0))
    model = fit(asia.dag, count(table))
    assert model.unseen
    assert pickle.loads(pickle.dumps(model)).unseen == model.unseen
    history = {"data": "asia.csv", "seed": 7, "settings": {"score": "bic", "bounds": [1, 2.5, None]}}
    twm.save(model, tmp_path / "m.twm", provenance=history)
    assert twm.read_provenance(tmp_path / "m.twm") == history
    assert twm.load(tmp_path / "m.twm").unseen == model.unseen
    model.save(tmp_path / "m.twm")
    assert twm.read_provenance(tmp_path / "m.twm") == {}
    with pytest.raises(FormatError, match="a provenance is what JSON can say"):
        twm.save(model, tmp_path / "m.twm", provenance={"x": object()})


def test_the_native_file_has_a_line_per_table():
    lines = twm.to_bytes(collider()).decode().splitlines()
    assert '  {"name": "B", "states": ["n", "p"], "ordered": false},' in lines
    assert '  "B": [0.25, 0.75],' in lines


def test_a_format_is_one_file_and_one_row():
    guide = Path(__file__).parents[3] / "docs" / "guides" / "files.md"
    folder = Path(formats.__file__).parent
    shared = {"__init__", "bif_rows", "draft", "markup", "names", "report", "text", "tokens"}
    assert {file.stem for file in folder.glob("*.py")} - shared == {kind.name for kind in formats.FOREIGN}
    for kind in formats.FOREIGN:
        for ending in kind.endings:
            assert ending in formats.__doc__, ending
            assert f"`{ending}`" in guide.read_text(encoding="utf-8"), ending
