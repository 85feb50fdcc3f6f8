"""Sources in parts that have the same columns, in whatever order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from treewright.errors import SchemaError
from treewright.tables.report import listed
from treewright.tables.schema import repeated


class NamedParts:
    """Names of the columns of files that are read one below the other."""

    filled = 0  # rows with too few fields

    def __init__(
        self, found: Sequence[Sequence[str]], given: Sequence[str] | None, hint: str = "", mends: bool = False
    ) -> None:
        self.notes: tuple[str, ...] = ()
        self.parts = [tuple(names if given is None else given) for names in found]
        if mends:
            before, self.parts = self.parts, [told_apart(names) for names in self.parts]
            pairs = zip(map(set, before), self.parts, strict=True)
            new = dict.fromkeys(name for was, now in pairs for name in now if name not in was)
            if new:
                self.notes = (f"names that come again have numbers: {listed(list(map(repr, new)))}",)
        for names, renamed in zip(found, self.parts, strict=True):
            if len(names) != len(renamed):
                raise SchemaError(f"{len(renamed)} names were given for {len(names)} columns")
            twice = repeated(name for name in renamed if name)
            if twice:
                raise SchemaError(f"column names must differ; found more than once: {twice}{hint}")
        self.names = list(dict.fromkeys(name for names in self.parts for name in names))
        if (n_bare := max(sum(not name for name in names) for names in self.parts)) > 1:
            self.notes += (f"{n_bare:,} columns have no name, and are left out",)

    def check_common(self, positions: Sequence[int]) -> None:
        """Refuse columns that some part has not."""
        common = set.intersection(*map(set, self.parts))
        absent = [self.names[i] for i in positions if self.names[i] not in common]
        if absent:
            raise SchemaError(
                f"files read together need the same columns; not in all: {', '.join(map(repr, absent))}. "
                "Choose others with columns=[...], or read each file by itself"
            )


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Names that come again, with a number.

    >>> told_apart(("a", "b", "a", "a.2", "a"))
    ('a', 'b', 'a.3', 'a.2', 'a.4')
    """
    taken, times, made = set(names), Counter[str](), list[str]()
    for name in names:
        times[name] += 1
        if times[name] > 1 and name:
            while f"{name}.{times[name]}" in taken:
                times[name] += 1
            name = f"{name}.{times[name]}"  # noqa: PLW2901
        made.append(name)
    return tuple(made)
