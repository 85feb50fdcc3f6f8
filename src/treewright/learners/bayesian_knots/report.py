"""What learning large networks returns: the network, its class, the map of its variables, and the account."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from treewright.graphs import ClusteredDag, Clusters
from treewright.learners.classes.score_choice import ScoreChoice
from treewright.learners.learned import LearnedNetwork, Trace


@dataclass(frozen=True)
class Stage:
    """One part of the search."""

    name: str  # what it did
    pairs: int | None  # how many pairs of variables it could join; None for a stage that lets no pairs in
    tables: int  # contingency tables counted, those of all pairs only in the pair pass


@dataclass(frozen=True)
class KnotsReport:
    """How a network was found.

    Attributes
    ----------
    stages
        The stages in order.
    certificate
        Whether all allowed pairs were let in at the end, so that no step of the search improves.
    inside
        The share of the edges found whose ends share a cluster.
    score
        What was maximised; empty where tests decided.
    """

    stages: tuple[Stage, ...]
    certificate: bool
    inside: float
    score: str = ""

    @property
    def tables(self) -> int:
        """Tables counted beyond those of all pairs, which every method needs."""
        return sum(stage.tables for stage in self.stages[1:])

    def to_dict(self) -> dict[str, Any]:
        stages = [{"name": s.name, "pairs": s.pairs, "tables": s.tables} for s in self.stages]
        return {
            "stages": stages,
            "certificate": self.certificate,
            "inside_clusters": self.inside,
            "score": self.score,
        }

    def __str__(self) -> str:
        told = [f"score: {self.score}"] if self.score else []
        told += [
            f"{stage.name}: "
            + (f"{stage.pairs:,} pairs, " if stage.pairs is not None else "")
            + f"{stage.tables:,} tables"
            for stage in self.stages
        ]
        ending = "all pairs were let in" if self.certificate else "not all pairs were let in"
        if not self.certificate and any(stage.name == "all pairs" for stage in self.stages):
            ending = "all pairs were let in before known directions were obeyed"
        return "; ".join([*told, ending, f"{self.inside:.0%} of the edges lie inside clusters"])


@dataclass(frozen=True)
class LearnedKnots(LearnedNetwork[ClusteredDag]):
    """A learned network with a map of its variables.

    Attributes
    ----------
    structure
        A member of the class; `structure.clusters` is the map.
    score
        Of the structure, and of every other member.
    report
        Pairs and tables by stage, and how many edges lie inside clusters.
    choice
        The score that was maximised, and how the rows chose it; None where tests decided.
    copies, certified
        As of a :class:`~treewright.learners.LearnedClass`.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> table = tw.load_network("asia").sample(2_000, rng=np.random.default_rng(0))
    >>> learned = tw.learn_knots(tw.count(table), score=tw.SparseQNML(tw.count(table)), fast=True)
    >>> learned.clusters.disjoint
    (('asia', 'bronc', 'dysp', 'either', 'lung', 'smoke', 'tub', 'xray'),)
    >>> [(stage.name, stage.pairs) for stage in learned.report.stages]
    [('dependencies', None), ('first pairs', 15), ('reopen nodes', None), ('further pairs', 22)]
    """

    score: float = field(kw_only=True)
    report: KnotsReport
    copies: tuple[tuple[str, str], ...] = ()
    certified: bool = True
    choice: ScoreChoice | None = field(default=None, kw_only=True, repr=False, compare=False)

    @property
    def clusters(self) -> Clusters:
        """The map of the variables."""
        return self.structure.clusters


def report_on(structure: ClusteredDag, trace: Trace, certified: bool, score: str = "") -> KnotsReport:
    """The account of the phases that counted tables."""
    stages = tuple(
        Stage(phase.name, int(tally["pairs"]) if "pairs" in tally else None, int(tally.get("tables", 0)))
        for phase in trace.phases
        if {"pairs", "tables"} & (tally := phase.tallies).keys()
    )
    return KnotsReport(stages, certified, structure.clusters.covered(structure.edges()), score)
