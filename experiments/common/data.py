"""Rows to learn from: the public sets of the folder that TREEWRIGHT_DATA names, or generated stand-ins.

Every access says which of the two it was. A stand-in has the shape of the original, not its size: it shows
that an experiment runs, and its figures mean nothing.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import treewright as tw

STAND_IN_ROWS = 600


@dataclass(frozen=True)
class DensitySet:
    """A binary set with its fixed split; `shown` names it, and says so when it is generated."""

    shown: str
    train: tw.Table
    valid: tw.Table
    test: tw.Table


def data_folder() -> Path | None:
    """The folder that TREEWRIGHT_DATA names; None when it is unset or empty."""
    path = os.environ.get("TREEWRIGHT_DATA")
    return Path(path) if path else None


def data_file(*parts: str) -> Path | None:
    """A file below the folder; None without the folder. A folder that lacks it is refused."""
    folder = data_folder()
    if folder is None:
        return None
    path = folder.joinpath(*parts)
    if not path.is_file():
        raise FileNotFoundError(f"TREEWRIGHT_DATA names {str(folder)!r}, which has no {'/'.join(parts)}")
    return path


def density(name: str) -> DensitySet:
    """A binary density set such as "nltcs", or rows of a random network in its place."""
    file = data_file("density", f"{name}.npz")
    if file is None:
        model = tw.random_network(12, 3, states=(2, 2), concentration=0.5, rng=_seeded(name))
        shares = model.sample(STAND_IN_ROWS, rng=_seeded(name)).split((0.6, 0.1, 0.3), _seeded(name))
        return DensitySet(f"{name} (generated)", *shares)
    packed = np.load(file)
    n = int(packed["n_vars"])
    return DensitySet(name, *(_binary_rows(packed[part], n) for part in ("train", "valid", "test")))


def network(name: str) -> tuple[tw.BayesianNetwork, str]:
    """A network of the package, of the folder, or a random one in its place; and how to call it."""
    if name in tw.networks.list_networks():
        return tw.load_network(name), name
    file = data_file("networks", f"{name}.bif.gz")
    if file is not None:
        model = tw.read_model(file)
        assert isinstance(model, tw.BayesianNetwork)
        return model, name
    return tw.random_network(30, 4, states=(2, 3), rng=_seeded(name)), f"{name} (generated)"


def _binary_rows(packed: npt.NDArray[np.uint8], n: int) -> tw.Table:
    """Names are numbers of one length, so that ties go by column."""
    names = [f"v{i:04d}" for i in range(n)]
    return tw.Table.from_codes(np.unpackbits(packed, axis=1)[:, :n], [2] * n, names)


def _seeded(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))
