"""DOT, the language of Graphviz: the structure of a model as text.

Writing quotes every name, so that any name survives. Reading takes plain digraphs (statements ``a -> b -> c``
and ``a``, attributes skipped); the states of variables are not part of DOT and come from a schema, if at all.
"""

from __future__ import annotations

from itertools import pairwise

from treewright.arguments import require_text
from treewright.errors import FormatError, TreewrightError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.models.formats.text import Source
from treewright.models.formats.tokens import WORD, Cursor, Rules, Tokens
from treewright.tables.schema import Schema, Variable

RULES = Rules("{}[];,=->:", line_comments=("//", "#"), block_comments=True, escapes=True)


def to_dot(graph: Dag | UndirectedGraph) -> str:
    """The text of a graph, nodes in schema order and edges sorted by name.

    An edge of a learned network that could point either way is drawn without an arrow (`dir=none`).

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> print(to_dot(load_network("asia").dag).splitlines()[-2].strip())
    "tub" -> "either";
    >>> print(to_dot(load_network("asia").dag.moral_graph()).splitlines()[-2].strip())
    "lung" -- "tub";
    """
    kind, arrow = ("digraph", "->") if isinstance(graph, Dag) else ("graph", "--")
    nodes = [f"  {quoted(name)};" for name in graph.schema.names]
    pattern = graph.pattern if isinstance(graph, Dag) else None
    lines = set() if pattern is None else {frozenset(pair) for pair in pattern.undirected_edges()}
    edges = [
        f"  {quoted(one)} {arrow} {quoted(other)}{' [dir=none]' if frozenset((one, other)) in lines else ''};"
        for one, other in graph.edges()
    ]
    return "\n".join([f"{kind} {{", *nodes, *edges, "}"]) + "\n"


def from_dot(text: str, schema: Schema | None = None) -> Dag:
    """The graph of a DOT text, a digraph without subgraphs.

    The variables are those of `schema`; by default one without states for each node, in order of appearance.

    Examples
    --------
    >>> from_dot("digraph { rain -> wet; sprinkler -> wet }").edges()
    [('rain', 'wet'), ('sprinkler', 'wet')]
    """
    require_text("from_dot", text)
    try:
        source = Source("DOT", text.encode())
    except UnicodeEncodeError as error:
        raise FormatError(f"DOT is text; found {text[error.start]!r}, which is no character") from None
    names, arcs = _Reader(source).run()
    try:
        return Dag(schema or Schema(Variable(name) for name in names), arcs)
    except TreewrightError as error:
        raise FormatError(f"DOT: {error}") from error


def quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class _Reader:
    def __init__(self, source: Source) -> None:
        self.tokens = Tokens(source, RULES)
        self.cursor = Cursor(self.tokens)
        self.names: dict[str, None] = {}
        self.arcs: list[tuple[str, str]] = []

    def run(self) -> tuple[list[str], list[tuple[str, str]]]:
        cursor = self.cursor
        if (word := cursor.text("digraph").lower()) == "strict":
            word = cursor.text("digraph").lower()
        if word != "digraph":
            raise self.tokens.error("expected digraph: the arcs of a model have directions", cursor.at - 1)
        if cursor.at_text():
            cursor.at += 1
        cursor.mark("{", after="digraph")
        while not cursor.at_mark("}"):
            self.statement()
        cursor.at += 1
        if not cursor.done:
            raise cursor.fail("the end")
        return list(self.names), self.arcs

    def statement(self) -> None:
        cursor = self.cursor
        if cursor.at_mark(";") or cursor.at_mark(","):
            cursor.at += 1
            return
        first = cursor.at
        chain = [self.node()]
        while self.is_arrow():
            cursor.at += 2
            chain.append(self.node())
        if cursor.at_mark("="):  # an attribute of the whole graph
            cursor.at += 1
            cursor.text("a value")
            return
        if cursor.at_mark("["):
            cursor.until("]", what="a list of attributes")
            if chain in (["node"], ["edge"], ["graph"]) and self.tokens.kinds[first] == WORD:
                return
        self.names.update(dict.fromkeys(chain))
        self.arcs += pairwise(chain)

    def is_arrow(self) -> bool:
        return self.tokens.kinds[self.cursor.at : self.cursor.at + 2].tobytes() == b"->"

    def node(self) -> str:
        is_word = not self.cursor.done and int(self.tokens.kinds[self.cursor.at]) == WORD
        name = self.cursor.text("a node")
        if is_word and name == "subgraph":
            raise self.tokens.error("subgraphs are not read, only nodes and arcs", self.cursor.at - 1)
        while self.cursor.at_mark(":"):  # the port of a node is a matter of drawing
            self.cursor.at += 1
            self.cursor.text("a port")
        return name
