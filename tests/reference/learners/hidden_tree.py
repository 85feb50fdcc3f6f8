"""Hidden trees by the book: messages in doubles, one row at a time, and plain EM."""

from itertools import product

import numpy as np

NO_PARENT = 2**32 - 1


class SlowHiddenTree:
    """Parameters read off the arrays of a feature graph of one hidden leaf."""

    def __init__(self, arrays, cardinalities):
        integers, numbers = np.asarray(arrays[4]).tolist(), np.exp(np.asarray(arrays[6]))
        self.states, self.ar, size = integers[0], bool(integers[1]), integers[2]
        pairs = np.array(integers[3 : 3 + 2 * size]).reshape(size, 2)
        self.variables = pairs[:, 0].tolist()
        self.parents = [None if p == NO_PARENT else int(p) for p in pairs[:, 1]]
        self.cardinalities = [int(cardinalities[v]) for v in self.variables]
        self.transitions, self.emissions = [], []
        at, h = 0, self.states

        def take(*shape):
            nonlocal at
            count = int(np.prod(shape))
            at += count
            return numbers[at - count : at].reshape(shape)

        for i, parent in enumerate(self.parents):
            self.transitions.append(take(h) if parent is None else take(h, h))
            r = self.cardinalities[i]
            contexts = self.cardinalities[parent] if self.ar and parent is not None else 1
            self.emissions.append(take(contexts, h, r))

    def emission(self, i, row):
        """P(x_i | z_i) of a row, by hidden state."""
        parent = self.parents[i]
        context = row[self.variables[parent]] if self.ar and parent is not None else 0
        return self.emissions[i][context][:, row[self.variables[i]]]

    def upward(self, row):
        beliefs = [self.emission(i, row) for i in range(len(self.parents))]
        messages = [None] * len(beliefs)
        for i in reversed(range(len(beliefs))):
            parent = self.parents[i]
            if parent is not None:
                messages[i] = self.transitions[i] @ beliefs[i]
                beliefs[parent] = beliefs[parent] * messages[i]
        return beliefs, messages

    def probability(self, row):
        beliefs, _ = self.upward(row)
        roots = [i for i, p in enumerate(self.parents) if p is None]
        return float(np.prod([self.transitions[i] @ beliefs[i] for i in roots]))

    def by_enumeration(self, row):
        """The sum over all hidden states, spelled out."""
        total = 0.0
        for z in product(range(self.states), repeat=len(self.parents)):
            term = 1.0
            for i, parent in enumerate(self.parents):
                term *= self.transitions[i][z[i]] if parent is None else self.transitions[i][z[parent], z[i]]
                term *= self.emission(i, row)[z[i]]
            total += term
        return total

    def step(self, codes, weights):
        """One step of EM without smoothing: new transitions and emissions."""
        moves = [np.zeros_like(t) for t in self.transitions]
        seen = [np.zeros_like(e) for e in self.emissions]
        for row, weight in zip(codes, weights, strict=True):
            beliefs, messages = self.upward(row)
            posterior = [None] * len(beliefs)
            for i, parent in enumerate(self.parents):
                if parent is None:
                    mine = self.transitions[i] * beliefs[i]
                    posterior[i] = mine / mine.sum()
                    moves[i] += weight * posterior[i]
                else:
                    joint = (posterior[parent] / messages[i])[:, None] * self.transitions[i] * beliefs[i]
                    posterior[i] = joint.sum(axis=0)
                    moves[i] += weight * joint
                context = row[self.variables[parent]] if self.ar and parent is not None else 0
                seen[i][context][:, row[self.variables[i]]] += weight * posterior[i]
        return (
            [m / m.sum(axis=-1, keepdims=True) for m in moves],
            [s / s.sum(axis=-1, keepdims=True) for s in seen],
        )
