"""Forms of columns: marks, commas, dates, spellings; what is refused, and what holds for all of them."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import MissingValuesError, SchemaError, UnknownNameError
from treewright.tables.inspection.dates import order_of_dates, read_date
from treewright.tables.inspection.forms import spelling
from treewright.tables.inspection.words import folded, word

TEXTS = st.text(st.sampled_from("aAbB12,.<?- \u00df"), max_size=5)


def read(tmp_path, text, **options):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return tw.read_table(path, **options)


# Words


@given(st.one_of(st.integers(-(10**17), 10**17), st.floats(-1e6, 1e6).filter(lambda x: x == x)))
def test_numbers_are_numbers_with_a_point_or_a_comma(number):
    text = repr(number)
    assert word(text) in ("whole", "real")
    if "." in text and "e" not in text:
        assert word(text.replace(".", ",")) in ("comma", "grouped", "text")


@given(TEXTS)
def test_a_number_is_what_a_file_takes_for_one(tmp_path_factory, text):
    """What reading takes for a number is one here too, and nothing else is."""
    if '"' in text or "," in text or not text.strip():
        return
    path = tmp_path_factory.mktemp("w") / "w.csv"
    path.write_text(f"a,b\n{text},1\n{text},2\n")
    (variable, _) = tw.read_table(path).schema.variables
    is_number = variable.states is None or not isinstance(variable.states[0], str)
    assert is_number == (word(text) in ("whole", "real"))


# Spellings


@given(st.lists(TEXTS, min_size=1, max_size=8, unique=True), st.data())
def test_spelling_joins_only_what_differs_in_blanks_and_case(labels, data):
    counts = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(labels), max_size=len(labels))))
    spelled = spelling(labels, counts)
    for old, new in zip(labels, spelled, strict=True):
        assert folded(old) == folded(new)
    order = data.draw(st.permutations(range(len(labels))))
    again = spelling([labels[i] for i in order], counts[list(order)])
    assert again == [spelled[i] for i in order]


def test_the_commonest_spelling_wins_and_short_codes_stay_apart():
    assert spelling(["yes", "Yes ", "no"], np.array([1, 5, 2])) == ["Yes", "Yes", "no"]
    assert spelling(["AA", "Aa", "aa"], np.array([1, 2, 3])) == ["AA", "Aa", "aa"]
    assert spelling(["M", "m", "F"], np.array([1, 2, 3])) == ["m", "m", "F"]
    assert spelling(["T", "t", "C"], np.array([1, 2, 3])) == ["T", "t", "C"]


# Marks


def test_marks_of_one_column(tmp_path):
    text = "a,b\n1.5,NA\n2.5,x\nNA,x\n"
    table = read(tmp_path, text, missing_values={"a": "NA"}, missing="em")
    assert not table.schema["a"].is_discrete
    assert table.schema["b"].states == ("NA", "x")
    both = read(tmp_path, text, missing_values={None: ["NA"]}, missing="em")
    assert both.schema["b"].states == ("x",)
    assert read(tmp_path, text, missing_values="NA", missing="em").to_dict() == both.to_dict()


def test_marks_go_with_the_schema(tmp_path):
    text = "a,b\n1.5,x\n2.5,y\n?,x\n"
    table = read(tmp_path, text, missing_values={"a": "?"}, missing="drop", bins={"a": 2})
    assert read(tmp_path, text, schema=table.schema, missing="drop").to_dict() == table.to_dict()
    assert table.schema["a"].raw.marks == ("?",)
    assert table.schema["b"].raw is None


def test_the_policy_still_decides_about_mended_cells(tmp_path):
    with pytest.raises(MissingValuesError, match="'a' \\(1\\)"):
        read(tmp_path, "a,b\n1.5,x\n2.5,y\nNA,x\n", mend=True)


def test_na_among_texts_is_missing_only_beside_na_among_numbers(tmp_path):
    alone = read(tmp_path, "land,x\nNA,a\nDE,b\nNA,a\n", mend=True)
    assert alone.schema["land"].states == ("DE", "NA")
    beside = read(tmp_path, "land,x\nNA,1.5\nDE,NA\nNA,2.5\n", mend=True, missing="em")
    assert beside.schema["land"].states == ("DE",)


# Commas


def test_commas(tmp_path):
    text = "a;b\n1,5;x\n2;y\n-0,25;x\n"
    assert read(tmp_path, text, decimal=",").to_dict()["a"] == [1.5, 2.0, -0.25]
    assert read(tmp_path, text).schema["a"].states == ("-0,25", "1,5", "2")
    thousands = "a;b\n1,234;x\n2,345;y\n"
    unclear = read(tmp_path, thousands, mend=True)
    assert unclear.schema["a"].states == ("1,234", "2,345")
    (finding,) = [one for one in unclear.report.findings if one.kind == "decimal commas"]
    assert "could also set thousands apart" in finding.sentence
    assert read(tmp_path, "a;b\n1.234,5;x\n2,5;y\n", decimal=",").to_dict()["a"] == [1234.5, 2.5]


def test_commas_that_can_only_set_thousands_apart(tmp_path):
    text = "a;b\n1,234.5;x\n950;y\n12,000;x\nNA;y\n"
    plain = read(tmp_path, text)
    found = {one.kind: one for one in plain.report.findings}
    assert found["thousands"].sentence == (
        "'a' holds numbers with commas between thousands such as '1,234.5', '12,000' in 2 cells (first in "
        "rows 1, 3), read as texts"
    )
    assert found["thousands"].option == "--mend"
    table = read(tmp_path, text, mend=True, missing="drop", bins={"a": [0, 1000, 20_000]})
    assert table.column("a").tolist() == [1, 0, 1]
    assert "commas between thousands read in 'a' (2 cells)" in map(str, table.report.mendings)
    again = read(tmp_path, "a;b\n2,000;x\n999;y\n", schema=table.schema)  # which now is no question
    assert again.column("a").tolist() == [1, 0]
    assert read(tmp_path, "a;b\n1,234,567;x\n2;y\n", mend=True).to_dict()["a"] == [1234567, 2]
    for unclear in ("1,234", "1,5", ".5"):
        states = read(tmp_path, f"a;b\n{unclear};x\n1,234;y\n7.x;y\n", mend=True).schema["a"].states
        assert "1,234" in states


def test_commas_beside_what_keeps_them_texts(tmp_path):
    text = "a;b\n" + "".join(f"{i % 12},5;x\n" for i in range(60)) + "<0,5;y\nNA;x\n"
    (finding,) = [one for one in read(tmp_path, text).report.findings if one.kind == "decimal commas"]
    assert finding.sentence.endswith("read as texts, as are those without while other texts stand among them")
    assert finding.option == "--decimal , beside --missing-value"
    mended = read(tmp_path, text, mend=True, missing="em")
    assert [one.option for one in mended.report.findings if one.kind == "decimal commas"] == [finding.option]
    whole = read(tmp_path, text, decimal=",", missing_values={"a": ["<0,5", "NA"]}, missing="em")
    assert not whole.schema["a"].is_discrete


def test_marks_are_told_once_and_as_they_were_typed(tmp_path):
    table = read(tmp_path, "a\n1\n2\n99\n", missing_values={"a": ["99", 99.0]}, missing="em")
    assert [str(one) for one in table.report.mendings] == ["'99' taken as missing in 'a' (1 cell)"]


def test_a_decimal_sign_is_a_point_or_a_comma(tmp_path):
    with pytest.raises(SchemaError, match=r"decimal is '\.' or ','; found ';'"):
        read(tmp_path, "a\nx\n", decimal=";")
    with pytest.raises(TypeError, match="unexpected keyword argument 'decimals'"):
        read(tmp_path, "a\nx\n", decimals=",")


# Dates


@given(st.dates(min_value=pd.Timestamp(1970, 1, 1).date(), max_value=pd.Timestamp(2068, 12, 31).date()))
def test_dates_are_read_in_each_order(date):
    for form, order in (("%Y-%m-%d", "ymd"), ("%d.%m.%Y", "dmy"), ("%m/%d/%Y", "mdy"), ("%d/%m/%y", "dmy")):
        assert read_date(date.strftime(form), order).date() == date
    assert order_of_dates([date.isoformat(), f"{date.isoformat()}T10:30:00Z"]) == "ymd"


def test_the_parts_of_dates():
    rows = {"when": ["2024-02-29 07:15", "2023-12-31 23:59", "2024-02-29 07:15"], "x": [1, 2, 1]}
    parts = ("year", "quarter", "month", "day", "weekday", "hour", "days")
    table = tw.read_table(rows, dates={"when": parts})
    assert [table.to_dict()[f"when.{part}"][:2] for part in parts] == [
        [2024, 2023], [1, 4], [2, 12], [29, 31], ["Thu", "Sun"], [7, 23], [19782, 19722],
    ]  # fmt: skip
    assert table.schema["when.month"].states == tuple(range(1, 13))
    again = tw.read_table(table, schema=table.schema)  # the parts themselves, as in rows that a model drew
    assert again.to_dict() == table.to_dict()


@pytest.mark.parametrize(
    ("values", "dates", "words"),
    [
        (["1/2/2024"], {"when": "year"}, "may be day/month or month/day; put the order in front"),
        (["2024-01-01", "soon"], {"when": "year"}, "'when', which is not a column of dates; it holds"),
        (["2024-01-01"], {"when": ("dmy", "year")}, "not a column of dates written dmy"),
        (["2024-01-01"], {"when": ()}, "found nothing"),
        (["2024-01-01"], {"when": ["decade"]}, "are taken apart into year, quarter, month, day, weekday"),
        ([1.5], {"when": "year"}, "which is not a column of dates; it holds numbers"),
    ],
)
def test_what_is_no_date_is_refused(values, dates, words):
    with pytest.raises(SchemaError, match=words):
        tw.read_table({"when": values, "x": range(len(values))}, dates=dates)


def test_names_that_are_not_there_are_refused():
    for option in ({"dates": {"wen": "year"}}, {"missing_values": {"wen": "NA"}}):
        with pytest.raises(UnknownNameError, match="'wen', but there is no such column; there are 'when'"):
            tw.read_table({"when": ["2024-01-01"]}, **option)


def test_a_schema_takes_no_dates_apart():
    table = tw.read_table({"when": ["2024-01-01", "2024-02-01"]}, dates=("month",))
    with pytest.raises(SchemaError, match="nothing for dates= to take apart"):
        tw.read_table({"when": ["2024-01-01"]}, schema=table.schema, dates=("month",))
    later = tw.read_table({"when": ["2024-12-24"]}, schema=table.schema)
    assert later.to_dict() == {"when.month": [12]}


# Mending


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["yes", "Yes", " yes", "no", "NO", "?", "n/a"]),
            st.sampled_from(["1,5", "2", "NA"]),
        ),
        min_size=4,
        max_size=40,
    )
)
@settings(max_examples=60, deadline=None)
def test_mended_rows_read_alike_later_in_parts(rows):
    """Any part of the rows is read by the schema of all of them as in all of them."""
    columns = {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
    whole = tw.read_table(columns, mend=True, missing="em") if has_values(columns) else None
    if whole is None:
        return
    half = len(rows) // 2
    part = tw.read_table(
        {k: v[:half] for k, v in columns.items() if k in whole.schema}, schema=whole.schema, missing="em"
    )
    assert part.to_dict() == {name: values[:half] for name, values in whole.to_dict().items()}


def has_values(columns):
    return set(columns["a"]) - {"?", "n/a"} and set(columns["b"]) - {"NA"}


def test_mending_leaves_something():
    with pytest.raises(SchemaError, match="mending leaves no column"):
        tw.read_table({"a": [f"p{i}" for i in range(50)], "b": [f"q{i}" for i in range(50)]}, mend=True)


def test_models_forgive_blanks_and_case_only_where_rows_were_mended():
    plain = tw.read_table({"a": ["Yes", "no"]})
    with pytest.raises(UnknownNameError, match="'yes '"):
        tw.read_table({"a": ["yes "]}, schema=plain.schema)
    mended = tw.read_table({"a": ["Yes", "no"], "b": [1, 2]}, mend=True)
    table = tw.read_table({"a": ["yes ", "NO"], "b": [1, 2]}, schema=mended.schema)
    assert table.to_dict()["a"] == ["Yes", "no"]
    assert "read 'yes ' as 'Yes'" in table.report["a"].notes[0]
    with pytest.raises(UnknownNameError, match="'maybe'"):
        tw.read_table({"a": ["maybe"], "b": [1]}, schema=mended.schema)


def test_a_frame_is_scored_as_it_comes():
    rows = pd.DataFrame({" sex": ["m", "M", "f", "F"] * 10, "weight": ["70,5", "81,2", "NA", "64,9"] * 10})
    table = tw.read_table(rows, mend=True, missing="drop", bins=2)
    counter = tw.count(table)
    model = tw.fit(tw.learn_chow_liu(tw.BIC(counter)).structure, counter)
    complete = rows[rows["weight"] != "NA"]
    assert model.score(complete) == pytest.approx(model.score(table))


def test_a_table_that_is_read_again_remembers():
    rows = {
        " sex": ["m", "M", "f", "F"] * 10,
        "weight": ["70,5", "81,2", "NA", "64,9"] * 10,
        "x": ["AA", "aa"] * 20,
    }
    table = tw.read_table(rows, mend=True, missing="em")
    again = tw.read_table(table, missing="drop", bins={"weight": 2})
    assert [v.raw for v in again.schema] == [v.raw for v in table.schema]
    assert again.report.mendings == table.report.mendings
    assert again.report.findings == table.report.findings != ()
    assert tw.read_table(rows, schema=again.schema, missing="drop").to_dict() == again.to_dict()


def test_estimators_and_the_default_mend_too():
    rows = pd.DataFrame({" sex": ["m", "M", "f", "F"] * 25, "well": ["yes", "no ", "no", "YES"] * 25})
    learned = tw.learn(rows, mend=True)
    assert learned.model.schema.names == ("sex", "well")
    assert any("spelled like the others in 'well'" in note for note in learned.notes)
    estimator = tw.BoundedTreewidth(mend=True).fit(rows)
    assert estimator.score(rows) == pytest.approx(estimator.score(tw.read_table(rows, mend=True)))


class TestDatesAsWholeNumbers:
    DAYS = (20240131, 20240229, 20231105, 20231230, 20240301, 20220815)
    ROWS: ClassVar = {"visit": DAYS * 10, "ill": [0, 1] * 30, "n": range(20240100, 20240160)}

    def test_they_are_seen(self):
        table = tw.read_table(self.ROWS)
        found = [one for one in table.report.findings if one.kind == "dates"]
        assert [one.columns for one in found] == [("visit",)]
        assert str(found[0]) == (
            "'visit' holds dates such as '20220815', 6 of them, read as whole numbers, whose steps mean "
            "nothing; --dates visit=year,month, or --ignore visit"
        )

    def test_they_are_taken_apart_and_again_by_the_model(self):
        table = tw.read_table(self.ROWS, dates={"visit": ("year", "month")}, columns=["visit", "ill"])
        assert table.schema["visit.year"].states == (2022, 2023, 2024)
        assert table.labels("visit.month")[:3].tolist() == [1, 2, 11]
        model = tw.fit(tw.Dag(table.schema), tw.count(table))
        assert model.score({"visit": [20240131], "ill": [1]}) == pytest.approx(
            model.score({"visit": ["2024-01-31"], "ill": [1]})
        )

    def test_as_reals_with_gaps(self):
        rows = {"visit": [float(d) for d in self.DAYS] + [None], "ill": [0, 1] * 3 + [0]}
        table = tw.read_table(rows, dates={"visit": ("weekday",)}, missing="em")
        assert table.labels("visit.weekday")[0] == "Wed"
        assert table.missing[0].tolist() == [False] * 6 + [True]

    def test_mending_leaves_them_out(self):
        days = [int(f"2024{m:02d}{d:02d}") for m in range(1, 13) for d in range(1, 11)]
        report = tw.read_table({"visit": days, "ill": [0, 1] * 60}, mend=True).report
        assert "'visit' left out, since it holds 120 dates, of which no part was asked for" in map(
            str, report.mendings
        )

    def test_other_numbers_are_none(self):
        with pytest.raises(SchemaError, match="'n', which is not a column of dates; it holds numbers"):
            tw.read_table(self.ROWS, dates={"n": ("year",)})
        few = tw.read_table({"visit": [20240131, 20240229] * 5, "y": [0, 1] * 5})
        assert not any(one.kind == "dates" for one in few.report.findings)


def test_months_with_names_are_dates():
    rows = {
        "seen": [f"{1 + i % 28:02}-{'JanFebMarAprMayJun'[3 * (i % 6) :][:3]}-202{i % 3}" for i in range(60)],
        "told": [f"{('March', 'June', 'May')[i % 3]} {1 + i % 28}, 202{i % 2}" for i in range(60)],
        "name": ["Mary", "March", "June"] * 20,
    }
    found = {one.columns: one.option for one in tw.read_table(rows).report.findings if one.kind == "dates"}
    assert found.keys() == {("seen",), ("told",)} or found.keys() == {("seen", "told")}
    table = tw.read_table(rows, dates=("year", "month"))
    assert table.schema.names == ("seen.year", "seen.month", "told.year", "told.month", "name")
    assert table.labels("seen.month").tolist()[:7] == [1, 2, 3, 4, 5, 6, 1]
    assert table.labels("told.month").tolist()[:3] == [3, 6, 5]
    assert table.labels("told.year").tolist()[:3] == [2020, 2021, 2020]


def test_spellings_are_seen_beside_numbers_too():
    rows = {"smokes": ["TRUE", "true", "FALSE", "1", "0"] * 12}
    (finding,) = tw.read_table(rows).report.findings
    assert (finding.kind, finding.option) == ("spellings of yes and no", "--mend")
    assert finding.labels == ("0", "1", "FALSE", "TRUE", "true")
