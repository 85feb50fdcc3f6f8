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


def large_mixed(rng, n_variables):
    """Half of the variables states, half numbers; about as many arcs as variables, three parents at most."""
    model = random_mixed(rng, n_variables // 2, n_variables - n_variables // 2, density=2.2 / n_variables)
    return (
        model
        if max(len(model.dag.parents(v)) for v in model.schema.names) <= 3
        else large_mixed(rng, n_variables)
    )


def hash_of(name):
    return (int(name[1:]) * 7) % 13, name


def brute_force(model, given):
    """Weight, mean and covariance of all numbers in each joint state that agrees with what is given.

    Returns joint states (by name), their unnormalised weights with the density of the evidence, means and
    covariances by the order of `model.continuous`.
    """
    return [
        (state, math.exp(log), mean, covariance) for state, log, mean, covariance in in_logs(model, given)
    ]


def in_logs(model, given):
    """The same with logarithms of weights; what is known for sure leaves no other state to look at."""
    schema, dag = model.schema, model.dag
    discrete = [v for v in schema if v.is_discrete]
    numbers = list(model.continuous)
    found = []
    sure = {v.name: v.states.index(given[v.name]) for v in discrete if isinstance(given.get(v.name), str)}
    open_states = ([sure[v.name]] if v.name in sure else range(v.cardinality) for v in discrete)
    for codes in itertools.product(*open_states):
        state = {v.name: code for v, code in zip(discrete, codes, strict=True)}
        log_weight = 0.0
        for v in discrete:
            told = given.get(v.name)
            if isinstance(told, dict):
                log_weight += log_of(told[v.states[state[v.name]]])
            table = np.asarray(model.discrete.table(v.name))
            parents = model.discrete.dag.parents(v.name)
            log_weight += log_of(table[(*tuple(state[p] for p in parents), state[v.name])])
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
            log_weight -= 0.5 * (log_det + rest @ np.linalg.solve(inner, rest))
            mean, covariance = mean + gain @ rest, covariance - gain @ covariance[seen]
        found.append((state, log_weight, mean, covariance))
    return found


def log_of(weight):
    return math.log(weight) if weight > 0 else -math.inf


def moments_of(found):
    """Probability of the evidence, and mean and covariance of the mixture."""
    total = sum(weight for _, weight, _, _ in found)
    mean = sum(weight * m for _, weight, m, _ in found) / total
    spread = sum(weight * (c + np.outer(m - mean, m - mean)) for _, weight, m, c in found) / total
    return total, mean, spread
