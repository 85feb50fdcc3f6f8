"""Lines: what they count, when they are equal, and how engines take them."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import TableTooLarge
from treewright.models import Lines
from treewright.models.mixed.lines import as_family, check_lines_fit


def test_parameters_are_those_of_each_line():
    """An intercept, a variance and a coefficient for each number, in every joint state."""
    assert Lines([1.0, 2.0, 3.0], {"x": [1, 2, 3], "y": [0, 0, 1]}, [1, 1, 1]).n_parameters == 12
    assert Lines(1.0).n_parameters == 2


def test_lines_are_equal_by_all_that_they_hold():
    one = Lines([1, 2], {"x": [1, 2]}, [1, 3])
    assert one == Lines([1, 2], {"x": [1, 2]}, [1, 3])
    for other in (
        Lines([1, 3], {"x": [1, 2]}, [1, 3]),
        Lines([1, 2], {"x": [1, 4]}, [1, 3]),
        Lines([1, 2], {"x": [1, 2]}, [1, 4]),
        Lines([1, 2], {"y": [1, 2]}, [1, 3]),
        Lines([1, 2], {"x": [1, 2], "y": [0, 0]}, [1, 3]),
    ):
        assert one != other


def test_lines_are_refused_where_their_numbers_would_not_fit():
    """Eight bytes for an intercept, a variance and each coefficient of every joint state."""
    schema = tw.Schema([tw.Variable("a", (0, 1)), tw.Variable("b", (0, 1, 2)), tw.Variable("x")])
    try:
        tw.set_memory_limit(6 * 8 * 5)
        check_lines_fit(schema, (0, 1), 3)
        with pytest.raises(TableTooLarge):
            check_lines_fit(schema, (0, 1), 4)
        tw.set_memory_limit(6 * 8 * 5 - 1)
        with pytest.raises(TableTooLarge):
            check_lines_fit(schema, (0, 1), 3)
    finally:
        tw.set_memory_limit(None)


def test_engines_take_parents_by_name():
    schema = tw.Schema([tw.Variable("b", (0, 1)), tw.Variable("a", (0, 1, 2)), *map(tw.Variable, "zyx")])
    dag = tw.Dag(schema, [("b", "x"), ("a", "x"), ("z", "x"), ("y", "x")])
    cells = np.arange(6.0).reshape(2, 3)  # axes b, a
    family = as_family(dag, 4, Lines(cells, {"z": cells + 10, "y": cells + 20}, cells + 1))
    assert (family.discrete, family.continuous) == (("a", "b"), ("y", "z"))
    assert family.intercepts.tolist() == [0, 3, 1, 4, 2, 5]
    assert family.variances.tolist() == [1, 4, 2, 5, 3, 6]
    assert family.slopes.tolist() == [[20, 10], [23, 13], [21, 11], [24, 14], [22, 12], [25, 15]]
