"""Random Markov networks on a given graph: one random factor on every maximal clique.

This is how data for experiments with undirected structures are made: the graph is the truth, and every value
of every factor is drawn evenly between 0 and 1 (Schlueter, Strappa, Milone & Bromberg 2018). Rows then come
from the model itself: `model.sample` draws them exactly and independently wherever the junction tree fits;
:func:`~treewright.models.sample_gibbs` with one chain per row (`chains=n`, one row each, `burn_in=100`)
draws them independently up to what burn-in leaves.
"""

from __future__ import annotations

import numpy as np

from treewright.errors import SchemaError
from treewright.graphs.undirected.elimination import maximal_cliques
from treewright.graphs.undirected.graph import UndirectedGraph
from treewright.limits import check_table
from treewright.models.undirected.markov_network import MarkovNetwork
from treewright.tables.schema import Schema, Variable


def random_markov_network(
    graph: UndirectedGraph, *, states: int | None = None, rng: np.random.Generator
) -> MarkovNetwork:
    """Draw a Markov network: a factor of random values on every maximal clique of a graph.

    Parameters
    ----------
    graph
        The structure, which the network has exactly (but for a factor that happens to say nothing).
    states
        States of every variable, named s0, s1, ...; by default the graph's own, and two where its variables
        have none.
    rng
        Source of randomness. Cliques are visited in the order of their sorted indices, so that equal
        generators give equal networks.

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
    cliques = sorted(tuple(sorted(clique)) for clique in maximal_cliques(graph))
    for clique in cliques:
        check_table(schema, clique)
    shapes = [tuple(schema.cardinalities[v] for v in clique) for clique in cliques]
    return MarkovNetwork(schema, [(c, rng.random(shape)) for c, shape in zip(cliques, shapes, strict=True)])


def _with_states(variable: Variable, states: int | None) -> Variable:
    if states is None and variable.states is not None:
        return variable
    return Variable(variable.name, tuple(f"s{state}" for state in range(states or 2)))
