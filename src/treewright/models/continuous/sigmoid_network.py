"""A directed acyclic graph with a sigmoid per variable: Normal around one of two levels, and all between.

The variables are not jointly Normal, and sums over what is not observed have no closed form. What the graph
gives for free is exact: densities of rows, draws, a variable given its parents. Everything else is refused,
or estimated under a name that says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from treewright import _core
from treewright.arguments import DAG, TABLE, require
from treewright.errors import GraphError, NoExactAnswer, SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.inference.evidence import RealEvidence, RealGiven, read_real_evidence
from treewright.inference.refusals import sampling_seed
from treewright.models.answers import list_targets
from treewright.models.continuous.normal_answers import Normal, SampledAnswer, estimate
from treewright.models.model import (
    DirectedModel,
    by_variable,
    check_continuous,
    take_real_column,
    take_real_columns,
)
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.statistics.sigmoid_families import SigmoidFamilies, SigmoidFamily
from treewright.tables.schema import NameOrIndex
from treewright.tables.table import Table
from treewright.types import Floats, Scope

if TYPE_CHECKING:
    import networkx as nx


class SigmoidNetwork(DirectedModel):
    """A Bayesian network whose variables follow sigmoids of their parents (Elidan & Gould 2008).

    A variable is Normal around th0 + th1 sigma(b + w . parents), sigma(z) = 1 / (1 + exp(-z)), with the
    variance s2; one without parents around th0 + th1 sigma(b).

    There is one :class:`SigmoidFamily` per variable, in any order.

    Examples
    --------
    >>> from treewright import Dag, Schema, Variable
    >>> dag = Dag(Schema([Variable("dose"), Variable("effect")]), [("dose", "effect")])
    >>> model = SigmoidNetwork(dag, [
    ...     SigmoidFamily("dose", (), th0=2.0, th1=0.0, b=0.0, w=(), s2=1.0),
    ...     SigmoidFamily("effect", ("dose",), th0=0.0, th1=10.0, b=-4.0, w=(2.0,), s2=0.25),
    ... ])
    >>> model.query("effect", given={"dose": 2.0})
    effect: mean 5, standard deviation 0.5
    >>> model.query("dose", given={"effect": 9.0})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    treewright.errors.NoExactAnswer: a sigmoid network has no exact distribution of dose given effect; ...
    """

    def __init__(self, dag: Dag, families: Iterable[SigmoidFamily]) -> None:
        require("SigmoidNetwork", DAG, dag)
        check_continuous(dag.schema, "a sigmoid network")
        self._dag = dag
        self._families = _checked(dag, list(families))

    @property
    def families(self) -> tuple[SigmoidFamily, ...]:
        """In schema order, parents by name."""
        return self._families

    def family(self, name: NameOrIndex) -> SigmoidFamily:
        return self._families[self.schema.index(name)]

    @property
    def n_parameters(self) -> int:
        """Free parameters: |P| + 4 per variable, 2 without parents."""
        return sum(family.n_parameters for family in self._families)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SigmoidNetwork):
            return NotImplemented
        return self.schema == other.schema and self._families == other._families

    __hash__ = DirectedModel.__hash__

    # rows

    def _log_rows(self, table: Table) -> Floats:
        return self._native.log_density_rows(take_real_columns(self.schema, table), table.n_rows)

    def conditional_mean(self, table: Table, name: NameOrIndex) -> Floats:
        """The expected value of one variable for every row, given the row's values of its parents."""
        family = self.family(name)
        if not family.parents:
            return np.full(table.n_rows, family.mean(np.zeros((1, 0)))[0])
        columns = take_real_columns(self.schema.select(family.parents), table)
        return family.mean(np.column_stack(columns))

    def conditional_variance(self, name: NameOrIndex) -> float:
        """The variance of one variable given its parents, whatever those are."""
        return self.family(name).s2

    @in_range
    def sample(
        self, n: int, given: RealGiven | None = None, *, rng: np.random.Generator | None = None
    ) -> Table:
        """Draw rows, parents before children; without `rng` others each time.

        Values may be given for variables whose parents are given too; other evidence has no exact draws.
        The rows are the same for any number of threads and any order of columns, and the first rows of a
        longer sample are those of a shorter one.
        """
        seed = sampling_seed(self.schema, n, rng)
        evidence = read_real_evidence(self.schema, given)
        known = set(evidence.observed)
        for v in evidence.observed:
            free = [self.schema.names[p] for p in self._dag.parents(v) if p not in known]
            if free:
                self._refuse(
                    f"draws given {self.schema.names[v]}, whose parent {free[0]} is not given",
                    "it has some where the parents of whatever is given are given too",
                )
        return self._draw(n, evidence, seed)

    # questions

    def query(self, targets: str | Sequence[str], given: RealGiven | None = None) -> Normal:
        """The distribution of one variable whose parents are given, and none of whose descendants is.

        Every other question is refused with :class:`NoExactAnswer`.
        """
        names = list_targets(targets)
        scope, evidence = self.schema.scope(names), read_real_evidence(self.schema, given)
        known = dict(zip(evidence.observed, evidence.values, strict=True))
        v = scope[0]
        blind = [p for p in self._dag.parents(v) if p not in known]
        if len(scope) > 1 or v in known or blind or known.keys() & set(self._dag.descendants(v)):
            what = ", ".join(names)
            what += f" given {', '.join(self.schema.names_of(evidence.observed))}" if known else ""
            self._refuse(
                f"distribution of {what}",
                "it has one where all parents of a variable and none of its descendants are given",
            )
        family = self._families[v]
        values = [[known[self.schema.index(parent)] for parent in family.parents]]
        return Normal(family.child, float(family.mean(np.array(values).reshape(1, -1))[0]), family.s2)

    @in_range
    def query_by_sampling(
        self,
        targets: str | Sequence[str],
        given: RealGiven | None = None,
        *,
        n: int,
        rng: np.random.Generator,
    ) -> SampledAnswer:
        """Estimate means and variances given what is known, by likelihood weighting. Not exact.

        `n` rows are drawn with what is known held fixed, and weighed by how well it fits them. The answer
        says its standard errors and how many rows of equal weight it is worth; where that is few, no figure
        of it should be trusted.

        Examples
        --------
        >>> from treewright import Dag, Schema, Variable
        >>> dag = Dag(Schema([Variable("x"), Variable("y")]), [("x", "y")])
        >>> model = SigmoidNetwork(dag, [
        ...     SigmoidFamily("x", (), th0=0.0, th1=0.0, b=0.0, w=(), s2=1.0),
        ...     SigmoidFamily("y", ("x",), th0=-1.0, th1=2.0, b=0.0, w=(4.0,), s2=0.1),
        ... ])
        >>> answer = model.query_by_sampling("x", {"y": 1.0}, n=10_000, rng=np.random.default_rng(0))
        >>> bool(answer.means["x"] > 0.5), answer.effective_rows < 10_000
        (True, True)
        """
        names = list_targets(targets)
        scope, evidence = self.schema.scope(names), read_real_evidence(self.schema, given)
        if n < 2:
            raise SchemaError(f"an estimate needs two rows at least; asked for {n}")
        rows = self._draw(n, evidence, sampling_seed(self.schema, n, rng))
        logs = np.zeros(n)
        for v, value in zip(evidence.observed, evidence.values, strict=True):
            family = self._families[v]
            rest = value - self.conditional_mean(rows, v)
            with np.errstate(over="ignore"):  # a weight of zero, then
                logs -= 0.5 * (math.log(2 * math.pi * family.s2) + rest * rest / family.s2)
        columns = [take_real_column(rows, name) for name in self.schema.names_of(scope)]
        return estimate(names, columns, logs)

    def marginals(self, given: RealGiven | None = None) -> NoReturn:
        """Refused: see :meth:`query` for what is exact and :meth:`query_by_sampling` for estimates."""
        read_real_evidence(self.schema, given)
        self._refuse("distributions of all variables", "query answers about one whose parents are given")

    def mpe(self, given: RealGiven | None = None) -> NoReturn:
        """Refused: the most probable values of a sigmoid network have no closed form."""
        read_real_evidence(self.schema, given)
        self._refuse("most probable values", "query answers about a variable whose parents are given")

    def _refuse(self, what: str, but: str) -> NoReturn:
        raise NoExactAnswer(
            f"a sigmoid network has no exact {what}; {but}. query_by_sampling estimates it, and "
            "tw.fit(dag, tw.moments(table)) gives a Gaussian network, which answers every question exactly"
        )

    def _draw(self, n: int, evidence: RealEvidence, seed: int) -> Table:
        fixed = list(zip(evidence.observed, evidence.values, strict=True))
        return Table(self.schema, self._native.sample(seed, n, fixed))

    @cached_property
    def _native(self) -> _core.NormalNetwork:
        index = self.schema.index
        return _core.NormalNetwork(
            self._dag.topological_order,
            self.schema.name_ranks,
            [[index(parent) for parent in family.parents] for family in self._families],
            [list(family.w) for family in self._families],
            [family.b for family in self._families],
            [family.s2 for family in self._families],
            [(family.th0, family.th1) for family in self._families],
        )

    def to_networkx(self) -> nx.DiGraph[str]:
        """The model as a `networkx.DiGraph`: nodes with th0, th1, b and s2, arcs with their weight w."""
        from treewright.models.convert.libraries import sigmoid_to_networkx

        return sigmoid_to_networkx(self)


def _checked(dag: Dag, families: Sequence[SigmoidFamily]) -> tuple[SigmoidFamily, ...]:
    by_child = {family.child: family for family in sorted(families, key=lambda family: family.child)}
    ordered = by_variable(dag.schema, by_child, "family")
    if len(ordered) < len(families):
        raise SchemaError("every variable needs one family; found several for one variable")
    return tuple(_checked_family(dag, family) for family in ordered)


def _checked_family(dag: Dag, family: SigmoidFamily) -> SigmoidFamily:
    """The family with its parents by name, so that no sum depends on the order of columns."""
    child, parents = family.child, dag.parents(family.child)
    if sorted(family.parents) != sorted(parents) or len(family.w) != len(parents):
        wanted = ", ".join(map(repr, parents)) or "none"
        raise SchemaError(
            f"the family of {child!r} needs one weight for each of its parents ({wanted}); found "
            f"{len(family.w)} for {', '.join(map(repr, family.parents)) or 'none'}"
        )
    numbers = (family.th0, family.th1, family.b, *family.w, family.s2)
    if not all(math.isfinite(number) for number in numbers) or family.s2 <= 0:
        raise SchemaError(f"the family of {child!r} needs finite numbers and a positive variance s2")
    pairs = sorted(zip(family.parents, map(float, family.w), strict=True))
    names, weights = tuple(name for name, _ in pairs), tuple(weight for _, weight in pairs)
    th0, th1, b, *_, s2 = map(float, numbers)
    return SigmoidFamily(child, names, th0, th1, b, weights, s2)


def fit_sigmoid(structure: Dag, table: Table) -> SigmoidNetwork:
    """Fit a sigmoid to every family of a structure.

    The fits are those behind :class:`SigmoidBIC`, from the rows themselves, since a sigmoid has no sufficient
    statistics. For linear families, :func:`fit` with moments gives a :class:`GaussianNetwork`.

    The table has continuous columns of the same names without missing cells; weights, if any, weigh the rows.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> x = np.linspace(-3, 3, 60)
    >>> table = tw.read_table({"x": x, "y": 2 + 5 / (1 + np.exp(1 - 2 * x)) + 0.01 * np.sin(40 * x)})
    >>> model = tw.models.fit_sigmoid(tw.Dag(table.schema, [("x", "y")]), table)
    >>> round(model.family("y").th0, 1), round(model.family("y").th1, 1)
    (2.0, 5.0)
    """
    if not isinstance(structure, Dag):
        raise GraphError(
            f"fit_sigmoid puts sigmoids on a Dag; found {type(structure).__name__} "
            "(a result of learning has it as .structure, an equivalence class gives one by .to_dag())"
        )
    require("fit_sigmoid", TABLE, table)
    check_continuous(structure.schema, "a sigmoid network")
    take_real_columns(structure.schema, table)  # refuses by name what is absent, discrete or missing
    families = SigmoidFamilies(table.select(structure.schema.names))
    if not families.moments.n >= 1:
        raise SchemaError(f"a sigmoid network is fitted to one row at least; found {families.moments.n}")
    schema = structure.schema
    scopes: list[tuple[int, Scope]] = [(v, schema.by_name(structure.parents(v))) for v in range(len(schema))]
    fits = families.fit_many(scopes)
    return SigmoidNetwork(
        structure, [SigmoidFamily(f.child, f.parents, f.th0, f.th1, f.b, f.w, f.s2) for f in fits]
    )
