"""pgmpy and pyAgrum, where they are installed; stand-ins for the refusals, where they are not."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from tests.models.formats.samples import LABELS, collider, labelled

from treewright.errors import SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork
from treewright.models.convert import from_pgmpy, from_pyagrum, libraries, to_pyagrum
from treewright.networks import load_network
from treewright.tables.schema import Schema, Variable


def peer(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed (extra 'bench')")


@pytest.mark.parametrize("kind", LABELS)
def test_pgmpy_and_back(kind):
    peer("pgmpy.models")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in (labelled(LABELS[kind]), load_network("alarm")):
            network = model.to_pgmpy()
            assert network.check_model()
            again = from_pgmpy(network)
            assert again == model


def test_pgmpy_keeps_the_types_of_labels():
    peer("pgmpy.models")
    model = BayesianNetwork(Dag(Schema([Variable("x", (1, 2, 3))]), []), [[0.2, 0.3, 0.5]])
    assert from_pgmpy(model.to_pgmpy()).schema["x"].states == (1, 2, 3)


@pytest.mark.parametrize("kind", LABELS)
def test_pyagrum_and_back(kind):
    peer("pyagrum")
    for model in (labelled(LABELS[kind]), load_network("alarm")):
        again = from_pyagrum(model.to_pyagrum())
        assert again.schema == model.schema
        assert again.dag == model.dag
        assert all(np.allclose(a, b, atol=1e-12) for a, b in zip(again.tables, model.tables, strict=True))


def test_pyagrum_answers_as_we_do():
    pyagrum = peer("pyagrum")
    asia = load_network("asia")
    engine = pyagrum.LazyPropagation(asia.to_pyagrum())
    engine.setEvidence({"xray": "yes", "smoke": "yes"})
    expected = engine.posterior("lung").toarray()
    assert np.allclose(asia.query("lung", given={"xray": "yes", "smoke": "yes"}).array, expected)


def test_labels_that_read_the_same_are_refused():
    peer("pyagrum")
    model = BayesianNetwork(Dag(Schema([Variable("x", (1, "1"))]), []), [[0.5, 0.5]])
    with pytest.raises(SchemaError, match="two states of 'x' read the same"):
        to_pyagrum(model)


def stand_in(tables):
    """What from_pgmpy looks at, without pgmpy."""
    return SimpleNamespace(nodes=lambda: list(tables), get_cpds=tables.get)


def cpd(variables, state_names, values):
    return SimpleNamespace(
        variable=variables[0], variables=variables, state_names=state_names, values=np.array(values)
    )


def test_axes_of_parents_are_met_by_label():
    a = cpd(["a"], {"a": ["x", "y"]}, [0.3, 0.7])
    b = cpd(["b", "a"], {"b": ["n", "p"], "a": ["y", "x"]}, [[0.1, 0.2], [0.9, 0.8]])
    model = from_pgmpy(stand_in({"a": a, "b": b}))
    assert model.table("b").tolist() == [[0.2, 0.8], [0.1, 0.9]]


def test_refusals():
    a = cpd(["a"], {"a": ["x", "y"]}, [0.3, 0.7])
    b = cpd(["b", "a"], {"b": ["n", "p"], "a": ["x", "z"]}, [[0.1, 0.2], [0.9, 0.8]])
    with pytest.raises(
        SchemaError, match=r"'a' has the states \('x', 'y'\) in its own table and \('x', 'z'\)"
    ):
        from_pgmpy(stand_in({"a": a, "b": b}))
    with pytest.raises(SchemaError, match="node 'b' of the pgmpy network has no CPD; add one first"):
        from_pgmpy(stand_in({"a": a, "b": None}))
    with pytest.raises(SchemaError, match="the table of 'a' sums to"):
        from_pgmpy(stand_in({"a": cpd(["a"], {"a": ["x", "y"]}, [0.3, 0.6])}))
    with pytest.raises(
        ModuleNotFoundError, match="nothing-of-the-kind is not installed; pip install nothing-of-the-kind"
    ):
        libraries.library("nothing_of_the_kind", "nothing-of-the-kind")


def test_rounded_rows_are_rescaled():
    model = from_pgmpy(stand_in({"a": cpd(["a"], {"a": ["x", "y"]}, [0.33333, 0.66666])}))
    assert model.table("a").sum() == pytest.approx(1, abs=1e-15)
    assert collider().to_dot()
