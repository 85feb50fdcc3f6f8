"""XMLBIF 0.3: BIF in XML, with tables by position.

A table lists whole rows: the parents' states as nested loops in the order of ``GIVEN``, the child's own
states fastest. XML can say nearly every name, so little is renamed.
"""

from __future__ import annotations

from functools import partial
from xml.sax.saxutils import escape

from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.formats.draft import Draft, DraftTable
from treewright.models.formats.markup import Element, parse
from treewright.models.formats.names import Exported, NameRules, export_names
from treewright.models.formats.text import Source

# XML 1.0 has no control characters, surrogates or non-characters; spaces at the ends or in a row get lost
_CHARACTER = (
    r"[!-~\xa1-\u167f\u1681-\u1fff\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff"
    r"\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0001fffd]"
)
_TEXT = f"{_CHARACTER}+( {_CHARACTER}+)*"
NAMES = NameRules("XMLBIF", variable=_TEXT, state=_TEXT)

export = partial(export_names, rules=NAMES)
_KNOWN = {"BIF", "NETWORK", "VARIABLE", "NAME", "OUTCOME", "VALUE"}
_KNOWN |= {"DEFINITION", "PROBABILITY", "FOR", "GIVEN", "TABLE"}


def read(source: Source) -> Draft:
    """Read a file into a draft."""
    draft, root = parse(source, "BIF", known=_KNOWN, fold_case=True)
    network = root.only(source, "NETWORK", "NETWORK")
    for element in network.all("VARIABLE"):
        _variable(draft, element)
    for element in network.children:
        if element.tag in ("DEFINITION", "PROBABILITY"):
            _definition(draft, element)
    return draft


def _variable(draft: Draft, element: Element) -> None:
    kind = next((value for key, value in element.attributes.items() if key.upper() == "TYPE"), "nature")
    if kind.lower() not in ("nature", "discrete"):
        raise draft.source.error(f"a variable is of type {kind!r}; only nature is read", element.at)
    states = [_spaced(child.text) for child in element.children if child.tag in ("OUTCOME", "VALUE")]
    draft.add_variable(_only(draft, element, "NAME"), states, element.at)


def _definition(draft: Draft, element: Element) -> None:
    given = [(_spaced(parent.text), parent.at) for parent in element.all("GIVEN")]
    child, parents = draft.family([(_only(draft, element, "FOR"), element.at), *given])
    table = element.only(draft.source, "TABLE", "TABLE in a definition")
    values = table.numbers(draft.source)
    # a file that lists states first, as BIF does, is noticed by the sums
    draft.arrange(DraftTable(child, tuple(parents), values, table.at), rows_first=True)


def _only(draft: Draft, element: Element, tag: str) -> str:
    return _spaced(element.only(draft.source, tag, f"{tag} here").text)


def _spaced(text: str) -> str:
    return " ".join(text.split())


def write(model: BayesianNetwork, exported: Exported) -> bytes:
    """The bytes of a file."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3">',
        "<NETWORK>",
        "<NAME>unknown</NAME>",
    ]
    for name, states in zip(exported.names, exported.states, strict=True):
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{escape(name)}</NAME>"]
        lines += [f"  <OUTCOME>{escape(state)}</OUTCOME>" for state in states]
        lines.append("</VARIABLE>")
    for v, name in enumerate(exported.names):
        rows = model.tables[v].reshape(-1, model.schema.cardinalities[v]).tolist()
        lines += ["<DEFINITION>", f"  <FOR>{escape(name)}</FOR>"]
        lines += [f"  <GIVEN>{escape(exported.names[p])}</GIVEN>" for p in model.dag.parents(v)]
        lines.append("  <TABLE>")
        lines += ["    " + " ".join(map(repr, row)) for row in rows]
        lines += ["  </TABLE>", "</DEFINITION>"]
    lines += ["</NETWORK>", "</BIF>"]
    return ("\n".join(lines) + "\n").encode("utf-8")
