"""What a sample takes, to the byte."""

import numpy as np
import pytest

from treewright.errors import SchemaError, TableTooLarge
from treewright.inference.refusals import sampling_seed
from treewright.tables.schema import Schema, Variable


@pytest.mark.parametrize(
    ("states", "bytes_of_a_cell"),
    [(None, 8), (1, 1), (2, 1), (256, 1), (257, 2), (65_536, 2), (65_537, 4)],
)
def test_a_sample_takes_what_its_codes_take(monkeypatch, states, bytes_of_a_cell):
    schema = Schema([Variable("a") if states is None else Variable("a", tuple(range(states)))])
    monkeypatch.setenv("TREEWRIGHT_MEMORY", str(10 * bytes_of_a_cell))
    sampling_seed(schema, 10, np.random.default_rng(0))
    words = f"11 rows of 1 columns take {11 * bytes_of_a_cell} bytes, above the memory limit of "
    with pytest.raises(TableTooLarge, match=words):
        sampling_seed(schema, 11, np.random.default_rng(0))


def test_seeds_come_from_the_generator():
    schema = Schema([Variable("a", (0, 1))])
    drawn = [sampling_seed(schema, 0, np.random.default_rng(3)) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len({sampling_seed(schema, 1, None) for _ in range(10)}) == 10
    with pytest.raises(SchemaError, match="no fewer than 0 rows; asked for -1"):
        sampling_seed(schema, -1, None)
    with pytest.raises(TypeError, match="rng is a numpy Generator"):
        sampling_seed(schema, 1, 7)
