"""What `learn` learns from: rows as a score and a test see them, and what puts parameters on a structure.

Searching for a structure counts many scopes, and only rows that show a whole scope can be counted; counts of
different rows for different scopes would contradict each other. So where gaps.py does not take all rows,
the structure is learned from those that miss nothing, the tables are fitted to all by EM, and a remark
says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from treewright.automatic import rows as automatic
from treewright.automatic.mixed import settle_numbers
from treewright.automatic.mixed_em import fit_all_mixed
from treewright.automatic.numbers_em import fit_all_numbers
from treewright.cli.data import DataOptions
from treewright.cli.options import Missing
from treewright.criteria import (
    FisherZTest,
    GaussianBIC,
    GTest,
    IndependenceTest,
    LocalScore,
    MixedTest,
    make_sparse_mixed_score,
    registry,
)
from treewright.errors import MissingValuesError, SchemaError, SettingError, TableTooLarge, nearest
from treewright.graphs import Dag, FeatureGraph, Knowledge
from treewright.learners.separation_trees.pooled_judges import make_pooled_test, pooled_score
from treewright.models import (
    BayesianNetwork,
    Dirichlet,
    FeatureNetwork,
    GaussianNetwork,
    fit,
    fit_em,
    fit_sigmoid,
    score_observed,
)
from treewright.models.fitting.databases import score_tables
from treewright.models.many_rows import explained_by_counter
from treewright.models.model import AnyModel
from treewright.statistics import (
    ClusterCounter,
    Counter,
    DatabaseCounter,
    KeptCounter,
    MixedMoments,
    Moments,
    WholeCounter,
    count,
    mixed_moments,
    moments,
)
from treewright.statistics.cluster import HerePool
from treewright.tables._reading.sources import packed_paths
from treewright.tables.databases import Databases
from treewright.tables.mapped_table import open_table
from treewright.tables.packing import evenly
from treewright.tables.report import listed
from treewright.tables.schema import Schema, Variable
from treewright.tables.table import Table

if TYPE_CHECKING:
    from treewright.cli.learning.options import LearnOptions


Rows = Table | Databases | ClusterCounter | DatabaseCounter


MIXED = "mixed-bic"  # of discrete and continuous columns together


@dataclass(frozen=True)
class PreparedRows:
    """Rows, with a score, a test for each level, and a model (with remarks) for each structure."""

    source: Rows  # all rows, also those that miss cells
    score_name: str
    score: LocalScore
    test: Callable[[float], IndependenceTest]
    fit: Callable[[Dag], tuple[AnyModel, list[str]]]
    complete: Table | None = None  # the rows of one table that miss nothing; none for several tables
    counter: Counter | None = None  # none for continuous columns and for several tables
    fills_gaps: bool = False  # whether counts or moments are expected ones

    @property
    def table(self) -> Table | None:
        return self.source if isinstance(self.source, Table) else None


def default_score(options: LearnOptions, schema: Schema, own: str) -> str:
    """The score of a method where none was asked for: of numbers kept among labels, the mixed one."""
    kinds = {variable.is_discrete for variable in schema}
    if options.method in ("auto", "pc") and len(kinds) == 2 and options.score is None:
        return MIXED
    return "bdeu" if options.ess is not None else own


def check_score(name: str | None, ess: float | None) -> None:
    """Refuse a score before any row is read."""
    if name is None and ess is None:
        return
    if name is None:
        raise SettingError("--ess belongs to --score bdeu; no score was given")
    if name not in registry.SCORES:
        raise SettingError(f"--score {name!r} is not known; scores are {nearest(name, registry.SCORES)}")
    registry.check_ess(name, ess)


def score_for(columns: Iterable[Variable], score: str | None, default: str) -> str:
    """The score that was asked for, or the one that suits the columns; refused where it does not."""
    found = list(columns)
    if score is None and default == MIXED:
        return MIXED
    continuous = [variable.name for variable in found if not variable.is_discrete]
    discrete = [variable.name for variable in found if variable.is_discrete]
    chosen = score or (default if discrete else "gaussian-bic")
    if chosen in registry.CONTINUOUS_SCORES and discrete:
        raise SchemaError(
            f"--score {chosen} is for continuous columns; discrete: {listed(discrete)}. Leave them out with "
            "--ignore name, or cut the others into intervals with --bins 4 and use --score bic"
        )
    if chosen not in registry.CONTINUOUS_SCORES and continuous:
        raise SchemaError(
            f"--score {chosen} is for discrete columns; continuous: {listed(continuous)}. Cut them into "
            "intervals with --bins 4 (or --bins name=4), or leave them out with --ignore name"
            + ("" if discrete else "; --score gaussian-bic keeps them as they are")
        )
    return chosen


def prepare_rows(
    rows: Rows | Counter, score: str, ess: float | None = None, checkpoint: str | None = None
) -> PreparedRows:
    """The rows as a score sees them; what is counted of them is kept in a checkpoint."""
    if not isinstance(rows, Table | Databases):
        return prepare_counter(rows, score, ess, checkpoint)
    if score == MIXED:
        return prepare_mixed(rows, checkpoint)
    is_counted = isinstance(rows, Table) and score not in registry.CONTINUOUS_SCORES
    if checkpoint is not None and not is_counted:
        raise SettingError("--checkpoint keeps counts of one table of discrete columns")
    if isinstance(rows, Databases):
        return prepare_tables(rows, score, ess)
    return prepare_table(rows, score, ess, checkpoint) if is_counted else prepare_continuous(rows, score)


def prepare_table(
    table: Table, score: str, ess: float | None = None, checkpoint: str | None = None
) -> PreparedRows:
    """One table of discrete columns."""
    complete = complete_rows(table)
    rows = count(complete)
    counter = rows if checkpoint is None else KeptCounter(rows, checkpoint)
    return PreparedRows(
        table,
        score,
        registry.score_named(score, counter, ess=ess),
        lambda alpha: GTest(counter, alpha=alpha),
        lambda dag: automatic.fit_all_rows(dag, table, counter),
        complete,
        counter,
    )


def prepare_counter(
    rows: Counter, score: str, ess: float | None = None, checkpoint: str | None = None
) -> PreparedRows:
    """Discrete columns that are counted elsewhere."""
    counter = rows if checkpoint is None else KeptCounter(rows, checkpoint)
    return PreparedRows(
        cast("ClusterCounter | DatabaseCounter", rows),
        score,
        registry.score_named(score, counter, ess=ess),
        lambda alpha: GTest(counter, alpha=alpha),
        lambda dag: (fit(dag, counter), []),
        counter=counter,
    )


def prepare_some(whole: PreparedRows, n: int, ess: float | None) -> PreparedRows:
    """About `n` of the rows, evenly taken, by the same score."""
    rows = whole.source
    if isinstance(rows, Databases):
        raise SettingError("--rows is for one table; of several leave it out")
    if isinstance(rows, DatabaseCounter):
        raise SettingError("--rows takes rows, and with --mode counts none leave the database; leave it out")
    some = rows.sampled(n) if isinstance(rows, ClusterCounter) else evenly(rows, n)
    return prepare_rows(some, whole.score_name, ess)


def prepare_continuous(table: Table, score: str) -> PreparedRows:
    """One table of continuous columns."""
    if score == "sigmoid-bic" and table.has_missing:
        raise MissingValuesError(
            "--score sigmoid-bic needs a number in every cell, and some are missing; --score gaussian-bic "
            "learns from all rows, --missing drop from those that miss nothing"
        )
    complete = automatic.complete_rows(table, "--missing em without --rows")
    found = moments(complete)

    def fit_lines(dag: Dag) -> tuple[AnyModel, list[str]]:
        if table.has_missing:
            return fit_all_numbers(dag, table)
        return fit_sigmoid(dag, table) if score == "sigmoid-bic" else fit(dag, found), []

    judge = registry.continuous_score_named(score, complete)
    return PreparedRows(table, score, judge, lambda alpha: FisherZTest(found, alpha), fit_lines, complete)


def prepare_moments(table: Table, found: Moments) -> PreparedRows:
    """Rows of numbers with gaps, by moments of what is there or of what is expected."""
    return PreparedRows(
        table,
        "gaussian-bic",
        GaussianBIC(found),
        lambda alpha: FisherZTest(found, alpha),
        lambda dag: fit_all_numbers(dag, table),
    )


def prepare_mixed(rows: Table | Databases, checkpoint: str | None) -> PreparedRows:
    """One table of discrete and continuous columns."""
    if checkpoint is not None or not isinstance(rows, Table):
        raise SettingError(
            "--method mixed learns from one table of rows, without --checkpoint; --bins 4 makes labels of "
            "numbers for every other method"
        )
    complete = automatic.complete_rows(rows, "--missing em")
    found = mixed_moments(complete)
    return replace(
        prepare_expected(rows, found), fit=lambda dag: fit_all_mixed(dag, rows, found), complete=complete
    )


def prepare_expected(rows: Table, found: MixedMoments) -> PreparedRows:
    """Rows of both kinds, by moments in joint states, of what is there or of what is expected."""
    score, test = make_sparse_mixed_score(found), partial(MixedTest, found)
    return PreparedRows(rows, MIXED, score, test, lambda dag: (fit(dag, found), []))


def prepare_tables(databases: Databases, score: str, ess: float | None = None) -> PreparedRows:
    """Several tables with overlapping columns."""
    if ess is not None:
        raise SettingError("--ess is for one table; several are scored by --score bdeu with one row")
    if score == "sigmoid-bic":
        raise SettingError("--score sigmoid-bic is for one table; several are scored by gaussian-bic")
    return PreparedRows(
        databases,
        score,
        pooled_score(databases, score),
        lambda alpha: make_pooled_test(databases, alpha=alpha),
        lambda dag: (fit(dag, databases), []),
    )


def count_rows(options: LearnOptions) -> DatabaseCounter:
    """Counts of rows that stay where they are; what asks for rows is refused."""
    for name in ("valid", "bootstrap"):
        if getattr(options, name) is not None:
            raise SettingError(f"--{name} takes rows, and --mode counts leaves them in the database")
    if options.method == "separation-tree":
        raise SettingError(
            "--method separation-tree takes tables of rows; use --mode rows, or another method"
        )
    return options.count_in_place(options.data)


def read_rows(data: list[str], options: DataOptions, method: str, *, several: bool) -> Table | Databases:
    """One table, or several for a method that takes tables with different columns."""
    if several:
        return options.read_tables(data)
    options.refuse_different_columns(data, method)
    return options.read(data)


def read_as_decided(options: LearnOptions, *, several: bool) -> tuple[LearnOptions, Rows, list[str]]:
    """The rows; for the default method with what it decides about them, which the options then say."""
    if options.mode not in (None, "rows", "counts"):
        raise SettingError(f"--mode is rows or counts; found {options.mode!r}")
    if options.mode == "counts":
        options = replace(options, missing=Missing.error) if options.missing == Missing.auto else options
        return options, count_rows(options), []
    is_open, decides = options.missing == Missing.auto, options.method == "auto"
    if options.dask is not None or (not several and is_kept_in_parts(options)):
        options = replace(options, missing=Missing.error) if is_open else options
        return options, open_on_workers(options, several=several), []
    if is_open:
        options = replace(options, missing=Missing.em if decides else Missing.error)
    rows = read_rows(options.data, options, options.method, several=several)
    if not decides or not isinstance(rows, Table):
        return options, rows, []
    said: list[str] = []
    if options.score not in registry.CONTINUOUS_SCORES:
        rows, said = cut_or_not(rows, options, is_open=is_open)
    if len({variable.is_discrete for variable in rows.schema}) == 2:
        way = Missing.em if most_miss(rows) and options.rows is None else Missing.drop
        return (replace(options, missing=way) if is_open else options), rows, said
    if is_open:
        policy, more = automatic.missing_policy(rows, leave_out="--ignore", em="--missing em")
        rows = rows if policy == "em" else automatic.read_again(rows, missing=policy)
        options, said = replace(options, missing=Missing(policy)), [*said, *more]
    return options, rows, said


def most_miss(rows: Table) -> bool:
    """Whether most rows miss something."""
    return 2 * int(automatic.is_complete(rows).sum()) < rows.n_rows


def cut_or_not(rows: Table, options: LearnOptions, *, is_open: bool) -> tuple[Table, list[str]]:
    """Numbers among labels as the rows decide; cut where something was asked for that only tables can do."""
    words = {"cut": "--bins", "leave_out": "--ignore"}
    takes_all = options.missing in (Missing.em, Missing.indicator)
    fills = options.rows is None and (most_miss(rows) if is_open else takes_all)
    for_tables = (options.score, options.ess, options.checkpoint, options.bootstrap, options.certify or None)
    if for_tables != (None,) * len(for_tables) or (rows.has_missing and not is_open and not fills):
        return automatic.cut_numbers(rows, **words)
    known = None if options.knowledge is None else Knowledge.from_json(options.knowledge)
    width = options.treewidth
    return settle_numbers(rows, knowledge=known, treewidth=width, all_rows=fills, **words)


def is_kept_in_parts(options: LearnOptions) -> bool:
    """Whether packed files are counted one by one, so that a checkpoint of some is extended by the others."""
    is_plain = not options.states and options.missing != Missing.em and options.method != "separation-tree"
    if options.checkpoint is None or not is_plain:
        return False
    tables = list(map(open_table, packed_paths(options.data)))
    are_counted = all(variable.is_discrete for table in tables for variable in table.schema)
    return len(tables) > 1 and are_counted and not any(table.has_missing for table in tables)


def open_on_workers(options: LearnOptions, *, several: bool) -> ClusterCounter:
    """Files that the workers of a cluster count."""
    if several or options.states or options.missing == Missing.em:
        what = "--states" if options.states else "--missing em" if not several else "--method separation-tree"
        raise SettingError(f"{what} needs rows here, and with --dask the workers have them; leave it out")
    try:
        return options.open_cluster(options.data, HerePool() if options.dask is None else options.dask)
    except ImportError as error:
        raise SettingError(str(error)) from error


def explained(model: AnyModel, rows: Rows, counter: Counter | None = None) -> float | None:
    """Mean log-likelihood of what rows show; none where summing over what they lack takes too much."""
    if isinstance(rows, DatabaseCounter):
        return explained_by_counts(model, rows)
    if isinstance(rows, ClusterCounter):
        if isinstance(model, BayesianNetwork):  # what was counted to fit it
            return explained_by_counts(model, rows if counter is None else counter)
        return math.fsum(rows.each(log_likelihood_of, model)) / rows.n_rows
    if isinstance(rows, Table):
        return mean_log_likelihood(model, rows)
    try:
        return score_tables(model, rows)
    except TableTooLarge:
        return None


def explained_by_counts(model: AnyModel, counts: Counter) -> float | None:
    """Mean log-likelihood of a network from the tables of its families; of other models rows tell it."""
    if not isinstance(model, BayesianNetwork):
        return None
    families = [(*model.dag.parents(v), v) for v in range(len(model.schema))]
    return explained_by_counter(families, model.tables, counts)


def log_likelihood_of(piece: WholeCounter, model: AnyModel) -> float:
    """Of all rows of a piece, by the worker that has it."""
    return model.score(piece.table) * piece.n_rows if piece.n_rows else 0.0


def complete_rows(table: Table) -> Table:
    """The rows to learn a structure from: those that miss nothing."""
    return automatic.complete_rows(table, "--missing state")


def fit_features_to_all_rows(
    graph: FeatureGraph, table: Table, alpha: float, origin: str = ""
) -> tuple[FeatureNetwork, list[str]]:
    """The same for a feature graph without hidden choices; others would be fitted beyond their early stop."""
    fitted = fit_em(graph, table, prior=Dirichlet(alpha) if alpha > 0 else None)
    return fitted.model, [automatic.about_em(table, fitted.trace, origin)]


def mean_log_likelihood(model: AnyModel, table: Table) -> float:
    """Per row, of what the row shows."""
    if isinstance(model, BayesianNetwork | GaussianNetwork) and table.has_missing:
        return score_observed(model, table)
    return model.score(table, unseen="ignore") if table.has_missing else model.score(table)
