"""How wide text will be: advance widths of a wide font, so that the room suffices in any usual one."""

from __future__ import annotations

import unicodedata

# Of DejaVu Sans Bold, in hundredths of the size, from the blank to the tilde.
_ADVANCES = (
    "35 46 52 84 70 100 87 31 46 46 52 84 38 42 38 37 70 70 70 70 70 70 70 70 70 70 40 40 84 84 84 58 "
    "100 77 76 73 83 68 68 82 84 37 37 77 64 100 84 85 73 85 77 72 68 81 77 110 77 72 73 46 37 46 84 50 "
    "50 67 72 59 72 68 44 72 71 34 34 67 34 104 71 69 72 72 49 60 48 71 65 92 65 65 58 71 37 71 84"
)
_OF_ASCII = {chr(32 + i): int(width) / 100 for i, width in enumerate(_ADVANCES.split())}
LONGEST = 18  # characters of a name that are never cut


def text_width(text: str, size: float) -> float:
    """Pixels that bold text of a size takes, on the generous side; beyond 18 characters it is cut.

    Examples
    --------
    >>> round(text_width("HYPOVOLEMIA", 12))
    104
    """
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    wide = size * sum(_OF_ASCII.get(letter) or _other(letter) for letter in shown)
    return wide + 0.5 * len(shown)  # where letters stand on whole pixels only


def _other(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    return 1.1 if unicodedata.east_asian_width(letter) in "WF" else 0.9
