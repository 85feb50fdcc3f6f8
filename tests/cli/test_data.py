import pytest

from treewright.cli.data import DataOptions, read_bins
from treewright.cli.options import Missing
from treewright.errors import SettingError


@pytest.mark.parametrize(
    ("texts", "bins"),
    [
        ([], None),
        (["4"], 4),
        (["age=4", "b=2"], {"age": 4, "b": 2}),
        (["age=uniform:3"], {"age": ("uniform", 3)}),
        (["age=quantile:3"], {"age": ("quantile", 3)}),
        (["a=b=0,1.5,3"], {"a=b": [0.0, 1.5, 3.0]}),
    ],
)
def test_bins(texts, bins):
    assert read_bins(texts) == bins


@pytest.mark.parametrize("text", ["x", "age=", "age=x", "age=1,b", "age=uniform:x", "-3", "2.5"])
def test_bins_that_cannot_be_read(text):
    with pytest.raises(SettingError, match="cannot be read; write 4, age=4"):
        read_bins([text])


def test_one_number_goes_alone():
    with pytest.raises(SettingError, match="one number for all continuous columns, or name="):
        read_bins(["4", "age=3"])


def test_marks_of_missing_cells(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\nx,1\n?,-999\ny,3\n")
    table = DataOptions(missing=Missing.drop, missing_value=["?", "-999"]).read([str(path)])
    assert table.to_dict() == {"a": ["x", "y"], "b": [1, 3]}
