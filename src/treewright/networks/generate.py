"""Random networks of chosen treewidth, and random graphs.

A *k-tree* grows from a clique of k + 1 vertices; each further vertex is joined to k vertices of one of
the cliques. Its treewidth is k. Here the vertices arrive in that order, and every variable takes its
parents among the (at most k) vertices that it was joined to. Parents of a variable are then neighbours in
the k-tree already, so the moral graph lies inside it and has treewidth at most k. For a treewidth of
exactly k the first clique is completed: each of its pairs becomes an arc or two parents of one child.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from treewright.errors import ArgumentError, GraphError, SchemaError, SettingError, TreewidthError
from treewright.graphs.directed.dag import Dag
from treewright.models.discrete.bayesian_network import BayesianNetwork
from treewright.ranges import MOST, Number, in_range
from treewright.tables.schema import Schema, Variable
from treewright.types import Floats

Positions = npt.NDArray[np.int64]

_DEFAULT_PARENTS = 3
MOST_VARIABLES, MOST_STATES = 1_000_000, 10_000_000  # of a network that is made here; all states together


@in_range
def random_network(
    n_variables: int,
    treewidth: int,
    *,
    states: tuple[int, int] = (2, 4),
    max_parents: int | None = None,
    concentration: float = 1.0,
    exact: bool = True,
    rng: np.random.Generator,
) -> BayesianNetwork:
    """Generate a Bayesian network whose moral graph has a chosen treewidth.

    Parameters
    ----------
    treewidth, exact
        The treewidth of the moral graph; a bound on it unless it must be reached exactly.
    states
        The fewest and the most states of a variable; each number is equally likely.
    max_parents
        The most parents of a variable; by default 3, or `treewidth` when that is less.
    concentration
        Every row of a table is drawn from a symmetric Dirichlet distribution with this parameter: small
        values give nearly deterministic tables, large ones nearly uniform tables.
    rng
        Source of randomness; equal generators give equal networks.

    Examples
    --------
    >>> model = random_network(20, 3, states=(2, 2), rng=np.random.default_rng(1))
    >>> len(model.schema), set(model.schema.cardinalities)
    (20, {2})
    """
    states = pair_of_states("random_network", states)
    width = treewidth if exact else min(treewidth, n_variables - 1)
    limit = min(_DEFAULT_PARENTS, width) if max_parents is None else max_parents
    _check_sizes(n_variables, treewidth, limit, states=states, concentration=concentration, exact=exact)
    chosen = _partial_tree(n_variables, width, min(limit, width), exact, rng)
    label = rng.permutation(n_variables)  # so that the order of columns says nothing about the order of arcs
    cardinalities = rng.integers(states[0], states[1], size=n_variables, endpoint=True)
    schema = numbered_schema(cardinalities)
    dag = Dag(schema, [(int(label[p]), int(label[v])) for v, parents in enumerate(chosen) for p in parents])
    return BayesianNetwork(dag, _random_tables(dag, concentration, rng))


@in_range
def sparse_network(n_variables: int, rng: np.random.Generator) -> BayesianNetwork:
    """Variables of 2 to 4 states; each picks 0 to 3 parents among all before it.

    Unlike :func:`random_network` nothing bounds the treewidth, which grows with the number of variables.

    Examples
    --------
    >>> model = sparse_network(40, np.random.default_rng(0))
    >>> model.schema.names[:2], model.dag.n_edges, max(len(model.dag.parents(v)) for v in range(40))
    (('v0000', 'v0001'), 68, 3)
    """
    sizes = rng.integers(2, 4, size=n_variables, endpoint=True)
    schema = Schema([Variable(f"v{v:04}", tuple(range(size))) for v, size in enumerate(sizes.tolist())])
    arcs, tables = [], {}
    for v in range(n_variables):
        n_parents = min(v, int(rng.integers(0, _DEFAULT_PARENTS + 1)))
        parents = np.sort(rng.choice(v, size=n_parents, replace=False)).tolist()
        arcs += [(parent, v) for parent in parents]
        tables[schema.names[v]] = rng.dirichlet(np.ones(sizes[v]), size=tuple(sizes[parents]))
    return BayesianNetwork(Dag(schema, arcs), tables)


@in_range
def random_dag(
    n_variables: int,
    *,
    n_arcs: int | None = None,
    density: float | None = None,
    states: tuple[int, int] = (2, 2),
    rng: np.random.Generator,
) -> Dag:
    """Generate a directed acyclic graph: a random order, and arcs along it chosen evenly among all pairs.

    `n_arcs` says how many, or `density` which share of all pairs: exactly one of the two. `states` are the
    fewest and the most states of a variable.

    Examples
    --------
    >>> dag = random_dag(4, n_arcs=3, rng=np.random.default_rng(1))
    >>> dag.schema.names, len(dag.edges())
    (('x0', 'x1', 'x2', 'x3'), 3)
    """
    states = pair_of_states("random_dag", states)
    wanted = count_wanted(n_variables, n_arcs, density, "arcs")
    order = rng.permutation(n_variables)
    heads, tails = choose_pairs(n_variables, wanted, rng)
    schema = numbered_schema(rng.integers(states[0], states[1], size=n_variables, endpoint=True))
    return Dag(schema, zip(order[tails].tolist(), order[heads].tolist(), strict=True))


def count_wanted(n: int, number: int | None, density: float | None, what: str) -> int:
    """How many pairs of `n` variables are asked for, by a number or a share of all."""
    n_pairs = n * (n - 1) // 2
    if n < 0:
        raise GraphError(f"n_variables is at least 0; found {n}")
    if (number is None) == (density is None):
        raise GraphError(f"a random graph needs either n_{what} or density, not both")
    wanted = number if number is not None else round((density or 0.0) * n_pairs)
    if not 0 <= wanted <= n_pairs:
        raise GraphError(f"{n} variables have {n_pairs} pairs; asked for {wanted} {what}")
    return wanted


def choose_pairs(n: int, wanted: int, rng: np.random.Generator) -> tuple[Positions, Positions]:
    """So many different pairs, by their number i in (1, 0), (2, 0), (2, 1), (3, 0), ...: larger, smaller."""
    numbers = rng.choice(n * (n - 1) // 2, size=wanted, replace=False)
    larger = ((1 + np.sqrt(1 + 8.0 * numbers)) // 2).astype(np.int64)
    larger -= larger * (larger - 1) // 2 > numbers  # the root may be rounded either way
    larger += (larger + 1) * larger // 2 <= numbers
    return larger, numbers - larger * (larger - 1) // 2


def _partial_tree(
    n: int, width: int, max_parents: int, exact: bool, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Parents of each vertex of a random k-tree, in order of arrival."""
    base = range(min(width + 1, n))
    missing = set(combinations(base, 2)) if exact else set()
    homes = [tuple(base)]  # cliques that a further vertex may join
    parents: list[tuple[int, ...]] = []
    for v in range(n):
        if v in base:
            home = tuple(range(v))
        elif missing:
            home = homes[0]
        else:
            clique = homes[int(rng.integers(len(homes)))]
            left_out = clique[int(rng.integers(len(clique)))]
            home = tuple(u for u in clique if u != left_out)
        chosen = _marry(v, home, missing, max_parents, rng) if missing else _some(home, max_parents, rng)
        if v not in base:
            rest = [u for u in home if u not in chosen]
            homes.append((*chosen, *rest[: width - len(chosen)], v))
        missing -= {(min(pair), max(pair)) for pair in combinations((*chosen, v), 2)}
        parents.append(chosen)
    if missing:
        raise TreewidthError(
            f"{n} variables with at most {max_parents} parents did not reach treewidth {width}; ask for more "
            "variables or parents, or pass exact=False"
        )
    return parents


def _some(home: Sequence[int], max_parents: int, rng: np.random.Generator) -> tuple[int, ...]:
    most = min(max_parents, len(home))
    if most == 0:
        return ()
    size = int(rng.integers(1, most, endpoint=True))
    return tuple(sorted(int(u) for u in rng.choice(home, size=size, replace=False)))


def _marry(
    v: int, home: Sequence[int], missing: set[tuple[int, int]], max_parents: int, rng: np.random.Generator
) -> tuple[int, ...]:
    """Parents, one by one, that add the most missing pairs of the first clique; chance breaks ties."""
    chosen: list[int] = []
    rest = [int(u) for u in rng.permutation(np.array(home, dtype=np.int64))]

    def gain(u: int) -> tuple[int, int]:
        added = sum((min(u, w), max(u, w)) in missing for w in (*chosen, v))
        return added, sum(u in pair for pair in missing)

    while rest and len(chosen) < max_parents:
        chosen.append(max(rest, key=gain))
        rest.remove(chosen[-1])
    return tuple(sorted(chosen))


def require_small(n_variables: int, states: int = 1) -> None:
    """Refuse more variables, or states of all together, than anybody would wait for."""
    if n_variables > MOST_VARIABLES:
        raise SettingError(
            f"networks are made of {MOST_VARIABLES:,} variables at most; asked for {n_variables:,}"
        )
    if n_variables * states > MOST_STATES:
        raise SettingError(
            f"networks are made of {MOST_STATES:,} states at most, of all variables together; asked for "
            f"{n_variables:,} variables of {states:,} states"
        )


def pair_of_states(who: str, states: object) -> tuple[int, int]:
    """The fewest and the most states of a variable."""
    if not isinstance(states, tuple | list) or len(states) != 2:
        raise ArgumentError(
            f"states= of {who} are two whole numbers, the fewest and the most; found {states!r}"
        )
    fewest, most = (Number("states", True, MOST["states"], ()).checked(who, n) for n in states)
    if not 1 <= fewest <= most:
        raise SchemaError(f"states= of {who} are the fewest and the most, at least 1; found {states!r}")
    return fewest, most


def numbered_schema(cardinalities: npt.NDArray[np.int64]) -> Schema:
    """Variables x0, x1, ... with states s0, s1, ..."""
    require_small(len(cardinalities), int(cardinalities.max(initial=1)))
    digits = len(str(max(len(cardinalities) - 1, 0)))
    return Schema(
        Variable(f"x{v:0{digits}d}", tuple(f"s{state}" for state in range(n)))
        for v, n in enumerate(cardinalities.tolist())
    )


def _random_tables(dag: Dag, concentration: float, rng: np.random.Generator) -> list[Floats]:
    sizes = dag.schema.cardinalities
    shapes = [tuple(sizes[p] for p in dag.parents(v)) for v in range(len(sizes))]
    return [rng.dirichlet(np.full(n, concentration), size=s) for n, s in zip(sizes, shapes, strict=True)]


def _check_sizes(
    n: int, treewidth: int, max_parents: int, *, states: tuple[int, int], concentration: float, exact: bool
) -> None:
    if n < 1:
        raise SchemaError(f"a network has at least one variable; asked for {n}")
    if not 1 <= states[0] <= states[1]:
        raise SchemaError(f"states are the fewest and the most, at least one; found {states}")
    if not concentration > 0:
        raise SchemaError(f"the concentration is a positive number; found {concentration!r}")
    if treewidth < 0 or max_parents < 0:
        raise TreewidthError(
            f"treewidth and max_parents are not negative; found {treewidth} and {max_parents}"
        )
    if exact and treewidth >= n:
        raise TreewidthError(f"{n} variables have treewidth at most {n - 1}; asked for {treewidth}")
    if exact and max_parents < min(treewidth, 2):
        raise TreewidthError(
            f"with at most {max_parents} parents the treewidth cannot be {treewidth}; allow two or more"
        )
