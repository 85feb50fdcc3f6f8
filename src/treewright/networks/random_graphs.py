"""Undirected graphs to experiment with: stars, lattices, small worlds, preferential attachment, chance.

Vertices are binary variables x0, x1, ... unless more states are asked for. A generator that uses chance takes
an explicit `rng`; equal generators give equal graphs. A random Markov network on a graph has one random
factor on every maximal clique: this is how data for experiments with undirected structures are made. The
graph is the truth, and every value of every factor is drawn evenly between 0 and 1 (Schlueter, Strappa,
Milone & Bromberg 2018). Rows then come from the model itself: `model.sample` draws them exactly and
independently wherever the junction tree fits; :func:`~treewright.models.sample_gibbs` with one chain per row
(`chains=n`, one row each, `burn_in=100`) draws them independently up to what burn-in leaves.
"""

from __future__ import annotations

import numpy as np

from treewright.errors import GraphError, SchemaError
from treewright.graphs.edges import Edge, edge
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.graphs.undirected.triangulation import find_maximal_cliques
from treewright.limits import check_table
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.networks.generate import choose_pairs, count_wanted, numbered_schema, require_small
from treewright.ranges import in_range
from treewright.tables.schema import Schema, Variable


@in_range
def hub_graph(n_hubs: int, *, leaves: int = 7, states: int = 2) -> UndirectedGraph:
    """So many stars with so many leaves each, whose centres form a path.

    Examples
    --------
    >>> graph = hub_graph(2, leaves=3)
    >>> graph.n_edges, graph.degrees().tolist()
    (7, [4, 1, 1, 1, 4, 1, 1, 1])
    """
    _at_least(n_hubs=(n_hubs, 1), leaves=(leaves, 0), states=(states, 1))
    size = leaves + 1
    require_small(n_hubs * size, states)
    spokes = [(hub * size, hub * size + leaf) for hub in range(n_hubs) for leaf in range(1, size)]
    path = [(hub * size, (hub + 1) * size) for hub in range(n_hubs - 1)]
    return _graph(n_hubs * size, [*spokes, *path], states)


@in_range
def lattice_graph(n_rows: int, n_columns: int, *, states: int = 2) -> UndirectedGraph:
    """A rectangular grid, each vertex joined to those beside, above and below it.

    Examples
    --------
    >>> lattice_graph(2, 3).n_edges
    7
    """
    _at_least(n_rows=(n_rows, 1), n_columns=(n_columns, 1), states=(states, 1))
    require_small(n_rows * n_columns, states)
    places = np.arange(n_rows * n_columns).reshape(n_rows, n_columns)
    beside = np.stack([places[:, :-1].ravel(), places[:, 1:].ravel()], axis=1)
    below = np.stack([places[:-1].ravel(), places[1:].ravel()], axis=1)
    return _graph(n_rows * n_columns, [(u, v) for u, v in np.concatenate([beside, below]).tolist()], states)


@in_range
def scale_free_graph(
    n_variables: int, n_links: int, *, states: int = 2, rng: np.random.Generator
) -> UndirectedGraph:
    """Preferential attachment: each new vertex is joined to others in proportion to their degrees.

    The paper's m (Barabasi & Albert 1999) is `n_links`, the edges of each new vertex; the first `n_links` + 1
    vertices form a star.

    Examples
    --------
    >>> scale_free_graph(20, 2, rng=np.random.default_rng(1)).n_edges
    36
    """
    _at_least(n_links=(n_links, 1), n_variables=(n_variables, n_links + 1))
    edges: list[Edge] = [(0, v) for v in range(1, n_links + 1)]
    ends = [v for pair in edges for v in pair]  # every vertex as often as its degree
    for v in range(n_links + 1, n_variables):
        chosen: list[int] = []
        while len(chosen) < n_links:
            u = ends[int(rng.integers(len(ends)))]
            if u not in chosen:
                chosen.append(u)
        edges += [(u, v) for u in sorted(chosen)]
        ends += [*chosen, *[v] * n_links]
    return _graph(n_variables, edges, states)


@in_range
def small_world_graph(
    n_variables: int, n_neighbours: int, rewiring: float, *, states: int = 2, rng: np.random.Generator
) -> UndirectedGraph:
    """A ring in which some edges were given another end (Watts & Strogatz 1998).

    Parameters
    ----------
    n_neighbours
        An even number: each vertex is joined to the nearest half of them on either side (the paper's k).
    rewiring
        The probability that an edge gets another far end (the paper's p).

    Examples
    --------
    >>> small_world_graph(12, 4, 0.1, rng=np.random.default_rng(1)).n_edges
    24
    """
    _at_least(n_neighbours=(n_neighbours, 2), n_variables=(n_variables, n_neighbours + 1))
    if n_neighbours % 2:
        raise GraphError(f"n_neighbours is even, half on either side; found {n_neighbours}")
    if not 0 <= rewiring <= 1:
        raise GraphError(f"rewiring is a probability; found {rewiring!r}")
    n = n_variables
    ring = [(v, (v + step) % n) for step in range(1, n_neighbours // 2 + 1) for v in range(n)]
    edges = {edge(u, v) for u, v in ring}
    degree = np.full(n, n_neighbours)
    for u, v in ring:
        if rng.random() < rewiring and degree[u] < n - 1:
            free = [w for w in range(n) if w != u and edge(u, w) not in edges]
            w = free[int(rng.integers(len(free)))]
            edges.remove(edge(u, v))
            edges.add(edge(u, w))
            degree[v] -= 1
            degree[w] += 1
    return _graph(n, sorted(edges), states)


@in_range
def random_graph(
    n_variables: int,
    *,
    n_edges: int | None = None,
    density: float | None = None,
    states: int = 2,
    rng: np.random.Generator,
) -> UndirectedGraph:
    """Edges chosen evenly among all pairs: `n_edges` of them, or the share `density`; exactly one of the two.

    Examples
    --------
    >>> random_graph(10, n_edges=12, rng=np.random.default_rng(1)).n_edges
    12
    """
    wanted = count_wanted(n_variables, n_edges, density, "edges")
    larger, smaller = choose_pairs(n_variables, wanted, rng)
    return _graph(n_variables, list(zip(smaller.tolist(), larger.tolist(), strict=True)), states)


def _graph(n: int, edges: list[Edge], states: int) -> UndirectedGraph:
    _at_least(states=(states, 1))
    return UndirectedGraph(numbered_schema(np.full(n, states)), edges)


def _at_least(**sizes: tuple[int, int]) -> None:
    for name, (value, least) in sizes.items():
        if value < least:
            raise GraphError(f"{name} is at least {least}; found {value}")


@in_range
def random_markov_network(
    graph: UndirectedGraph, *, states: int | None = None, rng: np.random.Generator
) -> MarkovNetwork:
    """Draw a Markov network: a factor of random values on every maximal clique of a graph.

    Parameters
    ----------
    graph
        The structure, which the network has exactly (but for a factor that happens to say nothing).
    states
        States of every variable, named s0, s1, ...; by default the graph's own, two where there are none.
    rng
        Source of randomness; cliques are visited in the order of their sorted indices.

    Examples
    --------
    >>> import treewright as tw
    >>> model = random_markov_network(tw.networks.load_graph("karate"), rng=np.random.default_rng(1))
    >>> model.structure == tw.networks.load_graph("karate"), len(model.factors)
    (True, 36)
    >>> model.sample(1_000, rng=np.random.default_rng(2)).n_rows
    1000
    """
    if states is not None and states < 1:
        raise SchemaError(f"a variable has at least one state; asked for states={states}")
    schema = Schema([_with_states(variable, states) for variable in graph.schema])
    cliques = sorted(tuple(sorted(clique)) for clique in find_maximal_cliques(graph))
    for clique in cliques:
        check_table(schema, clique)
    shapes = [tuple(schema.cardinalities[v] for v in clique) for clique in cliques]
    return MarkovNetwork(schema, [(c, rng.random(shape)) for c, shape in zip(cliques, shapes, strict=True)])


def _with_states(variable: Variable, states: int | None) -> Variable:
    if states is None and variable.states is not None:
        return variable
    return Variable(variable.name, tuple(f"s{state}" for state in range(states or 2)))
