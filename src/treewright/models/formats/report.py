"""What reading or writing a file did beyond the plain translation, as values that print well."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.tables.schema import Label

_SHOWN = 20  # names that are told one by one


@dataclass(frozen=True)
class Renormalised:
    """Rows of one table whose sum missed one by rounding, and by how much at most."""

    variable: str
    n_rows: int
    largest: float

    def __str__(self) -> str:
        rows, were = ("1 row", "was") if self.n_rows == 1 else (f"{self.n_rows} rows", "were")
        missed = f"{rows} of {self.variable!r} missed a sum of 1 by up to {self.largest:.1e}"
        return f"{missed} and {were} rescaled"


@dataclass(frozen=True)
class Renamed:
    """A name or label that the format cannot say, and what stands in the file instead.

    `state` is None when the variable itself was renamed.
    """

    variable: str
    state: Label | None
    written: str

    def __str__(self) -> str:
        state = "" if self.state is None else f"state {self.state!r} of "
        return f"{state or 'variable '}{self.variable!r} is written as {self.written}"


@dataclass(frozen=True)
class ReadReport:
    """What a reader found.

    `renormalised` are tables with rows that were rescaled to a sum of one, once; `notes` anything else worth
    knowing (dialects, repairs); `names_file` is the file that gave names and labels back, or None.
    """

    path: str
    format: str
    n_variables: int
    n_arcs: int
    n_parameters: int
    renormalised: tuple[Renormalised, ...] = ()
    notes: tuple[str, ...] = ()
    names_file: str | None = None

    def __str__(self) -> str:
        size = f"{self.n_variables} variables, {self.n_arcs} arcs, {self.n_parameters:,} parameters"
        names = (f"names and labels from {self.names_file}",) if self.names_file else ()
        return "\n  ".join(
            (f"{self.path} ({self.format}): {size}", *names, *self.notes, *map(str, self.renormalised))
        )


@dataclass(frozen=True)
class WriteReport:
    """What a writer did.

    `renamed` is what the format cannot say, and what it says instead; `notes` anything else that only the
    names file says, such as labels that are numbers; `names_file` is the file beside the model that undoes
    all of it, or None when the model's file says everything.
    """

    path: str
    format: str
    renamed: tuple[Renamed, ...] = ()
    notes: tuple[str, ...] = ()
    names_file: str | None = None

    def __str__(self) -> str:
        names = (f"originals are in {self.names_file}",) if self.names_file else ()
        said = [str(one) for one in self.renamed[:_SHOWN]]
        if len(self.renamed) > _SHOWN:
            said.append(f"and {len(self.renamed) - _SHOWN:,} more, all of them in the file of originals")
        return "\n  ".join((f"{self.path} ({self.format})", *names, *self.notes, *said))


@dataclass(frozen=True)
class ConvertReport:
    """Both ends of a conversion."""

    read: ReadReport
    written: WriteReport

    def __str__(self) -> str:
        return f"read {self.read}\nwrote {self.written}"
