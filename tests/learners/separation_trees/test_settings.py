"""How a separation tree is made: what is refused, and what is not."""

import math

import pytest

from treewright.errors import SettingError
from treewright.learners.separation_trees.settings import TreeSettings


@pytest.mark.parametrize("name", ["refine_above", "max_node"])
def test_sizes_are_numbers_from_one_on(name):
    for size in (0, -3, True, 2.5, "many"):
        with pytest.raises(SettingError, match=rf"{name}(=| must be)"):
            TreeSettings(**{name: size}).check()
    for size in (1, 2, 30):
        TreeSettings(**{name: size}).check()
    for size in (None, "auto"):
        TreeSettings(refine_above=size).check()
        with pytest.raises(SettingError, match="max_node"):
            TreeSettings(max_node=size).check()


def test_nodes_that_are_left_as_they_are():
    assert TreeSettings().largest_unrefined == TreeSettings(refine_above=8).largest_unrefined == 8
    assert TreeSettings(refine_above=3).largest_unrefined == 3
    assert TreeSettings(refine_above=None).largest_unrefined == math.inf
