"""Features: statements about a row that are true or false.

A :class:`Feature` is a conjunction of literals (smoker = yes, age != old) or the negation of one. A context
in a feature graph, a slice of a table and the rows behind a count are all features. A missing cell equals no
state: ``x = a`` is false there and ``x != a`` is true, so a feature and its negation always split the rows in
two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treewright.arguments import require_several
from treewright.errors import SchemaError
from treewright.once import cached_property
from treewright.tables.schema import Label, Schema

if TYPE_CHECKING:
    from treewright.tables.table import Table


@dataclass(frozen=True)
class Literal:
    """A variable is, or is not, in a state.

    Examples
    --------
    >>> print(Literal("smoker", "yes"), ~Literal("smoker", "yes"))
    smoker='yes' smoker!='yes'
    """

    variable: str
    state: Label
    holds: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.variable, str) and "\0" in self.variable:
            raise SchemaError(f"no name of a variable has the character NUL; found {self.variable!r}")

    def __invert__(self) -> Literal:
        return replace(self, holds=not self.holds)

    def __str__(self) -> str:
        return f"{self.variable}{'=' if self.holds else '!='}{self.state!r}"

    @property
    def _key(self) -> tuple[str, bool, str, bool]:
        return self.variable, isinstance(self.state, str), str(self.state), self.holds


@dataclass(frozen=True, init=False, repr=False)
class Feature:
    """A conjunction of literals, or its negation.

    Two features are equal when they are made of the same literals, in whatever order they were given. A
    single negative literal is stored as the negation of the positive one, so that there is one way to say it.

    Parameters
    ----------
    literals
        A mapping from variable names to states, or literals. None at all: a feature that always holds.
    negated
        Whether the feature holds where the conjunction does not.
    schema
        Where names and states are looked up; see :meth:`bind`.

    Examples
    --------
    >>> feature = Feature({"smoker": "yes", "age": "old"})
    >>> print(feature)
    age='old' & smoker='yes'
    >>> print(~feature)
    not (age='old' & smoker='yes')
    >>> print(feature & ~Feature({"cough": "no"}))
    age='old' & cough!='no' & smoker='yes'
    """

    terms: tuple[Literal, ...]
    negated: bool

    def __init__(
        self,
        literals: Mapping[str, Label] | Iterable[Literal] = (),
        *,
        negated: bool = False,
        schema: Schema | None = None,
    ) -> None:
        terms = sorted(set(as_literals(literals)), key=lambda literal: literal._key)
        if len(terms) == 1 and not terms[0].holds:
            terms, negated = [~terms[0]], not negated
        object.__setattr__(self, "terms", tuple(terms))
        object.__setattr__(self, "negated", negated)
        object.__setattr__(self, "_schema", schema)
        if schema is not None:
            _ = self._bound  # names are checked where the feature is made

    @classmethod
    def of_codes(
        cls,
        schema: Schema,
        literals: Iterable[tuple[int, int]],
        *,
        excluded: Iterable[tuple[int, int]] = (),
        negated: bool = False,
    ) -> Feature:
        """A bound feature from positions and codes.

        `literals` are pairs (variable, state) that are equal, `excluded` those that are not.

        Examples
        --------
        >>> from treewright.tables import Variable
        >>> schema = Schema([Variable("a", ("no", "yes")), Variable("b", ("no", "yes"))])
        >>> Feature.of_codes(schema, [(1, 0), (0, 1)]).literals
        ((0, 1), (1, 0))
        """
        terms = [named(schema, pair, True) for pair in literals]
        terms += [named(schema, pair, False) for pair in excluded]
        return cls(terms, negated=negated, schema=schema)

    @property
    def schema(self) -> Schema | None:
        """The schema that the feature is bound to, if any."""
        schema: Schema | None = self.__dict__["_schema"]
        return schema

    def bind(self, schema: Schema) -> Feature:
        """The same feature with its names looked up in a schema."""
        if self.schema is schema:
            return self
        return Feature(self.terms, negated=self.negated, schema=schema)

    @cached_property
    def _bound(self) -> tuple[tuple[int, int, bool], ...]:
        if self.schema is None:
            raise SchemaError(f"the feature {self} knows names only; feature.bind(schema) looks up its codes")
        schema = self.schema
        return tuple(
            sorted((schema.index(t.variable), schema[t.variable].code(t.state), t.holds) for t in self.terms)
        )

    @property
    def literals(self) -> tuple[tuple[int, int], ...]:
        """Pairs (variable, state) that are equal, sorted; for a bound feature."""
        return tuple((v, code) for v, code, holds in self._bound if holds)

    @property
    def excluded(self) -> tuple[tuple[int, int], ...]:
        """Pairs (variable, state) that are not equal, sorted; for a bound feature."""
        return tuple((v, code) for v, code, holds in self._bound if not holds)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names that occur, sorted, each once."""
        return tuple(dict.fromkeys(term.variable for term in self.terms))

    @property
    def is_contradiction(self) -> bool:
        """Whether the conjunction asks one variable for two states, or for a state and against it."""
        wanted = {term.variable: term for term in self.terms if term.holds}
        return any(wanted.get(t.variable, t) != t if t.holds else ~t in self.terms for t in self.terms)

    def mask(self, table: Table) -> npt.NDArray[np.bool_]:
        """Which rows of a table the feature holds in."""
        result = np.ones(table.n_rows, dtype=np.bool_)
        for v, code, holds in self.bind(table.schema)._bound:
            equal = table.columns[v] == code
            if v in table.missing:
                equal &= ~table.missing[v]
            result &= equal if holds else ~equal
        return ~result if self.negated else result

    def __invert__(self) -> Feature:
        return Feature(self.terms, negated=not self.negated, schema=self.schema)

    def __and__(self, other: Feature) -> Feature:
        if not isinstance(other, Feature):
            return NotImplemented
        return Feature(
            [*self._as_conjunction(), *other._as_conjunction()], schema=self.schema or other.schema
        )

    def _as_conjunction(self) -> tuple[Literal, ...]:
        if not self.negated:
            return self.terms
        if len(self.terms) == 1:
            return (~self.terms[0],)
        raise SchemaError(
            f"{self} is not a conjunction of literals and cannot be joined with another; "
            "narrow the rows in two steps: table.where(a).where(b)"
        )

    def __str__(self) -> str:
        if self.negated and len(self.terms) == 1:
            return str(~self.terms[0])
        text = " & ".join(map(str, self.terms)) or "always"
        return f"not ({text})" if self.negated else text

    def __repr__(self) -> str:
        text = str(self)
        return f"Feature({text if len(text) <= 200 else text[:197] + '...'})"


def as_literals(literals: Mapping[str, Label] | Iterable[Literal]) -> list[Literal]:
    if isinstance(literals, Mapping):
        return [Literal(name, state) for name, state in literals.items()]
    require_several("a feature is made of literals or of a mapping from names to states", literals)
    listed = list(literals)
    for item in listed:
        if not isinstance(item, Literal):
            raise SchemaError(
                f"a feature is made of literals or of a mapping from names to states; found {item!r}"
            )
    return listed


def named(schema: Schema, pair: tuple[int, int], holds: bool) -> Literal:
    variable = schema[pair[0]]
    if not 0 <= pair[1] < variable.cardinality:
        raise SchemaError(
            f"{variable.name!r} has {variable.cardinality} states; there is no state number {pair[1]}"
        )
    assert variable.states is not None
    return Literal(variable.name, variable.states[pair[1]], holds)
