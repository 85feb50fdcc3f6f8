"""What the experiments share: the variables of ALARM in the order of the paper, its sets, rows, measures."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

import treewright as tw
from experiments.common import Row
from treewright.graphs import Pdag

PAGE = "docs/measured/separation_trees.md"

# The numbers 1 to 37 that the paper gives the variables of ALARM.
ALARM_NAMES = (
    "CVP", "LVEDVOLUME", "PCWP", "HYPOVOLEMIA", "LVFAILURE", "STROKEVOLUME", "CO", "HR", "CATECHOL",
    "TPR", "BP", "INSUFFANESTH", "SAO2", "ARTCO2", "PVSAT", "INTUBATION", "SHUNT", "VENTALV", "FIO2",
    "VENTLUNG", "PULMEMBOLUS", "EXPCO2", "MINVOL", "KINKEDTUBE", "VENTTUBE", "PRESS", "HISTORY",
    "ERRLOWOUTPUT", "HRBP", "HREKG", "ERRCAUTER", "HRSAT", "ANAPHYLAXIS", "PAP", "VENTMACH", "DISCONNECT",
    "MINVOLSET",
)  # fmt: skip
_NUMBERS = (
    (*range(1, 15), 27, 33),
    (8, *range(28, 33)),
    (*range(13, 27), *range(34, 38)),
)
# Three sets that hold every family: one is named in the paper, the others complete it.
ALARM_SETS = tuple(tuple(ALARM_NAMES[i - 1] for i in numbers) for numbers in _NUMBERS)


def seeded(*key: object) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(str(part).encode()) for part in key])


def numbered(dag: tw.Dag) -> tw.Dag:
    """ALARM with the numbers of the paper for names; blanks in front keep them in order."""
    number = {name: f"{i:>2}" for i, name in enumerate(ALARM_NAMES, start=1)}
    schema = tw.Schema([tw.Variable(number[name]) for name in ALARM_NAMES])
    return tw.Dag(schema, [(number[tail], number[head]) for tail, head in dag.edges()])


def linear_rows(dag: tw.Dag, n: int, rng: np.random.Generator) -> tw.Table:
    """Rows of linear relations along a network: weights of 0.4 to 1 of either sign, unit noise."""
    rows = rng.standard_normal((n, len(dag.schema)))
    for v in dag.topological_order:
        for u in dag.parents(v):
            rows[:, v] += rng.choice((-1, 1)) * rng.uniform(0.4, 1) * rows[:, u]
    names = dag.schema.names
    return tw.read_table({name: rows[:, v] for v, name in enumerate(names)})


@dataclass
class Tally:
    """What several data sets gave: a mean and its standard error for every measure."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, **measures: float) -> None:
        for name, value in measures.items():
            self.values.setdefault(name, []).append(float(value))

    def judge(self, truth: tw.Dag, found: tw.Dag | Pdag, **measures: float) -> None:
        compared = tw.compare(truth, found)
        skeleton = compared.skeleton
        self.add(dist=skeleton.dist, f1=skeleton.f1, shd=compared.shd, false=skeleton.fp, **measures)

    def row(self, **key: object) -> Row:
        n = max(map(len, self.values.values()))
        found: Row = {**key, "runs": n}
        for name, values in self.values.items():
            found[name] = float(np.mean(values))
            found[f"{name}_error"] = float(np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else 0.0
        return found


def shown(row: Row, name: str, decimals: int) -> str:
    """A mean with its standard error, as a table has it."""
    if row["runs"] < 2:
        return f"{row[name]:.{decimals}f}"
    return f"{row[name]:.{decimals}f} ± {row[name + '_error']:.{decimals}f}"


def cells(rows: Iterable[Row], key: Mapping[str, object], columns: Sequence[tuple[str, int]]) -> str:
    """The measures of one row that has these values, between slashes; a dash where there is none."""
    for row in rows:
        if all(row[name] == value for name, value in key.items()):
            return " / ".join(shown(row, name, decimals) for name, decimals in columns if name in row)
    return "-"


def n_tests(learned: tw.learners.LearnedSeparationTree) -> int:
    """Different tests, those included that an independence graph took."""
    graph = [p.tallies["tests"] for p in learned.trace.phases if p.name == "independence graph"]
    return learned.n_evaluated + int(sum(graph))
