"""The self-test of `treewright doctor`: a second of work that would notice a broken build."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.networks import load_network
from treewright.statistics import count
from treewright.tables.table import Table

_CARDINALITIES = (2, 3, 2, 4, 17, 300)
_SCOPES = ((0,), (0, 1), (1, 3, 2), (4, 0), (5, 1))
_KNOWN_ANSWER = 0.6460  # P(lung = yes | xray = yes, smoke = yes), Lauritzen & Spiegelhalter 1988


@dataclass(frozen=True)
class Check:
    """One check: its name, whether it passed, and what was seen."""

    name: str
    passed: bool
    detail: str


def run_checks() -> list[Check]:
    """Run every check; one that raises has failed."""
    checks: dict[str, Callable[[], tuple[bool, str]]] = {
        f"counts equal NumPy's ({level})": lambda level=level: check_counts(level)  # type: ignore[misc]
        for level in _core.simd_levels()
    }
    checks["the same seed draws the same rows"] = check_sampling
    checks["a known question has its known answer"] = check_answer
    return [run_check(name, check) for name, check in checks.items()]


def run_check(name: str, check: Callable[[], tuple[bool, str]]) -> Check:
    try:
        return Check(name, *check())
    except Exception as error:
        return Check(name, False, f"{type(error).__name__}: {error}")


def check_counts(level: str, n_rows: int = 20_000) -> tuple[bool, str]:
    """Count random rows with the kernels of one vector level, and with NumPy."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, r, n_rows) for r in _CARDINALITIES]
    before = _core.simd_level()
    _core.set_simd_level(level)
    try:
        counted = count(Table.from_codes(columns, _CARDINALITIES)).counts_many(_SCOPES)
    finally:
        _core.set_simd_level(before)
    wrong = sum(
        not np.array_equal(cells, count_with_numpy([columns[v] for v in scope], cells.shape))
        for scope, cells in zip(_SCOPES, counted, strict=True)
    )
    return wrong == 0, f"{len(_SCOPES) - wrong} of {len(_SCOPES)} tables over {n_rows:,} rows"


def count_with_numpy(columns: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    cells = np.ravel_multi_index(columns, shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


def check_sampling(n_rows: int = 50_000) -> tuple[bool, str]:
    """Draw twice, on one thread and on several."""
    asia, threads = load_network("asia"), _core.threads()
    try:
        _core.set_threads(1)
        alone = asia.sample(n_rows, rng=np.random.default_rng(7))
        _core.set_threads(4)
        together = asia.sample(n_rows, rng=np.random.default_rng(7))
    finally:
        _core.set_threads(threads)
    return alone == together, f"{n_rows:,} rows on 1 and on 4 threads"


def check_answer() -> tuple[bool, str]:
    found = load_network("asia").query("lung", given={"xray": "yes", "smoke": "yes"})["yes"]
    return abs(found - _KNOWN_ANSWER) < 5e-5, f"{found:.4f}, to be {_KNOWN_ANSWER:.4f}"
