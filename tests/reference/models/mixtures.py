"""Slow twin of mixed networks: every joint state by itself, Normals conditioned by the book."""

import itertools
import math

import numpy as np


def random_mixed(rng, n_discrete, n_continuous, *, density=0.5, cardinalities=(2, 3)):
    """A random conditional Gaussian network whose columns come in no particular order."""
    import treewright as tw
    from treewright.models import ConditionalGaussianNetwork, Lines

    names = [f"v{i}" for i in rng.permutation(n_discrete + n_continuous)]
    discrete = names[:n_discrete]
    states = {name: tuple(f"s{k}" for k in range(rng.choice(cardinalities))) for name in discrete}
    schema = tw.Schema([tw.Variable(name, states.get(name)) for name in sorted(names, key=hash_of)])
    arcs = [
        (u, v)
        for u, v in itertools.combinations(names, 2)
        if rng.random() < density and not (u not in states and v in states)
    ]
    dag = tw.Dag(schema, arcs)
    tables, lines = {}, {}
    for name in names:
        parents = dag.parents(name)
        shape = tuple(len(states[p]) for p in parents if p in states)
        if name in states:
            tables[name] = rng.dirichlet(np.ones(len(states[name])), size=shape)
        else:
            slopes = {p: rng.normal(size=shape) for p in parents if p not in states}
            lines[name] = Lines(rng.normal(size=shape) * 2, slopes, rng.uniform(0.2, 2.0, size=shape))
    return ConditionalGaussianNetwork(dag, tables, lines)


def hash_of(name):
    return (int(name[1:]) * 7) % 13, name


def brute_force(model, given):
    """Weight, mean and covariance of all numbers in each joint state that agrees with what is given.

    Returns joint states (by name), their unnormalised weights with the density of the evidence, means and
    covariances by the order of `model.continuous`.
    """
    schema, dag = model.schema, model.dag
    discrete = [v for v in schema if v.is_discrete]
    numbers = list(model.continuous)
    found = []
    for codes in itertools.product(*(range(v.cardinality) for v in discrete)):
        state = {v.name: code for v, code in zip(discrete, codes, strict=True)}
        weight = 1.0
        for v in discrete:
            told = given.get(v.name)
            if isinstance(told, dict):
                weight *= told[v.states[state[v.name]]]
            elif told is not None and v.states[state[v.name]] != told:
                weight = 0.0
            table = np.asarray(model.discrete.table(v.name))
            parents = model.discrete.dag.parents(v.name)
            weight *= table[(*tuple(state[p] for p in parents), state[v.name])]
        # x = a + B x + e: the joint Normal from the inverse of I - B
        n = len(numbers)
        a, b, s = np.zeros(n), np.zeros((n, n)), np.zeros(n)
        for i, name in enumerate(numbers):
            lines = model.lines(name)
            at = tuple(state[p] for p in dag.parents(name) if p in state)
            a[i], s[i] = lines.intercepts[at], lines.variances[at]
            for parent, slopes in lines.coefficients.items():
                b[i, numbers.index(parent)] = slopes[at]
        inverse = np.linalg.inv(np.eye(n) - b)
        mean, covariance = inverse @ a, inverse @ np.diag(s) @ inverse.T
        seen = [i for i, name in enumerate(numbers) if name in given]
        if seen:
            x = np.array([given[numbers[i]] for i in seen])
            inner = covariance[np.ix_(seen, seen)]
            rest, gain = x - mean[seen], np.linalg.solve(inner, covariance[seen]).T
            _, log_det = np.linalg.slogdet(2 * math.pi * inner)
            weight *= math.exp(-0.5 * (log_det + rest @ np.linalg.solve(inner, rest)))
            mean, covariance = mean + gain @ rest, covariance - gain @ covariance[seen]
        found.append((state, weight, mean, covariance))
    return found


def moments_of(found):
    """Probability of the evidence, and mean and covariance of the mixture."""
    total = sum(weight for _, weight, _, _ in found)
    mean = sum(weight * m for _, weight, m, _ in found) / total
    spread = sum(weight * (c + np.outer(m - mean, m - mean)) for _, weight, m, c in found) / total
    return total, mean, spread
