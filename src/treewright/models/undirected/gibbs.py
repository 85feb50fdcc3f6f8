"""Approximate rows and marginals by Gibbs chains, with figures that say how far to trust them.

Several chains start in different places. Where they agree (R-hat near one) they have probably forgotten their
starts; the effective sample size says how many independent rows the dependent ones are worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from treewright.errors import EvidenceError, ImpossibleEvidence, SettingError, TableTooLarge
from treewright.inference.evidence import Evidence, EvidenceReader, Given
from treewright.inference.gibbs import GibbsSampler
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.inference.refusals import sampling_seed
from treewright.models.answers import Marginals
from treewright.models.asking import Asking
from treewright.ranges import in_range
from treewright.tables.schema import Label
from treewright.tables.table import Table
from treewright.types import Brief, Cells


@dataclass(frozen=True, eq=False)
class GibbsSample(Brief):
    """Rows of several Gibbs chains, one after the other, all of equal length.

    `estimates` has per chain (lines) the estimated distribution of every variable, side by side.
    """

    table: Table
    n_chains: int
    estimates: Cells = field(repr=False)

    @property
    def n_rows(self) -> int:
        """Rows of each chain."""
        return self.table.n_rows // self.n_chains

    def marginals(self) -> Marginals:
        """The estimated distribution of every variable: the mean of those that it was drawn from."""
        return Marginals(self.table.schema, self.estimates.mean(axis=0))

    def r_hat(self) -> dict[str, float]:
        """Potential scale reduction of every variable: near 1 when the chains agree, above 1.01 be wary.

        Chains are split in two, so that a chain that drifts disagrees with itself; of a variable's states the
        worst counts (Gelman et al. 2013, section 11.4). Infinite when no chain moves and they differ.
        """
        half = self.n_rows // 2
        if half < 2:
            raise SettingError(f"R-hat needs at least 4 rows of each chain; found {self.n_rows}")
        return {name: _r_hat(shares, half) for name, shares in self._shares(half, 2)}

    def effective_sample_size(self) -> dict[str, float]:
        """How many independent rows would estimate each variable's distribution as well, by batch means.

        The worst of a variable's states counts. A variable that never moved has nothing to estimate from and
        gets the number of rows.
        """
        size = math.isqrt(self.n_rows)
        if size < 2:
            raise SettingError(f"the effective sample size needs 4 rows of each chain; found {self.n_rows}")
        total, batches = float(self.table.n_rows), self._shares(size, self.n_rows // size)
        return {name: _effective(shares, size, total) for name, shares in batches}

    def _shares(self, size: int, n_batches: int) -> list[tuple[str, Cells]]:
        """For each variable: in every batch of every chain, the share of each state."""
        result, n = [], self.n_chains * n_batches
        for variable, column in zip(self.table.schema, self.table.columns, strict=True):
            r = variable.cardinality
            codes = np.asarray(column, dtype=np.int64).reshape(self.n_chains, -1)[:, : size * n_batches]
            cells = np.bincount(np.arange(n).repeat(size) * r + codes.ravel(), minlength=n * r)
            result.append((variable.name, cells.reshape(-1, r) / size))
        return result


@in_range
def sample_gibbs(
    model: Asking,
    n: int,
    given: Given | None = None,
    *,
    rng: np.random.Generator,
    chains: int = 4,
    burn_in: int = 1_000,
    thinning: int = 1,
    start: Mapping[str, Label] | None = None,
) -> GibbsSample:
    """Draw rows by Gibbs chains: approximate, and possible where no junction tree would fit.

    Parameters
    ----------
    model, given
        A Markov network, or any other network of tables; and what is known, as for `query`.
    n, chains
        Rows to keep of each chain, and how many independent chains; two or more can be seen to agree.
    rng
        Gives one 64-bit seed. Chains are the same for any number of threads, and the first chains of more
        chains are those of fewer.
    burn_in, thinning
        Sweeps over all variables that are thrown away first; after these every so many are kept.
    start
        Where every chain starts: a state for each variable that is not observed. By default each chain looks
        for a possible joint state of its own; where zeros hide them, the exact engine is asked for some.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> from treewright.models import MarkovNetwork
    >>> model = MarkovNetwork.of(load_network("asia"))
    >>> sample = sample_gibbs(model, 2_000, {"either": "no"}, rng=np.random.default_rng(1))
    >>> exact = model.marginals({"either": "no"})
    >>> abs(sample.marginals()["bronc"]["yes"] - exact["bronc"]["yes"]) < 0.02
    True
    >>> max(sample.r_hat().values()) < 1.05
    True
    """
    for name, value, least in (("chains", chains, 1), ("burn_in", burn_in, 0), ("thinning", thinning, 1)):
        if value < least:
            raise SettingError(f"{name} is at least {least}; found {value}")
    seed = sampling_seed(model.schema, n * chains, rng)
    evidence = EvidenceReader(model.schema)(given)
    engine = model._engine
    if not isinstance(engine, JunctionTreeEngine):
        raise SettingError(
            f"Gibbs chains walk over tables, and a {type(model).__name__} has none; its sample() draws exact "
            "and independent rows"
        )
    sampler = GibbsSampler(model.schema, engine.factors, evidence)
    if start is None:
        starts = _found_starts(model, sampler, evidence, chains, seed)
    else:
        starts = [_read_start(sampler, evidence, start)] * chains
    columns, estimates = sampler.run(starts, n=n, burn_in=burn_in, thinning=thinning, seed=seed)
    return GibbsSample(Table(model.schema, columns), chains, estimates)


def _read_start(sampler: GibbsSampler, evidence: Evidence, start: Mapping[str, Label]) -> list[int]:
    schema = sampler.schema
    read = EvidenceReader(schema)(start)
    states = dict(zip(read.observed, read.states, strict=True))
    for v, code in zip(evidence.observed, evidence.states, strict=True):
        if states.setdefault(v, code) != code:
            raise EvidenceError(f"the start and what is given put {schema.names[v]!r} in different states")
    missing = [name for v, name in enumerate(schema.names) if v not in states]
    if missing:
        raise EvidenceError(f"a start names a state for every variable; {missing[0]!r} has none")
    codes = [states[v] for v in range(len(schema))]
    violated = sampler.violated(codes)
    if violated is not None:
        shown = Evidence(list(violated), [codes[v] for v in violated]).describe(schema)
        raise ImpossibleEvidence(f"the start has probability zero: {shown} cannot happen together")
    return codes


def _found_starts(
    model: Asking, sampler: GibbsSampler, evidence: Evidence, chains: int, seed: int
) -> list[list[int]]:
    found = [sampler.find_start(seed=seed, chain=chain) for chain in range(chains)]
    starts = [states for states in found if states is not None]
    if len(starts) == chains:
        return starts
    try:
        columns, log_mass = model._engine.sample(chains, evidence, seed=seed)
    except TableTooLarge as refused:
        if starts:  # fewer starts than chains are no reason to give up
            return [starts[chain % len(starts)] for chain in range(chains)]
        raise ImpossibleEvidence(
            "no joint state of positive probability was found that agrees with what is given, and the exact "
            f"engine cannot be asked for one ({refused}); pass start= with a possible state"
        ) from refused
    if log_mass == -math.inf:
        model._engine.refuse_impossible(evidence)
    return [[int(column[chain]) for column in columns] for chain in range(chains)]


def _r_hat(shares: Cells, n: int) -> float:
    within: Cells = (shares * (1 - shares)).mean(axis=0) * n / (n - 1)
    between = shares.var(axis=0, ddof=1)
    if not between.any():
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = (n - 1) / n + between / within
    return float(np.sqrt(np.max(squared[between > 0])))


def _effective(shares: Cells, size: int, total: float) -> float:
    mean = shares.mean(axis=0)
    variance = mean * (1 - mean)
    moving = variance > 0
    if not moving.any():
        return total
    spread = size * shares.var(axis=0, ddof=1)[moving] if len(shares) > 1 else np.zeros(int(moving.sum()))
    with np.errstate(divide="ignore"):
        worth = total * variance[moving] / spread
    return float(min(total, worth.min()))
