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
