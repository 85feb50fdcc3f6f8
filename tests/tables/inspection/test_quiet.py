"""Columns with nothing to say are passed over: what is read is what would be read by looking at each."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.tables._reading import csv_files
from treewright.tables.inspection import forms, look, prepare
from treewright.tables.inspection.forms import are_quiet, is_quiet

WORDS = "a b A yes Yes no ? NA n/a - . 1 2 y n T a;b b;c 120/80 7:30 0.5 .5 1,5 1,234 1,234.5 5% 5kg €3"
MORE = (
    "007",
    "<2",
    "3/2/24",
    "Mar",
    "May31",
    "x_y",
    "é",
    " a",
    "a ",
    "New York",
    "new  york",
    "1 200",
    "",
    " ",
    "12 Jan 2024",
    "2024-01-02",
    "True",
    "-999",
)
CELLS = st.sampled_from([*WORDS.split(), *MORE])


@pytest.mark.parametrize(
    ("label", "quiet"),
    [
        ("blue", True),
        ("snp12", True),
        ("New York", True),
        ("New  York", False),  # a blank too many
        ("en;fr", False),
        (" blue", False),
        ("12", False),
        ("1,5", False),
        ("12 %", False),
        ("007", False),  # a number without a sign, below a thousand
        ("?", False),
        ("n/a", False),
        ("none", False),
        ("", False),
        ("May 3, 2024", False),
        ("3/2/24", False),
        ("<5", False),
        (3, False),
        (True, False),
    ],
)
def test_what_is_just_a_text(label, quiet):
    assert is_quiet(label) is quiet


def test_labels_that_differ_in_case_are_not_quiet_together():
    assert are_quiet(["blue", "red"])
    assert not are_quiet(["blue", "Blue"])
    assert are_quiet([])


def read(path, **options):
    try:
        table = tw.read_table(path, **options)
    except tw.errors.TreewrightError as error:
        return str(error)
    return table.schema, table.to_dict(), table.report, [variable.raw for variable in table.schema]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(data=st.data())
def test_passing_over_changes_nothing(data, tmp_path):
    n_rows, n_columns = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 4))
    few = [data.draw(st.lists(CELLS, min_size=1, max_size=4)) for _ in range(n_columns)]
    rows = [[data.draw(st.sampled_from(some)) for some in few] for _ in range(n_rows)]
    lines = [",".join(f"c{i}" for i in range(n_columns)), *(",".join(f'"{c}"' for c in row) for row in rows)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = {
        "missing": data.draw(st.sampled_from(["state", "em", "drop"])),
        "mend": data.draw(st.booleans()),
    }
    found = read(path, **options)

    class Unsure(csv_files.LabelColumn):
        def __init__(self, *given, **named):
            super().__init__(*given, **named | {"complete": False})

    with pytest.MonkeyPatch.context() as patch:
        for module in (forms, look, prepare):
            patch.setattr(module, "are_quiet", lambda labels: False)
        patch.setattr(csv_files, "LabelColumn", Unsure)
        assert read(path, **options) == found


@pytest.mark.parametrize(
    ("cells", "n_states", "constant"),
    [
        (["True", "False"], 2, False),
        (["True", "True"], 2, True),
        (["False", "False"], 2, True),
        (["True", ""], 3, False),  # the gaps are a state
        (["False", "True", ""], 3, False),
    ],
)
def test_truth_values_that_occur_are_counted(cells, n_states, constant, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b", *(f"{cell},{i}" for i, cell in enumerate(cells))]) + "\n")
    column = tw.read_table(path, missing="state").report.columns[0]
    assert (column.n_states, column.is_constant) == (n_states, constant)
