"""Example networks that the project owns, and a generator of random ones."""

from treewright.networks.catalogue import example_networks, load_network
from treewright.networks.generate import random_dag, random_network

__all__ = ["example_networks", "load_network", "random_dag", "random_network"]
