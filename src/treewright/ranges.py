"""The numbers that people choose, and how large each may be.

One table, :data:`MOST`, says for the names of numbers in public functions and settings how large they may be;
what has another name is any finite number. :func:`in_range` puts a function, or a class of settings, behind
it: what is no number, not whole where that is asked, not finite or too large is refused before anything is
done, and numbers of NumPy become plain ones. The least that a number can be, each function says in its own
words.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from numbers import Integral, Real
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from treewright.arguments import described
from treewright.errors import ArgumentError, SettingError

Made = TypeVar("Made", bound=Callable[..., Any])

_TABLE = """
4_096          threads
10_000         searches n_penalties n_networks components chains states compact n_links n_neighbours starts
               retries bins
100_000        treewidth max_width width
1_000_000      max_parents max_blanket largest largest_blanket largest_given largest_set max_node depth
               max_depth feature_length min_variables most_literals most_features candidates screen
               patience tabu structures breadth stall tenure rounds above clique_limit refine_above limit
               max_variables max_columns perturbations effort roots orders repetitions folds epochs
               n_variables n_hubs leaves n_columns
10_000_000     permutations iterations sweeps steps max_steps
1_000_000_000  burn_in thinning batch n_arcs n_edges max_entries seconds timeout
1_000_000_000_000      penalty edge_prior
1_000_000_000_000_000  n n_rows max_bytes rows
9_223_372_036_854_775_807  seed
"""


def _read_table(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    most = 0
    for word in text.split():
        if word[0].isdigit():
            most = int(word)
        else:
            found[word] = most
    return found


MOST = _read_table(_TABLE)
_NUMBER = re.compile(r"\b(int|float)\b")
_OTHER = re.compile(r"Callable|Mapping|Sequence|Iterable|Array|tuple\[|list\[|dict\[|NameOrIndex")


def is_number(parameter: inspect.Parameter) -> bool:
    """Whether the annotation of a parameter asks for a number, and for nothing that holds several."""
    text = _annotation(parameter)
    return _NUMBER.search(text) is not None and _OTHER.search(text) is None


def _is_chance(parameter: inspect.Parameter) -> bool:
    return "Generator" in _annotation(parameter)


def _annotation(parameter: inspect.Parameter) -> str:
    said = parameter.annotation
    return said.__name__ if isinstance(said, type) else str(said)


@dataclass(frozen=True)
class Number:
    """A number that is asked for by name: whole or not, how large at most, what may stand in its place."""

    name: str
    is_whole: bool
    most: int | None
    instead: tuple[type, ...]

    @classmethod
    def of(cls, parameter: inspect.Parameter) -> Number:
        text = _annotation(parameter)
        words: dict[str, type] = {"None": type(None), "Literal": str, "str": str, "bool": bool}
        instead = tuple(kind for word, kind in words.items() if re.search(rf"\b{word}(Type)?\b", text))
        return cls(parameter.name, "float" not in text, MOST.get(parameter.name), instead)

    @property
    def kind(self) -> str:
        kind = "a whole number" if self.is_whole else "a finite number"
        return kind if self.most is None else f"{kind}, at most {self.most:,}"

    def checked(self, who: str, value: Any) -> Any:
        """The value as a plain number, or a refusal that says what it could be.

        Examples
        --------
        >>> Number("patience", True, 1_000_000, ()).checked("learn_tabu", 2**31)
        Traceback (most recent call last):
        ...
        treewright.errors.SettingError: patience= of learn_tabu is a whole number, at most 1,000,000; found \
2147483648
        """
        if isinstance(value, self.instead):
            return value
        if isinstance(value, bool) or not isinstance(value, Real) or not hasattr(value, "__float__"):
            raise ArgumentError(f"{self.name}= of {who} is {self.kind}; found {described(value)}")
        if self.is_whole and not isinstance(value, Integral):
            raise ArgumentError(f"{self.name}= of {who} is {self.kind}; found {value!r}")
        plain = int(value) if isinstance(value, Integral) else float(value)
        limit = sys.float_info.max if self.most is None else self.most
        if not math.isfinite(plain) if isinstance(plain, float) else abs(plain) > 2**1023:
            raise SettingError(f"{self.name}= of {who} is {self.kind}; found {shown(plain)}")
        if plain > limit or (self.is_whole and not -(2**63) <= plain < 2**63):
            raise SettingError(f"{self.name}= of {who} is {self.kind}; found {shown(plain)}")
        return plain


@dataclass(frozen=True)
class Chance:
    """A generator that is asked for by name; None where the system may choose."""

    may_be_none: bool

    @classmethod
    def of(cls, parameter: inspect.Parameter) -> Chance:
        return cls("None" in _annotation(parameter))

    def checked(self, who: str, value: Any) -> Any:
        """The generator, or a refusal that says how one is made."""
        if isinstance(value, np.random.Generator) or (value is None and self.may_be_none):
            return value
        raise ArgumentError(
            f"rng is a numpy Generator, as in np.random.default_rng(7); found {described(value)}"
        )


def generator(who: str, seed: Any) -> np.random.Generator:
    """Chance from a seed: a whole number from 0 on, or None for another start each time."""
    checked = Number("seed", True, MOST["seed"], (type(None),)).checked(who, seed)
    if checked is not None and checked < 0:
        raise SettingError(f"seed= of {who} is a whole number from 0 on; found {checked}")
    return np.random.default_rng(checked)


def require_whole(who: str, name: str, value: object) -> None:
    """Refuse what is no whole number, however large."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ArgumentError(f"{name}= of {who} is a whole number; found {described(value)}")


def shown(number: int | float) -> str:
    """A number as messages say it."""
    if isinstance(number, int) and abs(number) >= 10**30:  # Python refuses to write thousands of digits
        return f"one of {number.bit_length()} bits"
    return repr(number)


def in_range(made: Made) -> Made:
    """Put a function, or the making of a class, behind the table: its numbers are checked by their names.

    A generator of random numbers is checked, too.

    Examples
    --------
    >>> @in_range
    ... def climb(*, patience: int = 5) -> int:
    ...     return patience
    >>> climb(patience="3")
    Traceback (most recent call last):
    ...
    treewright.errors.ArgumentError: patience= of climb is a whole number, at most 1,000,000; found the text \
'3'
    """
    if isinstance(made, type):
        made.__init__ = in_range(made.__init__)  # type: ignore[misc]
        return made
    function = cast("FunctionType", made)
    parameters = inspect.signature(function).parameters
    checks: dict[str, Number | Chance] = {
        name: Number.of(p) if is_number(p) else Chance.of(p)
        for name, p in parameters.items()
        if is_number(p) or _is_chance(p)
    }
    places = [(i, checks[name]) for i, name in enumerate(parameters) if name in checks]
    is_maker = function.__name__ == "__init__"

    def guarded(*given: Any, **named: Any) -> Any:
        who = type(given[0]).__name__ if is_maker else function.__name__
        for i, check in places:
            if i < len(given):
                given = (*given[:i], check.checked(who, given[i]), *given[i + 1 :])
        for name, value in named.items():
            if name in checks:
                named[name] = checks[name].checked(who, value)
        return function(*given, **named)

    # with the globals of the function, by which doctest knows where it belongs
    twin = FunctionType(guarded.__code__, function.__globals__, closure=guarded.__closure__)
    return cast("Made", update_wrapper(twin, function))
