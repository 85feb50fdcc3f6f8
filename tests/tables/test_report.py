import json

from treewright.tables import read_table


def test_everything_is_in_the_report():
    n = 100
    rows = {
        "id": [f"user {i}" for i in range(n)],
        "one": ["same"] * n,
        "age": [i % 70 for i in range(n)],
        "level": [None if i == 3 else "low" for i in range(n)],
        "t": [i + 0.5 for i in range(n)],
        "n": [1] * n,
        "skip": [1] * n,
    }
    columns = ["id", "one", "age", "level", "t", "n"]
    report = read_table(rows, missing="drop", bins={"t": 4}, weights="n", columns=columns).report
    assert report.n_rows_read == 100
    assert report.n_rows == 99
    assert report.n_dropped == 1
    assert report.constant == ("one", "level")
    assert report.identifiers == ("id",)
    assert report.binned == ("t",)
    assert report.continuous == ("age",)
    assert dict(report.ignored) == {"skip": "not asked for", "n": "taken as the weights of the rows"}
    assert report["age"].reason == "70 distinct whole numbers: too many for states"
    text = str(report)
    for line in (
        "99 of 100 rows kept, 1 dropped",
        "one: discrete, 1 state (texts; constant: says nothing about other columns)",
        "skip: ignored (not asked for)",
        "t: discrete, 4 states (numbers cut into bins; cut into 4 bins of equal frequency)",
    ):
        assert line in text
    again = json.loads(json.dumps(report.to_dict()))
    assert again["n_dropped"] == 1
    assert [column["name"] for column in again["columns"]] == ["id", "one", "age", "level", "t"]
    assert again["ignored"][0] == {"name": "skip", "reason": "not asked for"}


def test_a_table_that_is_read_again_keeps_what_was_done_and_seen():
    rows = {
        "sex": ["m", "f ", "m", "f"] * 8,
        "income": [1200.5, -999, 90000.25, 40.75] * 8,
        "dose": [0.5 + i for i in range(32)],
    }
    first = read_table(rows, mend=True, missing="em")
    again = read_table(first, missing="em", bins=2)
    assert again.report.mendings == first.report.mendings
    assert [str(one) for one in again.report.mendings] == [
        "'f ' spelled like the others in 'sex' (8 cells)",
        "'-999' taken as missing in 'income' (8 cells)",
    ]
    assert again.schema["sex"].raw == first.schema["sex"].raw is not None
    assert set(first.report.findings) <= set(again.report.findings)
    assert "mended: 'f ' spelled like the others in 'sex' (8 cells)" in str(again.report)
    assert again.report.settings["mend"] is True


def test_a_number_below_zero_that_stands_alone_is_seen_however_wide_the_others_are():
    table = read_table({"income": [1200.5, -999, 90000.25, 40.75] * 8})
    (found,) = [one for one in table.report.findings if one.kind == "numbers that may be marks"]
    assert found.sentence == (
        "'income' holds -999 in 8 cells (first in rows 2, 6, 10), alone below zero and far from all other "
        "numbers: it may stand for a missing one"
    )
    assert found.option == "--missing-value income=-999 (or --mend)"
    assert "look at: 'income' holds -999" in str(table.report)
