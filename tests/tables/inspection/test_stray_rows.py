"""Rows of exports that are no rows: what is seen of them, what mending leaves out, and what it never does."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw


def clinic(n=60, seed=1):
    chance = random.Random(seed)
    return {
        "smoker": [chance.choice(["yes", "no"]) for _ in range(n)],
        "ward": [chance.choice(["north", "south", "west"]) for _ in range(n)],
        "age": [str(chance.randint(18, 90)) for _ in range(n)],
    }


def write(path, columns, after=()):
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True)), *after]
    path.write_text("\n".join(lines) + "\n")
    return path


def with_row(columns, at, cells):
    return {
        name: [*values[:at], cell, *values[at:]]
        for (name, values), cell in zip(columns.items(), cells, strict=True)
    }


def rows_that_are_none(table):
    return [one.sentence for one in table.report.findings if one.kind == "rows that are none"]


CASES = {
    "units": (
        0,
        ["", "", "years"],
        "row 1: what no other row holds, as in 'years': it tells what columns are",
    ),
    "questions": (
        0,
        ["Do you smoke?", "Which ward?", "How old are you?"],
        "row 1: what no other row holds, as in 'Do you smoke?': it tells what columns are",
    ),
    "names": (
        30,
        ["smoker", "ward", "age"],
        "row 31: the names of the columns once more, each a label like any other",
    ),
    "nothing": (12, ["", "", ""], "row 13: no column has a value there"),
    "remark": (
        60,
        ["Source: the ministry", "", ""],
        "row 61: 'Source: the ministry' and little else: a sum or a remark",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_is_told_and_left_out(case, tmp_path):
    at, cells, sentence = CASES[case]
    path = write(tmp_path / "rows.csv", with_row(clinic(), at, cells))
    plain = tw.read_table(path, missing="em")
    assert rows_that_are_none(plain) == [sentence]
    assert plain.n_rows == 61  # nothing is changed unasked
    mended = tw.read_table(path, mend=True)
    assert mended == tw.read_table(write(tmp_path / "clean.csv", clinic()), mend=True)
    who, what = sentence.split(": ", 1)
    assert [str(one) for one in mended.report.mendings] == [f"{who} left out: {what}"]
    assert mended.schema["age"].states is None  # numbers again
    assert mended.report["smoker"].n_missing == 0


def test_a_sum_below_the_table(tmp_path):
    columns = {**clinic(), "n": ["1"] * 60, "m": ["2"] * 60}
    path = write(tmp_path / "rows.csv", columns, ["Grand total,,,60,"])
    table = tw.read_table(path, missing="em")
    assert rows_that_are_none(table) == ["row 61: 'Grand total' and little else: a sum or a remark"]
    assert tw.read_table(path, mend=True).n_rows == 60


def test_the_three_lines_of_a_survey_platform(tmp_path):
    columns = with_row(
        clinic(), 0, ['{""ImportId"":""Q1""}', '{""ImportId"":""Q2""}', '{""ImportId"":""Q3""}']
    )
    columns = with_row(columns, 0, ["Do you smoke?", "Which ward?", "How old?"])
    quoted = {name: [f'"{cell}"' for cell in cells] for name, cells in columns.items()}
    path = write(tmp_path / "rows.csv", quoted)
    (told,) = rows_that_are_none(tw.read_table(path))
    assert told.startswith("rows 1, 2: ")
    assert tw.read_table(path, mend=True) == tw.read_table(write(tmp_path / "clean.csv", clinic()), mend=True)


def test_many_empty_rows_as_spreadsheets_write_them(tmp_path):
    path = write(tmp_path / "rows.csv", clinic(), [",,"] * 40)
    assert rows_that_are_none(tw.read_table(path, missing="em")) == [
        "40 rows (first: 61, 62, 63): no column has a value there"
    ]
    assert tw.read_table(path, mend=True).n_rows == 60


def test_weights_and_rows_of_findings_follow(tmp_path):
    columns = with_row(clinic(), 0, ["", "", "years"])
    columns["ward"][10] = "North "
    table = tw.read_table(
        columns | {"smoker": [None, *columns["smoker"][1:]], "ward": [None, *columns["ward"][1:]]},
        mend=True,
        weights=np.arange(61.0),
    )
    assert table.weights.tolist() == list(range(1, 61))
    columns = with_row(clinic(), 0, ["", "", "years"])
    columns["smoker"][40] = "maybe"
    columns["age"][20] = "about forty"
    path = write(tmp_path / "rows.csv", columns)
    (seen,) = [
        one for one in tw.read_table(path, mend=True).report.findings if one.kind == "marks among numbers"
    ]
    assert seen.rows == (21,)  # of the file, not of what is left of it


def test_the_command_line_mends_from_learning_to_the_report(tmp_path, capsys):
    from treewright.cli import main

    path = write(tmp_path / "rows.csv", with_row(clinic(200), 90, ["smoker", "ward", "age"]))
    model = tmp_path / "m.twm"
    assert main(["inspect", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "row 91: the names of the columns once more" in shown
    assert f"next: treewright learn {path} --mend" in shown
    assert main(["learn", str(path), "--mend", "-o", str(model)]) == 0
    assert "row 91 left out: the names of the columns once more" in capsys.readouterr().out
    assert tw.load(model).provenance["mendings"][0]["kind"] == "rows"


@pytest.mark.parametrize("case", CASES)
def test_later_rows_all_stay_and_say_nothing_where_they_are_none(case, tmp_path):
    at, cells, sentence = CASES[case]
    path = write(tmp_path / "rows.csv", with_row(clinic(), at, cells))
    schema = tw.read_table(path, mend=True).schema
    later = tw.read_table(path, schema=schema, missing="em")
    assert later.n_rows == 61
    assert all(mask[at] for mask in later.missing.values())
    assert sorted(later.missing) == [0, 1, 2]
    if any(cells):
        assert [str(one) for one in later.report.mendings] == [sentence.replace(":", " taken as missing:", 1)]


def test_a_later_row_of_states_that_are_known_says_what_it_holds():
    first = {name: values for name, values in clinic().items() if name != "age"}
    schema = tw.read_table(first, mend=True).schema
    later = {"smoker": ["yes", "no"] * 20 + [None], "ward": ["north", "south"] * 20 + ["west"]}
    read = tw.read_table(later, schema=schema, missing="em")
    assert read.labels("ward")[-1] == "west"
    assert sorted(read.missing) == [0]


def test_gaps_that_meet_in_a_row_by_chance_make_no_finding():
    chance = random.Random(2)
    columns = {name: [chance.choice(["x", "y", None]) for _ in range(300)] for name in "abc"}
    n_empty = sum(row == (None, None, None) for row in zip(*columns.values(), strict=True))
    assert n_empty > 3
    assert rows_that_are_none(tw.read_table(columns, missing="em")) == []
    assert tw.read_table(columns, missing="em", mend=True).n_rows == 300


@given(st.integers(20, 60), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_ordinary_rows_are_never_taken_for_others(n, seed):
    """Labels that stand once, gaps, a last row of gaps but for common labels: all of them rows."""
    chance = random.Random(seed)
    columns = {
        "a": [chance.choice(["x", "y", "z", None]) for _ in range(n)],
        "b": [chance.choice([*"pqrstuvw", None]) for _ in range(n)],
        "c": [chance.choice([1.5, 2.5, None]) for _ in range(n)],
        "key": [f"k{i}" for i in range(n)],
    }
    table = tw.read_table(columns, missing="em", mend=True)
    assert table.n_rows == n
    assert rows_that_are_none(tw.read_table(columns, missing="em")) == []


def test_a_key_and_a_rare_label_at_the_end_are_a_row():
    columns = {
        "key": [f"k{i}" for i in range(40)],
        "a": ["x"] * 39 + [None],
        "b": ["p", "q"] * 19 + ["p", None],
    }
    assert tw.read_table(columns, missing="em", mend=True).n_rows == 40
    columns = {"a": ["x", "y"] * 20 + ["rare"], "b": ["p", "q"] * 20 + ["p"], "c": ["u"] * 40 + [None]}
    assert tw.read_table(columns, missing="em", mend=True).n_rows == 41
