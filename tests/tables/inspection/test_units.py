"""Numbers that carry the sign of money, of percent or of a unit."""

import pytest

from treewright import count, fit, learn_chow_liu, load, verify
from treewright.criteria import BIC
from treewright.errors import SchemaError
from treewright.tables import read_table
from treewright.tables.inspection.forms import number_in
from treewright.tables.inspection.units import common_sign


@pytest.mark.parametrize(
    ("texts", "sign"),
    [
        (["€ 5", "€1.200,50"], "€"),
        (["5 €", "1 200,50 €"], "€"),
        (["-$5.00", "$1,200"], "$"),
        (["1.5%", "20 %"], "%"),
        (["64 kg", "70kg"], "kg"),
        (["3 mg/dl", "4 mg/dl"], "mg/dl"),
        (["1 200", "950", "12 000"], " "),
        (["950", "12"], ""),
        (["5 kg", "5 lb"], ""),
        (["5 kg", "5"], ""),
        (["5 Jan", "6 Jan"], ""),
        (["SNP1", "SNP2"], ""),
        (["12A", "13A"], ""),
        (["10-20", "20-30"], ""),
        (["1" * 20_000 + "x", "5 kg"], ""),
        ([], ""),
    ],
)
def test_the_sign_of_a_column(texts, sign):
    assert common_sign(texts) == sign


def rows():
    return {
        "income": [f"€ {i}.{i + 100},5{i % 10}" for i in range(1, 61)],
        "share": [*(f"{i / 2:.1f} %".replace(".", ",") for i in range(59)), "n/a"],
        "dose": ["5 mg", "10 mg", "20 mg"] * 20,
        "died": ["no", "yes"] * 30,
    }


def test_numbers_with_signs_are_seen_and_mended():
    seen = read_table(rows()).report.findings
    assert {(one.kind, one.columns) for one in seen} >= {
        ("numbers with signs", (name,)) for name in ("income", "share", "dose")
    }
    assert ("marks among numbers", ("share",)) in {(one.kind, one.columns) for one in seen}
    (income,) = [one for one in seen if one.columns == ("income",)]
    assert "'income' holds numbers with '€' such as '€ " in income.sentence
    assert (income.option, income.cells) == ("--mend", 60)
    table = read_table(rows(), mend=True, missing="em")
    assert table.report.continuous == ("income", "share")
    assert table.columns[0][0] == 1101.51
    assert table.schema["dose"].states == (5, 10, 20)
    told = list(map(str, table.report.mendings))
    assert "numbers with '€' read in 'income' (60 cells)" in told
    assert "numbers with '%' read in 'share' (59 cells)" in told


def test_later_rows_carry_the_same_sign():
    table = read_table(rows(), mend=True, missing="state", bins=3)
    model = fit(learn_chow_liu(BIC(count(table))).structure, count(table))
    assert model.score(rows()) == pytest.approx(model.score(table))
    assert number_in(table.schema["income"].raw, "€ 2.000,00") == 2000
    assert number_in(table.schema["dose"].raw, "5 lb") is None
    other = rows() | {"dose": ["5 lb", "10 lb", "20 lb"] * 20}
    with pytest.raises(SchemaError, match="'dose'"):
        model.score(other)


def test_infinite_marks_are_kept_in_files(tmp_path):
    rows = {"a": [1.5, float("inf"), 2.5, -float("inf")] * 20, "b": ["x", "y"] * 40}
    marks = {"a": [float("inf"), -float("inf"), float("nan")]}
    table = read_table(rows, missing_values=marks, missing="state", bins=2)
    model = fit(learn_chow_liu(BIC(count(table))).structure, count(table))
    model.save(tmp_path / "m.twm")
    kept = load(tmp_path / "m.twm")
    assert kept == model
    assert kept.schema["a"].raw.marks == (float("inf"), -float("inf"))
    assert verify(tmp_path / "m.twm").valid
    assert kept.score(rows) == model.score(table)
