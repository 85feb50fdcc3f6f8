"""One table and several by one learner, its estimator, and why there is no edge."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.separation_trees.main_algorithm import learn_main

import treewright as tw
from treewright.errors import GraphError, IllegitimateHypergraph, NotFittedError, SchemaError, SettingError
from treewright.learners.separation_trees.learned_tree import find_separator

CLINICS = (["asia", "tub", "lung", "either", "xray"], ["smoke", "lung", "bronc", "either", "dysp"])
TORN = (["asia", "tub", "lung", "either", "xray", "dysp"], ["smoke", "bronc", "either", "lung"])


@pytest.fixture(scope="module")
def rows():
    return tw.load_network("asia").sample(6_000, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def clinics():
    rng = np.random.default_rng(2)
    return [tw.load_network("asia").sample(6_000, rng=rng).select(columns) for columns in CLINICS]


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_one_table_without_knowledge_is_no_worse_than_the_class_search(name):
    network = tw.load_network(name)
    table = network.sample(2_000, rng=np.random.default_rng(4))
    climbed = tw.HillClimbing().fit(table)
    found = tw.SeparationTree().fit(table)
    assert found.cpdag_ == climbed.cpdag_
    assert found.model_.score(table) == pytest.approx(climbed.model_.score(table))


def test_tests_inside_nodes_are_the_main_algorithm(rows):
    found = tw.SeparationTree(engine="tests", alpha=0.01).fit(rows)
    learned = learn_main(tw.GTest(tw.count(rows), 0.01))
    assert found.cpdag_ == learned.structure
    assert found.separators_ == learned.separators
    assert found.tree_.clusters == learned.tree.clusters


@pytest.mark.parametrize("engine", ["class", "tests"])
def test_order_of_tables_columns_and_sets_has_no_say(clinics, engine):
    first = tw.SeparationTree(engine=engine).fit(clinics)
    turned = [table.select(table.schema.names[::-1]) for table in clinics[::-1]]
    second = tw.SeparationTree(engine=engine, hypergraph=CLINICS[::-1]).fit(turned)
    assert first.cpdag_ == second.cpdag_
    assert first.structure_ == second.structure_
    assert first.model_.query("dysp", given={"xray": "yes"})["yes"] == pytest.approx(
        second.model_.query("dysp", given={"xray": "yes"})["yes"]
    )


def test_tables_with_the_same_columns_add(rows):
    halves = [rows.take(np.arange(3_000)), rows.take(np.arange(3_000, 6_000))]
    whole, parts = tw.SeparationTree().fit(rows), tw.SeparationTree().fit(halves)
    assert parts.cpdag_ == whole.cpdag_
    assert parts.model_.score(rows) == pytest.approx(whole.model_.score(rows))
    assert parts.homogeneity_.is_homogeneous
    assert parts.homogeneity_.tests


def test_sets_that_rows_contradict(rows):
    with pytest.raises(IllegitimateHypergraph, match="put 'bronc' and 'dysp' into one hyperedge"):
        tw.SeparationTree(hypergraph=TORN).fit(rows)
    told = tw.SeparationTree(hypergraph=TORN, legitimacy="report").fit(rows)
    assert told.audit_.contradictions[0].pair == ("bronc", "dysp")
    assert told.warnings_[0].startswith("the tables contradict the hypergraph: 'bronc' and 'dysp'")
    assert tw.SeparationTree(hypergraph=TORN, legitimacy="skip").fit(rows).audit_ is None


def test_sets_from_a_file(rows, tmp_path):
    path = tmp_path / "sets.txt"
    path.write_text("\n".join(map(" ".join, CLINICS)))
    assert tw.SeparationTree(hypergraph=path).fit(rows).tree_.separators == (("either", "lung"),)


@pytest.mark.parametrize("engine", ["class", "tests"])
def test_separators_of_tables_need_not_be_asked_about(clinics, engine):
    assert tw.SeparationTree(engine=engine, legitimacy="skip").fit(clinics).audit_ is None


def test_what_no_table_could_say(clinics):
    found = tw.SeparationTree().fit(clinics)
    assert found.audit_.untestable == (("either", "lung"),)
    assert found.warnings_ == ("1 separator of the tree could not be tested",)
    pairs = [{"a": [0, 1] * 50, "b": [0, 1] * 50}, {"b": [0, 1] * 50, "c": [0, 1] * 50}]
    pairs.append({"a": [0, 1] * 50, "d": [0, 1] * 50})
    pairs.append({"c": [0, 1] * 50, "d": [0, 1] * 50})
    ring = tw.SeparationTree().fit(pairs)
    assert ring.never_observed_together_ == (("a", "c"),) or ring.never_observed_together_ == (("b", "d"),)


@pytest.mark.parametrize("engine", ["class", "tests"])
def test_continuous_columns(engine):
    rng = np.random.default_rng(0)
    x = rng.normal(size=2_000)
    y = x + rng.normal(size=2_000)
    z = y + rng.normal(size=2_000)
    parts = [{"x": x[:1_000], "y": y[:1_000]}, {"y": y[1_000:], "z": z[1_000:]}]
    found = tw.SeparationTree(engine=engine).fit(parts)
    assert found.cpdag_.undirected_edges() == [("x", "y"), ("y", "z")]
    assert found.query("z", given={"x": 1.0}).mean == pytest.approx(1.0, abs=0.15)
    whole = tw.SeparationTree(engine=engine).fit({"x": x, "y": y, "z": z})
    assert whole.cpdag_ == found.cpdag_
    # the density of what tables show: the same as that of the model of fewer columns
    assert found.score([parts[0]]) == pytest.approx(
        float(
            np.mean(
                [
                    found.model_.log_density_of({"x": a, "y": b})
                    for a, b in zip(*parts[0].values(), strict=True)
                ]
            )
        )
    )
    assert found.score(parts) == pytest.approx((found.score(parts[:1]) + found.score(parts[1:])) / 2)


class TestWhyNot:
    def test_by_score(self, rows):
        found = tw.SeparationTree().fit(rows)
        absence = found.why_not("xray", "lung")
        assert absence.pair == ("lung", "xray")
        assert absence.separations[0].separator == ("either",)
        assert 0 < absence.loss < 20
        assert "would lower the score by" in str(absence)

    def test_across_tables(self, clinics):
        found = tw.SeparationTree().fit(clinics)
        assert str(found.why_not("dysp", "xray")) == (
            "dysp and xray share no node; the tree separates them by {either, lung}"
        )

    def test_by_knowledge(self, rows):
        known = tw.Knowledge(forbidden_edges=[("lung", "smoke")])
        for engine in ("class", "tests"):
            found = tw.SeparationTree(engine=engine, knowledge=known).fit(rows)
            assert str(found.why_not("smoke", "lung")) == "lung and smoke may not be joined, by what is known"

    def test_of_an_edge(self, rows):
        found = tw.SeparationTree().fit(rows)
        with pytest.raises(GraphError, match=r"^there is an edge between 'lung' and 'smoke'$"):
            found.why_not("smoke", "lung")
        with pytest.raises(GraphError, match=r"^an edge joins two variables; found 'lung' twice$"):
            found.why_not("lung", "lung")

    def test_too_early(self):
        with pytest.raises(NotFittedError, match="has learned nothing yet"):
            tw.SeparationTree().why_not("a", "b")


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
@settings(max_examples=40)
def test_separators_of_a_network_separate_and_are_minimal(seed, n):
    dag = tw.networks.random_dag(n, density=0.4, rng=np.random.default_rng(seed))
    names = dag.schema.names
    for i, u in enumerate(names):
        for v in names[:i]:
            if not dag.adjacent(u, v):
                found = find_separator(dag, u, v)
                assert dag.is_d_separated([u], [v], found)
                assert all(
                    not dag.is_d_separated([u], [v], [w for w in found if w != left]) for left in found
                )


def test_refusals(rows):
    tables = tw.tables.Databases([rows])
    with pytest.raises(SettingError, match=r"^a score is for engine='class'; found score='bic' with engine="):
        tw.learn_from_databases(tables, engine="tests", score="bic")
    for wrong in ({"engine": "pc"}, {"test": "z"}, {"legitimacy": "warn"}):
        with pytest.raises(SettingError, match=f"{next(iter(wrong))}.*{next(iter(wrong.values()))!r}"):
            tw.learn_from_databases(tables, **wrong)


@pytest.mark.parametrize("engine", ["class", "tests"])
def test_no_sets_are_not_the_sets_of_the_tables(clinics, engine):
    with pytest.raises(GraphError, match="every variable lies in a hyperedge; in none: 'asia'"):
        tw.SeparationTree(engine=engine, hypergraph=[]).fit(clinics)


def test_copies_and_functions_are_warned_of():
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=400)
    b = a ^ (rng.random(400) < 0.1)
    first, second = {"a": a, "again": a, "b": b}, {"b": b, "c": b ^ (rng.random(400) < 0.1)}
    alone = tw.SeparationTree().fit(first)
    assert alone.warnings_ == (
        "the rows cannot tell a from again: edges of a could as well be edges of again",
    )
    told = tw.SeparationTree(engine="tests").fit([first, second])
    assert "determined by other columns, so that tests may lose their edges: a, again" in told.warnings_


def test_rows_dropped_from_any_table_are_reported():
    first = {"a": ["x", "y"] * 20, "k": ["one"] * 40}
    second = {"a": [None, *("x", "y") * 20], "b": ["u"] * 20 + ["v"] * 21, "k": ["two"] * 41}
    found = tw.SeparationTree(missing="drop").fit([first, second])
    report = found.report_
    assert (report.n_rows_read, report.n_rows, report.n_dropped) == (81, 80, 1)
    assert report.notes == ("table 2: 1 of 41 rows dropped",)
    assert [column.name for column in report.columns] == ["a", "b", "k"]
    assert report["a"].n_missing == 1
    assert report["k"].n_states == 2
    assert not report.constant  # one value in each table, and not the same


def test_a_dictionary_of_tables_is_no_table():
    pandas = pytest.importorskip("pandas")
    rows = {"a": [0, 1], "b": [0, 1]}
    for one in (pandas.DataFrame(rows), tw.read_table(rows)):
        with pytest.raises(SchemaError, match="column 'north' needs a list of values; found a whole table"):
            tw.SeparationTree().fit({"north": one, "south": one})
