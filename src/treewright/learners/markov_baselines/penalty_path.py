"""What learners that walk along falling penalties share: the settings of such a path."""

from __future__ import annotations

import math

from treewright.errors import SettingError


def check_path(gamma: float, n_penalties: int, smallest: float) -> None:
    """Refuse settings of a path of penalties, and of the criterion that chooses on it, that make no sense."""
    if not (math.isfinite(gamma) and gamma >= 0):
        raise SettingError(f"gamma is a number from 0 on; found {gamma!r}")
    if n_penalties < 2:
        raise SettingError(f"a path has at least 2 penalties; found n_penalties={n_penalties}")
    if not 0 < smallest < 1:
        raise SettingError(f"smallest is a share between 0 and 1, both excluded; found {smallest!r}")
