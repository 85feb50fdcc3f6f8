"""Sources in parts that have the same columns, in whatever order."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.errors import SchemaError
from treewright.tables.schema import repeated


class NamedParts:
    """Names of the columns of files that are read one below the other."""

    def __init__(self, found: Sequence[Sequence[str]], given: Sequence[str] | None, hint: str = "") -> None:
        self.parts = [tuple(names if given is None else given) for names in found]
        for names, renamed in zip(found, self.parts, strict=True):
            if len(names) != len(renamed):
                raise SchemaError(f"{len(renamed)} names were given for {len(names)} columns")
            twice = repeated(name for name in renamed if name)
            if twice:
                raise SchemaError(f"column names must differ; found more than once: {twice}{hint}")
        self.names = list(dict.fromkeys(name for names in self.parts for name in names))
        self.notes: tuple[str, ...] = ()

    def check_common(self, positions: Sequence[int]) -> None:
        """Refuse columns that some part has not."""
        common = set.intersection(*map(set, self.parts))
        absent = [self.names[i] for i in positions if self.names[i] not in common]
        if absent:
            raise SchemaError(
                f"files read together need the same columns; not in all: {', '.join(map(repr, absent))}. "
                "Choose others with columns=[...], or read each file by itself"
            )
