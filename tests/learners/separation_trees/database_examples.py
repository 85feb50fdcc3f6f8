"""Tables with exact margins: every configuration of some columns once, weighted by its probability."""

import itertools

import numpy as np

import treewright as tw


def exact_table(model, columns, rows=1.0):
    """The margin of a discrete network over some columns, as a weighted table of so many rows."""
    schema = model.schema
    names = schema.names
    states = [range(schema[name].cardinality) for name in names]
    codes = np.array(list(itertools.product(*states)))
    joint = tw.Table(schema, list(codes.T))
    weights = np.exp(model.log_probability(joint)) * rows
    scope = schema.scope(tuple(columns))
    cells = np.zeros([schema.cardinalities[v] for v in scope])
    np.add.at(cells, tuple(codes[:, v] for v in scope), weights)
    margin = np.array(list(itertools.product(*[states[v] for v in scope]))).reshape(-1, len(scope))
    return tw.Table(schema.select(list(columns)), list(margin.T), weights=cells.ravel())


def random_model(arcs, names, rng, cardinality=2):
    """A network with strong random tables."""
    schema = tw.Schema([tw.Variable(name, tuple(range(cardinality))) for name in names])
    dag = tw.Dag(schema, arcs)
    tables = []
    for v in range(len(schema)):
        shape = [cardinality] * (len(dag.parents(v)) + 1)
        tables.append(rng.dirichlet([0.7] * cardinality, size=shape[:-1]) * 0.9 + 0.1 / cardinality)
    return tw.BayesianNetwork(dag, tables)


EXAMPLE_2 = ([("1", "2"), ("1", "3")], ["12", "13", "23"])
EXAMPLE_3 = (
    [tuple(arc) for arc in ("12", "13", "23", "14", "24", "15", "35", "46", "56")],
    ["123", "124", "135", "456"],
)


def family_tables(dag, rng, extra=1):
    """Column sets that hold every family, some of them joined, in random order."""
    names = dag.schema.names
    sets = [{names[v], *dag.schema.names_of(dag.parents(v))} for v in range(len(names))]
    for _ in range(extra):
        i, j = rng.choice(len(sets), 2, replace=False)
        sets[i] = sets[i] | sets[j]
    kept = [s for i, s in enumerate(sets) if not any(s < t or (s == t and i > j) for j, t in enumerate(sets))]
    return [sorted(kept[i]) for i in rng.permutation(len(kept))]
