"""Laws of scores of many rows: what blocks and counts of families add up to is the mean of the rows."""

import math

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SchemaError, SettingError
from treewright.models import many_rows
from treewright.models.fitting.em import score_observed
from treewright.models.model import ModelBase
from treewright.tables.table import Table


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 64 rows, so that some hundred are many."""
    monkeypatch.setattr(many_rows, "BLOCK_ROWS", 64)


def asia_rows(n=1000, seed=3):
    asia = tw.load_network("asia")
    return asia, asia.sample(n, rng=np.random.default_rng(seed))


def mean_of_rows(model, table):
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    logs = np.asarray(model.log_probability(table), dtype=float)
    kept = weights > 0
    return math.fsum(logs[kept] * weights[kept]) / math.fsum(weights)


def weights_of(kind, n):
    return {None: None, "whole": np.arange(n) % 4, "real": (np.arange(n) % 4) * 0.3}[kind]


@pytest.mark.parametrize("kind", [None, "whole", "real"])
def test_counts_of_families_give_the_mean_of_the_rows(small_blocks, monkeypatch, kind):
    asia, rows = asia_rows()
    rows = rows.with_weights(weights_of(kind, rows.n_rows))
    expected = mean_of_rows(asia, rows)
    monkeypatch.setattr(type(asia), "_log_rows", None)  # no row is looked at
    assert asia.score(rows) == pytest.approx(expected, rel=1e-13)
    mixed_up = rows.reordered(rows.schema.names[::-1])
    assert asia.score(mixed_up) == asia.score(rows)


@pytest.mark.parametrize("kind", [None, "whole", "real"])
def test_other_models_are_scored_by_blocks(small_blocks, kind):
    asia, rows = asia_rows()
    rows = rows.with_weights(weights_of(kind, rows.n_rows))
    edges = [("smoke", "lung"), ("smoke", "bronc"), ("asia", "tub")]
    network = tw.fit(tw.UndirectedGraph(asia.schema, edges), tw.count(rows))
    assert isinstance(network, tw.MarkovNetwork)
    seen = []
    logs = network._log_rows

    def told(block):
        seen.append(block.n_rows)
        return logs(block)

    expected = mean_of_rows(network, rows)
    network._log_rows = told
    assert network.score(rows) == pytest.approx(expected, rel=1e-13)
    assert max(seen) == 64
    assert sum(seen) == rows.n_rows


def test_rows_with_gaps_and_other_states_are_scored_by_blocks(small_blocks):
    asia, rows = asia_rows()
    gaps = np.random.default_rng(1).random(rows.n_rows) < 0.3
    table = Table(rows.schema, rows.columns, missing={"smoke": gaps})
    logs = np.asarray(asia.log_evidence(table))
    assert asia.score(table, unseen="ignore") == pytest.approx(math.fsum(logs) / len(logs), rel=1e-13)
    assert score_observed(asia, table) == pytest.approx(math.fsum(logs) / len(logs), rel=1e-13)
    turned = tw.read_table(
        {name: list(rows.labels(name)) for name in rows.schema.names},
        schema=tw.Schema(tw.Variable(v.name, v.states[::-1]) for v in asia.schema),
    )
    assert asia.score(turned) == pytest.approx(mean_of_rows(asia, rows), rel=1e-13)
    beside = Table(
        tw.Schema([*rows.schema, tw.Variable("note", ("a", "b"))]),
        [*rows.columns, np.zeros(rows.n_rows, dtype=np.uint8)],
        missing={"note": gaps},
    )
    assert asia.score(beside) == asia.score(rows)


def test_impossible_rows_and_no_rows(small_blocks):
    schema = tw.Schema([tw.Variable("a", ("no", "yes"))])
    sure = tw.BayesianNetwork(tw.Dag.empty(schema), {"a": [1.0, 0.0]})
    codes = np.zeros(200, dtype=np.uint8)
    assert sure.score(Table(schema, [codes])) == 0
    codes = codes.copy()
    codes[77] = 1
    assert sure.score(Table(schema, [codes])) == -math.inf
    assert ModelBase._mean_log(sure, Table(schema, [codes]), "error", is_settled=False) == -math.inf
    weightless = Table(schema, [codes], weights=(codes == 0).astype(int))
    assert sure.score(weightless) == 0
    assert ModelBase._mean_log(sure, weightless, "error", is_settled=False) == 0
    with pytest.raises(SchemaError, match="a score is a mean over rows; the table has none"):
        sure.score(Table(schema, [codes], weights=np.zeros(200)))
    with pytest.raises(SettingError, match="unseen is one of"):
        sure.score(Table(schema, [codes]), unseen="nothing")
