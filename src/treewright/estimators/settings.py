"""The settings of all estimators: one table, from which signatures, documentation and types are made."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterable, Mapping
from inspect import Parameter, Signature, formatannotation
from typing import Any, Literal, TypeVar

from treewright.graphs import Knowledge
from treewright.learners.bayesian_knots.expansion import Expansion
from treewright.learners.bayesian_knots.knots import Filter
from treewright.learners.efficient_markov.lem import FeatureSearch, MarkovLeaf, PartitionScore
from treewright.learners.independence.collider_rules import ColliderRule
from treewright.learners.separation_trees.audit import Legitimacy
from treewright.learners.separation_trees.databases import Engine
from treewright.models import Dirichlet
from treewright.models.model import Unseen
from treewright.tables import Schema
from treewright.tables._reading.bins import Bins
from treewright.tables._reading.missing import AvailablePolicy

Kind = TypeVar("Kind", bound=type)
Sets = Iterable[Iterable[str]] | str | os.PathLike[str]

ABSENT = object()  # of an estimator that lacks what the others have


class Setting:
    """A row of the table: its keyword, its type, what it does, and its default in each estimator that has it.

    Defaults go by the estimator's name; "every" is for the others.
    """

    def __init__(self, name: str, kind: Any, doc: str, **defaults: Any) -> None:
        self.name, self.kind, self.doc, self.defaults = name, kind, doc, defaults

    def default(self, estimator: str) -> Any:
        return self.defaults.get(estimator, self.defaults.get("every", ABSENT))


_SCORE = (
    'What to maximise: "bic" (describes a distribution best), "sparse-qnml" (finds structure best), '
    '"grouped-qnml" (where variables have dozens of states), "bdeu", "aic", "qnml", "k2" or "loglik"{}.'
)
_AUTO_SCORE = '; or "auto", what the rows choose, see :func:`~treewright.choose_score`'
_ENGINE = (
    '"class": search over equivalence classes by `score`, among the pairs that share a set. "tests": '
    "independence tests inside the nodes of a d-separation tree, as in [1]_, with `test`, `alpha`, "
    '`alpha_uig`, `refine_above` and `completion`. "auto": tests for one table of continuous columns unless '
    "a score is given, else class."
)
_HYPERGRAPH = (
    "Sets of variables such that variables that influence each other directly, and parents of a common "
    "child, share a set; or a file with one set per line. By default the columns of the tables."
)
_BLANKET_WIDTH = (
    "Treewidth that the graph must not exceed, so that answers are exact. With None and a wide graph the "
    "factors are fitted by pseudo-likelihood, and only :func:`~treewright.models.sample_gibbs` can ask."
)
_STATES = "Which states there are, also those that a fold of the rows happens not to show."
_MISSING = (
    'See :func:`~treewright.learn`: "em" is structural EM, "available" takes each table from the rows that '
    "show its columns; learners of Markov networks and of several tables take neither."
)
_UNSEEN = (
    'Labels that come later: "error" refuses them, "ignore" takes their cells as missing, which are summed '
    'out, "state" reserves a state for them.'
)
_VALID = "None chooses on validation rows"

_STRUCTURE = (
    'What tells the class: "naive", "tree" (tree-augmented), "averaged" (all one-dependence networks), '
    '"k-dependence", "network" (a general one, its blanket by conditional likelihood), "stack" (all of them, '
    'weighted by rows held out), or "auto": the stack, or its networks alone where these are as good.'
)

_SET_BY = (
    "The column that names which variables were set in each row: rows from experiments, see "
    ":func:`~treewright.learn`. Climbs among networks then, and `effort` has no say."
)
_GAPS = (
    'What a missing cell says in a column that missed cells when it was learned from: "state" makes missing '
    'one of its states, since it may tell something; "sum" counts each table in the rows that show it, and '
    "sums out. Columns without gaps then are summed out either way."
)
_CATEGORICAL = (
    'Columns whose whole numbers are states, however many: names; "all", as for codes of scikit-learn\'s '
    'OrdinalEncoder; "auto": those that a table or a categorical column declares, and whole numbers of at '
    "most ten values. Other numbers are cut."
)

SETTINGS = (
    Setting("structure", str, _STRUCTURE, BayesianClassifier="auto"),
    Setting("max_parents", int, 'Beside the class, of "k-dependence".', BayesianClassifier=2),
    Setting(
        "smoothing",
        float,
        "Rows that a table takes from the smaller one that it falls back on.",
        BayesianClassifier=2.0,
    ),
    Setting(
        "calibrate",
        bool,
        "Whether rows held out also correct how sure a single structure is; a stack always is corrected.",
        BayesianClassifier=False,
    ),
    Setting("folds", int, "Into how many parts rows are dealt to be held out.", BayesianClassifier=5),
    Setting(
        "class_weight",
        Mapping[Any, float] | Literal["balanced"] | None,
        'How often a row of each class counts; "balanced": so that all classes count alike.',
        BayesianClassifier=None,
    ),
    Setting("missing", Literal["state", "sum"], _GAPS, BayesianClassifier="state"),
    Setting(
        "categorical",
        Iterable[str] | Literal["auto", "all"],
        _CATEGORICAL,
        BayesianClassifier="auto",
    ),
    Setting("treewidth", int, "How wide the network may be; the width is certified.", BoundedTreewidth=4),
    Setting("hypergraph", Sets | None, _HYPERGRAPH, SeparationTree=None),
    Setting("engine", Engine, _ENGINE, SeparationTree="auto"),
    Setting(
        "delta",
        float | Literal["auto", "gtest"],
        'More information than this, in nats, keeps variables in one block; "auto" chooses on validation '
        'rows, "gtest" by a test.',
        EfficientMarkov="auto",
    ),
    Setting(
        "largest_set",
        int | None,
        "The largest sets that are looked at, the paper's q; None: 3, or 2 where triples cost too much.",
        EfficientMarkov=None,
    ),
    Setting("feature_length", int, "The most literals in a feature, the paper's k.", EfficientMarkov=1),
    Setting("search", FeatureSearch, "How longer features are found.", EfficientMarkov="greedy"),
    Setting(
        "min_rows", float | None, f"Rows that a context needs to be split; {_VALID}.", EfficientMarkov=None
    ),
    Setting("min_variables", int, "Blocks of fewer variables become tables.", EfficientMarkov=5),
    Setting(
        "smoothing", float | None, f"Rows of even spread that smooth tables; {_VALID}.", EfficientMarkov=None
    ),
    Setting("leaf", MarkovLeaf, "What is made of contexts with few rows.", EfficientMarkov="tree"),
    Setting(
        "score",
        PartitionScore,
        "Of a partition, where a block of b variables costs b^2, or 2^b.",
        EfficientMarkov="inverse-square",
    ),
    Setting("balance_tolerance", float, "Scores this close, relatively, are equal.", EfficientMarkov=0.05),
    Setting("max_depth", int | None, "The most features on a path; None: no limit.", EfficientMarkov=None),
    Setting("score", str, _SCORE.format(""), ChowLiuTree="bic", BoundedTreewidth="bic"),
    Setting("score", str, _SCORE.format(""), HillClimbing="sparse-qnml"),
    Setting("score", str, _SCORE.format(_AUTO_SCORE), Knots="auto"),
    Setting("score", str | None, 'Of the engine "class"; None: what suits the columns.', SeparationTree=None),
    Setting(
        "score",
        str,
        '"bjp" (blankets joint posterior), "ib" (independence-based) or "mpl" (marginal pseudo-likelihood).',
        BlanketMarkov="bjp",
    ),
    Setting("search", str, "How, see :func:`~treewright.learn_blankets`.", BlanketMarkov="auto"),
    Setting("treewidth", int | None, _BLANKET_WIDTH, BlanketMarkov=12),
    Setting("max_blanket", int | None, "Neighbours that no variable exceeds.", BlanketMarkov=None),
    Setting("fast", bool, "Leave out the certificate that looks at all pairs.", Knots=False),
    Setting(
        "expansion",
        Expansion,
        'How far clusters overlap: a share of their size, or "adaptive".',
        Knots="adaptive",
    ),
    Setting("filter", Filter | None, "Which pairs may be joined at all; None: all.", Knots=None),
    Setting(
        "effort",
        float | None,
        "How long to search on; 0 ends at the local optimum, None: as long as it gains.",
        BoundedTreewidth=None,
    ),
    Setting("effort", int, "How much is looked at again, 0 to 3.", HillClimbing=2, SeparationTree=2),
    Setting(
        "effort", int | None, "How much is looked at again, 0 to 3; None: as the size calls for.", Knots=None
    ),
    Setting(
        "max_parents",
        int | None,
        "No child gets more; None: the score alone decides.",
        **dict.fromkeys(("BoundedTreewidth", "HillClimbing", "Knots", "SeparationTree")),
    ),
    Setting("set_by", str | None, _SET_BY, HillClimbing=None),
    Setting("test", str, '"g" (G test), "chi-square" or "posterior".', PC="g"),
    Setting("test", Literal["g", "chi-square"], '"g" (G test) or "chi-square".', SeparationTree="g"),
    Setting("alpha", float, "Level of the test.", PC=0.01),
    Setting(
        "alpha",
        float | None,
        "Level of the test; None: 0.05 for counts of several tables, else 0.01.",
        SeparationTree=None,
    ),
    Setting("depth", int | None, "Largest separator looked for; None: no limit.", PC=3),
    Setting("collider_rule", ColliderRule, "How separators that disagree are judged.", PC="contest"),
    Setting("alpha_uig", float, "Level at which independence graphs are estimated.", SeparationTree=0.01),
    Setting(
        "refine_above",
        int | Literal["auto"] | None,
        "Nodes of more variables are refined by such a graph; None: never.",
        SeparationTree="auto",
    ),
    Setting(
        "completion",
        Literal["fit", "none"],
        "What answers a test that no table covers: the completed distribution, or nothing.",
        SeparationTree="fit",
    ),
    Setting(
        "legitimacy",
        Legitimacy,
        "What happens when rows contradict the hypergraph; `audit_` has the report.",
        SeparationTree="error",
    ),
    Setting(
        "knowledge",
        Knowledge | None,
        "Edges that are required or forbidden.",
        every=None,
        EfficientMarkov=ABSENT,
        BayesianClassifier=ABSENT,
    ),
    Setting(
        "prior",
        Dirichlet | float | None,
        "Of the tables of discrete columns, or its equivalent sample size; None is maximum likelihood.",
        every=1.0,
        EfficientMarkov=ABSENT,
        BayesianClassifier=ABSENT,
    ),
    Setting("prior", Dirichlet | None, "Not used: `smoothing` does.", EfficientMarkov=None),
    Setting(
        "missing",
        AvailablePolicy,
        _MISSING,
        every="error",
        BayesianClassifier=ABSENT,
    ),
    Setting("unseen", Unseen, _UNSEEN, every="error", BayesianClassifier=ABSENT),
    Setting(
        "unseen",
        Literal["ignore", "error"],
        'Labels that come later: "ignore" takes their cells as missing, "error" refuses them.',
        BayesianClassifier="ignore",
    ),
    Setting(
        "bins", Bins | None, "See :func:`~treewright.read_table`.", every=None, BayesianClassifier=ABSENT
    ),
    Setting(
        "bins",
        int | None,
        "Intervals of equal frequency for columns of numbers; None: those that tell the classes apart, and "
        "in a stack others beside them.",
        BayesianClassifier=None,
    ),
    Setting(
        "mend",
        bool,
        "See :func:`~treewright.read_table`; later rows are read alike.",
        every=False,
        BayesianClassifier=ABSENT,
    ),
    Setting("schema", Schema | None, _STATES, every=None, BayesianClassifier=ABSENT),
    Setting(
        "seed",
        int,
        "Of searches, of rows that are held out, and of samples.",
        every=0,
        BayesianClassifier=ABSENT,
    ),
)


def settings_of(estimator: str) -> dict[str, Setting]:
    """The rows of an estimator, by keyword and in the order of the table."""
    return {row.name: row for row in SETTINGS if row.default(estimator) is not ABSENT}


def attribute_of(name: str) -> str:
    """Where an estimator keeps a setting: under its own name, but `.score(rows)` is a method."""
    return "criterion" if name == "score" else name


def with_settings(kind: Kind) -> Kind:
    """Give an estimator the keywords, defaults and documentation that the table has for it."""
    name = kind.__name__
    rows = settings_of(name)
    keywords = [
        Parameter(row.name, Parameter.KEYWORD_ONLY, default=row.default(name), annotation=row.kind)
        for row in rows.values()
    ]
    shape = Signature([Parameter("self", Parameter.POSITIONAL_ONLY), *keywords], return_annotation=None)

    def __init__(self: Any, **given: Any) -> None:  # noqa: N807
        for unknown in given.keys() - rows.keys():
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument {unknown!r}")
        for row in rows.values():
            setattr(self, attribute_of(row.name), given.get(row.name, row.default(name)))

    __init__.__dict__["__signature__"] = shape
    __init__.__qualname__ = f"{name}.__init__"
    kind.__init__ = __init__  # type: ignore[misc]
    kind.__doc__ = with_parameters(kind.__doc__ or "", rows)
    return kind


def with_parameters(doc: str, rows: Mapping[str, Setting]) -> str:
    """A docstring with its section of parameters, before the first section that it has."""
    lines = ["Parameters", "----------"]
    for row in rows.values():
        kind = re.sub(r"(\w+\.)+", "", formatannotation(row.kind)).replace("NoneType", "None")
        lines.append(f"{row.name} : {kind}")
        lines += textwrap.wrap(row.doc, 100, initial_indent="    ", subsequent_indent="    ")
    told, *rest = re.split(r"(\n    \w+\n    -+\n)", doc, maxsplit=1)
    return "\n".join([told, *(f"    {line}" for line in lines), "".join(rest)])
