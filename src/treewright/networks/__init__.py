"""Example networks and graphs that the project owns, and generators of random ones."""

from treewright.networks.catalogue import (
    NetworkFigures,
    describe_networks,
    list_graphs,
    list_networks,
    load_graph,
    load_network,
)
from treewright.networks.generate import random_dag, random_network
from treewright.networks.random_graphs import (
    hub_graph,
    lattice_graph,
    random_graph,
    random_markov_network,
    scale_free_graph,
    small_world_graph,
)
