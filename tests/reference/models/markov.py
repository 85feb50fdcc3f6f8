"""Slow twins for Markov networks: the full joint table, fitted and walked through cell by cell."""

import itertools

import numpy as np
from tests.reference.counting.philox import philox
from tests.reference.models.enumeration import product_table, summed_to


def distribution(model):
    """Probability of every joint state of a Markov network."""
    product = product_table(model.schema.cardinalities, model.factors)
    return product / product.sum()


def fit_full_table(cardinalities, cliques, targets, sweeps):
    """Iterative proportional fitting on the full joint table."""
    joint = np.full(cardinalities, 1 / np.prod(cardinalities))
    for _ in range(sweeps):
        for clique, target in zip(cliques, targets, strict=True):
            marginal = summed_to(joint, clique)
            ratio = np.divide(target, marginal, out=np.zeros_like(target), where=marginal > 0)
            shape = [cardinalities[v] if v in clique else 1 for v in range(len(cardinalities))]
            joint = joint * ratio.transpose(np.argsort(clique)).reshape(shape)
    return joint


def log_likelihood_of_features(schema, features, weights, table):
    """Mean log-likelihood of rows, by summing over every joint state."""
    states = list(itertools.product(*(range(r) for r in schema.cardinalities)))

    def energy(state):
        total = 0.0
        for feature, weight in zip(features, weights, strict=True):
            holds = all(state[v] == code for v, code in feature.literals)
            holds = holds and all(state[v] != code for v, code in feature.excluded)
            total += weight * (holds != feature.negated)
        return total

    energies = np.array([energy(state) for state in states])
    log_partition = energies.max() + np.log(np.exp(energies - energies.max()).sum())
    rows = zip(*(np.asarray(column).tolist() for column in table.columns), strict=True)
    return float(np.mean([energy(row) - log_partition for row in rows]))


def gibbs_chain(cardinalities, factors, order, start, sweeps, seed, chain):
    """The states of one chain after every sweep, with the same random numbers as the native one."""
    state, rows = list(start), []
    for sweep in range(sweeps):
        for rank, v in enumerate(order):
            block = philox((sweep & 0xFFFFFFFF, sweep >> 32, rank // 2, chain), seed)
            low, high = block[:2] if rank % 2 == 0 else block[2:]
            weights = np.ones(cardinalities[v])
            for factor in factors:
                if v in factor.scope:
                    index = tuple(slice(None) if u == v else state[u] for u in factor.scope)
                    weights = weights * (factor.table / factor.table.max())[index]
            wanted = ((high << 32 | low) >> 11) / 2**53 * weights.sum()
            total = np.add.accumulate(weights)
            state[v] = int(np.argmax(total > wanted))
        rows.append(tuple(state))
    return rows
