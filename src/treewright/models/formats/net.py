"""NET, the files of Hugin.

::

    node rain { states = ("no" "yes"); }
    potential (wet | rain) { data = ((0.9 0.1) (0.2 0.8)); }

Node names are identifiers; labels are quoted texts. Data lists whole rows, the first parent slowest; the
brackets inside say the same once more and may be missing. Attributes that hold no probabilities are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.formats.draft import Draft, DraftTable, TextReader
from treewright.models.formats.names import Exported, NameRules, export_names
from treewright.models.formats.text import Source
from treewright.models.formats.tokens import QUOTED, WORD, Rules, shorten

RULES = Rules("{}()=;|", line_comments=("%",), escapes=True)

_KEYWORDS = (
    "class continuous data decision discrete function interval labelled net node number potential utility"
)
NAMES = NameRules(
    "NET",
    variable="[A-Za-z_][A-Za-z0-9_]*",
    state=r"""[!#-&'*+\--\[\]-~]+""",  # printable ASCII but for quotes, backslash, brackets and commas
    reserved=frozenset(_KEYWORDS.split()),
)

export = partial(export_names, rules=NAMES)
_OTHER_NODES = ("continuous", "decision", "utility", "function", "interval")


def read(source: Source) -> Draft:
    """Read a file into a draft."""
    return _Reader(source, RULES).run()


class _Reader(TextReader):
    def run(self) -> Draft:
        potentials: list[int] = []
        in_class = False
        cursor = self.cursor
        while not cursor.done:
            if in_class and cursor.at_mark("}"):
                cursor.at += 1
                in_class = False
                continue
            word = cursor.text("net, node or potential")
            if word == "net":
                self.block("net")
            elif word == "class" and not in_class:
                cursor.until("{", what="the head of a class")
                in_class = True
            elif word == "node" or (word == "discrete" and cursor.text("node after discrete") == "node"):
                self.node()
            elif word == "potential":  # nodes may come behind their first use
                potentials.append(cursor.at)
                cursor.until("{", what="a potential")
                cursor.until("}", what="a potential")
            elif in_class and cursor.at_mark("="):
                cursor.until(";", what="an attribute")
            else:
                self.refuse(word)
        if in_class:
            raise cursor.fail("'}' at the end of the class")
        for at in potentials:
            cursor.at = at
            self.potential()
        return self.draft

    def refuse(self, word: str) -> None:
        self.cursor.at -= 1
        if word in _OTHER_NODES:
            raise self.tokens.error(f"{word} nodes are not read, only discrete ones", self.cursor.at)
        raise self.cursor.fail("net, node or potential")

    def block(self, what: str) -> dict[str, tuple[int, int]]:
        """The attributes between braces: for each its name and the tokens of its value."""
        cursor = self.cursor
        cursor.mark("{", after=what)
        attributes: dict[str, tuple[int, int]] = {}
        while not cursor.at_mark("}"):
            at = cursor.at
            name = cursor.text(f"an attribute or '}}' in {what}")
            cursor.mark("=", after=name)
            if name in attributes and name in ("states", "data"):
                raise self.tokens.error(f"{what} has two attributes {name}", at)
            attributes[name] = cursor.until(";", what=f"the attribute {name}")
        cursor.at += 1
        return attributes

    def node(self) -> None:
        at = self.cursor.at
        name = self.cursor.text("the name of a node")
        attributes = self.block(f"node {name!r}")
        if "states" not in attributes:
            raise self.tokens.error(f"node {name!r} has no states", at)
        first, last = self.bracketed(*attributes["states"])
        self.draft.add_variable(name, self.states(first, last), self.tokens.offset(at))

    def states(self, first: int, last: int) -> list[str]:
        """Quoted texts, or bare words (pyAgrum), in which marks stand without space: ``>=5``."""
        tokens, said = self.tokens, self.tokens.kind_bytes[first:last]
        odd = next((i for i, kind in enumerate(said, first) if kind in b"{}()"), None)
        if odd is not None:
            raise tokens.error(f"expected a state, found {tokens.text(odd)!r}", odd)
        if said.count(QUOTED) == len(said):  # mostly so
            return [tokens.text(i) for i in range(first, last)]
        kinds, starts, ends = (a[first:last] for a in (tokens.kinds, tokens.starts, tokens.ends))
        goes_on = (starts[1:] == ends[:-1]) & (kinds[1:] != QUOTED) & (kinds[:-1] != QUOTED)
        heads = first + np.flatnonzero(np.concatenate(([True], ~goes_on)))
        tails = np.append(heads[1:], last)
        return [tokens.span_text(s, e) for s, e in zip(heads.tolist(), tails.tolist(), strict=True)]

    def bracketed(self, first: int, last: int) -> tuple[int, int]:
        kinds = self.tokens.kind_bytes
        if last - first < 2 or kinds[first] != ord("(") or kinds[last - 1] != ord(")"):
            raise self.tokens.error("expected a list in brackets", first)
        return first + 1, last - 1

    def potential(self) -> None:
        cursor, tokens, draft = self.cursor, self.tokens, self.draft
        at = cursor.mark("(", after="potential")
        first, last = cursor.until(")", what="the head of a potential")
        bar = tokens.next_mark("|", first, last)
        names = [(tokens.text(i), tokens.offset(i)) for i in range(first, last) if i != bar]
        if bar - first != 1:
            raise tokens.error(f"a potential is about one node; found {bar - first}", at)
        child, parents = draft.family(names)
        label = draft.variable(child).name
        attributes = self.block(f"the potential of {label!r}")
        if "data" not in attributes:
            raise tokens.error(f"the potential of {label!r} has no data", at)
        values = self.data(*attributes["data"])
        draft.expect_cells(child, parents, len(values), tokens.offset(attributes["data"][0]))
        draft.add_table(DraftTable(child, tuple(parents), values, tokens.offset(at)))

    def data(self, first: int, last: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        if self.tokens.kind_bytes[first:last] == b"(" + bytes([WORD]) * (last - first - 2) + b")":
            return self.tokens.numbers(slice(first + 1, last - 1))
        kinds = self.tokens.kinds[first:last]
        depth = np.cumsum((kinds == ord("(")).astype(np.int64) - (kinds == ord(")")))
        odd = np.flatnonzero(((kinds != WORD) & (kinds != ord("(")) & (kinds != ord(")"))) | (depth < 0))
        if odd.size:
            i = first + int(odd[0])
            raise self.tokens.error(f"expected numbers in brackets, found {shorten(self.tokens.text(i))}", i)
        if depth.size and int(depth[-1]) != 0:
            raise self.tokens.error("a bracket of the data is not closed", first)
        return self.tokens.numbers(first + np.flatnonzero(kinds == WORD))


def write(model: BayesianNetwork, exported: Exported) -> bytes:
    """The bytes of a file."""
    lines = ["net", "{", "}"]
    for name, states in zip(exported.names, exported.states, strict=True):
        listed = " ".join(f'"{state}"' for state in states)
        lines += [f"node {name}", "{", f"  states = ({listed});", "}"]
    for v in range(len(model.schema)):
        lines += _potential(model, exported, v)
    return ("\n".join(lines) + "\n").encode("utf-8")


def _potential(model: BayesianNetwork, exported: Exported, v: int) -> Iterator[str]:
    parents = model.dag.parents(v)
    given = f" | {' '.join(exported.names[p] for p in parents)}" if parents else ""
    yield f"potential ({exported.names[v]}{given})"
    yield "{"
    rows = model.tables[v].reshape(-1, model.schema.cardinalities[v]).tolist()
    lines = [f"({' '.join(map(repr, row))})" for row in rows]
    block = 1  # rows that one bracket of the next parent holds, from the last parent to the first
    for p in reversed(parents):
        block *= model.schema.cardinalities[p]
        lines[::block] = ["(" + line for line in lines[::block]]
        lines[block - 1 :: block] = [line + ")" for line in lines[block - 1 :: block]]
    yield "  data = " + "\n          ".join(lines) + ";"
    yield "}"
