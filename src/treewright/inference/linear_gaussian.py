"""Exact answers of a linear-Gaussian network, by blocks.

Every variable is its mean plus a row of influences times independent standard normal numbers. Observing some
variables fixes the part of those numbers that lies along their rows; an orthonormal basis of the rows tells
what is known from what is free. No covariance is formed or inverted, so nothing cancels, and relations
without noise need no special case: a row in the span of others belongs to a variable that those determine.

What is observed cuts the arcs that leave it, and ancestors of nothing that was asked or observed have no say.
The network falls apart into blocks; a block of n variables, k of them observed, takes n k numbers and about
4 n k^2 operations, however large the network is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from treewright import _core
from treewright.errors import ImpossibleEvidence, TableTooLarge
from treewright.inference.evidence import RealEvidence
from treewright.inference.refusals import within_range
from treewright.limits import format_bytes, memory_limit
from treewright.tables.schema import Schema
from treewright.types import Brief, Floats, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPERATIONS_PER_SECOND = 2e9


@dataclass(frozen=True)
class GaussianCost(Brief):
    """The price of one question to a Gaussian network.

    `largest_block` names the variables that have to be solved together in the dearest block, `n_observed` of
    which are observed. `bytes` is the memory for all blocks, `operations` are multiplications and additions,
    `seconds` a guess from these for one thread. A `refused` question would raise :class:`TableTooLarge`.

    Examples
    --------
    >>> import treewright as tw
    >>> schema = tw.Schema([tw.Variable(name) for name in "abc"])
    >>> chain = tw.Dag(schema, [("a", "b"), ("b", "c")])
    >>> model = tw.GaussianNetwork(chain, [0, 0, 0], {"b": {"a": 1}, "c": {"b": 1}}, [1, 1, 1])
    >>> model.cost(given={"b": 0.5}).largest_block
    ('a', 'b')
    """

    largest_block: tuple[str, ...]
    n_observed: int
    bytes: int
    operations: int
    seconds: float
    refused: bool = False

    def __str__(self) -> str:
        verdict = "; above the memory limit" if self.refused else ""
        return (
            f"largest block {len(self.largest_block):,} variables, {self.n_observed:,} observed, "
            f"{format_bytes(self.bytes)}, {self.operations:,} operations, about {self.seconds:.3g} s{verdict}"
        )


class LinearGaussianEngine:
    """Conditions a linear network on what is observed; remembers the last set of observed variables."""

    def __init__(self, schema: Schema, native: _core.NormalNetwork) -> None:
        self.schema = schema
        self.native = native
        self._last: tuple[tuple[Scope, Scope], _core.Conditioning] | None = None

    @within_range()
    def means(self, evidence: RealEvidence, wanted: Scope) -> tuple[Floats, float]:
        """Means of all variables (NaN where nothing was wanted) and the log-density of the evidence."""
        mean, log_density, contradicted = self.given(evidence.observed, wanted).at(evidence.values)
        if contradicted is not None:
            self._refuse_contradiction(evidence, contradicted)
        return mean, log_density

    @within_range()
    def variances(self, evidence: RealEvidence, wanted: Scope) -> Floats:
        return self.given(evidence.observed, wanted).variances(wanted)

    @within_range()
    def covariance(self, evidence: RealEvidence, wanted: Scope) -> Floats:
        blocks = self.native.blocks_given(evidence.observed, wanted)
        asked = set(wanted)
        rows = sum(len(members) * len(asked.intersection(members)) for members, _ in blocks)
        what = f"the covariance of {len(wanted):,} variables"
        self._check_bytes(8 * (rows + len(wanted) ** 2), what, "ask about fewer variables")
        return self.given(evidence.observed, wanted).covariance(wanted)

    @within_range()
    def sample(self, n: int, evidence: RealEvidence, *, seed: int) -> list[Floats]:
        everything = tuple(range(len(self.schema)))
        self.means(evidence, everything)  # refuses what contradicts itself
        given = self.given(evidence.observed, everything)
        return given.sample(evidence.values, len(self.schema), seed, n)

    @within_range()
    def predict(self, observed: Scope, columns: Sequence[Floats], target: int, n_rows: int) -> Floats:
        """Means of one variable for rows of observed columns; NaN for rows that contradict the network."""
        return self.given(observed, (target,)).predict(list(columns), target, n_rows)

    @within_range()
    def given(self, observed: Scope, wanted: Scope) -> _core.Conditioning:
        """The network given values of some variables, whatever those are."""
        last = self._last
        if last is not None and last[0] == (observed, wanted):
            return last[1]
        cost = self.cost(observed, wanted)
        block = cost.largest_block
        what = f"conditioning on {cost.n_observed:,} variables in one block of {len(block):,}"
        way_out = "observe fewer variables, or more of those that separate them"
        self._check_bytes(cost.bytes, f"{what} ({_some(block)})", way_out)
        made = _core.Conditioning(self.native, observed, wanted)
        self._last = (observed, wanted), made
        return made

    def cost(self, observed: Scope, wanted: Scope) -> GaussianCost:
        """What conditioning takes; nothing is computed."""
        blocks = self.native.blocks_given(observed, wanted)
        sizes = [(len(members), len(seen)) for members, seen in blocks]
        size = sum(8 * (n * k + k * (k + 1) // 2) for n, k in sizes)
        asked = set(wanted)
        operations = sum(
            4 * n * k * k + (8 * n * k + 4 * n) * len(asked.intersection(members))
            for (n, k), (members, _) in zip(sizes, blocks, strict=True)
        )
        members, seen = max(blocks, key=lambda block: len(block[0]) * (len(block[1]) + 1), default=((), ()))
        seconds, refused = operations / _OPERATIONS_PER_SECOND, size > memory_limit()
        return GaussianCost(self.schema.names_of(members), len(seen), size, operations, seconds, refused)

    def _check_bytes(self, size: int, what: str, way_out: str) -> None:
        if size > memory_limit():
            raise TableTooLarge(
                f"{what} takes {format_bytes(size)}, more than the limit of {format_bytes(memory_limit())}; "
                f"{way_out}, or raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
            )

    def _refuse_contradiction(self, evidence: RealEvidence, v: int) -> NoReturn:
        """Say which value the others determine, and to what."""
        at = evidence.observed.index(v)
        others = RealEvidence(
            evidence.observed[:at] + evidence.observed[at + 1 :],
            evidence.values[:at] + evidence.values[at + 1 :],
        )
        name = self.schema.names[v]
        mean, _, elsewhere = _core.Conditioning(self.native, others.observed, (v,)).at(others.values)
        known = f"given {others.describe(self.schema)}, " if len(others) else ""
        fact = f"{name} is {'' if len(others) else 'always '}{float(mean[v])!r}"
        if elsewhere is not None:
            fact = "other values contradict each other too"
        raise ImpossibleEvidence(f"evidence {name}={evidence.values[at]!r} is impossible: {known}{fact}")


def _some(names: Sequence[str], limit: int = 8) -> str:
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
