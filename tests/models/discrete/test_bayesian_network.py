import math

import numpy as np
import pytest
from scipy import stats
from tests.reference.counting.philox import draw

from treewright import _core
from treewright.errors import (
    EvidenceError,
    ImpossibleEvidence,
    MissingValuesError,
    SchemaError,
    TableTooLarge,
    UnknownNameError,
)
from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork, Model
from treewright.networks import load_network, random_network
from treewright.tables.schema import Schema, Variable
from treewright.tables.table import Table

RAIN = Schema([Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))])
RAIN_TABLES = [[0.8, 0.2], [[0.9, 0.1], [0.0, 1.0]]]


def rain():
    return BayesianNetwork(Dag(RAIN, [("rain", "wet")]), RAIN_TABLES)


def wide_network(n_parents):
    schema = Schema(
        [Variable(f"p{i:02d}", ("a", "b")) for i in range(n_parents)] + [Variable("hub", ("a", "b"))]
    )
    return BayesianNetwork(
        Dag(schema, [(i, n_parents) for i in range(n_parents)]),
        [np.array([0.5, 0.5])] * n_parents + [np.full((2,) * (n_parents + 1), 0.5)],
    )


# making one


def test_a_network_is_a_model_and_frozen():
    model = rain()
    assert isinstance(model, Model)
    assert model.structure is model.dag
    with pytest.raises(ValueError, match="read-only"):
        model.table("wet")[0, 0] = 1
    with pytest.raises(AttributeError):
        model.dag = None
    assert model == BayesianNetwork(model.dag, {"wet": RAIN_TABLES[1], "rain": RAIN_TABLES[0]})
    assert hash(model) == hash(rain())
    assert model != BayesianNetwork(model.dag, [[0.5, 0.5], RAIN_TABLES[1]])
    assert repr(model) == "<BayesianNetwork: 2 variables, 1 arcs, 3 parameters>"


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([RAIN_TABLES[0]], "every variable needs one table; found 1 for 2 variables"),
        ({"rain": [1, 0]}, "every variable needs one table; found none for 'wet'"),
        (
            {"rain": [1, 0], "wet": RAIN_TABLES[1], "snow": []},
            "every variable needs one table; found one for 'snow', which is no variable",
        ),
        ([[1, 0, 0], RAIN_TABLES[1]], "the table of 'rain' has the shape (3,); its states ask for (2,)"),
        (
            [RAIN_TABLES[0], [0.5, 0.5]],
            "the table of 'wet' given 'rain' has the shape (2,); its states ask for (2, 2)",
        ),
        (
            [RAIN_TABLES[0], [[0.9, 0.1], [0.5, 0.25]]],
            "the table of 'wet' given rain='yes' sums to 0.75, not to 1",
        ),
        ([[1.5, -0.5], RAIN_TABLES[1]], "the table of 'rain' holds something that is no probability"),
        ([[np.nan, 1], RAIN_TABLES[1]], "the table of 'rain' holds something that is no probability"),
        ([["x", 1], RAIN_TABLES[1]], "the table of 'rain' is not an array of numbers"),
    ],
)
def test_tables_that_do_not_fit_are_refused(tables, message):
    with pytest.raises(SchemaError) as error:
        BayesianNetwork(Dag(RAIN, [("rain", "wet")]), tables)
    assert str(error.value) == message


def test_continuous_variables_are_refused():
    with pytest.raises(SchemaError, match="'x' is continuous"):
        BayesianNetwork(Dag(Schema([Variable("x")]), []), [[1.0]])


# rows


def test_log_probability_by_hand():
    table = Table(RAIN, [np.array([0, 1, 1], np.uint8), np.array([1, 1, 0], np.uint8)])
    with np.errstate(divide="ignore"):
        expected = np.log([0.8 * 0.1, 0.2 * 1.0, 0.0])
    np.testing.assert_allclose(rain().log_probability(table), expected, rtol=1e-15)
    assert rain().score(table) == -np.inf
    weighted = Table(table.schema, table.columns, weights=np.array([3.0, 1.0, 0.0]))
    assert rain().score(weighted) == pytest.approx((3 * np.log(0.08) + np.log(0.2)) / 4)


def test_columns_meet_by_name_and_states_by_label():
    other = Schema(
        [Variable("extra", (1, 2)), Variable("wet", ("yes", "maybe", "no")), Variable("rain", ("yes", "no"))]
    )
    table = Table(
        other,
        [np.array([0, 0], np.uint8), np.array([0, 2], np.uint16), np.array([1, 1], np.uint32)],
    )
    np.testing.assert_allclose(rain().log_probability(table), np.log([0.8 * 0.1, 0.8 * 0.9]))


def test_rows_that_do_not_fit_are_refused():
    strange = Schema([RAIN["rain"], Variable("wet", ("no", "yess"))])
    columns = [np.array([0], np.uint8), np.array([1], np.uint8)]
    with pytest.raises(SchemaError) as error:
        rain().log_probability(Table(strange, columns))
    assert str(error.value) == (
        "the table has wet='yess', which is not a state of wet in the model; "
        "states are 'no', 'yes'; did you mean 'yes'?"
    )
    with pytest.raises(SchemaError, match="needs a column 'wet', which the table lacks"):
        rain().log_probability(Table(Schema([RAIN["rain"]]), columns[:1]))
    with pytest.raises(SchemaError, match="the table has none"):
        rain().score(Table(RAIN, [np.array([], np.uint8)] * 2))


def test_missing_cells_are_refused():
    holes = Table(RAIN, [[0], [0]], missing={"wet": [True]})
    with pytest.raises(MissingValuesError, match="column 'wet' has some"):
        rain().log_probability(holes)


def test_the_probabilities_of_all_rows_sum_to_one():
    model = random_network(8, 2, states=(2, 3), rng=np.random.default_rng(3))
    cells = np.indices(model.schema.cardinalities).reshape(len(model.schema), -1)
    table = Table(model.schema, [row.astype(np.uint8) for row in cells])
    assert np.exp(model.log_probability(table)).sum() == pytest.approx(1)


# samples


def test_samples_equal_the_slow_twin():
    model = random_network(9, 3, states=(1, 5), concentration=0.3, rng=np.random.default_rng(2))
    rng, twin = np.random.default_rng(11), np.random.default_rng(11)
    table = model.sample(101, rng=rng)
    seed = int(twin.integers(0, 1 << 64, dtype=np.uint64))
    assert np.column_stack(table.columns).tolist() == [draw(model, seed, row) for row in range(101)]


def test_samples_do_not_depend_on_threads_or_length():
    model = load_network("alarm")
    samples = []
    for threads in (1, 2, 5):
        _core.set_threads(threads)
        samples.append(np.column_stack(model.sample(30_001, rng=np.random.default_rng(4)).columns))
    _core.set_threads(0)
    assert all(np.array_equal(samples[0], other) for other in samples)
    short = np.column_stack(model.sample(777, rng=np.random.default_rng(4)).columns)
    assert np.array_equal(short, samples[0][:777])
    assert not np.array_equal(short, np.column_stack(model.sample(777, rng=np.random.default_rng(5)).columns))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_samples_follow_the_tables(name):
    model = load_network(name)
    table = model.sample(200_000, rng=np.random.default_rng(8))
    worst = []
    for v, p in enumerate(model.tables):
        family = (*model.dag.parents(v), v)
        shape = tuple(model.schema.cardinalities[u] for u in family)
        cell = np.ravel_multi_index([table.columns[u].astype(np.int64) for u in family], shape)
        seen = np.bincount(cell, minlength=p.size).reshape(-1, shape[-1])
        rows = p.reshape(-1, shape[-1])
        assert not seen[rows == 0].any()  # never a state of probability zero
        expected = rows * seen.sum(axis=1, keepdims=True)
        usable = (expected.min(axis=1, where=rows > 0, initial=np.inf) >= 5) & ((rows > 0).sum(axis=1) > 1)
        for observed, wanted, row in zip(seen[usable], expected[usable], rows[usable], strict=True):
            live = row > 0
            worst.append(stats.chisquare(observed[live], wanted[live] * observed.sum() / wanted.sum()).pvalue)
    assert len(worst) > 10
    assert min(worst) > 0.01 / len(worst)  # Bonferroni
    assert stats.kstest(worst, "uniform").pvalue > 1e-3


def test_zeros_are_never_drawn_at_the_ends():
    schema = Schema([Variable("x", tuple(range(12))), Variable("y", ("a", "b", "c"))])
    x = np.zeros(12)
    x[[3, 7, 8]] = [0.1 + 2e-7, 0.7, 0.2]  # a sum that is one but for rounding
    y = np.tile([0.0, 1.0, 0.0], (12, 1))
    table = BayesianNetwork(Dag(schema, [("x", "y")]), [x, y]).sample(200_000, rng=np.random.default_rng(1))
    assert np.unique(table.columns[0]).tolist() == [3, 7, 8]
    assert np.unique(table.columns[1]).tolist() == [1]


@pytest.mark.parametrize(
    ("r", "kind"), [(1, np.uint8), (256, np.uint8), (257, np.uint16), (70_000, np.uint32)]
)
def test_codes_are_as_small_as_the_states_allow(r, kind):
    model = BayesianNetwork(Dag(Schema([Variable("x", tuple(range(r)))]), []), [np.full(r, 1 / r)])
    (codes,) = model.sample(5000, rng=np.random.default_rng(0)).columns
    assert codes.dtype == kind
    assert codes.max() < r
    assert codes.max() >= 0.99 * (r - 1)


def test_sample_refusals(monkeypatch):
    with pytest.raises(TypeError, match=r"as in np.random.default_rng\(7\); found an int"):
        rain().sample(1, rng=42)
    with pytest.raises(SchemaError, match="asked for -1"):
        rain().sample(-1, rng=np.random.default_rng())
    assert rain().sample(0, rng=np.random.default_rng()).n_rows == 0
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "1000")
    with pytest.raises(
        TableTooLarge, match=r"501 rows of 2 columns take 1,002 bytes, above .* 1,000; draw them in"
    ):
        rain().sample(501, rng=np.random.default_rng())


# questions


def test_queries_have_labels():
    answer = rain().query("rain", given={"wet": "yes"})
    assert answer["yes"] == pytest.approx(0.2 / 0.28)
    assert answer.probability_of_evidence == pytest.approx(0.28)
    joint = rain().query(["wet", "rain"])
    assert joint["no", "yes"] == 0.0
    assert joint["yes", "no"] == pytest.approx(0.08)
    assert rain().query("wet", given={"wet": "no"}).dict() == {"no": 1.0, "yes": 0.0}


def test_marginals_agree_with_queries():
    model, given = load_network("alarm"), {"HRBP": "LOW", "CO": "HIGH", "EXPCO2": "ZERO"}
    marginals = model.marginals(given)
    assert list(marginals) == list(model.schema.names)
    for name in model.schema.names:
        np.testing.assert_allclose(
            marginals.array(name), model.query(name, given).array, rtol=1e-11, atol=1e-15
        )
    assert marginals.probability_of_evidence == pytest.approx(model.probability_of(given))


def test_probability_of():
    model = load_network("asia")
    assert model.probability_of({}) == 1.0
    assert model.probability_of({"asia": "yes", "smoke": "no"}) == pytest.approx(0.005)
    assert model.probability_of({"lung": "yes", "either": "no"}) == 0.0


def test_joint_is_a_plain_array():
    model = load_network("asia")
    table = model.joint(["either", "lung"])
    assert table.shape == (2, 2)
    assert table[1, 0] == 0.0
    np.testing.assert_allclose(table.sum(axis=0), model.query("lung").array)
    np.testing.assert_allclose(model.joint((3, 5)), table.T)


def test_questions_that_make_no_sense_are_refused():
    model = load_network("asia")
    with pytest.raises(EvidenceError) as error:
        model.query("lung", given={"smoke": "maybe"})
    assert str(error.value) == "evidence smoke='maybe' is not a state of smoke; states are 'yes', 'no'"
    with pytest.raises(UnknownNameError, match=r"there is no variable 'lunge'.*did you mean 'lung'"):
        model.query("lunge")
    with pytest.raises(SchemaError, match="at least one variable"):
        model.query([])
    for ask in (lambda g: model.query("xray", given=g), model.marginals):
        with pytest.raises(ImpossibleEvidence) as impossible:
            ask({"either": "no", "tub": "yes"})
        assert str(impossible.value) == "evidence either='no', tub='yes' has probability zero under the model"


def test_tables_over_the_limit_are_refused_before_they_exist(monkeypatch):
    model = wide_network(10)
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "4096")
    with pytest.raises(TableTooLarge) as error:
        model.query("hub")
    assert str(error.value) == (
        "this question needs a table over 'hub', 'p00', 'p01', 'p02', 'p03', 'p04', 'p05', 'p06', 'p07', "
        "'p08', 'p09': 16,384 bytes, above the memory limit of 4,096; give evidence on some of these "
        "variables, ask for fewer at once, or raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
    )
    with pytest.raises(TableTooLarge):
        model.marginals()
    with pytest.raises(TableTooLarge):
        model.joint([f"p{i:02d}" for i in range(10)])
    assert model.query("hub", given={"p00": "a", "p01": "b"})["a"] == 0.5  # the way out
    assert model.query("p03")["a"] == 0.5  # the hub is barren


# the most probable, many rows


def test_mpe_and_marginal_map_differ():
    schema = Schema([Variable("a", (0, 1)), Variable("b", (0, 1, 2))])
    model = BayesianNetwork(Dag(schema, [("a", "b")]), [[0.55, 0.45], [[0.4, 0.3, 0.3], [1.0, 0.0, 0.0]]])
    best = model.mpe()
    assert dict(best) == {"a": 1, "b": 0}
    assert best.probability == pytest.approx(0.45)
    alone = model.marginal_map(["a"])
    assert dict(alone) == {"a": 0}
    assert alone.probability == pytest.approx(0.55)
    assert dict(model.mpe({"b": 2})) == {"a": 0, "b": 2}
    assert repr(alone) == "log-probability -0.597837\n  a=0"


def test_mpe_is_the_row_of_highest_probability():
    model = load_network("alarm")
    best = model.mpe({"HR": "HIGH", "CO": "LOW"})
    row = Table(model.schema, [np.array([v.code(best[v.name])], np.uint8) for v in model.schema])
    assert best.log_probability == pytest.approx(model.log_probability(row)[0], rel=1e-12)
    drawn = model.sample(5000, given={"HR": "HIGH", "CO": "LOW"}, rng=np.random.default_rng(0))
    assert model.log_probability(drawn).max() <= best.log_probability + 1e-9


def test_marginal_map_over_too_many_variables_is_refused():
    model = wide_network(12)
    many = random_network(60, 2, states=(2, 3), rng=np.random.default_rng(0))
    assert set(model.marginal_map(["hub"])) == {"hub"}
    with pytest.raises(TableTooLarge, match="ask for fewer at once"):
        many.marginal_map(many.schema.names)


def test_many_rows_at_once():
    model = load_network("asia")
    rows = [
        {"xray": "yes", "smoke": "no"},
        {},
        {"xray": "yes", "smoke": "no"},
        {"tub": "yes", "either": "no"},
    ]
    many = model.marginals_many(rows)
    assert len(many) == 4
    for i in range(3):
        np.testing.assert_allclose(many[i].cells, model.marginals(rows[i]).cells, rtol=1e-12)
        assert many[i].probability_of_evidence == pytest.approx(model.probability_of(rows[i]))
    assert np.isnan(many.array("lung")[3]).all()
    assert many.log_probability_of_evidence[3] == -np.inf
    assert len(many[1:3]) == 2
    assert repr(many) == "<ManyMarginals: 4 rows, 8 variables>"
    assert model.marginals_many([]).cells.shape == (0, 16)
    with pytest.raises(EvidenceError, match="row 1 is 7"):
        model.marginals_many([{}, 7])
    with pytest.raises(EvidenceError, match="row 0 has soft evidence on 'xray'"):
        model.marginals_many([{"xray": {"yes": 1, "no": 0.5}}])


def test_missing_cells_are_not_observed():
    model = load_network("asia")
    other = Schema([Variable("xray", ("strange", "no", "yes")), Variable("age", (1, 2))])
    table = Table(
        other, [np.array([0, 2, 1], np.uint8), np.zeros(3, np.uint8)], missing={"xray": [True, False, False]}
    )
    many = model.marginals_many(table)
    for row, given in enumerate(({}, {"xray": "yes"}, {"xray": "no"})):
        np.testing.assert_allclose(many[row].cells, model.marginals(given).cells, rtol=1e-12)
    with pytest.raises(SchemaError, match="xray='strange', which is not a state"):
        model.marginals_many(Table(other, [np.array([0], np.uint8), np.zeros(1, np.uint8)]))


def test_predictions_are_the_most_probable_states():
    model = load_network("alarm")
    table = model.sample(500, rng=np.random.default_rng(1))
    found = model.predict(table, "HR")
    for row in range(0, 500, 50):
        given = {n: table.labels(n)[row] for n in model.schema.names if n != "HR"}
        answer = model.query("HR", given)
        assert found[row] == max(answer, key=answer.__getitem__)
    assert (found == table.labels("HR")).mean() > 0.8
    assert model.predict(table.head(0), "HR").tolist() == []
    asia = load_network("asia")
    wrong = Table(asia.schema, [np.array([1 - (v.name == "tub")], np.uint8) for v in asia.schema])
    with pytest.raises(ImpossibleEvidence, match="row 0 has probability zero under the model, so nothing"):
        asia.predict(wrong, "dysp")


def test_answers_for_many_rows_respect_the_limit(monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_MEMORY", "100000")
    with pytest.raises(TableTooLarge, match="the distributions of 2 variables for 10,000 rows take 390"):
        rain().marginals_many([{}] * 10_000)


def test_costs_are_known_beforehand():
    cost = load_network("alarm").cost()
    assert (cost.width, cost.largest_cells, cost.refused) == (4, 144, False)
    schema = load_network("alarm").schema
    assert math.prod(schema[name].cardinality for name in cost.largest_table) == 144
    assert 0 < cost.seconds < 1e-3
    assert str(cost).startswith("width 4, largest table 144 cells, ")
    assert load_network("alarm").cost(targets="HR").operations < cost.operations
