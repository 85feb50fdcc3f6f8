"""What the columns are: names, states, order of states.

A :class:`Schema` is the only thing that every part of the package knows. Inside, a variable is its position
(an index); names appear at the boundary, where people write and read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isnan
from numbers import Integral
from typing import TypeVar, cast

from treewright.arguments import require_several
from treewright.errors import SchemaError, SettingError, UnknownNameError, closest, nearest
from treewright.once import cached_property
from treewright.ranges import in_range
from treewright.tables.raw_form import RawForm
from treewright.types import Brief, Scope

Label = str | int | float | bool
NameOrIndex = str | int
Which = TypeVar("Which", str, int)


@dataclass(frozen=True)
class Variable(Brief):
    """One column: discrete with labelled states, or continuous when it has none.

    Parameters
    ----------
    name
        Any non-empty text without the character NUL.
    states
        Labels in the order of their codes: texts, numbers or truth values. None makes the variable
        continuous.
    ordered
        Whether the order of the states means something (low < normal < high).
    raw
        How the cells of a source become its values, where they are not taken as they stand; variables that
        differ in nothing else are equal.

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
    raw: RawForm | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise SchemaError(f"a variable needs a name that is a non-empty text; found {self.name!r}")
        if "\0" in self.name:
            raise SchemaError(
                f"a name of a variable has no NUL character, at which other programs stop reading; found "
                f"{self.name!r}"
            )
        states = self.states
        if states is None:
            return
        if type(states) is not tuple:
            require_several(f"the states of {self.name!r} are a sequence of labels", states)
            states = tuple(states)
            object.__setattr__(self, "states", states)
        kinds = set(map(type, states))
        if kinds and kinds <= {str, int} and len(set(states)) == len(states):
            return  # mostly so
        if not self.states:
            raise SchemaError(f"discrete variable {self.name!r} needs at least one state; found none")
        if not all(issubclass(kind, str | int) for kind in kinds):
            for state in self.states:
                if not isinstance(state, str | int | float) or (isinstance(state, float) and isnan(state)):
                    raise SchemaError(
                        f"state {state!r} of {self.name!r} is not a text, a number or a truth value"
                    )
        # "1" and 1 may both be states; 1, 1.0 and True may not, since they compare equal
        if sum(map(len, self._codes)) != len(self.states):
            last = (self._codes[isinstance(state, str)][state] for state in self.states)
            twice = next(self.states[at] for i, at in enumerate(last) if at != i)
            raise SchemaError(f"state {twice!r} of {self.name!r} is listed twice")

    @cached_property
    def _codes(self) -> tuple[dict[Label, int], dict[Label, int]]:
        """Where each label stands: one dictionary for numbers, one for texts."""
        states = self.states or ()
        types = set(map(type, states))
        if len(types) == 1:  # a million texts are no reason to wait
            found = dict(zip(states, range(len(states)), strict=True))
            return ({}, found) if issubclass(types.pop(), str) else (found, {})
        numbers: dict[Label, int] = {}
        texts: dict[Label, int] = {}
        for position, state in enumerate(states):
            (texts if isinstance(state, str) else numbers)[state] = position
        return numbers, texts

    def __getstate__(self) -> dict[str, object]:  # the dictionaries are rebuilt on demand
        return {"name": self.name, "states": self.states, "ordered": self.ordered, "raw": self.raw}

    def read_as(self, form: RawForm | None) -> Variable:
        """The same variable, whose cells were read in this form."""
        twin = object.__new__(Variable)
        twin.__dict__.update(self.__dict__, raw=form)
        return twin

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
        found = self._codes[isinstance(state, str)].get(state)
        if found is not None:
            return found
        if self.states is None:
            raise UnknownNameError(f"{self.name}={state!r}: {self.name} is continuous and has no states")
        raise UnknownNameError(
            f"{self.name}={state!r} is not a state of {self.name}; "
            f"states are {states_near(state, self.states)}"
        )


@dataclass(frozen=True)
class Schema(Brief):
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
        require_several("a schema is made of Variable objects", variables)
        object.__setattr__(self, "variables", tuple(variables))
        for variable in self.variables:
            if not isinstance(variable, Variable):
                raise SchemaError(f"a schema is made of Variable objects; found {variable!r}")
        if len(self._positions) != len(self.variables):
            raise SchemaError(f"column names must differ; found more than once: {repeated(self.names)}")

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

    @cached_property
    def name_ranks(self) -> tuple[int, ...]:
        """The place of each variable among the sorted names."""
        return tuple(sorted(range(len(self)), key=self.name_order.__getitem__))

    def by_name(self, variables: Iterable[int]) -> Scope:
        """Variables sorted by their names."""
        return tuple(sorted(variables, key=self.names.__getitem__))

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
        if type(which) is int and 0 <= which < len(self.variables):  # mostly so, and asked for every edge
            return which
        if isinstance(which, str):
            if (found := self._positions.get(which)) is not None:
                return found
            raise UnknownNameError(f"there is no variable {which!r}; there are {nearest(which, self.names)}")
        if not isinstance(which, Integral) or isinstance(which, bool):
            raise UnknownNameError(f"a variable is given by name or by position; found {which!r}")
        position = int(which)
        if not 0 <= position < len(self):
            raise UnknownNameError(
                f"there is no variable number {position}; there are {len(self)}, counted from 0"
            )
        return position

    def scope(self, which: Iterable[NameOrIndex]) -> Scope:
        """Positions of several variables, each at most once, in the order given."""
        if isinstance(which, str):
            raise SchemaError(f"a scope is a sequence of names; for one variable write ({which!r},)")
        require_several("a scope is a sequence of names", which)
        scope = tuple([self.index(item) for item in which])
        if len(scope) > 1 and len(set(scope)) != len(scope):
            raise SchemaError(
                f"a scope names each variable once; found twice: {repeated(self.names_of(scope))}"
            )
        return scope

    def names_of(self, scope: Iterable[NameOrIndex]) -> tuple[str, ...]:
        """The names of variables; a name stays as it is."""
        return tuple(v if isinstance(v, str) else self.names[v] for v in scope)

    def said_like(self, asked: Which | Iterable[Which], found: Iterable[int]) -> tuple[Which, ...]:
        """Variables as somebody speaks of them: by name where all that was asked for is named."""
        if type(asked) is int:  # mostly so
            return cast("tuple[Which, ...]", tuple(found))
        items = (asked,) if isinstance(asked, str) or not isinstance(asked, Iterable) else tuple(asked)
        by_name = bool(items) and all(isinstance(item, str) for item in items)
        return cast("tuple[Which, ...]", self.names_of(found) if by_name else tuple(found))

    @property
    def is_mended(self) -> bool:
        """Whether rows of some variable were mended, so that later ones are."""
        return any(one.raw is not None and one.raw.mended for one in self.variables)

    def found_in(self, columns: Container[str]) -> list[str]:
        """Names of the variables that are among the columns of a source, or made of one of them."""
        raw = [(v.name, v.raw.column if v.raw is not None else "") for v in self.variables]
        return [name for name, column in raw if name in columns or (column and column in columns)]

    @in_range
    def estimate_packed_bytes(self, n_rows: int) -> int:
        """Bytes that so many rows take in a packed file, but for its header.

        >>> Schema([Variable("smoker", ("no", "yes"))]).estimate_packed_bytes(1_000_000)
        9135104
        """
        from treewright.tables.packed_file import lay_out

        if n_rows < 0:
            raise SettingError(f"n_rows= of estimate_packed_bytes is a number from 0 on; found {n_rows}")
        return lay_out(self, n_rows).length

    def select(self, which: Sequence[NameOrIndex]) -> Schema:
        """The schema of some columns, in the order given."""
        return Schema(self.variables[v] for v in self.scope(which))


def repeated(names: Iterable[str]) -> str:
    """The names that occur more than once, sorted and quoted."""
    counts = Counter(names)
    return ", ".join(repr(name) for name in sorted(counts) if counts[name] > 1)


def states_near(wanted: object, states: Sequence[Label], *, shown: int = 20) -> str:
    """States as they would be typed (1 and '1' differ), and the nearest match among the first ones."""
    listed = ", ".join(map(repr, states[:shown])) + (
        f" and {len(states) - shown} more" if len(states) > shown else ""
    )
    close = closest(str(wanted), (str(state) for state in states))
    meant = next((state for state in states if str(state) == close), None)
    return listed if meant is None else f"{listed}; did you mean {meant!r}?"
