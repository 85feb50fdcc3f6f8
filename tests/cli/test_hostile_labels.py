"""Names and states that break out of whatever they are written into, on the command line."""

import csv
import json

import numpy as np
import pytest
from tests import hostile

import treewright as tw


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """One model with a variable for each label, and rows of it."""
    variables = [tw.Variable(label, (label, "other")) for label in hostile.LABELS.values()]
    schema = tw.Schema(variables)
    arcs = list(zip(schema.names, schema.names[1:], strict=False))
    rows = np.random.default_rng(0).integers(2, size=(200, len(schema)))
    table = tw.Table.from_codes(rows, schema)
    path = tmp_path_factory.mktemp("hostile") / "m.twm"
    tw.fit(tw.Dag(schema, arcs), tw.count(table)).save(path)
    return path


def test_a_document_of_all(everything, run_json):
    said = run_json("marginals", everything)
    labels = list(hostile.LABELS.values())
    assert list(said) == labels
    assert [list(states) for states in said.values()] == [[label, "other"] for label in labels]
    assert run_json("mpe", everything)["states"].keys() == said.keys()


def test_what_is_printed_steers_no_terminal(everything, run):
    for command in (["marginals", everything], ["mpe", everything], ["query", everything, "--", "-"]):
        printed = run(*command).stdout
        assert "\x1b" not in printed
        assert "[red]" in printed or command[0] == "query"


def test_rows_are_written_and_read_again(everything, run, tmp_path):
    rows = tmp_path / "rows.csv"
    run("sample", everything, "-n", 50, "--seed", 1, "-o", rows)
    with open(rows, newline="", encoding="utf-8") as file:
        head, *lines = csv.reader(file)
    labels = list(hostile.LABELS.values())
    assert head == labels
    assert all(
        set(column) <= {label, "other"}
        for label, column in zip(labels, zip(*lines, strict=True), strict=True)
    )
    assert json.loads(run("score", everything, rows, "--json").stdout)["rows"] == 50


def test_a_page_of_all(everything, run, tmp_path):
    page = tmp_path / "page.html"
    run("explore", everything, "-o", page)
    found = hostile.Page(page.read_text(encoding="utf-8"))
    plain = hostile.Page(tw.to_html(hostile.harmless()))
    assert found.marks <= plain.marks
    assert found.comments == plain.comments


@pytest.mark.parametrize("kind", hostile.LABELS)
def test_a_question_about_one(kind, everything, run):
    """A name that looks like an option comes after two dashes, as everywhere."""
    label = hostile.LABELS[kind]
    said = json.loads(run("query", everything, f"--given={label}={label}", "--json", "--", label).stdout)
    assert said["variable"] == label
    assert said["distribution"] == {label: 1.0, "other": 0.0}
