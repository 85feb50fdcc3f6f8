"""UAI, the files of the inference competitions: numbers only, for Bayesian networks and Markov networks.

The order of everything is the meaning: variables are 0, 1, 2 ..., and a table lists the last variable of its
scope, the child, fastest. Names and labels come from the names file beside it; without one, variables are
called x0, x1, ... and states 0, 1, .... Two programs deviate: pgmpy lists the child slowest, which the sums
give away, and pyAgrum lists the first parent fastest, which it gives away by a comment behind each scope.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from treewright.models.asking import Asking
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.discrete.tables import are_normal
from treewright.models.formats.draft import (
    ROUNDED,
    Draft,
    DraftFactor,
    DraftTable,
    count_cells,
    first_parent_fastest,
)
from treewright.models.formats.names import Exported, exported_as
from treewright.models.formats.text import Source, as_text
from treewright.models.formats.tokens import Rules, Tokens
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.tables.schema import Schema
from treewright.types import Cells, Scope

RULES = Rules("", line_comments=("#",), quotes=False)
MOST_AXES = 30
MOST_CONSTANTS = 1_000  # tables about no variable
MOST_UNPROVEN = 2**14  # states of variables that no table mentions


Scopes = list[tuple[Scope, int]]  # each with where it stands


def read(source: Source) -> Draft:
    """Read a file into a draft."""
    return _Reader(as_text(source)).run()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = Tokens(source, RULES)
        self.draft = Draft(source)
        self.at = 1

    def run(self) -> Draft:
        tokens = self.tokens
        kind = tokens.text(0) if len(tokens) else ""
        if kind not in ("BAYES", "MARKOV"):
            raise tokens.error(
                f"expected BAYES or MARKOV at the start, found {kind!r}; other kinds are not read", 0
            )
        self.values = np.concatenate(([0.0], tokens.numbers(slice(1, None))))
        self.listed = self.values.tolist()  # the same once more: one by one, lists are faster than arrays
        n = self.whole("the number of variables", most=len(tokens))
        cardinalities = self.wholes(n, "a number of states")
        places = range(self.at - n, self.at)
        n_tables = self.whole("the number of tables", most=len(tokens))
        if kind == "BAYES" and n_tables != n:
            raise tokens.error(f"a Bayesian network of {n} variables has {n} tables", self.at - 1)
        scopes = [self.scope(n, least=kind == "BAYES") for _ in range(n_tables)]
        self.expect_scopes(scopes)
        listed = [self.table([cardinalities[v] for v in scope], at) for scope, at in scopes]
        if self.at != len(tokens):
            raise tokens.error("there is something behind the last table", self.at)
        if kind == "BAYES":  # only now: the tables prove that so many states are no bluff
            self.expect_children(n, scopes, places)
        else:
            self.expect_honest(cardinalities, scopes, places)
        for v, cardinality in enumerate(cardinalities):
            self.draft.add_variable(f"x{v}", [str(i) for i in range(cardinality)], tokens.offset(places[v]))
        if kind == "BAYES":
            self.add_tables(scopes, listed)
        else:
            pairs = zip(scopes, listed, strict=True)
            self.draft.factors = [
                DraftFactor(scope, cells.reshape(self.shape(scope, at, cardinalities)), tokens.offset(at))
                for (scope, at), cells in pairs
            ]
        return self.draft

    def shape(self, scope: Scope, at: int, cardinalities: list[int]) -> list[int]:
        """Of a factor, which has an axis for every variable."""
        if len(scope) > MOST_AXES:
            raise self.tokens.error(f"a scope has {len(scope)} variables, more than {MOST_AXES}", at)
        return [cardinalities[v] for v in scope]

    def expect_scopes(self, scopes: Scopes) -> None:
        """Constants are factors too, while they are few."""
        empty = [at for scope, at in scopes if not scope]
        if len(empty) > MOST_CONSTANTS:
            raise self.tokens.error(
                f"more than {MOST_CONSTANTS:,} tables are about no variable, and one would say the same",
                empty[MOST_CONSTANTS],
            )

    def expect_children(self, n: int, scopes: Scopes, places: range) -> None:
        children = {scope[-1] for scope, _ in scopes}
        for v in range(n):
            if v not in children:
                raise self.tokens.error(f"there is no table of variable {v}", places[v])

    def expect_honest(self, cardinalities: list[int], scopes: Scopes, places: range) -> None:
        """States that no table mentions are believed while they are few."""
        mentioned = {v for scope, _ in scopes for v in scope}
        unproven = 0
        for v, cardinality in enumerate(cardinalities):
            unproven += 0 if v in mentioned else cardinality
            if unproven > MOST_UNPROVEN:
                raise self.tokens.error(
                    f"variable {v} has {cardinality:,} states, and no table mentions it", places[v]
                )

    def whole(self, what: str, *, most: int | None = None) -> int:
        """The next number, which counts something."""
        if self.at >= len(self.listed):
            raise self.tokens.error(f"the file ends where {what} should be", self.at)
        value: float = self.listed[self.at]
        if not 0 <= value < 2**53 or value != int(value):
            raise self.tokens.error(f"{what} is a whole number; found {value!r}", self.at)
        if most is not None and value > most:
            raise self.tokens.error(f"{what} is {int(value):,}, more than the file can hold", self.at)
        self.at += 1
        return int(value)

    def wholes(self, n: int, what: str) -> list[int]:
        """So many numbers that count something."""
        found = self.listed[self.at : self.at + n]
        whole = list(map(int, found))
        if len(found) < n or whole != found or (whole and not 0 <= min(whole) <= max(whole) < 2**53):
            return [self.whole(what) for _ in range(n)]  # which says where
        self.at += n
        return whole

    def scope(self, n: int, *, least: int) -> tuple[Scope, int]:
        start = self.at
        size = self.whole("the size of a scope", most=len(self.listed))
        if size < least:
            raise self.tokens.error("a scope names at least one variable", start)
        scope = tuple(self.wholes(size, "a variable of a scope"))
        if scope and max(scope) >= n:
            wrong = next(v for v in scope if v >= n)
            raise self.tokens.error(f"there is no variable {wrong}; there are {n}, counted from 0", start)
        if len(set(scope)) != size:
            raise self.tokens.error("a scope names a variable twice", start)
        return scope, start

    def table(self, shape: list[int], at: int) -> Cells:
        start = self.at
        size = self.whole("the size of a table")
        if size != count_cells(shape):
            raise self.tokens.error(f"a table has {size:,} numbers, its scope asks for another number", start)
        if size > len(self.listed) - self.at:
            raise self.tokens.error(f"the file ends within a table of {size:,} numbers", start)
        if len(shape) > MOST_AXES:  # those of one state change no order
            shape = [*(states for states in shape[:-1] if states != 1), shape[-1]]
        if len(shape) > MOST_AXES:
            raise self.tokens.error(f"a scope has {len(shape)} variables, more than {MOST_AXES}", at)
        self.at += size
        return self.values[self.at - size : self.at].reshape(shape)

    def add_tables(self, scopes: Scopes, listed: list[Cells]) -> None:
        orders: list[tuple[str, Callable[[Cells], Cells]]] = [
            ("", lambda table: table),
            ("tables list the last variable slowest, as pgmpy does", _reversed),
        ]
        widest = max(len(scope) for scope, _ in scopes)  # alone, a table has one order
        if widest > 1 and self.is_agrum([at for _, at in scopes], [len(scope) for scope, _ in scopes]):
            orders.insert(0, ("tables list the first parent fastest, as pyAgrum does", first_parent_fastest))
        fitting = (
            one
            for one in orders
            if all(are_normal([np.ascontiguousarray(one[1](table)) for table in listed], ROUNDED))
        )
        note, order = next(fitting, orders[0])
        if note:
            self.draft.notes.append(note)
        for (scope, at), table in zip(scopes, listed, strict=True):
            cells = np.ascontiguousarray(order(table)).ravel()
            self.draft.add_table(DraftTable(scope[-1], scope[:-1], cells, self.tokens.offset(at)))

    def is_agrum(self, starts: list[int], sizes: list[int]) -> bool:
        ends = [int(self.tokens.ends[start + size]) for start, size in zip(starts, sizes, strict=True)]
        return all(re.match(rb"[ \t]+#", self.source.data[end : end + 8]) for end in ends)


def _reversed(table: Cells) -> Cells:
    """The values once more with the first variable fastest."""
    return table.ravel().reshape(table.shape, order="F")


def export(schema: Schema) -> Exported:
    """Numbers for names: all there is in this format."""
    names = tuple(f"x{v}" for v in range(len(schema)))
    states = tuple(tuple(str(code) for code in range(n)) for n in schema.cardinalities)
    return exported_as(schema, names, states)


def write(model: Asking, exported: Exported) -> bytes:
    """The bytes of a file."""
    if isinstance(model, MarkovNetwork):
        scopes, tables = [f.scope for f in model.factors], [f.table for f in model.factors]
        return _text("MARKOV", model.schema, scopes, tables)
    assert isinstance(model, BayesianNetwork)
    families = [(*model.dag.parents(v), v) for v in range(len(model.schema))]
    return _text("BAYES", model.schema, families, model.tables)


def _text(kind: str, schema: Schema, scopes: Sequence[Scope], tables: Sequence[Cells]) -> bytes:
    lines = [kind, str(len(schema)), " ".join(map(str, schema.cardinalities)), str(len(tables))]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope in scopes]
    for table in tables:
        lines += ["", str(table.size)]
        rows = table.reshape(-1, table.shape[-1] if table.ndim else 1).tolist()
        lines += [" " + " ".join(map(_decimal, row)) for row in rows]
    return ("\n".join(lines) + "\n").encode("ascii")


def _decimal(value: float) -> str:
    """The shortest exact digits without an exponent, which some readers do not know."""
    text = repr(value)
    return text if "e" not in text else str(np.format_float_positional(value, unique=True))
