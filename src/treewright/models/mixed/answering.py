"""What the engine of a mixed network finds, put into answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from treewright.inference.conditional_gaussian import (
    Belief,
    ConditionalGaussianEngine,
    MixedEvidence,
    Part,
)
from treewright.inference.evidence import state_of
from treewright.inference.junction_tree import JunctionTreeEngine
from treewright.models.answers import Distribution
from treewright.models.continuous.normal_answers import JointNormal
from treewright.models.mixed.mixtures import NormalMixture
from treewright.tables.schema import Label
from treewright.types import Floats, Names

_TINY = 1e-300  # a variance that rounding left nothing of


def ask(engine: ConditionalGaussianEngine, evidence: MixedEvidence) -> tuple[JunctionTreeEngine, float]:
    """The junction tree of the states given everything, and the log-density of the evidence."""
    tree, log_scale = engine.discrete(evidence)
    log_mass = tree.log_mass(evidence.states)
    if log_mass == -math.inf:
        tree.refuse_impossible(evidence.states)
    if not evidence.numbers and not evidence.states.weighted:
        log_mass = min(log_mass, 0.0)
    return tree, log_mass + log_scale


def log_density(engine: ConditionalGaussianEngine, evidence: MixedEvidence) -> float:
    return ask(engine, evidence)[1]


def joint_states(
    engine: ConditionalGaussianEngine, evidence: MixedEvidence, names: Sequence[str]
) -> Distribution:
    """The joint distribution of discrete variables."""
    tree, log_evidence = ask(engine, evidence)
    table, _ = tree.joint(engine.schema.scope(names), evidence.states)
    return Distribution([engine.schema[name] for name in names], table, log_evidence)


def all_states(
    engine: ConditionalGaussianEngine, evidence: MixedEvidence
) -> tuple[dict[str, Distribution], float]:
    """The distribution of every discrete variable."""
    tree, log_evidence = ask(engine, evidence)
    cells, _ = tree.marginals(evidence.states)
    found, begin = {}, 0
    for variable in engine.schema:
        found[variable.name] = Distribution(
            [variable], cells[begin : begin + variable.cardinality], log_evidence
        )
        begin += variable.cardinality
    return found, log_evidence


def mixtures(
    engine: ConditionalGaussianEngine, evidence: MixedEvidence, names: Iterable[str]
) -> list[NormalMixture]:
    """What some continuous variables are; one that is observed is its number."""
    names = list(names)
    hidden = [name for name in names if name not in evidence.numbers]
    parts = engine.parts_for(evidence, hidden)
    for part in parts.values():
        engine.check(part)
    tree, log_evidence = ask(engine, evidence)
    found: dict[str, NormalMixture] = {
        name: NormalMixture(name, np.ones(1), np.array([number]), np.zeros(1), log_evidence)
        for name, number in evidence.numbers.items()
    }
    for part in {id(part): part for part in parts.values()}.values():
        weights = _weights(engine, tree, evidence, part.scope)
        wanted = [name for name in hidden if parts[name] is part]
        at = [part.hidden.index(name) for name in wanted]
        means, variances = [], []
        for belief in engine.beliefs(part, evidence):
            means.append(belief.mean[:, at])
            variances.append(belief.covariance[:, at, at])
        centre, spread = np.concatenate(means), np.maximum(np.concatenate(variances), _TINY)
        for k, name in enumerate(wanted):
            found[name] = NormalMixture(name, weights, centre[:, k], spread[:, k], log_evidence)
    return [found[name] for name in names]


def joint_numbers(
    engine: ConditionalGaussianEngine, evidence: MixedEvidence, names: Sequence[str]
) -> JointNormal:
    """Means and covariances of several continuous variables, exact ones of the mixture."""
    hidden = [name for name in names if name not in evidence.numbers]
    width = len(names)
    mean = np.array([evidence.numbers.get(name, 0.0) for name in names])
    covariance = np.zeros((width, width))
    parts = {id(part): part for part in engine.parts_for(evidence, hidden).values()}
    tree, log_evidence = ask(engine, evidence)
    if hidden:
        part = engine.merged_part(list(parts.values()))
        engine.check(part)
        weights = _weights(engine, tree, evidence, part.scope)
        at = np.array([k for k, name in enumerate(names) if name not in evidence.numbers])
        columns = [part.hidden.index(names[k]) for k in at]
        beliefs = list(_some(engine.beliefs(part, evidence), columns))
        means = np.concatenate([one.mean for one in beliefs])
        mean[at] = weights @ means
        inner = np.einsum("k,kij->ij", weights, np.concatenate([one.covariance for one in beliefs]))
        rest = means - mean[at]
        found = inner + (weights[:, None] * rest).T @ rest
        covariance[np.ix_(at, at)] = (found + found.T) / 2
    return JointNormal(names, mean, covariance, log_evidence)


def _some(beliefs: Iterable[Belief], columns: list[int]) -> Iterable[Belief]:
    for one in beliefs:
        inner = one.covariance[:, columns][:, :, columns]
        yield Belief(one.log_density, one.mean[:, columns], inner)


def _weights(
    engine: ConditionalGaussianEngine, tree: JunctionTreeEngine, evidence: MixedEvidence, scope: Names
) -> Floats:
    """The posterior of the joint states of a scope, in one row."""
    if not scope:
        return np.ones(1)
    return tree.joint(engine.schema.scope(scope), evidence.states)[0].ravel()


def highest_point(
    engine: ConditionalGaussianEngine, evidence: MixedEvidence
) -> tuple[dict[str, Label], float]:
    """States and numbers of the highest density, and its logarithm.

    In each joint state a Normal is highest at its mean, where its density is that of the evidence over the
    root of the determinant of its covariance.
    """
    ask(engine, evidence)  # which refuses what is impossible
    known = engine.schema.names_of(evidence.states.observed)
    parts = engine.parts(evidence.numbers, engine.families, known)
    tables = []
    for part in parts:
        engine.check(part)
        logs = [_log_peak(belief) for belief in engine.beliefs(part, evidence)]
        shape = tuple(engine.schema[name].cardinality for name in part.scope)
        tables.append((part.scope, np.concatenate(logs).reshape(shape)))
    tree, log_scale = engine.with_tables(tables, evidence.states)
    codes, log_mass = tree.most_probable(evidence.states)
    states = dict(zip(engine.schema.names, codes, strict=True))
    found: dict[str, Label] = {name: state_of(engine.schema[name], code) for name, code in states.items()}
    found.update(evidence.numbers)
    for part in parts:
        belief = next(iter(engine.beliefs(part, evidence, _position(engine, part, states))))
        found.update(zip(part.hidden, belief.mean[0].tolist(), strict=True))
    return found, log_mass + log_scale


def _log_peak(belief: Belief) -> Floats:
    width = belief.mean.shape[1]
    if not width:
        return belief.log_density
    _, log_det = np.linalg.slogdet(belief.covariance)
    return np.asarray(belief.log_density - 0.5 * (width * math.log(2 * math.pi) + log_det))


def _position(engine: ConditionalGaussianEngine, part: Part, states: dict[str, int]) -> npt.NDArray[np.intp]:
    at = 0
    for name in part.scope:
        at = at * engine.schema[name].cardinality + states[name]
    return np.array([at], dtype=np.intp)


def draw(
    engine: ConditionalGaussianEngine, evidence: MixedEvidence, n: int, seed: int
) -> dict[str, npt.NDArray[np.generic]]:
    """Rows of the model given evidence, a column for each name.

    Numbers that hang together with observed ones are drawn jointly given the row's states; all others along
    their lines. Each variable has a stream of its own, which its place by name tells.
    """
    tree, _ = ask(engine, evidence)
    columns, _ = tree.sample(n, evidence.states, seed=seed)
    states = {name: np.asarray(c) for name, c in zip(engine.schema.names, columns, strict=True)}
    found: dict[str, npt.NDArray[np.generic]] = dict(states)
    found.update({name: np.full(n, number) for name, number in evidence.numbers.items()})
    rank = {name: k for k, name in enumerate(sorted(engine.families))}

    def normals(name: str) -> Floats:
        stream = np.random.SeedSequence([seed, rank[name]])
        return np.random.Generator(np.random.PCG64(stream)).standard_normal(n)

    known = engine.schema.names_of(evidence.states.observed)
    for part in engine.parts(evidence.numbers, (), known):
        if part.hidden:
            drawn = _draw_part(engine, evidence, part, states, [normals(name) for name in part.hidden])
            found.update(zip(part.hidden, drawn, strict=True))
    for name, family in engine.families.items():
        if name in found:
            continue
        row = np.zeros(n, dtype=np.intp)
        for parent in family.discrete:
            row = row * engine.schema[parent].cardinality + states[parent]
        centre = family.intercepts[row].copy()
        for k, parent in enumerate(family.continuous):
            centre += family.slopes[row, k] * found[parent]
        found[name] = centre + np.sqrt(family.variances[row]) * normals(name)
    return found


def _draw_part(
    engine: ConditionalGaussianEngine,
    evidence: MixedEvidence,
    part: Part,
    states: Mapping[str, npt.NDArray[np.unsignedinteger]],
    normals: list[Floats],
) -> Floats:
    """The hidden numbers of a part for rows of states: one factorisation for each joint state that occurs."""
    n = len(normals[0])
    row = np.zeros(n, dtype=np.intp)
    for name in part.scope:
        row = row * engine.schema[name].cardinality + states[name].astype(np.intp)
    occurring, which = np.unique(row, return_inverse=True)
    z, drawn, begin = np.stack(normals, axis=1), np.empty((n, len(normals))), 0
    for belief in engine.beliefs(part, evidence, occurring):
        here = np.flatnonzero((which >= begin) & (which < begin + len(belief.mean)))
        at = which[here] - begin
        values, vectors = np.linalg.eigh(belief.covariance)  # which takes what has hardly any variance
        roots = vectors * np.sqrt(np.maximum(values, 0))[:, None, :] @ vectors.transpose(0, 2, 1)
        for begin_row in range(0, len(here), 1 << 12):
            some = slice(begin_row, begin_row + (1 << 12))
            rows = here[some]
            drawn[rows] = belief.mean[at[some]] + np.einsum("nij,nj->ni", roots[at[some]], z[rows])
        begin += len(belief.mean)
    return drawn.T
