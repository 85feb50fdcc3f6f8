"""Example networks and graphs that the project owns, and generators of random ones."""

from treewright.networks.catalogue import example_networks, load_network
from treewright.networks.generate import random_dag, random_network
from treewright.networks.graph_catalogue import example_graphs, load_graph
from treewright.networks.random_graphs import (
    hub_graph,
    lattice_graph,
    random_graph,
    scale_free_graph,
    small_world_graph,
)
from treewright.networks.random_markov import random_markov_network

__all__ = [
    "example_graphs",
    "example_networks",
    "hub_graph",
    "lattice_graph",
    "load_graph",
    "load_network",
    "random_dag",
    "random_graph",
    "random_markov_network",
    "random_network",
    "scale_free_graph",
    "small_world_graph",
]
