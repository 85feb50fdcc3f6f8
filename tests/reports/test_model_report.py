import re
from html.parser import HTMLParser

import numpy as np
import pytest
from tests import hostile

import treewright as tw
from treewright.reports import to_report
from treewright.reports.model_report import _independent

ASIA = tw.load_network("asia")
ROWS = ASIA.sample(300, rng=np.random.default_rng(4))


class Reader(HTMLParser):
    """Tags that are closed as they were opened, and the text between them."""

    EMPTY = ("meta", "link", "br", "img", "input")

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(page):
    found = Reader(page)
    assert not any(tag in ("script", "link", "img", "iframe", "object") for tag, _ in found.tags)
    for _, attributes in found.tags:  # nothing from elsewhere
        assert not any(
            str(value).startswith(("http", "//")) for key, value in attributes.items() if key != "xmlns"
        )
    assert not re.search(r"@import|url\((?!#)", page)
    return " ".join(" ".join(found.words).split())


def test_the_page_tells_of_data_model_edges_scores_cost_and_origin():
    model = tw.fit(ASIA.dag, tw.count(ROWS)).with_provenance(
        {"method": "bounded", "seed": 7, "gains": [["smoke", "lung", 12.25]]}
    )
    words = read(to_report(model, ROWS.to_pandas(), title="Chest clinic"))
    for said in (
        "Chest clinic",
        "300 rows read, none dropped",
        "Columns",
        "An arrow is not a cause",
        "12.2",
        "bounded",
    ):
        assert said in words
    assert f"{model.score(ROWS):.4f} nats per row" in words
    alone = tw.fit(tw.Dag(ROWS.schema), tw.count(ROWS), prior=None).score(ROWS)
    assert f"the same without edges {alone:.4f}" in words
    cost = model.cost()
    assert f"treewidth of the question {cost.width}" in words
    for tail, head in ASIA.dag.edges():
        information = tw.mutual_information(tw.count(ROWS), tail, head)
        assert f"{information:.4f}" in words


@pytest.mark.parametrize("kind", hostile.LABELS)
def test_what_came_from_data_is_escaped(kind):
    label = hostile.LABELS[kind]
    rows = {label: ["a", label, "b"] * 9, "other": ["x", "y", "z"] * 9}
    table = tw.read_table(rows)
    model = tw.fit(tw.Dag(table.schema, [(label, "other")]), tw.count(table)).with_provenance({"note": label})
    assert " ".join(label.replace("\x1b", "␛").split())[:20] in read(to_report(model, rows, title=label))


def test_rows_with_gaps_findings_and_a_model_of_every_kind():
    frame = ROWS.to_pandas().astype(str).assign(patient=[f"p{i}" for i in range(300)], planet="earth")
    frame.loc[::7, "xray"] = None
    words = read(to_report(ASIA, frame))
    assert re.search(r"\d findings", words)
    assert "--ignore planet" in words
    assert "--ignore patient" in words
    table = tw.models.model.as_rows(ASIA.schema, frame)
    assert f"{tw.models.score_observed(ASIA, table):.4f} nats per row" in words
    feature = tw.FeatureNetwork(tw.learn_efficient_markov(tw.count(ROWS)).structure)
    for model in (tw.MarkovNetwork.of(ASIA), feature):
        assert f"{model.score(ROWS):.4f}" in read(to_report(model, ROWS))
    numbers = np.random.default_rng(1).normal(size=(50, 3))
    table = tw.read_table(numbers)
    dag = tw.Dag(table.schema, [("x0", "x1")])
    correlation = abs(np.corrcoef(numbers.T)[0, 1])
    for model in (tw.fit(dag, tw.moments(table)), tw.models.fit_sigmoid(dag, table)):
        assert f"{correlation:.4f}" in read(to_report(model, numbers))


def test_states_and_numbers_on_one_page():
    """How strongly ends hang together is in nats whatever they are."""
    rng = np.random.default_rng(3)
    sky = rng.integers(0, 2, 400)
    sun = 4.0 * sky + rng.normal(size=400) * (1 + sky)
    heat = 2 * sun + rng.normal(size=400)
    town = np.where(rng.random(400) < 0.8, sky, 1 - sky)
    table = tw.read_table(
        {"sky": [f"s{k}" for k in sky], "town": [f"t{k}" for k in town], "sun": sun, "heat": heat}
    )
    dag = tw.Dag(table.schema, [("sky", "town"), ("sky", "sun"), ("sun", "heat")])
    model = tw.fit(dag, tw.statistics.mixed_moments(table))
    words = read(to_report(model, table))
    assert f"{model.score(table):.4f} nats per row" in words
    assert "information (nats)" in words
    both = -0.5 * np.log(1 - np.corrcoef(sun, heat)[0, 1] ** 2)
    states = tw.mutual_information(tw.count(table.select(["sky", "town"])), "sky", "town")
    within = sum(np.mean(sky == k) * np.log(np.var(sun[sky == k])) for k in (0, 1))
    found = dict(re.findall(r"(sky → town|sky → sun|sun → heat) (\d\.\d+)", words))
    assert float(found["sun → heat"]) == pytest.approx(both, abs=6e-5)
    assert float(found["sky → town"]) == pytest.approx(states, abs=6e-5)
    # each state has one imagined row of its own
    assert float(found["sky → sun"]) == pytest.approx(0.5 * (np.log(np.var(sun)) - within), rel=0.01)


def test_the_model_without_edges_is_weighed_and_skips_gaps():
    weights = np.arange(300.0)
    alone = tw.fit(tw.Dag(ROWS.schema), tw.count(ROWS.with_weights(weights)), prior=None)
    assert _independent(ASIA, ROWS.with_weights(weights)) == pytest.approx(
        alone.score(ROWS.with_weights(weights))
    )


def test_large_and_empty_things_are_told_in_short():
    schema = tw.Schema([tw.Variable(f"v{i}", (0, 1)) for i in range(500)])
    model = tw.BayesianNetwork(tw.Dag(schema), [[0.5, 0.5]] * 500)
    words = read(to_report(model, model.sample(3, rng=np.random.default_rng(0))))
    assert "A picture of 500 variables would tell nothing" in words
    assert "the variables are independent of each other in this model" in words
    never = tw.BayesianNetwork(tw.Dag(schema), [[1.0, 0.0]] * 500)
    assert "3 have probability zero" in read(to_report(never, model.sample(3, rng=np.random.default_rng(0))))
