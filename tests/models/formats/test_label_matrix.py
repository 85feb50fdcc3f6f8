"""Nine classes of labels in every format: back exactly, and readable elsewhere."""

import warnings
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.formats.samples import FORMATS, LABELS, labelled

from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork
from treewright.models.formats import read_model, read_model_with_report, write_model
from treewright.models.formats.names import export_names
from treewright.tables.schema import Schema, Variable

CASES = [(kind, ending) for kind in LABELS for ending in (*FORMATS, "twm")]


@pytest.mark.parametrize(("kind", "ending"), CASES)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_labels_come_back_exactly(kind, ending, packed, tmp_path):
    model = labelled(LABELS[kind])
    path = tmp_path / f"m.{ending}{packed}"
    written = write_model(model, path)
    again, report = read_model_with_report(path)
    assert again == model
    assert again.schema.names == model.schema.names
    assert all(a.tobytes() == b.tobytes() for a, b in zip(again.tables, model.tables, strict=True))
    assert report.names_file == written.names_file
    assert report.renormalised == ()


@pytest.mark.parametrize(("kind", "ending"), CASES)
def test_the_same_model_gives_the_same_bytes(kind, ending, tmp_path):
    model = labelled(LABELS[kind])
    contents = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_model(model, tmp_path / folder / f"m.{ending}.gz")
        contents.append({file.name: file.read_bytes() for file in (tmp_path / folder).iterdir()})
    assert contents[0] == contents[1]


@pytest.mark.parametrize("ending", ["bif", "xdsl", "net"])
@pytest.mark.parametrize("kind", LABELS)
def test_what_is_renamed_is_plain(kind, ending, tmp_path):
    write_model(labelled(LABELS[kind]), tmp_path / f"m.{ending}")
    assert (tmp_path / f"m.{ending}").read_bytes().isascii()


texts = st.text(min_size=1, max_size=8).filter(lambda name: "\0" not in name)  # which no name has
labels = st.lists(
    texts | st.text(max_size=3) | st.integers() | st.floats(allow_nan=False),
    min_size=1,
    max_size=4,
    unique_by=lambda label: (isinstance(label, str), label),
)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(st.tuples(texts, labels, st.booleans()), min_size=1, max_size=5, unique_by=lambda v: v[0]),
    st.data(),
)
def test_any_model_survives_every_format(variables, data):
    schema = Schema(Variable(name, tuple(states), ordered=ordered) for name, states, ordered in variables)
    pairs = [(i, j) for j in range(len(schema)) for i in range(j)]
    flip = data.draw(st.booleans())
    arcs = [(j, i) if flip else (i, j) for i, j in pairs if data.draw(st.booleans())]
    dag = Dag(schema, arcs)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    shapes = [[schema.cardinalities[p] for p in dag.parents(v)] for v in range(len(schema))]
    tables = [
        rng.dirichlet(np.full(r, 0.3), size=s) for r, s in zip(schema.cardinalities, shapes, strict=True)
    ]
    model = BayesianNetwork(dag, tables)
    with TemporaryDirectory() as folder:
        for ending in (*FORMATS, "twm"):
            write_model(model, f"{folder}/m.{ending}")
            again = read_model(f"{folder}/m.{ending}")
            assert again == model
            assert [[*map(type, v.states)] for v in again.schema] == [[*map(type, v.states)] for v in schema]
            assert [v.ordered for v in again.schema] == [v.ordered for v in schema]


def peer(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed (extra 'bench')")


def exported(model, ending):
    from treewright.models import formats

    kind = formats.format_of(f"m.{ending}", None)
    return kind.export(model.schema)


@pytest.mark.parametrize(("kind", "ending"), [case for case in CASES if case[1] in FORMATS[:4]])
def test_pgmpy_reads_what_is_written(kind, ending, tmp_path):
    readwrite = peer("pgmpy.readwrite")
    model = labelled(LABELS[kind])
    names = exported(model, ending)
    path = tmp_path / f"m.{ending}"
    write_model(model, path)
    reader = {"bif": "BIFReader", "xmlbif": "XMLBIFReader", "xdsl": "XDSLReader", "net": "NETReader"}[ending]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = getattr(readwrite, reader)(str(path)).get_model()
    assert set(network.nodes()) == set(names.names)
    for v, name in enumerate(names.names):
        cpd = network.get_cpds(name)
        assert tuple(cpd.state_names[name]) == names.states[v]
        parents = model.dag.parents(v)
        assert set(cpd.variables[1:]) == {names.names[p] for p in parents}
        order = [cpd.variables.index(names.names[p]) for p in parents]
        assert np.allclose(cpd.values.transpose(*order, 0), model.tables[v], atol=1e-12)


@pytest.mark.parametrize(("kind", "ending"), [case for case in CASES if case[1] in FORMATS[:4]])
def test_pyagrum_reads_what_is_written(kind, ending, tmp_path):
    pyagrum = peer("pyagrum")
    model = labelled(LABELS[kind])
    names = exported(model, ending)
    path = tmp_path / f"m.{'bifxml' if ending == 'xmlbif' else ending}"
    write_model(model, path)
    network = pyagrum.loadBN(str(path))
    assert set(network.names()) == set(names.names)
    for v, name in enumerate(names.names):
        assert tuple(network.variable(name).labels()) == names.states[v]
        cpt = network.cpt(name)
        parents = model.dag.parents(v)
        assert set(cpt.names[1:]) == {names.names[p] for p in parents}
        if ending == "xdsl" and len(parents) > 1:
            continue  # pyAgrum takes the first parent for the fastest, against SMILE
        axes = [list(reversed(cpt.names)).index(names.names[u]) for u in (*parents, v)]
        assert np.allclose(cpt.toarray().transpose(axes), model.tables[v], atol=1e-6)


@pytest.mark.parametrize("ending", ["bif", "bifxml", "xdsl", "net", "uai"])
def test_files_of_pyagrum_are_read(ending, tmp_path):
    pyagrum = peer("pyagrum")
    labels = ("no", "yes", "maybe") if ending in ("bif", "net") else ("no", "<5", "may be")
    network = pyagrum.BayesNet()
    for name, states in (("A", labels), ("B", labels[:2]), ("C", labels)):
        network.add(pyagrum.LabelizedVariable(name, name, list(states)))
    network.addArc("A", "C")
    network.addArc("B", "C")
    pyagrum.initRandom(3)
    network.generateCPTs()
    path = tmp_path / f"m.{ending}"
    pyagrum.saveBN(network, str(path))
    model = read_model(path)
    names = dict(zip("ABC", ("x0", "x1", "x2"), strict=True)) if ending == "uai" else {n: n for n in "ABC"}
    for name in "ABC":
        cpt = network.cpt(name)
        parents = sorted(cpt.names[1:], key=lambda n: model.schema.index(names[n]))
        axes = [list(reversed(cpt.names)).index(u) for u in (*parents, name)]
        assert np.allclose(cpt.toarray().transpose(axes), model.table(names[name]), atol=1e-5)
        if ending != "uai":
            assert model.schema[name].states == tuple(network.variable(name).labels())


@pytest.mark.parametrize("ending", ["bif", "xmlbif", "xdsl", "net", "uai"])
def test_files_of_pgmpy_are_read(ending, tmp_path):
    readwrite = peer("pgmpy.readwrite")
    from treewright.models.convert import to_pgmpy

    model = labelled(("no", "yes", "maybe"))
    path = tmp_path / f"m.{ending}"
    writer = {"bif": "BIFWriter", "xmlbif": "XMLBIFWriter", "xdsl": "XDSLWriter", "net": "NETWriter"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = to_pgmpy(model)
        one = getattr(readwrite, writer.get(ending, "UAIWriter"))(network)
        method = next(name for name in dir(one) if name.startswith("write"))
        getattr(one, method)(str(path))
    again = read_model(path)
    if ending == "uai":  # pgmpy numbers variables by cardinality, then by name
        order = sorted(model.schema.names, key=lambda name: (model.schema[name].cardinality, name))
        assert np.allclose(again.joint(again.schema.names), model.joint(order))
        return
    assert set(again.schema.names) == set(model.schema.names)
    assert np.allclose(again.joint(model.schema.names), model.joint(model.schema.names))


def test_names_that_a_format_can_say_stay():
    from treewright.models.formats import bif

    assert export_names(labelled(LABELS["plain"]).schema, bif.NAMES).says_everything
    assert export_names(labelled(LABELS["digits"]).schema, bif.NAMES).states[0] == ("0", "1", "02")
