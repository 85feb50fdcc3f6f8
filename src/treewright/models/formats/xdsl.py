"""XDSL, the files of GeNIe and SMILE.

A ``cpt`` lists whole rows, the first parent slowest; a ``deterministic`` node lists the state that each
parent configuration leads to. Identifiers start with a letter and have letters, digits and underscores.
pyAgrum writes and reads such files with the first parent fastest; its files say who wrote them
(``app="aGrUM ..."``) and are read that way.
"""

from __future__ import annotations

from functools import partial
from xml.sax.saxutils import quoteattr

import numpy as np

from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.models.formats.draft import Draft, DraftTable, count_cells, first_parent_fastest
from treewright.models.formats.markup import Element, parse
from treewright.models.formats.names import Exported, NameRules, export_names
from treewright.models.formats.text import Source
from treewright.types import Cells

_IDENTIFIER = "[A-Za-z][A-Za-z0-9_]*"
APPLICATION = "treewright"
NAMES = NameRules("XDSL", variable=_IDENTIFIER, state=_IDENTIFIER)

export = partial(export_names, rules=NAMES)
_OTHER_NODES = ("noisymax", "noisyadder", "equation", "decision", "utility", "mau", "demorgan", "submodel")
_KNOWN = {"smile", "nodes", "cpt", "deterministic", "state", "parents", "probabilities", "resultingstates"}
_KNOWN |= {"extensions", "genie", "node", *_OTHER_NODES}


def read(source: Source) -> Draft:
    """Read a file into a draft."""
    draft, root = parse(source, "smile", known=_KNOWN)
    nodes = _in_own_order(root, root.only(source, "nodes", "element nodes").children)
    for node in nodes:
        if node.tag not in ("cpt", "deterministic"):
            raise source.error(
                f"node {node.attributes.get('id')!r} is of the kind {node.tag}; nodes with tables (cpt, "
                "deterministic) are read, and GeNIe can change others into these",
                node.at,
            )
        draft.add_variable(_id(draft, node), [_id(draft, state) for state in node.all("state")], node.at)
    first_fastest = any("agrum" in application.lower() for application, _ in _written_by(root))
    if first_fastest:
        draft.notes.append("written by pyAgrum: the first parent is the fastest")
    for child, node in enumerate(nodes):
        _table(draft, child, node, first_fastest)
    return draft


def _in_own_order(root: Element, nodes: list[Element]) -> list[Element]:
    """The nodes in the order of the model, which treewright keeps in the captions."""
    captions = [node for app, genie in _written_by(root) if app == APPLICATION for node in genie.all("node")]
    ranks = {node.attributes.get("id"): rank for rank, node in enumerate(captions)}
    return sorted(nodes, key=lambda node: ranks.get(node.attributes.get("id"), len(ranks)))


def _written_by(root: Element) -> list[tuple[str, Element]]:
    return [(g.attributes.get("app", ""), g) for e in root.all("extensions") for g in e.all("genie")]


def _id(draft: Draft, element: Element) -> str:
    name = element.attributes.get("id")
    if name is None:
        raise draft.source.error(f"a {element.tag} has no id", element.at)
    return " ".join(name.split())


def _table(draft: Draft, child: int, node: Element, first_fastest: bool) -> None:
    names = [draft.variable(child).name, *" ".join(e.text for e in node.all("parents")).split()]
    _, parents = draft.family([(name, node.at) for name in names])
    read_cells = _deterministic if node.tag == "deterministic" else _listed
    cells = read_cells(draft, child, parents, node)
    if first_fastest and len(parents) > 1:
        *configuration, n_states = draft.shape(child, parents)
        configuration = [states for states in configuration if states != 1]  # which change no order
        if len(configuration) > 30:
            raise draft.source.error(f"a node has {len(configuration)} parents", node.at)
        cells = first_parent_fastest(cells.reshape(*configuration, n_states)).ravel()
    draft.add_table(DraftTable(child, tuple(parents), cells, node.at))


def _listed(draft: Draft, child: int, parents: list[int], node: Element) -> Cells:
    what = f"list of probabilities of {draft.variable(child).name!r}"
    listed = node.only(draft.source, "probabilities", what)
    values = listed.numbers(draft.source)
    draft.expect_cells(child, parents, len(values), listed.at)
    return values


def _deterministic(draft: Draft, child: int, parents: list[int], node: Element) -> Cells:
    """One state per parent configuration, as a table of zeros and ones."""
    variable = draft.variable(child)
    states = " ".join(element.text for element in node.all("resultingstates")).split()
    *configuration, n_states = draft.shape(child, parents)
    if len(states) != count_cells(configuration):
        raise draft.source.error(
            f"{variable.name!r} lists {len(states)} resulting states, not one per row of its table", node.at
        )
    codes = {state: code for code, state in enumerate(draft.states(child))}
    unknown = next((state for state in states if state not in codes), None)
    if unknown is not None:
        raise draft.source.error(f"{unknown!r} is not a state of {variable.name!r}", node.at)
    draft.reserve(len(states) * n_states, variable.name, node.at)
    cells = np.zeros((len(states), n_states))
    cells[np.arange(len(states)), [codes[state] for state in states]] = 1.0
    return cells


def write(model: BayesianNetwork, exported: Exported) -> bytes:
    """The bytes of a file; nodes come parents first, as SMILE wants them."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<smile version="1.0" id="network" numsamples="10000" discsamples="10000">',
        "  <nodes>",
    ]
    for v in model.dag.topological_order:
        lines.append(f"    <cpt id={quoteattr(exported.names[v])}>")
        lines += [f"      <state id={quoteattr(state)} />" for state in exported.states[v]]
        if parents := model.dag.parents(v):
            lines.append(f"      <parents>{' '.join(exported.names[p] for p in parents)}</parents>")
        numbers = " ".join(map(repr, model.tables[v].ravel().tolist()))
        lines += [f"      <probabilities>{numbers}</probabilities>", "    </cpt>"]
    lines += ["  </nodes>", *_extensions(model, exported), "</smile>"]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _extensions(model: BayesianNetwork, exported: Exported) -> list[str]:
    """Captions and places on a grid: GeNIe shows a node only when it knows where."""
    lines = ["  <extensions>", f'    <genie version="1.0" app="{APPLICATION}" name="network">']
    columns = max(1, round(len(exported.names) ** 0.5))
    ranks = {v: rank for rank, v in enumerate(model.dag.topological_order)}
    for v, rank in sorted(ranks.items()):
        x, y = 40 + 160 * (rank % columns), 40 + 100 * (rank // columns)
        lines += [
            f"      <node id={quoteattr(exported.names[v])}>",
            f"        <name>{exported.names[v]}</name>",
            '        <interior color="e5f6f7" />',
            '        <outline color="000080" />',
            '        <font color="000000" name="Arial" size="8" />',
            f"        <position>{x} {y} {x + 120} {y + 50}</position>",
            "      </node>",
        ]
    return [*lines, "    </genie>", "  </extensions>"]
