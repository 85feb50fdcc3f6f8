"""One network from several tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.separation_trees.database_examples import (
    EXAMPLE_2,
    EXAMPLE_3,
    exact_table,
    family_tables,
    random_model,
)

import treewright as tw
from treewright.errors import IllegitimateHypergraph, KnowledgeError, SettingError
from treewright.learners import DatabaseSettings, NodeSearch

ROWS = 1e9  # exact margins of so many rows: every dependence is significant
LEVEL = 1e-6
DEEP = NodeSearch(depth=None)


def exact_tables(model, sets, rows=ROWS):
    return [exact_table(model, columns, rows) for columns in sets]


def clinics(rows, seed=0):
    network = tw.load_network("asia")
    rng = np.random.default_rng(seed)
    sets = [["asia", "tub", "lung", "either", "xray"], ["smoke", "lung", "bronc", "either", "dysp"]]
    return network, [network.sample(rows, rng=rng).select(columns) for columns in sets]


def two_tables():
    first, second = {"a": [0, 1] * 20, "b": [0, 1] * 20}, {"b": [0, 1] * 20, "c": [0, 1] * 20}
    return tw.read_databases([first, second])


@pytest.mark.parametrize("engine", ["class", "tests"])
@pytest.mark.parametrize(("arcs", "sets"), [EXAMPLE_2, EXAMPLE_3])
def test_exact_margins_give_the_exact_class(arcs, sets, engine):
    for seed in range(3):
        names = sorted({name for arc in arcs for name in arc})
        model = random_model(arcs, names, np.random.default_rng(seed))
        learned = tw.learn_from_databases(
            exact_tables(model, sets), engine=engine, alpha=LEVEL, settings=DatabaseSettings(search=DEEP)
        )
        assert learned.structure.edges() == tw.Cpdag.of(model.dag).edges()
        assert learned.homogeneity.is_homogeneous
        if engine == "tests":
            assert learned.model_based  # no table covers all that has to be tested


@given(st.integers(0, 10_000))
@settings(max_examples=12, deadline=None)
def test_exact_margins_of_random_families_give_the_exact_class(seed):
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(int(rng.integers(4, 7)))]
    dag = tw.networks.random_dag(len(names), n_arcs=len(names) + 1, rng=rng)
    model = random_model(dag.edges(), dag.schema.names, rng)
    sets = family_tables(model.dag, rng)
    learned = tw.learn_from_databases(
        exact_tables(model, sets), engine="tests", alpha=LEVEL, settings=DatabaseSettings(search=DEEP)
    )
    oracle = tw.learn_by_separation_tree(
        tw.separation_tree_from_hypergraph(learned.databases.schema, sets),
        tw.DSeparationOracle(tw.Dag(learned.databases.schema, model.dag.edges())),
    )
    weak = [q for q in learned.found.separations if oracle.skeleton.adjacent(*q)]
    if not weak:  # a parameter may make a dependence vanish; else the class is exact
        assert learned.structure.edges() == oracle.structure.edges()


@pytest.mark.parametrize("engine", ["class", "tests"])
def test_the_order_of_tables_columns_and_hyperedges_does_not_matter(engine):
    _, tables = clinics(3_000)
    first = tw.learn_from_databases(tables, engine=engine)
    turned = [t.select(tuple(reversed(t.schema.names))) for t in reversed(tables)]
    again = tw.learn_from_databases(
        turned, hypergraph=list(reversed(first.databases.hyperedges)), engine=engine
    )
    assert first.structure == again.structure
    assert first.dag == again.dag
    assert first.databases.schema == again.databases.schema
    assert first.score == again.score
    assert first.model_based == again.model_based


def test_tables_with_the_same_columns_simply_add():
    network = tw.load_network("asia")
    table = network.sample(4_000, rng=np.random.default_rng(1))
    parts = tw.learn_from_databases(table.shards(3))
    whole = tw.learn_hill_climbing(tw.SparseQNML(tw.count(table)))
    assert parts.structure.edges() == whole.cpdag.edges()
    assert parts.structure.undirected_edges() == whole.cpdag.undirected_edges()
    nested = tw.learn_from_databases([table, table.select(["asia", "tub"]).head(100)])
    assert len(nested.databases.hyperedges) == 1


def test_more_rows_come_nearer_to_the_truth():
    network = tw.load_network("asia")
    truth = tw.Cpdag.of(network.dag)
    few, many = (tw.learn_from_databases(clinics(rows)[1]) for rows in (300, 30_000))
    distance = [tw.compare(truth, learned.structure).shd for learned in (few, many)]
    assert distance[1] <= min(distance[0], 1)


def test_what_was_never_seen_together_is_reported():
    names = "123456"
    model = random_model(EXAMPLE_3[0], names, np.random.default_rng(2))
    learned = tw.learn_from_databases(
        exact_tables(model, EXAMPLE_3[1]),
        engine="tests",
        alpha=LEVEL,
        settings=DatabaseSettings("none", search=DEEP),
    )
    assert ("3", "4") in learned.never_observed_together
    assert ("3", "4") not in learned.structure.edges()
    assert not learned.model_based
    assert learned.undecided_edges
    assert set(learned.undecided_edges) <= {tuple(sorted(e)) for e in learned.structure.edges()}
    assert any("never observed together" in line for line in learned.notes)
    assert "undecided" in learned.report()


def test_tables_that_differ_are_warned_about():
    _, tables = clinics(3_000)
    other = tables[1].take(tables[1].column("lung") == 1)  # another population
    mixed = tw.tables.Databases([tables[0], other], names=["city", "hospital"])
    learned = tw.learn_from_databases(mixed)
    assert not learned.homogeneity.is_homogeneous
    assert "'lung'" in learned.notes[0]
    assert "city, hospital" in learned.notes[0]
    assert tw.learn_from_databases(tables).homogeneity.is_homogeneous


def test_knowledge_is_obeyed():
    _, tables = clinics(3_000)
    known = tw.Knowledge(required=[("smoke", "lung")], forbidden_edges=[("bronc", "smoke")])
    for engine in ("class", "tests"):
        learned = tw.learn_from_databases(tables, engine=engine, knowledge=known)
        assert ("smoke", "lung") in learned.dag.edges()
        assert not {("bronc", "smoke"), ("smoke", "bronc")} & set(learned.dag.edges())


def test_continuous_tables_by_both_engines():
    rng = np.random.default_rng(0)

    def rows(n):
        a = rng.normal(size=n)
        b, c = a + rng.normal(size=n), a - rng.normal(size=n)
        d = b + c + rng.normal(size=n)
        return {"a": a, "b": b, "c": c, "d": d, "e": d + rng.normal(size=n)}

    tables = [tw.read_table(rows(4_000)).select(list(kept)) for kept in ("abc", "bcd", "de")]
    for engine in ("class", "tests"):
        learned = tw.learn_from_databases(tables, engine=engine, alpha=0.001)
        assert [sorted(e) for e in learned.structure.edges()] == [
            ["a", "b"], ["a", "c"], ["b", "d"], ["c", "d"], ["d", "e"],
        ]  # fmt: skip
        model = tw.fit(learned.dag, learned.databases)
        assert model.query("e", given={"a": 1.0}).mean == pytest.approx(2.0, abs=0.1)


def test_refusals():
    _, tables = clinics(200)
    with pytest.raises(SettingError, match="engine must be one of 'auto', 'class', 'tests'; found 'magic'"):
        tw.learn_from_databases(tables, engine="magic")
    with pytest.raises(SettingError, match="a score is for engine='class'"):
        tw.learn_from_databases(tables, engine="tests", score="bic")
    with pytest.raises(SettingError, match="k2 prefers some members"):
        tw.learn_from_databases(tables, score="k2")


@pytest.mark.parametrize("engine", ["class", "tests"])
def test_separators_that_no_table_reaches_across_are_counted(engine):
    tables = two_tables()
    learned = tw.learn_from_databases(tables, engine=engine)
    assert learned.audit.untestable == (("b",),)
    assert "1 separator of the tree could not be tested" in learned.notes
    assert tw.learn_from_databases(tables, engine=engine, legitimacy="skip").audit is None


@pytest.mark.parametrize("engine", ["class", "tests"])
def test_sets_that_the_tables_contradict(engine):
    tables = two_tables()
    torn = [["a"], ["b", "c"]]
    assert tw.learn_from_databases(tables, hypergraph=torn, engine=engine).audit.contradictions
    with pytest.raises(IllegitimateHypergraph, match="put 'a' and 'b' into one hyperedge"):
        tw.learn_from_databases(tables, hypergraph=torn, engine=engine, legitimacy="error")


def test_what_no_table_has_is_not_called_known():
    tables = two_tables()
    together = {"hypergraph": [["a", "b", "c"]], "settings": DatabaseSettings(completion="none")}
    learned = tw.learn_from_databases(tables, engine="tests", **together)
    assert learned.never_observed_together == (("a", "c"),)
    assert str(learned.found.why_not("c", "a")) == "no table has both a and c, so that no edge is assumed"
    required = tw.Knowledge(required=[("a", "c")])
    for engine in ("class", "tests"):
        with pytest.raises(KnowledgeError, match="'a' -> 'c' is required, but no table has both"):
            tw.learn_from_databases(tables, engine=engine, knowledge=required, **together)


def test_fewer_rows_than_columns_are_warned_about():
    noise = np.random.default_rng(0).normal(size=(40, 12))
    columns = {f"v{i:02}": noise[:, i] for i in range(12)}
    first = {name: column for name, column in columns.items() if name < "v08"}
    second = {name: column for name, column in columns.items() if name >= "v05"}
    first, second = tw.read_table(first), tw.read_table(second)
    few = [table.head(7) for table in (first, second)]
    said = (
        "no more rows than columns, so that enough parents fit a column exactly and edges may be chance: "
        "7 rows of 8 columns, 7 rows of 7 columns; bound them by max_parents=, or ask engine='tests'"
    )
    assert said in tw.learn_from_databases(few).notes
    assert said not in tw.learn_from_databases(few, engine="tests").notes
    assert not any("chance" in warning for warning in tw.learn_from_databases([first, second]).notes)
    both = tw.learn_from_databases([few[0], few[0]])  # two tables of one column set have rows enough together
    assert not any("chance" in warning for warning in both.notes)
