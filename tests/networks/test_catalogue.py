import json
import os
import runpy
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from treewright.errors import FormatError, UnknownNameError
from treewright.networks import describe_networks, list_networks, load_network
from treewright.networks.catalogue import read_network


def document(name="asia"):
    return json.loads((resources.files("treewright.networks") / "data" / f"{name}.json").read_text())


def edited(change):
    content = document()
    change(content)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("name", "variables", "arcs", "parameters", "author"),
    [("asia", 8, 8, 18, "Lauritzen"), ("alarm", 37, 46, 509, "Beinlich")],
)
def test_published_sizes(name, variables, arcs, parameters, author):
    model = load_network(name)
    assert (len(model.schema), len(model.dag.edges()), model.n_parameters) == (variables, arcs, parameters)
    assert author in document(name)["source"]
    assert name in list_networks()


def test_tables_keep_the_published_decimals():
    asia = load_network("asia")
    assert asia.schema["tub"].states == ("yes", "no")
    assert asia.table("tub").tolist() == [[0.05, 0.95], [0.01, 0.99]]
    alarm = load_network("alarm")
    assert alarm.schema["VENTALV"].states == ("ZERO", "LOW", "NORMAL", "HIGH")
    names, table = alarm.schema.names, alarm.table("CATECHOL")
    assert [names[p] for p in alarm.dag.parents(alarm.schema.index("CATECHOL"))] == [
        "INSUFFANESTH", "TPR", "SAO2", "ARTCO2",
    ]  # fmt: skip
    assert table.shape == (2, 3, 3, 3, 2)
    hrsat = alarm.table("HREKG")
    assert np.all(np.abs(hrsat.sum(axis=-1) - 1) < 1e-12)  # 0.3333333 three times, rescaled


def test_parents_may_be_listed_in_any_order():
    def swap(content):
        item = content["variables"][7]
        assert item["name"] == "dysp"
        item["parents"].reverse()
        item["table"] = [item["table"][i] for i in (0, 2, 1, 3)]

    assert read_network(edited(swap)) == load_network("asia")


def test_the_chest_clinic_of_the_paper():
    asia = load_network("asia")
    assert asia.query("dysp")["yes"] == pytest.approx(0.4359706)
    assert asia.query("either")["yes"] == pytest.approx(0.064828)
    given = {"asia": "yes", "dysp": "yes"}
    assert asia.query("bronc", given=given)["yes"] == pytest.approx(0.8114, abs=5e-5)
    assert asia.query("tub", given=given)["yes"] == pytest.approx(0.0878, abs=5e-5)
    assert asia.query("lung", given=given)["yes"] == pytest.approx(0.0995, abs=5e-5)


def test_rounded_rows_are_rescaled_and_others_refused():
    def miss(by):
        def change(content):
            content["variables"][3]["table"][1] = [0.01, 0.99 + by]

        return edited(change)

    row = read_network(miss(9e-5)).table("lung")[1]
    assert row.sum() == pytest.approx(1, abs=1e-15)
    with pytest.raises(FormatError) as error:
        read_network(miss(2e-3))
    assert str(error.value) == "row 2 of 'lung' (given smoke='no') sums to 1.002, not to 1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(format="x"), "not a network file"),
        (lambda c: c.update(version=9), "version 9 is not known here"),
        (lambda c: c.pop("source"), "the network has no source"),
        (lambda c: c.update(variables=[]), "the network has no variables"),
        (
            lambda c: c["variables"][0].pop("states"),
            "a variable has the keys name, states, parents and table",
        ),
        (lambda c: c["variables"][0].update(states=[1, 2]), "the states of 'asia' are not a list of texts"),
        (lambda c: c["variables"][0].update(states=["a", "a"]), "listed twice"),
        (lambda c: c["variables"][1].update(parents=["aisa"]), "did you mean 'asia'?"),
        (lambda c: c["variables"][1].update(parents=["asia", "asia"]), "are not different"),
        (lambda c: c["variables"][0].update(parents=["tub"]), "cycle"),
        (lambda c: c["variables"][1]["table"].pop(), "does not have 2 rows, one per parent configuration"),
        (
            lambda c: c["variables"][1]["table"][0].pop(),
            "row 1 of 'tub' (given asia='yes') is not a list of 2",
        ),
        (lambda c: c["variables"][1]["table"].__setitem__(0, [True, 0.0]), "is not a list of 2 numbers"),
        (
            lambda c: c["variables"][1]["table"].__setitem__(1, [-0.5, 1.5]),
            "row 2 of 'tub' (given asia='no') holds",
        ),
    ],
)
def test_whatever_does_not_fit_is_refused(change, message):
    with pytest.raises(FormatError) as error:
        read_network(edited(change))
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"format": NaN}'])
def test_other_files_are_refused(text):
    with pytest.raises(FormatError, match="not a network file"):
        read_network(text)


def test_unknown_names_get_a_hint():
    with pytest.raises(UnknownNameError) as error:
        load_network("alram")
    assert str(error.value).startswith("there is no example network 'alram'; there are 'alarm', 'andes', ")
    assert str(error.value).endswith("; did you mean 'alarm'?")


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", list_networks())
def test_figures_are_those_of_the_network(name):
    told = next(one for one in describe_networks() if one.name == name)
    model = load_network(name)
    assert (told.variables, told.arcs, told.parameters) == (
        len(model.schema), model.dag.n_edges, model.n_parameters,
    )  # fmt: skip
    assert told.states == max(model.schema.cardinalities)
    assert told.width == tw.graphs.bound_treewidth_above(model.dag.moral_graph())
    assert len(told.source) > 20


def test_the_catalogue_is_small_and_its_page_up_to_date():
    made = runpy.run_path(str(ROOT / "docs" / "make_catalogue.py"))
    assert sum(file.stat().st_size for file in made["DATA"].rglob("*") if file.is_file()) < made["MOST_BYTES"]
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"]()
    assert set(made["SOURCES"]) | {"asia", "alarm"} == set(list_networks())


@pytest.mark.parametrize("name", list_networks())
def test_packed_networks_are_the_published_ones(name):
    file = Path(os.environ.get("TREEWRIGHT_DATA", "")) / "networks" / f"{name}.bif.gz"
    if "TREEWRIGHT_DATA" not in os.environ or not file.exists():
        pytest.skip(f"TREEWRIGHT_DATA names no folder that has networks/{name}.bif.gz")
    published, ours = tw.read_model(file), load_network(name)
    assert published.dag == ours.dag
    for one in published.schema.names:
        assert published.schema[one].states == ours.schema[one].states
        theirs, kept = published.table(one), ours.table(one)
        axes = [kept.parents.index(parent) for parent in theirs.parents]
        np.testing.assert_allclose(np.asarray(kept).transpose(*axes, -1), theirs, rtol=0, atol=1e-12)


def test_small_networks_of_books():
    assert load_network("cancer").query("Cancer")["True"] == pytest.approx(0.01163, abs=1e-12)
    assert load_network("earthquake").query("Alarm")["True"] == pytest.approx(0.016114, abs=1e-6)
    assert load_network("survey").query("T")["car"] == pytest.approx(0.5618, abs=1e-4)
