"""A model and the rows beside it on one page: what the data are, what was learned, how far to trust it.

The page stands alone: no script, nothing from elsewhere, everything that came from data escaped. It follows
the reader's light or dark setting on a screen, and prints black on white, a table never cut inside a row.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from treewright.arguments import MODEL, require
from treewright.errors import TreewrightError
from treewright.graphs.directed.pdag import NOT_A_CAUSE
from treewright.limits import format_bytes, format_count
from treewright.models import FeatureNetwork
from treewright.models.many_rows import mean_log_probability
from treewright.models.model import AnyModel, Rows, as_rows
from treewright.reports.escaping import escape
from treewright.reports.feature_picture import drawn_structure
from treewright.reports.legend import kept_gains
from treewright.reports.links import links_of
from treewright.reports.render import kept_strength, to_svg
from treewright.reports.styles import report_style
from treewright.statistics.information import mutual_information
from treewright.statistics.mixed.shrunk import state_normals
from treewright.statistics.mixed.state_moments import mixed_moments
from treewright.statistics.moments import moments
from treewright.statistics.whole import count
from treewright.tables.exports import counted
from treewright.tables.inspection.whole import inspect_table
from treewright.tables.readers import read_table
from treewright.tables.schema import Schema
from treewright.tables.table import Table
from treewright.types import Names

_PICTURED = 400  # variables; a picture of more tells nothing
_WITH_BARS = 60
_LISTED = 500  # lines of a table
_LONG = 400  # letters of a value in the provenance
_TOLD_ELSEWHERE = ("confidence", "gains", "undirected_edges")


class Html(str):
    """A piece of a page that is written as it stands; any other text is escaped."""

    __slots__ = ()


def to_report(
    model: AnyModel,
    rows: Rows,
    *,
    title: str | None = None,
    as_read: Table | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> str:
    """A self-contained HTML page about a model and the rows that it is held against.

    Parameters
    ----------
    rows
        A table, or anything that :func:`read_table` reads; missing cells are summed over in scoring.
    title
        Heading of the page.
    as_read
        The same rows as they were read by themselves, for what there is to say about them; read again when
        left out, unless the rows are a table already.
    provenance
        Where the model came from; what it knows itself when left out.

    Examples
    --------
    >>> import treewright as tw
    >>> asia = tw.load_network("asia")
    >>> page = to_report(asia, asia.sample(100, rng=np.random.default_rng(1)), title="Chest clinic")
    >>> page.startswith("<!doctype html>"), "<script" in page
    (True, False)
    """
    require("to_report", MODEL, model)
    table = as_rows(model.schema, rows)
    if as_read is None:
        as_read = table if isinstance(rows, Table) else read_table(rows, missing="em")
    origin = dict(provenance if provenance is not None else getattr(model, "provenance", None) or {})
    heading = escape(title or "Model report")
    figures, scores = _scores(model, table)
    sections = [
        ("data", "Data", _data(as_read)),
        ("model", "Model", _picture(model, origin)),
        ("edges", "Edges", _edges(model, table, origin)),
        ("scores", "How well it explains the rows", scores),
        ("cost", "What a question costs", _cost(model)),
        ("origin", "Where it came from", _origin(model, origin)),
    ]
    links = "".join(f'<a href="#{key}">{name}</a>' for key, name, _ in sections)
    shown = "".join(f'<section id="{key}"><h2>{name}</h2>{text}</section>' for key, name, text in sections)
    tiles = {"rows": f"{table.n_rows:,}", "variables": f"{len(model.schema):,}"}
    tiles |= {"edges": f"{len(links_of(model.structure)):,}", "parameters": f"{model.n_parameters:,}"}
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{heading}</title><style>{report_style()}</style></head><body>",
            f"<header><h1>{heading}</h1>{_tiles(tiles | figures)}<nav>{links}</nav></header>",
            f"<main>{shown}</main></body></html>\n",
        ]
    )


def _tiles(figures: Mapping[str, str]) -> str:
    tiles = (
        f"<div><b>{escape(value)}</b><span>{escape(name)}</span></div>" for name, value in figures.items()
    )
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Sequence[str] = ()) -> str:
    """Cells are texts, or pieces of HTML that are marked as such."""
    kinds = ["n" if name in numeric else "" for name in head]

    def cell(text: str, kind: str) -> str:
        inside = text if isinstance(text, Html) else escape(text)
        return f'<td class="{kind}">{inside}</td>' if kind else f"<td>{inside}</td>"

    listed = list(rows)
    titles = "".join(
        f'<th class="{k}">{escape(n)}</th>' if k else f"<th>{escape(n)}</th>"
        for n, k in zip(head, kinds, strict=True)
    )
    body = "".join(f"<tr>{''.join(map(cell, row, kinds))}</tr>" for row in listed[:_LISTED])
    more = f"<p class=quiet>and {len(listed) - _LISTED:,} more</p>" if len(listed) > _LISTED else ""
    return f"<div class=wide><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>{more}"


def _list(items: Iterable[str], kind: str = "") -> str:
    return f'<ul class="{kind}">{"".join(f"<li>{item}</li>" for item in items)}</ul>'


def _data(table: Table) -> str:
    report = table.report
    if report is None:
        columns = [
            (v.name, "continuous" if v.states is None else counted(len(v.states), "state"))
            for v in table.schema
        ]
        return _table(["column", "is"], columns)
    parts = [f"<p>{counted(report.n_rows_read, 'row')} read"]
    parts.append(
        f", {report.n_dropped:,} dropped for missing cells.</p>"
        if report.n_dropped
        else ", none dropped.</p>"
    )
    findings = inspect_table(table)
    if findings:
        mends = (
            escape(one.sentence) + (f" <code>{escape(one.option)}</code>" if one.option else "")
            for one in findings
        )
        parts.append(f"<h3>{counted(len(findings), 'finding')}</h3>{_list(mends, 'findings')}")
    else:
        parts.append("<p class=quiet>Nothing stands out that had better be mended.</p>")
    if report.mendings:
        parts.append(f"<h3>Mended in reading</h3>{_list(escape(str(one)) for one in report.mendings)}")
    lines = [
        (
            column.name,
            column.kind if column.n_states is None else counted(column.n_states, "state"),
            f"{column.n_missing:,}" if column.n_missing else "",
            "; ".join([column.reason, *column.notes]),
        )
        for column in report.columns
    ]
    lines += [(name, "left out", "", reason) for name, reason in report.ignored]
    parts += ["<h3>Columns</h3>", _table(["column", "is", "missing", "why"], lines, numeric=["missing"])]
    return "".join([*parts, _list(map(escape, report.notes))]) if report.notes else "".join(parts)


def _picture(model: AnyModel, origin: Mapping[str, Any]) -> str:
    n = len(model.schema)
    if n > _PICTURED:
        return (
            f"<p class=quiet>A picture of {n:,} variables would tell nothing; the edges are listed below.</p>"
        )
    marginals: Any = None
    if n <= _WITH_BARS and hasattr(model, "marginals"):
        try:
            marginals = model.marginals()
        except TreewrightError:  # too wide for exact answers: the shape alone, then
            marginals = None
    confidence, gains = kept_strength(model)
    structure: Any = model.structure
    if isinstance(model, FeatureNetwork):
        structure = drawn_structure(structure)
    picture = to_svg(structure, marginals=marginals, confidence=confidence, gains=gains or kept_gains(origin))
    return f'<div class="wide picture">{picture}</div>'


def _edges(model: AnyModel, table: Table, origin: Mapping[str, Any]) -> str:
    links, names = links_of(model.structure), model.schema.names
    if not links:
        return "<p>None: the variables are independent of each other in this model.</p>"
    confidence, gains = kept_strength(model)
    gains = gains or kept_gains(origin) or {}
    known = {frozenset(pair): gain for pair, gain in gains.items()}
    between = _association(model, table)
    most = max((between(*link.arc) for link in links), default=0.0) or 1.0
    lines = []
    for link in links:
        u, v = reversed(link.arc) if link.arrow == "up" else link.arc
        tail, head = names[u], names[v]
        strong = between(u, v)
        gain = known.get(frozenset((tail, head)))
        line = [tail, "—" if link.arrow == "none" else "→", head, _bar(strong / most), f"{strong:.4f}"]
        line.append("" if gain is None else f"{gain:,.1f}")
        line.append("" if confidence is None else f"{100 * confidence.strength(tail, head):.0f} %")
        lines.append((strong, line))
    numbers_only = not any(variable.is_discrete for variable in model.schema)
    what = "correlation" if numbers_only else "information (nats)"
    head_row = ["from", "", "to", "in these rows", what, "adds to the score (nats)", "found in resamplings"]
    drop = {5} if not known else set()
    drop |= {6} if confidence is None else set()
    keep = [k for k in range(len(head_row)) if k not in drop]
    ordered = [[line[k] for k in keep] for _, line in sorted(lines, key=lambda one: -one[0])]
    said = (
        f"<p class=quiet>{escape(NOT_A_CAUSE)} A line without arrow: either direction fits equally well.</p>"
    )
    if confidence is None:
        said += "<p class=quiet>How sure the edges are: <code>treewright learn --bootstrap 100</code>.</p>"
    return _table([head_row[k] for k in keep], ordered, numeric=head_row[4:]) + said


def _bar(share: float) -> Html:
    return Html(f'<span class="bar" style="width:{max(0.0, min(1.0, share)) * 7:.2f}em"></span>')


def _association(model: AnyModel, table: Table) -> Any:
    """How strongly two variables hang together in the rows: information; of numbers alone, correlation."""
    schema = model.schema
    gaps = [table.missing[v] for v in table.missing if table.schema.names[v] in schema]
    whole = table.take(~np.logical_or.reduce(gaps)) if gaps else table
    if not whole.n_rows:
        return lambda u, v: 0.0
    kinds = {variable.is_discrete for variable in schema}
    if kinds == {True, False}:
        return _mixed_association(whole.select(schema.names), schema)
    if kinds == {False}:
        scatter = moments(whole.select(schema.names)).scatter
        spread = np.sqrt(np.outer(np.diag(scatter), np.diag(scatter)))
        found = np.abs(np.divide(scatter, spread, out=np.zeros_like(scatter), where=spread > 0))
        return lambda u, v: float(found[u, v])
    counter = count(whole)
    return lambda u, v: mutual_information(counter, schema.names[u], schema.names[v])


def _mixed_association(whole: Table, schema: Schema) -> Any:
    """Information of states, and of Normals: of one number in each state of a label, or of two together."""
    source = mixed_moments(whole)

    def apart(discrete: Names, continuous: Names) -> float:
        return state_normals(source, discrete, continuous).log_likelihood()

    def between(u: int, v: int) -> float:
        names = tuple(sorted((schema.names[u], schema.names[v])))
        states = tuple(name for name in names if schema[name].is_discrete)
        numbers = tuple(name for name in names if name not in states)
        if not numbers:
            return mutual_information(source.counter, *states)
        gain = apart(states, numbers) - sum(apart((), (name,)) for name in numbers)
        return max(0.0, gain / source.n)

    return between


def _scores(model: AnyModel, table: Table) -> tuple[dict[str, str], str]:
    """The figure for the head of the page, and the section."""
    try:
        logs = model.log_evidence(table)
        mean = mean_log_probability(logs, table)
    except TreewrightError as refused:
        return {}, f"<p>Not computed: {escape(str(refused))}</p>"
    n_impossible = int(np.isneginf(logs).sum())
    pairs = [("log-likelihood", f"{mean:.4f} nats per row")]
    alone = _independent(model, table)
    if alone is not None:
        pairs.append(("the same without edges", f"{alone:.4f} nats per row"))
        pairs.append(("what the edges add", f"{mean - alone:.4f} nats per row"))
    if math.isfinite(mean):
        bits = mean * table.n_rows - 0.5 * math.log(max(table.n_rows, 2)) * model.n_parameters
        pairs.append(("BIC of these rows", f"{bits:,.1f}"))
    if n_impossible:
        pairs.append(("impossible rows", f"{n_impossible:,} have probability zero under the model"))
    said = "If these are the rows it was learned from, new rows will be explained a little less well: "
    said += "<code>treewright cross-validate</code> says how much."
    return {"nats per row": f"{mean:.3f}"}, _pairs(pairs) + f"<p class=quiet>{said}</p>"


def _independent(model: AnyModel, table: Table) -> float | None:
    """The mean log-likelihood of the best model without edges, of the cells that are there."""
    if not all(v.is_discrete for v in model.schema) or not table.n_rows:
        return None
    weights = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights, dtype=np.float64)
    total = 0.0
    for v in table.schema.scope(model.schema.names):
        seen = ~table.missing[v] if v in table.missing else np.ones(table.n_rows, dtype=np.bool_)
        counts = np.bincount(table.columns[v][seen], weights=weights[seen])
        shares = counts[counts > 0]
        total += float(shares @ np.log(shares / shares.sum())) if shares.size else 0.0
    return total / float(weights.sum())


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f"<dl>{rows}</dl>"


def _cost(model: AnyModel) -> str:
    if not hasattr(model, "cost"):
        return "<p>A sigmoid network answers about a variable whose parents are given, at once.</p>"
    cost: Any = model.cost()
    pairs = [("operations", format_count(cost.operations)), ("memory", format_bytes(cost.bytes))]
    pairs.append(("time, about", f"{cost.seconds:.2g} s"))
    if hasattr(cost, "width"):
        largest = ", ".join(cost.largest_table[:12]) + (" ..." if len(cost.largest_table) > 12 else "")
        pairs = [
            ("treewidth of the question", str(cost.width)),
            ("largest table", f"{format_count(cost.largest_cells)} cells: {largest}"),
            *pairs,
        ]
    verdict = (
        "above the memory limit, so it would be refused" if cost.refused else "exact, within the memory limit"
    )
    return f"<p>All distributions at once: {verdict}.</p>{_pairs(pairs)}"


def _origin(model: AnyModel, origin: Mapping[str, Any]) -> str:
    pairs = [("kind", type(model).__name__)]
    for name, value in origin.items():
        if name not in _TOLD_ELSEWHERE and value not in (None, "", [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            pairs.append((name.replace("_", " "), text if len(text) <= _LONG else text[: _LONG - 3] + "..."))
    told = "" if len(pairs) > 1 else "<p class=quiet>The model keeps no word of how it was made.</p>"
    return _pairs(pairs) + told
