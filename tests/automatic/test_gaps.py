"""What gaps do: tests on indicators find what being missing depends on, and indicators become variables."""

import numpy as np
import pytest

import treewright as tw
from treewright.automatic.gaps import (
    describe_gaps,
    remark_on_gaps,
    with_indicators,
    with_known_indicators,
)
from treewright.errors import SchemaError
from treewright.statistics import AvailableCounter


def dependent_rows(n=600, seed=0):
    rng = np.random.default_rng(seed)
    sick = rng.random(n) < 0.4
    dose = np.where(rng.random(n) < np.where(sick, 0.8, 0.3), "high", "low").astype(object)
    age = rng.choice(["old", "young"], n).astype(object)
    dose[rng.random(n) < np.where(sick, 0.5, 0.05)] = None
    age[rng.random(n) < 0.2] = None
    return {"sick": np.where(sick, "yes", "no").tolist(), "dose": dose.tolist(), "age": age.tolist()}


def test_gaps_that_depend_on_a_column_are_found():
    report = describe_gaps(tw.read_table(dependent_rows(), missing="em"))
    by_name = {one.name: one for one in report.columns}
    assert list(by_name["dose"].depends_on) == ["sick"]
    assert by_name["age"].depends_on == {}
    assert report.dependent == ("dose",)
    assert "whatever the other columns are" in str(report)


def test_gaps_that_come_together_are_found():
    rng = np.random.default_rng(1)
    hidden = rng.random(400) < 0.3
    rows = {
        name: [None if h else int(x) for h, x in zip(hidden, rng.random(400) < 0.5, strict=True)]
        for name in "ab"
    }
    report = describe_gaps(tw.read_table(rows, missing="em"))
    assert [list(one.together_with) for one in report.columns] == [["b"], ["a"]]


def test_numbers_are_cut_wherever_they_stand():
    rows = dependent_rows()
    rng = np.random.default_rng(3)
    weight = [
        None if s == "yes" and rng.random() < 0.6 else float(x)
        for s, x in zip(rows["sick"], rng.normal(size=600), strict=True)
    ]
    first, last = {"weight": weight, **rows}, {**rows, "weight": weight}
    for source in (first, last):
        table = tw.read_table(source, missing="em")
        assert set(describe_gaps(table).dependent) == {"dose", "weight"}
        assert "depends on other columns" in remark_on_gaps(table)[0]
    other = [x + 1.5 if x is not None else float(i) for i, x in enumerate(weight)]
    alone = describe_gaps(tw.read_table({"weight": weight, "other": other}, missing="em"))
    assert alone.columns[0].n_missing == weight.count(None)


def test_a_dependence_is_told_where_its_share_of_alpha_allows():
    """Tests of one column on each other column, and of each two that miss something, share alpha."""
    table = tw.read_table(dependent_rows(400, seed=4), missing="em")
    marked = with_indicators(table)
    test = tw.GTest(AvailableCounter(marked))
    p = {other: test.test("dose is missing", other).p_value for other in ("sick", "age")}
    n_tests = 2 * 2 + 1  # two columns that miss something on two others each, and the two on each other
    for other, p_value in p.items():
        for factor, is_told in ((1.001, True), (0.999, False)):
            report = describe_gaps(table, alpha=min(p_value * n_tests * factor, 0.999))
            (dose,) = [one for one in report.columns if one.name == "dose"]
            if p_value * n_tests * factor < 0.999:
                assert (other in dose.depends_on) == is_told
    assert min(p.values()) * n_tests < 0.9


def test_nothing_missing_is_nothing_to_tell():
    report = describe_gaps(tw.read_table({"a": [0, 1], "b": [1, 0]}))
    assert report.columns == ()
    assert str(report) == "2 of 2 rows miss nothing"


def test_indicators_are_variables_that_lead_nowhere():
    rows = dependent_rows()
    found = tw.learn(rows, missing="indicator")
    assert ("sick", "dose is missing") in found.dag.edges()
    assert not any(
        tail.endswith("is missing") and not head.endswith("is missing") for tail, head in found.dag.edges()
    )
    assert ("dose", "dose is missing") not in found.dag.edges()
    assert any("whether dose is missing depends on" in note for note in found.notes)


def test_an_order_is_kept_with_indicators_at_its_end():
    table = with_indicators(tw.read_table(dependent_rows(50), missing="em"))
    known = with_known_indicators(tw.Knowledge(order=["sick", "age", "dose"]), table)
    assert known.order == ("sick", "age", "dose", "dose is missing", "age is missing")
    known.on(table.schema)


def test_a_name_that_is_taken_is_refused():
    table = tw.read_table({"a": [0, None], "a is missing": [0, 1]}, missing="em")
    with pytest.raises(SchemaError, match="there is a column of that name"):
        with_indicators(table)
