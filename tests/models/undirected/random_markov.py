"""Random Markov networks, small enough to enumerate, from one seed each."""

import numpy as np
from tests.inference.random_questions import random_potentials, random_schema
from tests.reference.models.enumeration import product_table

from treewright.inference import Factor
from treewright.models import MarkovNetwork


def random_markov_network(seed):
    """One to eight variables of one to five states, disconnected at times, a sixth of the cells zero."""
    rng = np.random.default_rng(seed)
    schema = random_schema(rng, most=8)
    while True:
        factors = [f for f in random_potentials(schema, rng) if f.table.any()]
        if product_table(schema.cardinalities, factors).any():
            return MarkovNetwork(schema, factors), rng


def positive(model):
    """The same network with every zero raised a little."""
    return MarkovNetwork(model.schema, [Factor(f.scope, f.table + 0.1) for f in model.factors])
