"""The generator and the choice of a state, one number at a time."""

import math

MASK = 0xFFFFFFFF


def philox(counter, seed):
    c0, c1, c2, c3 = counter
    k0, k1 = seed & MASK, seed >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b & MASK, (a >> 32) ^ c3 ^ k1, a & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def bits(seed, row, variable):
    """53 random bits of one row of one variable."""
    block = philox((row // 2 & MASK, row // 2 >> 32, variable, 0), seed)
    low, high = block[2 * (row % 2)], block[2 * (row % 2) + 1]
    return (high << 32 | low) >> 11


def draw(model, seed, row):
    """One row, variable by variable."""
    codes = {}
    for v in model.dag.topological_order:
        p = model.tables[v][tuple(codes[u] for u in model.dag.parents(v))].tolist()
        last = max(s for s, x in enumerate(p) if x > 0)
        number, total = bits(seed, row, v), 0.0
        for state, x in enumerate(p):
            total += x
            if state == last or number < min(1 << 53, int(math.ldexp(total, 53))):
                codes[v] = state
                break
    return [codes[v] for v in range(len(model.schema))]
