"""Which DAG carries the tables when a structure leaves some directions open.

An equivalence class stands for DAGs that fit equally well, so any member would do; treewright always takes
the same one. It is built backwards: of the variables that can be last (every neighbour may point at them
without a cycle or a new v-structure), the one with the largest name is, again and again. The order of the
columns has no say.
"""

from __future__ import annotations

from typing import Any

from treewright.errors import GraphError
from treewright.graphs.directed.dag import Dag
from treewright.graphs.directed.orientation import sure_directions
from treewright.graphs.directed.pdag import Pdag, find_consistent_extension
from treewright.graphs.edges import cycle_text

EXTENSION_RULE = "consistent extension: of the variables that can be last, the one with the largest name"


def choose_dag(structure: Dag | Pdag, verb: str = "fit") -> tuple[Dag, dict[str, Any]]:
    """A DAG for the structure, and what its model should say about where it came from.

    Examples
    --------
    >>> from treewright.graphs import Cpdag
    >>> from treewright.tables import Schema, Variable
    >>> schema = Schema([Variable(name, (0, 1)) for name in "abc"])
    >>> dag, origin = choose_dag(Cpdag(schema, undirected=[("a", "b"), ("b", "c")]))
    >>> dag.edges(), origin["undirected_edges"]
    ([('a', 'b'), ('b', 'c')], [['a', 'b'], ['b', 'c']])
    """
    if isinstance(structure, Dag):
        return structure, {}
    if not isinstance(structure, Pdag):
        wanted = "a Dag or an UndirectedGraph" if verb == "fit" else "a Dag"
        raise GraphError(
            f"{verb} puts tables on {wanted}; found {type(structure).__name__} "
            "(a result of learning has it as .structure, an equivalence class gives one by .to_dag())"
        )
    extension = find_consistent_extension(structure)
    if extension is None:
        cycle = cycle_text(structure.schema, structure.index_directed_edges())
        found = f"its arrows close a cycle: {cycle}" if cycle else "every way adds a v-structure or a cycle"
        raise GraphError(
            f"{verb} directs the open edges of a {type(structure).__name__} so that no v-structure is added; "
            f"{found}. Choose a Dag yourself, or take treewright.graphs.find_nearest_extension(graph)"
        )
    undirected = [list(edge) for edge in structure.undirected_edges()]
    extension = extension.as_one_of(sure_directions(extension, structure))
    return extension, {"directed_by": EXTENSION_RULE, "undirected_edges": undirected} if undirected else {}
