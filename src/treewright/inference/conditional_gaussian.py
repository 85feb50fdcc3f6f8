"""Exact answers of networks that mix tables and lines, by strong elimination (Lauritzen 1992).

Numbers are eliminated before states. Given one state of each discrete variable that they hang on, the
continuous variables are jointly Normal, so what is observed of them becomes a table over those discrete
variables: the density of the observations in every joint state. With these tables beside its own, the
discrete part of the network is a product of tables like any other, and the junction tree answers about it.
What a continuous variable then is, is a mixture: a Normal for every joint state, weighted by the posterior.

Only what matters for a question is looked at: variables below everything observed or asked go, an observed
number cuts the graph, and what hangs together after that is one *part* with a table of its own. Observations
enter one after the other in topological order (a Kalman filter over a graph), for many joint states at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from treewright.errors import TableTooLarge
from treewright.inference.engine import Cost, Factor
from treewright.inference.evidence import Evidence
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.limits import format_count, memory_limit
from treewright.tables.schema import Schema
from treewright.types import Brief, Floats, Names

Positions = npt.NDArray[np.intp]
One = TypeVar("One")

_LOG_2PI = math.log(2 * math.pi)
_CHUNK = 1 << 22  # numbers of covariances that are worked on at a time
_LEAST_LOG = -600.0  # of a cell: its exponential keeps all digits
_MOST_PARTS = 8  # of one table; what is below exp(-4800) beside ordinary cells is nothing
_MERGED = 1 << 16  # cells up to which tables of densities are multiplied as logarithms
_OPERATIONS_PER_SECOND = 2e8


@dataclass(frozen=True)
class LinearFamily(Brief):
    """A line for every joint state of the discrete parents: all parents by name, states in row-major order.

    `intercepts` and `variances` have a number for each joint state, `slopes` one for each of the continuous
    parents beside it.
    """

    child: str
    discrete: Names
    continuous: Names
    intercepts: Floats
    slopes: Floats
    variances: Floats


@dataclass(frozen=True)
class MixedEvidence(Brief):
    """States (and likelihoods) of discrete variables, and numbers of continuous ones by name."""

    states: Evidence
    numbers: Mapping[str, float]


class Part(NamedTuple):
    """Families that hang together by numbers nobody observed, in topological order, and their states."""

    families: tuple[LinearFamily, ...]
    scope: Names  # discrete variables that are not observed
    hidden: Names  # continuous ones that are not

    def is_about(self, name: str) -> bool:
        return name in self.hidden


class Belief(NamedTuple):
    """The hidden numbers of a part in some joint states: Normals, and the log-density of what is observed."""

    log_density: Floats
    mean: Floats  # by joint state and variable
    covariance: Floats


class ConditionalGaussianEngine:
    """Answers about lines over a product of tables.

    Parameters
    ----------
    schema
        The discrete variables, sorted by name.
    factors
        The table of each of them given its parents, the variable itself last.
    families
        The lines of the continuous variables, parents before children.
    """

    def __init__(self, schema: Schema, factors: Sequence[Factor], families: Iterable[LinearFamily]) -> None:
        self.schema, self.factors = schema, tuple(factors)
        self.families = {family.child: family for family in families}
        self.place = {name: k for k, name in enumerate(self.families)}
        self._plain = JunctionTreeEngine(schema, self.factors, directed=True)
        self._last: tuple[object, tuple[JunctionTreeEngine, float]] | None = None

    # parts

    def parts(
        self, observed: Mapping[str, float], wanted: Iterable[str], known: Iterable[str] = ()
    ) -> list[Part]:
        """What hangs together of the families that matter for observed and wanted numbers.

        `known` are discrete variables that are observed.
        """
        relevant: set[str] = set()
        stack = [*observed, *wanted]
        while stack:
            name = stack.pop()
            if name not in relevant:
                relevant.add(name)
                stack += [p for p in self.families[name].continuous if p not in observed]
        order = sorted(relevant, key=self.place.__getitem__)
        group = {name: [name] for name in order}  # who hangs together with whom
        for name in order:
            for parent in self.families[name].continuous:
                if parent not in observed and group[parent] is not group[name]:
                    group[name] += group[parent]
                    group.update(dict.fromkeys(group[parent], group[name]))
        return [self._part(one, observed, set(known)) for one in _distinct(group.values())]

    def _part(self, group: list[str], observed: Mapping[str, float], known: set[str]) -> Part:
        names = sorted(group, key=self.place.__getitem__)
        families = tuple(self.families[name] for name in names)
        scope = sorted({d for family in families for d in family.discrete} - known)
        return Part(families, tuple(scope), tuple(name for name in names if name not in observed))

    def merged_part(self, part_of: Sequence[Part]) -> Part:
        """Several parts as one."""
        families = {f.child: f for part in part_of for f in part.families}
        order = sorted(families, key=self.place.__getitem__)
        hidden = {name for part in part_of for name in part.hidden}
        scope = sorted({d for part in part_of for d in part.scope})
        return Part(
            tuple(families[name] for name in order),
            tuple(scope),
            tuple(name for name in order if name in hidden),
        )

    def parts_for(self, evidence: MixedEvidence, wanted: Iterable[str]) -> dict[str, Part]:
        """For each of some hidden numbers the part that says what it is, as small as may be."""
        known = self._observed(evidence)
        shared = [part for part in self.parts(evidence.numbers, (), known) if part.hidden]
        found: dict[str, Part] = {}
        for name in wanted:
            part = next((one for one in shared if one.is_about(name)), None)
            if part is None:
                parts = self.parts(evidence.numbers, (name,), known)
                part = next(one for one in parts if one.is_about(name))
            found[name] = part
        return found

    # numbers in joint states

    def beliefs(
        self, part: Part, evidence: MixedEvidence, states: Positions | None = None
    ) -> Iterator[Belief]:
        """The hidden numbers in every joint state of a part's scope, or in some; a chunk at a time."""
        shape = self._shape(part.scope)
        n_states = math.prod(shape) if states is None else len(states)
        step = max(1, _CHUNK // max(1, len(part.hidden) ** 2))
        fixed = dict(zip(self._observed(evidence), evidence.states.states, strict=True))
        for begin in range(0, n_states, step):
            end = min(begin + step, n_states)
            chunk = np.arange(begin, end) if states is None else states[begin:end]
            digits = dict(zip(part.scope, np.unravel_index(chunk, shape), strict=True)) if shape else {}
            yield self._belief(part, evidence.numbers, digits, fixed, len(chunk))

    def _belief(
        self,
        part: Part,
        numbers: Mapping[str, float],
        digits: Mapping[str, Positions],
        fixed: Mapping[str, int],
        n: int,
    ) -> Belief:
        column = {name: k for k, name in enumerate(part.hidden)}
        width = len(column)
        mean, covariance, log_density = np.zeros((n, width)), np.zeros((n, width, width)), np.zeros(n)
        for family in part.families:
            row = np.zeros(n, dtype=np.intp)
            for name in family.discrete:
                row *= len(self.schema[name].states or ())
                row += digits[name] if name in digits else fixed[name]
            centre, spread = family.intercepts[row].copy(), family.variances[row].copy()
            cross = np.zeros((n, width))
            parents = []
            for k, name in enumerate(family.continuous):
                slope = family.slopes[row, k]
                if name in numbers:
                    centre += slope * numbers[name]
                else:
                    parents.append((column[name], slope))
                    centre += slope * mean[:, column[name]]
                    cross += slope[:, None] * covariance[:, column[name]]
            for at, slope in parents:
                spread += slope * cross[:, at]
            if family.child not in numbers:
                at = column[family.child]
                mean[:, at] = centre
                covariance[:, at], covariance[:, :, at] = cross, cross
                covariance[:, at, at] = spread
                continue
            rest = numbers[family.child] - centre
            log_density -= 0.5 * (_LOG_2PI + np.log(spread) + rest * rest / spread)
            mean += cross * (rest / spread)[:, None]
            covariance -= cross[:, :, None] * (cross / spread[:, None])[:, None, :]
        return Belief(log_density, mean, covariance)

    # states

    def discrete(self, evidence: MixedEvidence) -> tuple[JunctionTreeEngine, float]:
        """The junction tree of the discrete part with what the numbers say, and the log of its scale."""
        if not evidence.numbers:
            return self._plain, 0.0
        key = (
            tuple(sorted(evidence.numbers.items())),
            tuple(evidence.states.observed),
            tuple(evidence.states.states),
            tuple(evidence.states.weighted),
            tuple(tuple(x > 0 for x in likelihood) for likelihood in evidence.states.likelihoods),
        )
        if self._last is not None and self._last[0] == key:
            return self._last[1]
        parts = self.parts(evidence.numbers, (), self._observed(evidence))
        tables = []
        for part in parts:
            self.check(part)
            logs = np.concatenate([belief.log_density for belief in self.beliefs(part, evidence)])
            tables.append((part.scope, logs.reshape(self._shape(part.scope))))
        made = self.with_tables(tables, evidence.states)
        self._last = key, made
        return made

    def with_tables(
        self, tables: Sequence[tuple[Names, Floats]], states: Evidence
    ) -> tuple[JunctionTreeEngine, float]:
        """The junction tree of the discrete part times exp(tables), and the log of what was divided out."""
        factors, log_scale = list(self.factors), 0.0
        for scope, every in self._multiplied(tables):
            logs = self._possible(scope, every, states)
            highest = float(logs.max())
            if highest == -math.inf:
                highest = 0.0
            log_scale += highest
            if scope:
                table = self.schema.scope(scope)
                factors += [Factor(table, cells) for cells in _exponentials(logs - highest)]
        engine = self._plain
        if len(factors) > len(self.factors):
            engine = JunctionTreeEngine(self.schema, factors)
        return engine, log_scale

    def _possible(self, scope: Names, logs: Floats, states: Evidence) -> Floats:
        """States that are ruled out have no say in the scale, however well the numbers fit them."""
        for v, likelihood in zip(states.weighted, states.likelihoods, strict=True):
            if (name := self.schema.names[v]) in scope:
                axes = [-1 if other == name else 1 for other in scope]
                logs = np.where(np.reshape(likelihood, axes) > 0, logs, -math.inf)
        return logs

    def _multiplied(self, tables: Sequence[tuple[Names, Floats]]) -> list[tuple[Names, Floats]]:
        """Tables over few states are added as logarithms first: their products never underflow."""
        done: list[tuple[Names, Floats]] = []
        for scope, logs in sorted(tables, key=lambda one: one[0]):
            for k, (other, theirs) in enumerate(done):
                union = tuple(sorted({*scope, *other}))
                if math.prod(self._shape(union)) <= _MERGED:
                    done[k] = union, self._spread(scope, logs, union) + self._spread(other, theirs, union)
                    break
            else:
                done.append((scope, logs))
        return done

    def _spread(self, scope: Names, logs: Floats, union: Names) -> Floats:
        shape = [len(self.schema[name].states or ()) if name in scope else 1 for name in union]
        return np.broadcast_to(logs.reshape(shape), self._shape(union))

    # sizes

    def check(self, part: Part) -> None:
        """Refuse a table over the joint states of a part that memory would not hold, before it exists."""
        size = 8 * math.prod(self._shape(part.scope)) * (2 + 2 * len(part.hidden))
        if size > memory_limit():
            shown = ", ".join(map(repr, part.scope[:12]))
            more = f" and {len(part.scope) - 12} more" if len(part.scope) > 12 else ""
            raise TableTooLarge(
                f"this question needs Normals for every joint state of {shown}{more}: {format_count(size)} "
                f"bytes, above the memory limit of {memory_limit():,}; observe some of these variables, or "
                "numbers that separate them, or raise the limit with set_memory_limit or TREEWRIGHT_MEMORY"
            )

    def cost(self, evidence: MixedEvidence, wanted: Iterable[str]) -> Cost:
        """What all answers about states and some about numbers take; nothing is computed."""
        parts = self.parts(evidence.numbers, (), self._observed(evidence))
        parts += _distinct(self.parts_for(evidence, wanted).values())
        plain = self._plain.cost(evidence.states)
        cells = [math.prod(self._shape(part.scope)) for part in parts]
        n_bytes = plain.bytes + sum(
            8 * n * (2 + 2 * len(p.hidden)) for n, p in zip(cells, parts, strict=True)
        )
        operations = plain.operations + sum(
            4 * n * len(p.families) * max(1, len(p.hidden)) ** 2 for n, p in zip(cells, parts, strict=True)
        )
        largest = max(range(len(parts)), key=lambda k: cells[k], default=None)
        scope, most = plain.largest_table, plain.largest_cells
        if largest is not None and cells[largest] > most:
            scope, most = parts[largest].scope, cells[largest]
        seconds = plain.seconds + (operations - plain.operations) / _OPERATIONS_PER_SECOND
        refused = plain.refused or any(
            8 * n * (2 + 2 * len(p.hidden)) > memory_limit() for n, p in zip(cells, parts, strict=True)
        )
        return Cost(max(plain.width, len(scope) - 1), scope, most, n_bytes, operations, seconds, refused)

    def _shape(self, scope: Iterable[str]) -> tuple[int, ...]:
        return tuple(len(self.schema[name].states or ()) for name in scope)

    def _observed(self, evidence: MixedEvidence) -> Names:
        return self.schema.names_of(evidence.states.observed)


def _distinct(parts: Iterable[One]) -> list[One]:
    """Each once, in the order met: the same object stands for every member."""
    return list({id(part): part for part in parts}.values())


def _exponentials(logs: Floats) -> list[Floats]:
    """Tables whose product is exp(logs), of logs up to zero: several, where a cell of one would be lost."""
    least = float(logs[np.isfinite(logs)].min(initial=0.0))
    parts = min(_MOST_PARTS, math.ceil(max(1.0, least / _LEAST_LOG)))
    return [np.exp(logs / parts)] * parts
