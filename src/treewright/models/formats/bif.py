"""BIF, the interchange format for Bayesian networks, as bnlearn, pgmpy, pyAgrum and JavaBayes write it.

::

    variable rain { type discrete [ 2 ] { no, yes }; }
    probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }

Rows are keyed by the labels of the parents and may come in any order; ``default`` fills what no row says.
A ``table`` with parents lists the child's first state for all parents, then its second, and so on; some
programs list whole rows instead, which is noticed by the sums. Comments, properties, quotes and commas are
optional, as they are in the wild.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise, product

import numpy as np

from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.formats.bif_rows import MOST_MARKS, Rows, States, place_rows, read_numbers, read_rows
from treewright.models.formats.draft import Draft, DraftTable, TextReader, count_cells
from treewright.models.formats.names import Exported, NameRules, export_names
from treewright.models.formats.text import Source
from treewright.models.formats.tokens import WORD, Positions, Rules, Tokens
from treewright.types import Floats

RULES = Rules("{}()[],;|", line_comments=("//",), block_comments=True)

KEYWORDS = "default discrete network probability property table type variable"
NAMES = NameRules(
    "BIF",
    variable=r"[A-Za-z_][A-Za-z0-9_.-]*",
    state=r"[A-Za-z_][A-Za-z0-9_.-]*|[0-9]+(_[A-Za-z0-9_]*)?",
    reserved=frozenset(KEYWORDS.split()),
)

export = partial(export_names, rules=NAMES)
_INTERVAL = re.compile(r"[\[(][^,\[\]()]*,[^,\[\]()]*[\])]")


def read(source: Source) -> Draft:
    """Read a file into a draft."""
    return _Reader(source, RULES).run()


class _Reader(TextReader):
    def __init__(self, source: Source, rules: Rules) -> None:
        super().__init__(source, rules)
        self.states: list[States] = []

    def run(self) -> Draft:
        probabilities: list[int] = []
        cursor = self.cursor
        while not cursor.done:
            match cursor.text("network, variable or probability").lower():
                case "network":
                    cursor.until("{", what="the network's name")
                    cursor.until("}", what="the network")
                case "variable":
                    self.variable()
                case "probability":  # variables may be declared behind their first use
                    probabilities.append(cursor.at)
                    cursor.until("{", what="a probability")
                    cursor.until("}", what="a probability")
                case _:
                    cursor.at -= 1
                    raise cursor.fail("network, variable or probability")
        for at in probabilities:
            cursor.at = at
            self.probability()
        return self.draft

    def variable(self) -> None:
        cursor, tokens = self.cursor, self.tokens
        first, last = cursor.until("{", what="a variable's name")
        if first == last:
            cursor.at = last
            raise cursor.fail("a name after variable")
        name = tokens.span_text(first, last)
        states: States | None = None
        while not cursor.at_mark("}"):
            match cursor.text(f"type, property or '}}' in variable {name!r}").lower():
                case "property":
                    cursor.until(";", what="a property")
                case "type" if states is None:
                    states = self.type_of(name)
                case _:
                    cursor.at -= 1
                    raise cursor.fail(f"one type or properties in variable {name!r}")
        cursor.mark("}", after=f"variable {name!r}")
        if states is None:
            raise tokens.error(f"variable {name!r} has no type", first)
        self.draft.add_variable(name, states.labels, tokens.offset(first))
        self.states.append(states)

    def type_of(self, name: str) -> States:
        cursor, tokens = self.cursor, self.tokens
        kind = cursor.text("discrete after type").lower()
        if kind != "discrete":
            raise tokens.error(f"variable {name!r} is {kind!r}; only discrete ones are read", cursor.at - 1)
        cursor.mark("[", after="discrete")
        at = cursor.at
        declared = cursor.text("a number of states")
        cursor.mark("]", after="the number of states")
        cursor.mark("{", after="']'")
        first, last = cursor.until("}", what=f"the list of states of {name!r}")
        spans = _split_states(tokens, first, last, declared)
        if spans is None:
            found = tokens.kind_bytes.count(b",", first, last) + 1
            raise tokens.error(f"{name!r} declares {declared} states and lists {found}", at)
        if cursor.at_mark(";"):
            cursor.at += 1
        single = all(e - s == 1 for s, e in spans)
        symbols = tuple(int(tokens.symbols[s]) for s, _ in spans) if single else None
        return States(name, tuple(tokens.span_text(s, e) for s, e in spans), symbols)

    def probability(self) -> None:
        cursor = self.cursor
        at = cursor.mark("(", after="probability")
        first, last = cursor.until(")", what="the head of a probability")
        child, parents = self.family(first, last)
        cursor.mark("{", after="the head of a probability")
        first, last = cursor.until("}", what="a probability")
        self.table(child, parents, first, last, at)

    def family(self, first: int, last: int) -> tuple[int, list[int]]:
        tokens, draft = self.tokens, self.draft
        bar = tokens.next_mark("|", first, last)
        if bar < last:
            spans = [(first, bar), *_by_commas(tokens, bar + 1, last)]
        elif draft.knows(tokens.span_text(first, last)) if first < last else False:
            spans = [(first, last)]
        else:  # JavaBayes: the child, then its parents, with nothing between them
            spans = [(i, i + 1) for i in range(first, last) if bool(tokens.is_text(i, i + 1)[0])]
        if not spans or spans[0][0] == spans[0][1]:
            raise tokens.error("the head of a probability names no variable", first)
        return draft.family([(tokens.span_text(s, e) if s < e else "", tokens.offset(s)) for s, e in spans])

    def table(self, child: int, parents: list[int], first: int, last: int, at: int) -> None:
        """Read the statements of a probability: rows, or one table, or a default for the other rows."""
        tokens, draft = self.tokens, self.draft
        alone = tokens.kind_bytes.find(b";", first, last) == last - 1
        if alone and self.one_statement(child, parents, first, at):
            return
        ends = first + np.flatnonzero(tokens.kinds[first:last] == ord(";"))
        if not ends.size or int(ends[-1]) != last - 1:
            raise tokens.error("expected ';' at the end of a row", max(last - 1, first))
        starts = np.concatenate(([first], ends[:-1] + 1))
        is_row = tokens.kinds[starts] == ord("(")
        n_states = draft.variable(child).cardinality
        given: dict[str, Floats] = {}
        for start, end in zip(starts[~is_row].tolist(), ends[~is_row].tolist(), strict=True):
            word = tokens.text(start).lower() if start < end else ";"
            if word == "property":
                continue
            if word not in ("table", "default") or word in given:
                raise tokens.error(f"expected a row, one table or one default, found {word!r}", start)
            wanted = n_states if word == "default" else None
            given[word] = read_numbers(tokens, start + 1, end, wanted, at=start)
        if "table" in given and (is_row.any() or len(given) > 1):
            raise tokens.error("a probability has either a table or rows, not both", first)
        if "table" in given:
            found = DraftTable(child, tuple(parents), given["table"], tokens.offset(at))
            draft.arrange(found, rows_first=False)
            return
        rows = self.rows(starts[is_row], ends[is_row], child, parents)
        cells, places = place_rows(draft, tokens, rows, (child, parents), default=given.get("default"), at=at)
        row_at = None if places is None else lambda row: tokens.offset(int(places[row]))
        draft.add_table(DraftTable(child, tuple(parents), cells, tokens.offset(at), row_at))

    def one_statement(self, child: int, parents: list[int], first: int, at: int) -> bool:
        """Read a table, or a default for all rows, where there is nothing else; says whether it was so."""
        tokens, draft = self.tokens, self.draft
        word = tokens.text(first).lower() if tokens.kind_bytes[first] == WORD else ""
        last, place = tokens.next_mark(";", first), tokens.offset(at)
        if word == "table":
            values = read_numbers(tokens, first + 1, last, None, at=first)
            draft.arrange(DraftTable(child, tuple(parents), values, place), rows_first=False)
        elif word == "default":
            *configuration, n_states = draft.shape(child, parents)
            values = read_numbers(tokens, first + 1, last, n_states, at=first)
            wanted = count_cells(configuration)
            draft.reserve(wanted * n_states, draft.variable(child).name, place)
            draft.add_table(DraftTable(child, tuple(parents), np.tile(values, wanted), place))
        return word in ("table", "default")

    def rows(self, starts: Positions, ends: Positions, child: int, parents: list[int]) -> Rows:
        n_states = self.draft.variable(child).cardinality
        if not starts.size:
            return Rows(np.empty((0, len(parents)), dtype=np.int64), np.empty((0, n_states)), starts)
        if not parents:
            raise self.tokens.error(
                f"{self.draft.variable(child).name!r} has no parents, so it has a table and no rows",
                int(starts[0]),
            )
        return read_rows(self.tokens, starts, ends, [self.states[p] for p in parents], n_states)


def _by_commas(tokens: Tokens, first: int, last: int) -> list[tuple[int, int]]:
    commas = [at for at, kind in enumerate(tokens.kind_bytes[first:last], first) if kind == ord(",")]
    bounds = [first - 1, *commas, last]
    return [(s + 1, e) for s, e in pairwise(bounds)]


def _split_states(tokens: Tokens, first: int, last: int, declared: str) -> list[tuple[int, int]] | None:
    """The tokens of each state, in as many states as were declared; None when there are not so many."""
    if not (declared.isascii() and declared.isdigit() and len(declared) < 10) or first == last:
        return None
    n_states = int(declared)
    n_commas = tokens.kind_bytes.count(b",", first, last)
    spans: list[tuple[int, int]] = []
    if n_commas + 1 == n_states:
        spans = _by_commas(tokens, first, last)
    elif n_commas == 0 and last - first == n_states:
        spans = [(i, i + 1) for i in range(first, last)]
    elif n_states <= n_commas < MOST_MARKS * n_states:  # bare intervals, such as (1,2], (2,3]
        spans = _outside_intervals(tokens, first, last)
    return spans if len(spans) == n_states and all(s < e for s, e in spans) else None


def _outside_intervals(tokens: Tokens, first: int, last: int) -> list[tuple[int, int]]:
    start = tokens.offset(first)
    text = tokens.source.data[start : tokens.offset(last)].decode("latin-1")  # one character per byte
    reaches = [range(found.start(), found.end()) for found in _INTERVAL.finditer(text)]
    inside = {start + at for reach in reaches for at in reach if text[at] == ","}
    merged: list[tuple[int, int]] = []
    for s, e in _by_commas(tokens, first, last):
        if merged and tokens.offset(s - 1) in inside:
            merged[-1] = (merged[-1][0], e)
        else:
            merged.append((s, e))
    return merged


def write(model: BayesianNetwork, exported: Exported) -> bytes:
    """The bytes of a file."""
    lines = ["network unknown {", "}"]
    for name, states in zip(exported.names, exported.states, strict=True):
        lines += [f"variable {name} {{", f"  type discrete [ {len(states)} ] {{ {', '.join(states)} }};", "}"]
    for v in range(len(model.schema)):
        lines += _probability(model, exported, v)
    return ("\n".join(lines) + "\n").encode("utf-8")


def _probability(model: BayesianNetwork, exported: Exported, v: int) -> Iterator[str]:
    parents = model.dag.parents(v)
    rows = model.tables[v].reshape(-1, model.schema.cardinalities[v]).tolist()
    if not parents:
        yield f"probability ( {exported.names[v]} ) {{"
        yield f"  table {', '.join(map(repr, rows[0]))};"
    else:
        yield f"probability ( {exported.names[v]} | {', '.join(exported.names[p] for p in parents)} ) {{"
        configurations = product(*(exported.states[p] for p in parents))
        for labels, row in zip(configurations, rows, strict=True):
            yield f"  ({', '.join(labels)}) {', '.join(map(repr, row))};"
    yield "}"
