"""Counts that add, models that go on learning, and structures whose directions are open."""

import json
import pickle

import numpy as np
import pytest

import treewright as tw
from treewright.errors import (
    FormatError,
    GraphError,
    MissingValuesError,
    SchemaError,
    SettingError,
    TableTooLarge,
    WeightError,
)
from treewright.models.discrete.family_counts import SeenCells, estimate, refuse_large_tables
from treewright.models.formats.twm import document as twm

ASIA = tw.load_network("asia")
ROWS = ASIA.sample(700, rng=np.random.default_rng(1))


@pytest.mark.parametrize("prior", [None, tw.Dirichlet(1.0), tw.Dirichlet(7.5)])
def test_part_after_part_is_everything_at_once(prior):
    shards = ROWS.shards(5)
    model = tw.fit(ASIA.dag, tw.count(shards[0]), prior=prior, keep_counts=True)
    for shard in shards[1:]:
        model = model.partial_fit(shard)
    whole = tw.fit(ASIA.dag, tw.count(ROWS), prior=prior, keep_counts=True)
    assert twm.to_bytes(model) == twm.to_bytes(whole)
    backwards = tw.fit(ASIA.dag, tw.count(shards[-1]), prior=prior, keep_counts=True)
    for shard in shards[-2::-1]:
        backwards = backwards.partial_fit(tw.count(shard))
    assert twm.to_bytes(backwards) == twm.to_bytes(whole)


def test_counts_add_and_fit():
    first, second = (tw.models.FamilyCounts(ASIA.dag, tw.count(shard)) for shard in ROWS.shards(2))
    both = first + second
    assert both == second + first == tw.models.FamilyCounts(ASIA.dag, tw.count(ROWS))
    assert both != first
    assert both.n_rows == 700
    assert both.fit(prior=None) == tw.fit(ASIA.dag, tw.count(ROWS), prior=None)
    assert repr(both) == "<FamilyCounts: 8 families, 36 cells, 700 rows>"
    assert both.table("asia").dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        both.table("asia")[0] = 3


def test_real_weights_stay_real():
    weighted = ROWS.with_weights(np.full(700, 0.5))
    counts = tw.models.FamilyCounts(ASIA.dag, tw.count(weighted))
    assert counts.n_rows == 350.0
    assert (counts + tw.models.FamilyCounts(ASIA.dag, tw.count(ROWS))).n_rows == 1050.0


def test_the_first_model_stays_as_it_is():
    model = tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True)
    before = twm.to_bytes(model)
    model.partial_fit(ROWS)
    assert twm.to_bytes(model) == before


def test_counts_survive_files_and_pickles(tmp_path):
    model = tw.fit(ASIA.dag, tw.count(ROWS), prior=tw.Dirichlet(3.0), keep_counts=True)
    model.save(tmp_path / "m.twm")
    loaded = tw.load(tmp_path / "m.twm")
    assert loaded.counts == model.counts
    assert loaded.prior == tw.Dirichlet(3.0)
    assert loaded.partial_fit(ROWS) == model.partial_fit(ROWS)
    assert pickle.loads(pickle.dumps(model)).counts == model.counts
    bare = model.with_counts(None)
    assert bare.counts is None
    assert len(twm.to_bytes(bare)) < len(twm.to_bytes(model))
    assert b"counts" not in twm.to_bytes(tw.fit(ASIA.dag, tw.count(ROWS)))


def test_hostile_counts_in_a_file():
    model = tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True)
    for broken in ({}, {"ess": "1", "tables": {}}, {"ess": 1.0, "tables": {}}, {"ess": -1.0, "tables": {}}):
        document = json.loads(twm.to_bytes(model)) | {"counts": broken}
        document.pop("checksum")
        text = twm._json({**document, "checksum": twm._checksum(document)})
        with pytest.raises(FormatError):
            twm.from_bytes(text.encode())
    counts = {
        name: [10**30, *[0] * (table.size - 1)]
        for name, table in zip(ASIA.schema.names, ASIA.tables, strict=True)
    }
    document = json.loads(twm.to_bytes(model)) | {"counts": {"ess": None, "tables": counts}}
    document.pop("checksum")
    with pytest.raises(FormatError):
        twm.from_bytes(twm._json({**document, "checksum": twm._checksum(document)}).encode())


def test_further_rows_are_met_by_name_and_label():
    model = tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True)
    turned = tw.read_table({name: ROWS.labels(name).tolist() for name in ROWS.schema.names[::-1]})
    assert model.partial_fit(turned) == model.partial_fit(ROWS)
    with pytest.raises(SchemaError, match="asia='maybe', which is not a state of asia"):
        model.partial_fit(tw.read_table({name: ["maybe"] for name in ROWS.schema.names}))


def test_refusals():
    with pytest.raises(SettingError, match="this one carries none; fit it with keep_counts=True"):
        tw.fit(ASIA.dag, tw.count(ROWS)).partial_fit(ROWS)
    model = tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True)
    holes = tw.Table(ROWS.schema, ROWS.columns, missing={"tub": np.arange(700) == 3})
    with pytest.raises(
        MissingValuesError, match="column 'tub' has missing values: drop those rows, or fit all"
    ):
        model.partial_fit(holes)
    counts = tw.models.FamilyCounts(ASIA.dag, tw.count(ROWS))
    with pytest.raises(SchemaError, match="one structure and one schema"):
        counts + tw.models.FamilyCounts(tw.Dag(ROWS.schema), tw.count(ROWS))
    with pytest.raises(TypeError):
        counts + 1
    coin = tw.Dag(tw.Schema([tw.Variable("side", ("heads", "tails"))]))
    with pytest.raises(SchemaError, match="found 0 for 1 variables"):
        tw.models.FamilyCounts.from_tables(coin, [])
    with pytest.raises(
        SchemaError, match=r"the counts of 'side' have the shape \(3,\); its states ask for \(2,\)"
    ):
        tw.models.FamilyCounts.from_tables(coin, [[1, 2, 3]])
    with pytest.raises(WeightError, match="others in those of 'side'"):
        tw.models.FamilyCounts.from_tables(coin, [[1, -1]])


def test_an_equivalence_class_is_directed_by_a_stated_rule():
    cpdag = tw.Cpdag.of(ASIA.dag)
    model = tw.fit(cpdag, tw.count(ROWS))
    assert model.dag == cpdag.to_dag()
    assert model.provenance["undirected_edges"] == [list(edge) for edge in cpdag.undirected_edges()]
    assert "the one with the largest name" in model.provenance["directed_by"]
    # members of one class fit alike
    assert model.score(ROWS) == pytest.approx(
        tw.fit(ASIA.dag, tw.count(ROWS), prior=None).score(ROWS), abs=0.01
    )
    alike = tw.fit(cpdag, tw.count(ROWS), prior=None).score(ROWS)
    assert alike == pytest.approx(tw.fit(ASIA.dag, tw.count(ROWS), prior=None).score(ROWS), abs=1e-12)
    directed = tw.graphs.Pdag(ROWS.schema, [("asia", "tub")])
    assert tw.fit(directed, tw.count(ROWS)).provenance == {}
    grown = tw.fit(cpdag, tw.count(ROWS), keep_counts=True).partial_fit(ROWS)
    assert grown.provenance == model.provenance


def test_marks_that_no_dag_extends():
    square = [("asia", "tub"), ("tub", "smoke"), ("smoke", "lung"), ("asia", "lung")]
    with pytest.raises(
        GraphError, match=r"open edges of a Pdag .*; every way adds a v-structure .*find_nearest_extension"
    ):
        tw.fit(tw.graphs.Pdag(ROWS.schema, [], square), tw.count(ROWS))
    circle = [("asia", "tub"), ("tub", "smoke"), ("smoke", "asia")]
    with pytest.raises(GraphError, match="its arrows close a cycle: asia -> tub -> smoke -> asia"):
        tw.fit(tw.graphs.Pdag(ROWS.schema, circle), tw.count(ROWS))


def test_estimates_by_hand():
    counts = np.array([[[3.0, 1.0], [0.0, 0.0], [2.0, 6.0]], [[1.0, 0.0], [4.0, 4.0], [0.0, 0.0]]])
    found = estimate(counts, tw.Dirichlet(6.0))  # half a row in each of the twelve cells
    np.testing.assert_allclose(found, (counts + 0.5) / (counts.sum(axis=-1, keepdims=True) + 1))
    plain = estimate(counts, None)
    np.testing.assert_allclose(plain[0, 0], [0.75, 0.25])
    np.testing.assert_allclose(plain[0, 1], [0.5, 0.5])  # nothing was counted
    np.testing.assert_allclose(plain.sum(axis=-1), 1)


def test_configurations_that_no_row_has_are_counted():
    schema = tw.Schema([tw.Variable("a", (0, 1, 2)), tw.Variable("b", (0, 1)), tw.Variable("c", (0, 1))])
    table = tw.read_table({"a": [0, 0, 1], "b": [0, 0, 1], "c": [0, 1, 1]}, schema=schema)
    model = tw.fit(tw.Dag(schema, [("a", "c"), ("b", "c")]), tw.count(table))
    assert model.unseen == {"c": 4}


def test_a_prior_is_worth_some_rows():
    for ess in (0.0, -1.0):
        words = f"the equivalent sample size of a Dirichlet prior is a positive number; found {ess}"
        with pytest.raises(SchemaError) as refusal:
            tw.Dirichlet(ess)
        assert str(refusal.value) == f"{words} (prior=None fits by maximum likelihood)"
    for ess in (np.inf, np.nan):
        with pytest.raises(SettingError, match=f"^ess= of Dirichlet is a finite number; found {ess}$"):
            tw.Dirichlet(ess)


def test_counts_of_other_states_do_not_add():
    one, other = (
        tw.fit(
            tw.Dag(tw.Schema([tw.Variable("a", states)])),
            tw.count(tw.read_table({"a": states})),
            keep_counts=True,
        ).counts
        for states in (("x", "y"), ("x", "z"))
    )
    with pytest.raises(SchemaError, match="counts add up over one structure and one schema"):
        one + other


def test_scopes_are_counted_in_the_rows_that_show_all_of_them():
    schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1)), tw.Variable("c", (0, 1))])
    rows = {"a": [0, None, 1, 1], "b": [0, 1, None, 1], "c": [1, 1, 0, 0]}
    seen = SeenCells(tw.read_table(rows, schema=schema, missing="em"))
    a, b, ab, c = seen.counts_many([(0,), (1,), (0, 1), (2,)])
    assert (a.tolist(), b.tolist(), c.tolist()) == ([1, 2], [1, 2], [2, 2])
    assert ab.tolist() == [[1, 0], [0, 1]]


def test_labels_that_are_left_out_are_no_missing_values():
    model = tw.fit(ASIA.dag, tw.count(ROWS), keep_counts=True)
    rows = {name: list(labels) for name, labels in ROWS.to_dict().items()}
    rows["xray"][0] = "unreadable"
    grown = model.partial_fit(rows, unseen="ignore")
    assert grown.counts.table("xray").sum() == 2 * ROWS.n_rows - 1
    assert grown.counts.table("smoke").sum() == 2 * ROWS.n_rows
    rows["xray"][1] = None
    with pytest.raises(MissingValuesError, match="column 'xray' has missing values"):
        model.partial_fit(rows, unseen="ignore")


def test_tables_that_just_fit_are_made(monkeypatch):
    schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1))])
    families = [(0,), (0, 1)]
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "48")
    refuse_large_tables(schema, families)
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "47")
    with pytest.raises(TableTooLarge, match="the tables take 48 bytes"):
        refuse_large_tables(schema, families)
