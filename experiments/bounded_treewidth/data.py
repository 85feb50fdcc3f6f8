"""Gene expression, genotypes along a chromosome, temperatures of a laboratory; or stand-ins for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import treewright as tw
from experiments.common import data_file

TEMPERATURE_STATES = 4


@dataclass(frozen=True)
class Rows:
    """A table, and how to call it."""

    shown: str
    table: tw.Table


def genes() -> Rows:
    """Yeast under stress (Gasch et al. 2000): fully observed genes of metabolic processes, real-valued."""
    file = data_file("sensors_genes", "yeast_metabolism.csv.gz")
    if file is not None:
        return Rows("genes", tw.read_table(file))
    return Rows("genes (generated)", _reals("gene", 60, 8, seed=1))


def genotypes() -> Rows:
    """Counts of the second allele at 200 places of chromosome 22, in the order of the genome."""
    file = data_file("sensors_genes", "chr22_genotypes.csv.gz")
    if file is not None:
        return Rows("genotypes", tw.read_table(file))
    rng = np.random.default_rng(2)
    first = rng.integers(0, 3, 60)
    columns = [first]
    for _ in range(9):  # neighbours are alike
        columns.append(np.where(rng.random(60) < 0.7, columns[-1], rng.integers(0, 3, 60)))
    table = tw.Table.from_codes(np.array(columns).T, [3] * 10, [f"snp{i:03d}" for i in range(10)])
    return Rows("genotypes (generated)", table)


def temperature() -> tuple[str, tw.Table, tw.Table]:
    """Three days to learn from and two to judge on, each sensor cut at the quartiles of the three days."""
    files = [data_file("sensors_genes", f"intel_temperature_{part}.csv.gz") for part in ("train", "test")]
    if files[0] is not None and files[1] is not None:
        shown, reals = "temperature", [tw.read_table(file) for file in files]
    else:
        every = _reals("sensor", 90, 8, seed=3)
        shown, reals = "temperature (generated)", [every.take(slice(60)), every.take(slice(60, 90))]
    train = tw.read_table(reals[0], bins=TEMPERATURE_STATES)
    return shown, train, tw.read_table(reals[1], schema=train.schema)


def _reals(prefix: str, n_rows: int, n: int, seed: int) -> tw.Table:
    """Each column a bent sum of two earlier ones, and noise."""
    rng = np.random.default_rng(seed)
    columns: list[npt.NDArray[np.float64]] = []
    for i in range(n):
        parents = [columns[j] for j in rng.permutation(i)[:2]]
        columns.append(np.tanh(np.sum(parents, axis=0)) + 0.5 * rng.normal(size=n_rows))
    return tw.read_table({f"{prefix}{i:02d}": column for i, column in enumerate(columns)})
