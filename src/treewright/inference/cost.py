"""What a question costs, known before any work."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.limits import format_bytes, format_count


@dataclass(frozen=True)
class Cost:
    """The price of one question.

    A question far beyond the memory limit is not planned to its end: the figures are then those of the first
    table that settled the refusal.

    Attributes
    ----------
    width, largest_table, largest_cells
        Variables in the largest table less one, their names, and its cells, exactly, however many.
    bytes
        Memory for all tables and messages. Large tables are walked through in tiles rather than stored, so
        this may be less than the largest table alone would take.
    operations, seconds
        Multiplications and additions on single cells, and a guess from these for one thread.
    refused
        Whether the question exceeds the memory limit and would raise :class:`TableTooLarge`.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> load_network("asia").cost().width
    2
    """

    width: int
    largest_table: tuple[str, ...]
    largest_cells: int
    bytes: int
    operations: int
    seconds: float
    refused: bool = False

    def __str__(self) -> str:
        verdict = "; above the memory limit" if self.refused else ""
        return (
            f"width {self.width}, largest table {format_count(self.largest_cells)} cells, "
            f"{format_bytes(self.bytes)}, {format_count(self.operations)} operations, "
            f"about {self.seconds:.3g} s{verdict}"
        )
