import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.errors import SchemaError, UnknownNameError
from treewright.tables import read_table
from treewright.tables._reading.bins import bin_edges, cut, edges_of, interval_labels, number_text

NUMBERS = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40)


def test_equal_frequency():
    table = read_table({"t": [0.1 * i for i in range(100)]}, bins=4)
    assert np.bincount(table.column("t")).tolist() == [25, 25, 25, 25]
    assert table.schema["t"].ordered
    assert table.schema["t"].states == ("[0, 2.48)", "[2.48, 4.95)", "[4.95, 7.43)", "[7.43, 9.9]")
    assert table.report.binned == ("t",)


def test_equal_width():
    table = read_table({"t": [0.0, 1.0, 9.0, 10.0]}, bins={"t": ("uniform", 5)})
    assert table.schema["t"].states == ("[0, 2)", "[2, 4)", "[4, 6)", "[6, 8)", "[8, 10]")
    assert table.column("t").tolist() == [0, 0, 4, 4]


def test_given_edges_last_closed():
    table = read_table({"t": [0.5, 1.25, 3.0]}, bins={"t": [0.5, 1.25, 3]})
    assert table.labels("t").tolist() == ["[0.5, 1.25)", "[1.25, 3]", "[1.25, 3]"]


def test_edges_that_coincide_are_merged_and_reported():
    table = read_table({"t": [0.0] * 90 + [1.5] * 5 + [2.5] * 5}, bins=4)
    assert table.schema["t"].states == ("[0, 1.5)", "[1.5, 2.5]")
    assert "4 bins were asked for; edges that coincide were merged" in table.report["t"].notes


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([0.0] * 8 + [1.5, 2.5], [8, 2]),  # no event in most rows, something in the others
        ([0.0] * 9 + [0.5], [9, 1]),
        ([100.0] * 9 + [37.5], [1, 9]),
        ([-1.5] + [0.0] * 8 + [1.5], [1, 8, 1]),
        ([0.0] * 4 + [1.0, 2.0, 3.0, 4.0, 5.0, 6.5], [4, 1, 2, 3]),
    ],
)
def test_a_number_that_most_rows_have_is_not_lost_among_others(values, counts):
    """Numbers of which three quarters are zero had one bin, so that nothing could depend on them."""
    table = read_table({"t": values}, bins=4)
    assert np.bincount(table.column("t")).tolist() == counts
    edges = edges_of(table.schema["t"].states)
    common = max(set(values), key=values.count)
    same = [v for v in values if cut(np.array([v]), edges) == cut(np.array([common]), edges)]
    assert set(same) == {common}


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60, unique=True), st.integers(2, 6))
def test_outer_edges_are_rounded_outward(values, n):
    """Rounded to the nearest they often missed a value, and all edges had sixteen digits then."""
    edges, _ = bin_edges("t", np.array(values), n)
    assert edges[0] <= min(values)
    assert edges[-1] >= max(values)
    exact = np.quantile(values, np.linspace(0, 1, n + 1))
    assert np.array_equal(cut(np.array(values), edges), cut(np.array(values), np.unique(exact)))


def test_edges_of_plain_numbers_are_short():
    edges, _ = bin_edges("age", np.array([26.049523594895398, 41.5, 59.43162484800526, 87.59433065144007]), 2)
    assert edges.tolist() == [26.0, 50.5, 87.6]


@given(st.lists(st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.5, 7.0]), min_size=1, max_size=60), st.integers(1, 8))
def test_never_more_bins_than_asked_for(values, n):
    edges, _ = bin_edges("t", np.array(values), n)
    assert len(edges) - 1 <= n
    assert edges[0] <= min(values)
    assert edges[-1] >= max(values)
    if n > 1 and len(set(values)) > 1:
        common = max(set(values), key=values.count)
        if values.count(common) > len(values) / 2:
            assert len(edges) > 2


def test_a_constant_column_has_one_bin():
    table = read_table({"t": [2.5, 2.5]}, bins=3)
    assert table.schema["t"].states == ("[2.5, 2.5]",)
    assert table.report.constant == ("t",)


def test_bins_for_all_leave_states_alone():
    table = read_table({"t": [0.5, 1.5], "k": [0, 1], "s": ["a", "b"]}, bins=2)
    assert table.schema["k"].states == (0, 1)
    assert table.schema["t"].cardinality == 2


def test_bins_by_name_cut_whole_numbers_too():
    table = read_table({"k": [0, 1, 2, 3]}, bins={"k": 2})
    assert table.schema["k"].states == ("[0, 1.5)", "[1.5, 3]")


def test_missing_cells_stay_missing():
    table = read_table({"t": [0.5, None, 1.5]}, bins=2, missing="em")
    assert table.missing[0].tolist() == [False, True, False]
    table = read_table({"t": [0.5, None, 1.5]}, bins=2, missing="state")
    assert table.labels("t").tolist()[1] == "missing"


def test_bins_for_all_beside_a_column_that_misses_everything():
    rows = {"t": [0.5, 1.5], "gone": np.array([np.nan, np.nan])}
    assert read_table(rows, bins=2, missing="state").schema["gone"].states == ("missing",)


@pytest.mark.parametrize(
    "spec", [0, -1, ("quantile", 0), ("median", 3), [1], [2, 1], [1, 1], "3", True, [[1, 2]]]
)
def test_refused_specs(spec):
    with pytest.raises(SchemaError, match="bins of 't' are a number of bins"):
        read_table({"t": [0.5, 1.5]}, bins={"t": spec})


def test_refusals():
    with pytest.raises(
        SchemaError, match=r"2 values of 't' lie outside the edges 0 to 1, the first is 1.5; widen"
    ):
        read_table({"t": [0.5, 1.5, 2.5]}, bins={"t": [0, 1]})
    with pytest.raises(UnknownNameError, match=r"bins= names 'tt'.*did you mean 't'"):
        read_table({"t": [0.5]}, bins={"tt": 3})
    with pytest.raises(SchemaError, match="bins= names 's', which is not a column of numbers"):
        read_table({"s": ["a"]}, bins={"s": 3})
    with pytest.raises(SchemaError, match="nothing for bins= to cut"):
        read_table({"t": [0.5]}, bins={"t": 3}, schema=read_table({"t": [0.5]}).schema)
    assert read_table({"t": [0.5, 1.5]}, bins={"t": [-np.inf, 1, np.inf]}).schema["t"].states == (
        "[-inf, 1)",
        "[1, inf]",
    )


@settings(deadline=None)
@given(NUMBERS, st.integers(1, 6), st.sampled_from(["quantile", "uniform"]))
def test_labels_say_what_they_hold(numbers, k, method):
    values = np.array(numbers)
    edges, _ = bin_edges("t", values, (method, k))
    labels = interval_labels(edges)
    assert len(set(labels)) == len(labels) <= k
    again = edges_of(labels)
    assert (again == edges).all()
    for value, code in zip(values, cut(values, edges), strict=True):
        assert edges[code] <= value
        assert value < edges[code + 1] or (code == len(labels) - 1 and value == edges[-1])


@settings(deadline=None)
@given(NUMBERS, st.integers(1, 5))
def test_a_schema_bins_alike(numbers, k):
    table = read_table({"t": [x + 0.5 for x in numbers]}, bins={"t": k})
    assert read_table({"t": [x + 0.5 for x in numbers]}, schema=table.schema) == table


def test_a_schema_takes_numbers_beyond_its_edges():
    schema = read_table({"t": [0.5, 1.5, 2.5]}, bins={"t": [0, 1, 3]}).schema
    table = read_table({"t": [-5.0, 7.0]}, schema=schema)
    assert table.column("t").tolist() == [0, 1]
    assert "2 values beyond the outer edges are in the outer bins" in table.report["t"].notes


def test_other_labels_are_not_intervals():
    assert edges_of(("a", "b")) is None
    assert edges_of(("[0, 1)", "[2, 3]")) is None
    assert edges_of(("[a, b)", "[b, c]")) is None
    assert edges_of((1, 2)) is None


def test_notes_say_how_many_bins_there_are():
    values = np.array([0.0, 1.0, 2.0, 3.0])
    assert bin_edges("x", values, ("uniform", 3))[1] == ("cut into 3 bins of equal width",)
    edges, notes = bin_edges("x", np.array([0.0, 0.0, 0.0, 1.0]), 3)
    assert notes[0] == f"cut into {len(edges) - 1} bins of equal frequency"
    assert notes[1] == "3 bins were asked for; edges that coincide were merged"
    assert bin_edges("x", values, [0, 1, 4])[1] == ("cut at 3 given edges",)


def test_zero_has_no_sign():
    assert [number_text(number) for number in (-0.0, 0.0, -1.0, 2.5)] == ["0", "0", "-1", "2.5"]
