"""Sizes as settings: every public number, given as something that it cannot be, ends soon and in words."""

import inspect
from contextlib import suppress

import numpy as np
import pytest
from tests.doors import WORK, Slow, arguments, doors, with_a_hard_stop, within

import treewright as tw
from treewright.errors import ArgumentError, SettingError, TreewrightError
from treewright.ranges import MOST, Number, in_range

DOORS = doors()


@pytest.fixture(autouse=True)
def usual_limit():
    yield
    tw.set_memory_limit(None)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)
def test_a_number_is_taken_or_refused(door):
    usual = arguments(door)

    def walked():
        said = []
        for name, value in door.values():
            try:
                with within(WORK), suppress(TreewrightError):
                    door.call(**{**usual, name: value})
            except (Slow, Exception) as error:
                said.append(f"{door.name}({name}={value!r:.80}): {type(error).__name__}: {error}")
        return said

    assert with_a_hard_stop(walked) == []


def test_the_walk_meets_everybody():
    met = {door.name for door in DOORS}
    assert len(met) > 170
    assert {"learn_aggressive", "hub_graph", "model.sample", "table.shards", "Dirichlet", "PC"} <= met
    assert {"sigmoid.query_by_sampling", "mixed.sample", "normal.quantile", "mixture.interval"} <= met
    assert {"confidence.averaged_graph", "databases.cover_of", "Moments", "moments.covariance"} <= met
    assert {"format_bytes", "schema.estimate_packed_bytes", "read_table", "GaussianNetwork"} <= met
    others = {(door.name, name) for door in DOORS for name in door.others}
    assert {("table.split", "shares"), ("learn_hidden_tree", "smoothing"), ("model.sample", "rng")} <= others
    assert {("read_table", "bins"), ("gaussian.query", "given"), ("mixed.query", "given")} <= others


def test_the_table_names_what_there_is():
    asked = {name for door in DOORS for name in door.numbers}
    inside = {"n_rows", "max_bytes", "max_node", "max_variables"}  # of settings that are handed on
    assert set(MOST) <= asked | inside, set(MOST) - asked


@pytest.mark.parametrize(
    ("value", "error", "found"),
    [
        (2**31, SettingError, "2147483648"),
        (10**400, SettingError, "one of 1329 bits"),
        ("3", ArgumentError, "the text '3'"),
        (None, ArgumentError, "None"),
        (True, ArgumentError, "a bool"),
        (1.5, ArgumentError, "1.5"),
        (float("nan"), ArgumentError, "nan"),
        (np.array([1, 2]), ArgumentError, "a ndarray"),
    ],
)
def test_refusals_say_what_a_number_can_be(value, error, found):
    score = tw.BIC(tw.count(tw.read_table({"a": [0, 1], "b": [1, 0]})))
    with pytest.raises(error) as refusal:
        tw.learn_aggressive(score, patience=value, rng=np.random.default_rng(0))
    assert str(refusal.value) == (
        f"patience= of learn_aggressive is a whole number, at most 1,000,000; found {found}"
    )


def test_a_finite_number_is_finite():
    with pytest.raises(SettingError) as refusal:
        tw.Dirichlet(float("inf"))
    assert str(refusal.value) == "ess= of Dirichlet is a finite number; found inf"


def test_what_may_stand_in_the_place_of_a_number():
    def learn(*, depth: "int | None" = None, rule: "float | str" = 1.0, flag: "bool | int" = 0): ...

    kinds = [Number.of(p).instead for p in inspect.signature(learn).parameters.values()]
    assert kinds == [(type(None),), (str,), (bool,)]


def test_numbers_become_plain_ones_and_the_signature_stays():
    @in_range
    def climb(first, steps: int, *, share: float = 0.5):
        """Climb."""
        return first, steps, share

    assert [type(x) for x in climb("a", np.int8(3), share=np.float32(0.25))] == [str, int, float]
    assert list(inspect.signature(climb).parameters) == ["first", "steps", "share"]
    assert (climb.__doc__, climb.__globals__) == ("Climb.", globals())


@pytest.mark.parametrize("states", [3, (2,), (3, 2), (0, 2), (2, 2**31), ("2", 3), None])
def test_states_of_random_networks(states):
    rng = np.random.default_rng(0)
    for make in (
        lambda: tw.random_network(5, 2, states=states, rng=rng),
        lambda: tw.networks.random_dag(5, n_arcs=2, states=states, rng=rng),
    ):
        with pytest.raises(TreewrightError, match="states= of random_"):
            make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: tw.networks.hub_graph(10_000, leaves=10_000),
            "networks are made of 1,000,000 variables at most; asked for 100,010,000",
        ),
        (
            lambda: tw.networks.lattice_graph(1000, 1000, states=100),
            "networks are made of 10,000,000 states at most, of all variables together; asked for 1,000,000 "
            "variables of 100 states",
        ),
        (
            lambda: tw.read_table({"a": [0, 1]}).shards(2**31),
            "2 rows are cut into 100,000 shards at most; found 2,147,483,648",
        ),
    ],
)
def test_sizes_that_are_large_together(make, message):
    with pytest.raises(TreewrightError) as refusal:
        make()
    assert str(refusal.value) == message


def test_a_graph_that_would_not_fit():
    tw.set_memory_limit("1MiB")
    with pytest.raises(TreewrightError) as refusal:
        tw.networks.hub_graph(10_000, leaves=0)
    assert str(refusal.value) == (
        "a graph of 10,000 variables would take 11.9 MiB, more than the limit of 1.0 MiB; raise it with "
        "set_memory_limit or TREEWRIGHT_MEMORY"
    )


def test_a_limit_is_a_byte_at_least():
    with pytest.raises(SettingError, match="a number of bytes above 0"):
        tw.set_memory_limit(0.5)


NOTHING = (3, None, object(), b"x", 1.5)
TAKERS = {
    "Variable": lambda it: tw.Variable("a", it),
    "Schema": tw.Schema,
    "Dag": lambda it: tw.Dag(schema(), it),
    "Dag of": lambda it: tw.Dag(it, []),
    "UndirectedGraph": lambda it: tw.UndirectedGraph(schema(), it),
    "BayesianNetwork": lambda it: tw.BayesianNetwork(it, []),
    "tables": lambda it: tw.BayesianNetwork(tw.Dag(schema(), []), it),
    "Cpdag": tw.Cpdag.of,
    "JunctionTree": tw.JunctionTree.of,
    "Feature": tw.Feature,
    "to_svg": tw.to_svg,
    "to_html": tw.to_html,
    "load": tw.load,
    "load_network": tw.load_network,
    "read_model": tw.read_model,
    "write_model": lambda it: tw.write_model(tw.load_network("asia"), it),
    "save": lambda it: tw.load_network("asia").save(it),
    "pack": lambda it: tw.pack(tw.read_table({"a": [0, 1]}), it),
    "open_table": tw.open_table,
    "query": lambda it: tw.load_network("asia").query(it),
    "select": lambda it: tw.read_table({"a": [0, 1]}).select(it),
}


def schema():
    return tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1))])


@pytest.mark.parametrize("taker", TAKERS)
def test_what_is_no_number_either(taker):
    """Where a structure, a path or a sequence is asked for, other things are refused in words."""
    for nothing in NOTHING:
        if taker == "Variable" and nothing in (None, b"x"):
            continue  # continuous; the numbers of two bytes
        with pytest.raises(TreewrightError, match=r"found|there is no"):
            TAKERS[taker](nothing)


def test_bins_have_a_ceiling():
    columns = {"x": [0.5, 1.5, 2.5]}
    for bins in (2**31, 10**400, ("uniform", 2**20), {"x": 10_001}):
        with pytest.raises(TreewrightError, match=r"^column 'x' is cut into 10,000 bins at most; asked for"):
            tw.read_table(columns, bins=bins)
    with pytest.raises(
        TreewrightError, match=r"^column 'x' is cut into 10,000 bins at most; asked for 20000"
    ):
        tw.read_table(columns, bins=("hartemink", 3, 20_000))
    assert tw.read_table(columns, bins=10_000).schema["x"].cardinality == 10_000


def test_chance_is_a_generator():
    model = tw.load_network("asia")
    with pytest.raises(ArgumentError) as refusal:
        model.sample(3, rng=7)
    assert str(refusal.value) == "rng is a numpy Generator, as in np.random.default_rng(7); found an int"


def test_what_lies_infinitely_far_away():
    """A density may be asked for there, and a number that no real number reaches lies there."""
    normal = tw.GaussianNetwork(tw.Dag(tw.Schema([tw.Variable("x")]), []), {"x": 0.0}, {}, {"x": 1.0}).query(
        "x"
    )
    for far in (float("inf"), 10**400):
        assert (normal.probability_below(far), normal.probability_below(-far)) == (1.0, 0.0)
        assert normal.density(far) == 0.0
