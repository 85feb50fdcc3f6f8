import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright import Schema, Table, Variable
from treewright.cli.answers import rows
from treewright.cli.answers.given import written
from treewright.cli.answers.rows import write_csv

ODD = st.sampled_from(list(',"\r\n \t;aé'))
TEXTS = st.text(ODD | st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=5)


def as_csv(table):
    file = io.BytesIO()
    write_csv(table, file)
    return file.getvalue().decode()


def test_small_table():
    schema = Schema([Variable("a", ("no", "yes, sir")), Variable("b", (0, 1.5, True))])
    assert as_csv(Table(schema, [[0, 1, 1], [0, 1, 2]])) == 'a,b\nno,0\n"yes, sir",1.5\n"yes, sir",true\n'


def test_empty_texts_and_outer_spaces_are_quoted():
    schema = Schema([Variable(" a", ("", " x"))])
    assert as_csv(Table(schema, [[0, 1]])) == '" a"\n""\n" x"\n'


def test_no_rows_is_a_header():
    assert as_csv(Table(Schema([Variable("a", (0,))]), [[]])) == "a\n"


@pytest.mark.slow
@given(
    st.lists(st.lists(TEXTS, min_size=1, max_size=4, unique=True), min_size=1, max_size=4), st.integers(0, 99)
)
def test_the_slow_reader_of_python_reads_it_back(states, seed):
    schema = Schema(Variable(f'n"{i},', tuple(labels)) for i, labels in enumerate(states))
    rng = np.random.default_rng(seed)
    table = Table(schema, [rng.integers(0, len(labels), 7) for labels in states])
    text = as_csv(table)
    header, *found = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert header == list(schema.names)
    columns = [[written(label) for label in column] for column in table.to_dict().values()]
    assert found == [list(row) for row in zip(*columns, strict=True)]


def test_blocks_join_without_a_seam(monkeypatch):
    schema = Schema([Variable("a", tuple(range(300))), Variable("b", ("x", "yy"))])
    rng = np.random.default_rng(0)
    table = Table(schema, [rng.integers(0, 300, 1000), rng.integers(0, 2, 1000)])
    whole, told = as_csv(table), []
    monkeypatch.setattr(rows, "_BLOCK_BYTES", 100)
    file = io.BytesIO()
    write_csv(table, file, tell=told.append)
    assert file.getvalue().decode() == whole
    assert told[-1] == 1000
    assert told == sorted(told)
