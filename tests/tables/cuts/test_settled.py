"""Rules that look at other columns, asked for one column or all continuous ones."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SchemaError, UnknownNameError


@pytest.fixture(scope="module")
def clinic():
    rng = np.random.default_rng(0)
    age = rng.normal(50, 10, 2000)
    pressure = age + rng.normal(0, 5, 2000)
    return {
        "age": age,
        "pressure": pressure,
        "noise": rng.normal(0, 1, 2000),
        "died": np.where(age > 60, "yes", "no"),
    }


def test_cuts_for_a_target_find_the_age_that_decides(clinic):
    table = tw.read_table(clinic, bins=("mdl", "died"))
    assert [len(variable.states) for variable in table.schema] == [2, 5, 1, 2]
    edge = float(table.schema["age"].states[1][1:].split(",")[0])
    assert 59.9 < edge <= clinic["age"][clinic["age"] > 60].min()
    assert "cut into 2 intervals that tell 'died' apart" in table.report["age"].notes[0]
    assert (
        table.report["noise"].notes[0]
        == "one interval: no cut tells 'died' apart (minimum description length)"
    )


def test_the_schema_cuts_new_numbers_at_the_same_edges(clinic):
    for bins in (("mdl", "died"), ("hartemink", 3), ("quantile", 4)):
        table = tw.read_table(clinic, bins=bins)
        assert tw.read_table(clinic, schema=table.schema).to_dict() == table.to_dict()


def test_cuts_of_one_column_leave_the_others_alone(clinic):
    table = tw.read_table(clinic, bins={"age": ("mdl", "died")})
    assert [v.is_discrete for v in table.schema] == [True, False, False, True]
    nested = tw.read_table(clinic, bins={"age": 2, "pressure": ("mdl", "age")})
    assert nested.schema["pressure"].cardinality > 1


def test_hartemink_keeps_more_information_than_equal_frequency(clinic):
    def total(bins):
        counter = tw.count(tw.read_table(clinic, bins=bins))
        return tw.statistics.pairwise_information(counter).sum()

    assert total(("hartemink", 3)) > total(3)
    assert tw.read_table(clinic, bins=("hartemink", 3, 20)).schema["age"].cardinality == 3


def test_columns_in_another_order_are_cut_alike(clinic):
    again = {name: clinic[name] for name in ("died", "noise", "pressure", "age")}
    for bins in (("hartemink", 4), ("mdl", "died")):
        one, other = tw.read_table(clinic, bins=bins), tw.read_table(again, bins=bins)
        assert {v.name: v for v in one.schema} == {v.name: v for v in other.schema}


def test_rows_that_miss_a_cell_are_left_out_of_a_pair(clinic):
    gaps = {name: list(values) for name, values in clinic.items()}
    gaps["age"][::7] = [None] * len(gaps["age"][::7])
    gaps["died"][3] = None
    for bins in (("hartemink", 3), ("mdl", "died")):
        table = tw.read_table(gaps, bins=bins, missing="em")
        assert table.schema["age"].cardinality in (2, 3)
    told = tw.read_table(gaps, bins=("hartemink", 3), missing="state").schema["age"].states
    assert told[-1] == "missing"


@pytest.mark.parametrize(
    ("bins", "words"),
    [
        (("mdl", "age"), "tell the states of 'age' apart, and it has none: it is continuous"),
        (("mdl",), r"are \('mdl', target\)"),
        (("hartemink", "three"), r"1 <= k <= initial; found \('hartemink', 'three'\)"),
        (("hartemink", 5, 3), "1 <= k <= initial"),
        ({"died": ("mdl", "age")}, "which is not a column of numbers"),
    ],
)
def test_what_cannot_be_cut_is_refused(clinic, bins, words):
    with pytest.raises(SchemaError, match=words):
        tw.read_table(clinic, bins=bins)


def test_an_unknown_target_is_refused(clinic):
    with pytest.raises(UnknownNameError, match="did you mean 'died'"):
        tw.read_table(clinic, bins=("mdl", "dyed"))


def test_several_tables_have_no_joint_rule(clinic):
    with pytest.raises(SchemaError, match="look at other columns of one table"):
        tw.tables.read_databases([clinic, clinic], bins=("mdl", "died"))
