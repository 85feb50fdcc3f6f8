"""`tw.learn`: from any table to a model, with the reason why it was learned so."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from treewright.automatic.experiments import learn_made
from treewright.automatic.gaps import remark_on_gaps, with_indicators, with_known_indicators
from treewright.automatic.mixed import settle_numbers
from treewright.automatic.mixed_em import fit_all_mixed, learn_both_with_gaps
from treewright.automatic.numbers_em import fit_all_numbers, learn_numbers_with_gaps, refuse_way
from treewright.automatic.rows import (
    complete_rows,
    cut_numbers,
    fit_all_rows,
    is_complete,
    missing_policy,
    read_again,
    remarks_on,
)
from treewright.automatic.sampled import about_sample, check_sample, search_on, some_of
from treewright.automatic.search import LearnedAutomatically, learn_suited
from treewright.automatic.structural_em import learn_available, learn_with_gaps
from treewright.errors import SettingError
from treewright.graphs import Cpdag, Dag, JunctionTree, Knowledge
from treewright.inference import Cost, GaussianCost
from treewright.learners import Trace
from treewright.models import BayesianNetwork, ConditionalGaussianNetwork, GaussianNetwork, fit
from treewright.origins import described, reading_of, rows_behind, version
from treewright.ranges import in_range
from treewright.statistics import (
    Counter,
    MixedMoments,
    Moments,
    count,
    mixed_moments,
    moments,
)
from treewright.tables import Table
from treewright.tables._reading.missing import GapPolicy, MissingPolicy, reading_policy
from treewright.tables.exports import counted
from treewright.tables.packing import ReadingCells, evenly, open_rows
from treewright.tables.report import Report
from treewright.types import Pictured, Progress


@dataclass(frozen=True)
class LearnedModel(Pictured):
    """A model, and how it came about.

    Attributes
    ----------
    model
        Ask it: ``result.model.query("x", given={"y": "yes"})``.
    learned
        What the search returned.
    notes
        What was done on the way, in sentences: cuts, missing cells, columns that look odd.
    report
        What was made of each column; None where counts were given.

    Examples
    --------
    >>> import treewright as tw
    >>> result = tw.learn({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9})
    >>> result
    LearnedModel(3 variables, 1 edge, treewidth 1)
    >>> result.cpdag.undirected_edges(), result.model.query("a", given={"b": 1})[1] > 0.9
    ([('a', 'b')], True)
    """

    model: BayesianNetwork | GaussianNetwork | ConditionalGaussianNetwork
    learned: LearnedAutomatically
    notes: tuple[str, ...] = ()
    report: Report | None = None

    @property
    def reason(self) -> str:
        """Why it was learned so, in one sentence."""
        return self.learned.reason

    @property
    def structure(self) -> Dag:
        """The network."""
        return self.learned.structure

    @property
    def dag(self) -> Dag:
        """The network."""
        return self.learned.structure

    @property
    def cpdag(self) -> Cpdag:
        """The class of the network: which edges have a direction that the rows can tell."""
        return self.learned.cpdag

    @property
    def certificate(self) -> JunctionTree:
        """Clusters that prove the treewidth."""
        return self.learned.certificate

    @property
    def width(self) -> int:
        """The treewidth that is proved."""
        return self.certificate.width

    @property
    def cost(self) -> Cost | GaussianCost:
        """What a question about all variables costs."""
        return self.model.cost()

    @property
    def trace(self) -> Trace:
        """Phases of the search, with seconds."""
        return self.learned.trace

    @property
    def score(self) -> float:
        """Of the network, under the score that was maximised."""
        return self.learned.score

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the model with the proof of its width, which :func:`treewright.verify` checks.

        A file of another kind is refused, unless `replace` says so.
        """
        self.model.save(path, certificate=self.certificate, replace=replace)

    def __repr__(self) -> str:
        n, edges = counted(len(self.dag.schema), "variable"), counted(self.dag.n_edges, "edge")
        return f"LearnedModel({n}, {edges}, treewidth {self.width})"

    def __str__(self) -> str:
        said = [
            repr(self),
            self.reason,
            f"a question: {self.cost}",
            *(f"note: {note}" for note in self.notes),
        ]
        return "\n".join(said)


@in_range
def learn(
    data: Any,
    *,
    knowledge: Knowledge | None = None,
    treewidth: int | None = None,
    missing: GapPolicy | Literal["auto"] = "auto",
    rows: int | None = None,
    certify: bool = False,
    set_by: str | None = None,
    rng: np.random.Generator | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingCells],
) -> LearnedModel:
    """Learn a model from any table: look at it, take what suits it, and say why.

    Parameters
    ----------
    data
        Whatever :func:`read_table` reads (files, frames, dictionaries, arrays), a table, counts or moments.
        Labels lead to a Bayesian network of tables, numbers alone to a Gaussian network. Numbers among labels
        are kept as they are (a conditional Gaussian network) or cut into four intervals, whichever makes rows
        held out likelier; `bins` cuts them in any case.
    knowledge
        Arcs that are required or forbidden.
    treewidth
        The network may not be wider. By default exact answers decide: they have to fit the memory limit
        (:func:`set_memory_limit`) and to take about a second.
    missing
        As in :func:`read_table`. ``"auto"``: where most rows miss nothing the structure is learned from those
        and the parameters from all rows, by EM; where most rows miss something, missing is a state of its
        own, or ``"em"`` if numbers stay among labels; rows of numbers alone that miss some are left out, and
        refused where these are most. `notes` say which. ``"em"``: structural EM, structure and parameters
        from all rows, by counts or moments as the model of the round before expects them (with `rows` the
        structure is still that of rows that miss nothing). ``"indicator"``, where there are labels: the same
        with a variable for each column with gaps that says where it is missing. For labels alone
        ``"available"``: the quick way, each table from the rows that show its columns, which is biased where
        gaps depend on other columns.
    rows
        Learn the structure from about so many rows, in 64 runs of neighbours that lie evenly among all; the
        parameters are those of all rows.
    certify
        Then search on with all rows from there, by the same score.
    set_by
        The column that names which variables were set in each row, joined by "+", and "none" or nothing where
        none was: rows from experiments (:class:`~treewright.statistics.Experiments`). It is no variable of
        the network.
    rng
        For the search under a bound, where there is one; by default a generator seeded with 0.
    seconds
        Searching ends after so many seconds (half as many more where the width has to be bounded) with the
        best that was found until then; `notes` say so. Reading and fitting are not counted.
    progress
        Called after each phase of a search.
    reading
        Options of :func:`read_table`: `bins`, `mend`, `columns`, `weights`, `schema`, `missing_values`,
        `dates`, `names`, and how a CSV file is written (`encoding`, `delimiter`, `decimal`, `header`). What
        reading saw and mended is in `notes`.

    Returns
    -------
    LearnedModel
        `model` to ask, `structure` and `cpdag` (what the rows can direct), `reason` (one sentence),
        `certificate` of the width, `cost` of a question, `notes` and `trace`. Rows or columns in another
        order give the same.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> asia = tw.load_network("asia")
    >>> result = tw.learn(asia.sample(5_000, rng=np.random.default_rng(0)))
    >>> tw.shd(asia.dag, result.cpdag), result.width
    (1, 2)
    >>> print(result.reason)
    8 discrete columns and 5,000 rows: the most plausible of 4 networks found by the score that the rows \
chose (sparse-bdeu, ess 1); kept whole, since with treewidth 2 an exact answer takes less than a millisecond \
and 1000 bytes
    """
    check_sample(rows, certify)
    if set_by is not None and (rows is not None or missing not in ("auto", "drop")):
        raise SettingError("set_by= takes all rows that miss nothing; leave rows= and missing= out")
    options: dict[str, Any] = {
        "treewidth": treewidth,
        "knowledge": knowledge,
        "rng": rng,
        "seconds": seconds,
    }
    how = {"bins": None, "mend": False, "columns": None, "weights": None, "schema": None, **reading}
    told = {**options, "missing": missing, "rows": rows, "certify": certify, "set_by": set_by, **how}
    settings, options = described(told), {**options, "progress": progress}  # before chance moves on
    if isinstance(data, Moments | MixedMoments | Counter):
        refuse_reading(data, {"set_by": set_by, **how})
        found, said = search_some(data, rows, certify, options)
        notes = (*remarks_on_search(found), *said)
        return with_origin(LearnedModel(fit(found.structure, data), found, notes), settings, data)
    policy: MissingPolicy = "em" if missing == "auto" else reading_policy(missing)
    table = open_rows(data, missing=policy, **reading)
    most_miss = missing == "auto" and rows is None and 2 * int(is_complete(table).sum()) < table.n_rows
    fills = most_miss or (missing in ("em", "indicator") and rows is None)
    if set_by is None and (fills or missing in ("auto", "drop", "error") or not table.has_missing):
        table, said = settle_numbers(table, knowledge=knowledge, treewidth=treewidth, all_rows=fills)
    else:  # what becomes of gaps was said, and tables alone can do it
        table, said = cut_numbers(table)
    is_mixed = len({variable.is_discrete for variable in table.schema}) == 2
    missing = "em" if is_mixed and most_miss else missing
    if missing == "auto" and not is_mixed and set_by is None:
        policy, more = missing_policy(table)
        table, said = table if policy == "em" else read_again(table, missing=policy), [*said, *more]
    model: BayesianNetwork | GaussianNetwork | ConditionalGaussianNetwork
    if set_by is not None:
        found, model, more = learn_made(table, set_by, options)
        how_fitted = list[str]()
    else:
        suited = learn_both if is_mixed else learn_tables if table.schema[0].is_discrete else learn_lines
        found, model, how_fitted = suited(table, missing, rows, certify, options)
        more = remark_on_gaps(table)
    said_so = {"leave_out": "with columns=[...]", "see_all": "result.report"}
    seen = remarks_on(table.report, say=lambda finding: finding.in_python, **said_so)
    notes = (*seen, *said, *remarks_on_search(found), *more, *how_fitted)
    return with_origin(LearnedModel(model, found, notes, table.report), settings, table)


def learn_tables(
    table: Table,
    missing: GapPolicy | Literal["auto"],
    rows: int | None,
    certify: bool,
    options: dict[str, Any],
) -> tuple[LearnedAutomatically, BayesianNetwork, list[str]]:
    """A network of labels; what becomes of gaps is as it was asked for."""
    if table.has_missing and missing == "indicator":
        table = with_indicators(table)
        options = {**options, "knowledge": with_known_indicators(options["knowledge"], table)}
    if table.has_missing and rows is None and missing in ("em", "indicator"):
        return learn_with_gaps(table, options)
    if table.has_missing and rows is None and missing == "available":
        found = learn_available(table, options)
        return found, *fit_all_rows(found.structure, table, None)
    counter = count(complete_rows(table))
    found, said = search_some(counter, rows, certify, options)
    model, how_fitted = fit_all_rows(found.structure, table, counter)
    return found, model, [*said, *how_fitted]


def learn_lines(
    table: Table,
    missing: GapPolicy | Literal["auto"],
    rows: int | None,
    certify: bool,
    options: dict[str, Any],
) -> tuple[LearnedAutomatically, GaussianNetwork, list[str]]:
    """A network of numbers; where some are missing, from all rows by structural EM."""
    if table.has_missing and missing != "em":
        refuse_way(f"missing={missing!r}")
    if table.has_missing and rows is None:
        return learn_numbers_with_gaps(table, options)
    complete = complete_rows(table, "missing='em' without rows=")
    lines = moments(complete)
    found, said = search_some(lines, rows, certify, options, complete)
    if not table.has_missing:
        return found, fit(found.structure, lines), said
    model, how_fitted = fit_all_numbers(found.structure, table)
    return found, model, [*said, *how_fitted]


def learn_both(
    table: Table,
    missing: GapPolicy | Literal["auto"],
    rows: int | None,
    certify: bool,
    options: dict[str, Any],
) -> tuple[LearnedAutomatically, ConditionalGaussianNetwork, list[str]]:
    """A network of labels and numbers; what becomes of gaps is as it was asked for."""
    if table.has_missing and missing == "indicator":
        table = with_indicators(table)
        options = {**options, "knowledge": with_known_indicators(options["knowledge"], table)}
    if table.has_missing and missing in ("em", "indicator"):
        return learn_both_with_gaps(table, options)
    complete = complete_rows(table)
    both = mixed_moments(complete)
    found, said = search_some(both, rows, certify, options, complete)
    model, how_fitted = fit_all_mixed(found.structure, table, both)
    return found, model, [*said, *how_fitted]


def refuse_reading(data: Counter | Moments | MixedMoments, how: Mapping[str, Any]) -> None:
    """Refuse options of reading where there is nothing left to read."""
    asked = [name for name, value in how.items() if value is not None and value is not False]
    if asked:
        raise SettingError(
            f"{asked[0]}= says how rows are read, and a {type(data).__name__} has them read already; "
            "say it to read_table"
        )


def search_some(
    source: Counter | Moments | MixedMoments,
    rows: int | None,
    certify: bool,
    options: dict[str, Any],
    table: Table | None = None,
) -> tuple[LearnedAutomatically, list[str]]:
    """What suits all rows, or some of them and then, if that is asked for, all; with a remark on it."""
    if rows is None:
        return learn_suited(source, **options), []
    n_rows = source.n if isinstance(source, Moments) else source.n_rows
    some: Counter | Moments | MixedMoments
    if isinstance(source, Moments | MixedMoments):
        if table is None:
            raise SettingError("rows= takes some of the rows of a table, and moments have none; leave it out")
        taken = evenly(table, rows)
        some = mixed_moments(taken) if isinstance(source, MixedMoments) else moments(taken)
    else:
        some = some_of(source, rows)
    found = learn_suited(some, **options)
    if certify and rows < n_rows:
        if isinstance(source, MixedMoments):
            raise SettingError("certify= is for tables of one kind of column; cut the numbers with bins=")
        found = search_on(source, found, **options)
    return found, about_sample(rows, n_rows, certified=certify)


def remarks_on_search(found: LearnedAutomatically) -> tuple[str, ...]:
    """What a search says of its result, and whether the clock ended it."""
    if found.trace.stopped_by != "seconds":
        return found.notes
    return (*found.notes, "the clock ended the search, so another run may end elsewhere; seconds= sets it")


def with_origin(result: LearnedModel, settings: Any, rows: Any) -> LearnedModel:
    """The same, with a model that says where it came from; its file keeps that."""
    told = {
        "method": "auto",
        "learner": "learn",
        "settings": settings,
        "score": result.learned.criterion,
        "reason": result.reason,
        "notes": list(result.notes),
        **rows_behind(rows),
        **({} if result.report is None else {"reading": reading_of(result.report)}),
        **version(),
    }
    return replace(result, model=result.model.with_provenance({**result.model.provenance, **told}))
