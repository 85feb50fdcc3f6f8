"""Small models and the same model in every format, shared by the tests of files."""

from __future__ import annotations

import numpy as np
from tests import hostile

from treewright.graphs.directed.dag import Dag
from treewright.models import BayesianNetwork
from treewright.models.formats import FOREIGN
from treewright.tables.schema import Schema, Variable

FORMATS = tuple(kind.name for kind in FOREIGN)

LABELS = {
    "plain": ("no", "yes", "maybe"),
    "spaces": ("not at all", "a bit", " very much "),
    "intervals": ("(1,2]", "(2,3]", "[-inf, 1]"),
    "digits": ("0", "1", "02"),
    "non-ascii": ("été", "größer", "中文"),
    "signs": ("A-1", "<5", ">=7.5"),
    "quotes": ('say "x"', "it's", "back\\slash"),
    "marks": ("a|b", "c;d", "e{f}"),
    "markup": ("a<b", "c&d", "<!-- x -->"),
    **{f"hostile: {', '.join(kinds)}": labels for kinds, labels in hostile.in_threes().items()},
}


def labelled(labels: tuple[str, ...]) -> BayesianNetwork:
    """A collider whose names and labels are all of one class."""
    a, b, c = (f"{label} {i}" if " " in label else f"{label}{i}" for i, label in enumerate(labels))
    schema = Schema([Variable(b, labels), Variable(a, labels[:2]), Variable(c, labels)])
    rng = np.random.default_rng(5)
    dag = Dag(schema, [(a, c), (b, c)])
    shapes = [tuple(schema.cardinalities[p] for p in dag.parents(v)) for v in range(3)]
    tables = [rng.dirichlet(np.ones(schema.cardinalities[v]), size=shapes[v]) for v in range(3)]
    return BayesianNetwork(dag, tables)


def collider() -> BayesianNetwork:
    """Two parents with different numbers of states, so that every mixed-up axis shows."""
    schema = Schema(
        [Variable("A", ("x", "y", "z")), Variable("B", ("n", "p")), Variable("C", ("low", "high"))]
    )
    table = [[[0.1, 0.9], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]], [[0.5, 0.5], [0.6, 0.4]]]
    return BayesianNetwork(
        Dag(schema, [("A", "C"), ("B", "C")]), {"A": [0.2, 0.3, 0.5], "B": [0.25, 0.75], "C": table}
    )
