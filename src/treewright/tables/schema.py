"""What the columns are: names, states, order of states.

A :class:`Schema` is the only thing that every part of the package knows. Inside, a variable is its position
(an index); names appear at the boundary, where people write and read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from treewright.errors import SchemaError, UnknownNameError, nearest

Label = str | int | float | bool
Scope = tuple[int, ...]
NameOrIndex = str | int


@dataclass(frozen=True, slots=True)
class Variable:
    """One column: discrete with labelled states, or continuous when it has none.

    Examples
    --------
    >>> Variable("smoker", ("no", "yes")).cardinality
    2
    >>> Variable("temperature").is_discrete
    False
    """

    name: str
    states: tuple[Label, ...] | None = None
    ordered: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise SchemaError(f"a variable needs a name that is a non-empty text; found {self.name!r}")
        if self.states is None:
            return
        object.__setattr__(self, "states", tuple(self.states))
        if not self.states:
            raise SchemaError(f"discrete variable {self.name!r} needs at least one state; found none")
        seen: set[tuple[type, Label]] = set()
        for state in self.states:
            if not isinstance(state, str | int | float | bool) or state != state:
                raise SchemaError(
                    f"state {state!r} of {self.name!r} is not a text, a number or a truth value"
                )
            # "1" and 1 may both be states; 1, 1.0 and True may not, since they compare equal
            key = (str if isinstance(state, str) else float, state)
            if key in seen:
                raise SchemaError(f"state {state!r} of {self.name!r} is listed twice")
            seen.add(key)

    @property
    def is_discrete(self) -> bool:
        return self.states is not None

    @property
    def cardinality(self) -> int:
        """Number of states; a continuous variable has none to count."""
        if self.states is None:
            raise SchemaError(f"{self.name!r} is continuous and has no states; pass bins= to make some")
        return len(self.states)

    def code(self, state: Label) -> int:
        """Position of a state among the states."""
        states = self.states or ()
        for position, known in enumerate(states):
            if isinstance(known, str) == isinstance(state, str) and known == state:
                return position
        raise UnknownNameError(
            f"{self.name}={state!r} is not a state of {self.name}; states are {nearest(state, states)}"
        )


@dataclass(frozen=True)
class Schema:
    """The variables of a table, in column order.

    Examples
    --------
    >>> schema = Schema([Variable("smoker", ("no", "yes")), Variable("cancer", ("no", "yes"))])
    >>> schema.names
    ('smoker', 'cancer')
    >>> schema.scope(["cancer", 0])
    (1, 0)
    """

    variables: tuple[Variable, ...]

    def __init__(self, variables: Iterable[Variable]) -> None:
        object.__setattr__(self, "variables", tuple(variables))
        if len(self._positions) != len(self.variables):
            names = [v.name for v in self.variables]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise SchemaError(
                f"column names must differ; found more than once: {', '.join(map(repr, twice))}"
            )

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {variable.name: i for i, variable in enumerate(self.variables)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def cardinalities(self) -> tuple[int, ...]:
        """States per variable; 0 for a continuous one."""
        return tuple(len(v.states) if v.states is not None else 0 for v in self.variables)

    @cached_property
    def name_order(self) -> tuple[int, ...]:
        """Indices sorted by name: the order that breaks ties, whatever the column order."""
        return tuple(sorted(range(len(self)), key=self.names.__getitem__))

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __getitem__(self, which: NameOrIndex) -> Variable:
        return self.variables[self.index(which)]

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def index(self, which: NameOrIndex) -> int:
        """Position of a variable given by name or by position."""
        if isinstance(which, str):
            if which not in self._positions:
                raise UnknownNameError(f"there is no variable {which!r}; there are {nearest(which, self.names)}")
            return self._positions[which]
        position = int(which)
        if not 0 <= position < len(self):
            raise UnknownNameError(f"there is no variable number {position}; there are {len(self)}, counted from 0")
        return position

    def scope(self, which: Iterable[NameOrIndex]) -> Scope:
        """Positions of several variables, each at most once, in the order given."""
        if isinstance(which, str):
            raise SchemaError(f"a scope is a sequence of names; for one variable write ({which!r},)")
        scope = tuple(self.index(item) for item in which)
        if len(set(scope)) != len(scope):
            twice = sorted({self.names[v] for v in scope if scope.count(v) > 1})
            raise SchemaError(f"a scope names each variable once; found twice: {', '.join(map(repr, twice))}")
        return scope

    def names_of(self, scope: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[v] for v in scope)

    def select(self, which: Sequence[NameOrIndex]) -> Schema:
        """The schema of some columns, in the order given."""
        return Schema(self.variables[v] for v in self.scope(which))
