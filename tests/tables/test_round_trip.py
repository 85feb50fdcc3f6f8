"""Whatever the source, the same rows give the same table."""

import csv

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from treewright.tables import read_table

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
NAMES = TEXTS.filter(lambda name: name and "\0" not in name)
CELLS = {
    "texts": TEXTS,
    "integers": st.integers(-3, 3),
    "truths": st.booleans(),
    "reals": st.floats(-1e6, 1e6).map(lambda x: x + 0.5),
}


@st.composite
def columns(draw, with_missing=True, texts=TEXTS):
    n = draw(st.integers(1, 8))
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    rows = {}
    for name in names:
        kind = draw(st.sampled_from(sorted(CELLS)))
        cells = texts if kind == "texts" else CELLS[kind]
        values = draw(st.lists(cells, min_size=n, max_size=n))
        if with_missing:
            gone = draw(st.lists(st.booleans(), min_size=n, max_size=n))
            values = [None if g else v for v, g in zip(values, gone, strict=True)]
            assume(any(v is not None for v in values))
        rows[name] = values
    return rows


def looks_like_another_type(values):
    """Texts that a CSV file cannot tell from numbers, truth values or missing cells."""
    texts = [v for v in values if isinstance(v, str)]
    if not texts:
        return False
    return all(is_number(t) or t in ("True", "False") for t in texts) or "" in texts


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.slow
@settings(deadline=None)
@given(columns())
def test_frames_give_what_a_dictionary_gives(rows):
    table = read_table(rows, missing="em")
    assert table.to_dict() == rows
    strict = {name: pl.Series(values) for name, values in rows.items()}
    assert read_table(pl.DataFrame(strict), missing="em") == table
    assert read_table(pa.table(rows), missing="em") == table
    assert read_table(pd.DataFrame(rows), missing="em") == table
    objects = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in rows.items()})
    assert read_table(objects, missing="em") == table
    assert read_table(table.to_pandas(), missing="em") == table


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns())
def test_parquet_gives_what_a_dictionary_gives(tmp_path, rows):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(rows), path)
    assert read_table(path, missing="em") == read_table(rows, missing="em")


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns(), st.sampled_from(["\n", "\r\n"]))
def test_csv_gives_what_a_dictionary_gives(tmp_path, rows, newline):
    assume(not any(looks_like_another_type(values) for values in rows.values()))
    path = tmp_path / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=newline, quoting=csv.QUOTE_ALL)
        writer.writerow(rows)
        writer.writerows(
            zip(*[["" if v is None else v for v in values] for values in rows.values()], strict=True)
        )
    table = read_table(path, missing="em", delimiter=",")
    assert table == read_table(rows, missing="em")


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=20))
def test_label_to_code_to_label(labels):
    table = read_table({"x": labels})
    variable = table.schema["x"]
    assert table.labels("x").tolist() == labels
    assert [variable.code(label) for label in labels] == table.column("x").tolist()
    assert variable.states == tuple(sorted(set(labels)))


@settings(deadline=None)
@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=30))
def test_numpy_gives_what_a_dictionary_gives(numbers):
    assert read_table(np.array([numbers]).T, names=["x"]) == read_table({"x": numbers})
    assert read_table({"x": np.array(numbers, dtype=object)}) == read_table({"x": numbers})
