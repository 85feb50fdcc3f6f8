"""What a single text may be: a number, a mark for a missing cell, a limit of detection, or just a text.

Looking is done on the distinct labels of a column, never on its rows, and what was seen once is remembered:
thousands of columns share their "yes" and "no".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal
from unicodedata import normalize

Word = Literal["text", "whole", "real", "comma", "grouped", "mark", "limit", "blank"]

# whole numbers of more than 18 digits, or with leading zeros, are identifiers
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
REAL = re.compile(
    r"(?i)[+-]?(((0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|(0|[1-9][0-9]*)e[+-]?[0-9]+|inf)"
)
COMMA = re.compile(r"(?i)[+-]?[0-9]*,[0-9]+(e[+-]?[0-9]+)?")
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
GROUPED = re.compile(rf"{THOUSANDS.pattern}|[+-]?[1-9][0-9]{{0,2}}(\.[0-9]{{3}})+,[0-9]+")
LIMIT = re.compile(r"[<>≤≥]=? *[+-]?[0-9]+([.,][0-9]+)?|[0-9]+([.,][0-9]+)? *\+")  # <0.5, 90+
UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")  # soft hyphens, blanks without width
FORMS: dict[Word, re.Pattern[str]] = {
    "whole": WHOLE, "real": REAL, "grouped": GROUPED, "comma": COMMA, "limit": LIMIT
}  # fmt: skip

# Nobody means anything else by these, wherever they stand.
UNMISTAKABLE = frozenset(
    ("?", "??", "n/a", "#n/a", "nan", "null", "<na>", "(null)", "#null!", "#value!", "#div/0!", "#ref!")
)
# Among numbers, these do not either.
AMONG_NUMBERS = UNMISTAKABLE | frozenset(("na", "n.a.", ".", "..", "missing", "unknown", "not available"))
# And these may: a hyphen or "none" can be a zero.
POSSIBLE = AMONG_NUMBERS | frozenset(
    (
        "-",
        "--",
        "---",
        "*",
        "none",
        "nil",
        "nd",
        "n.d.",
        "not done",
        "unk",
        "k.a.",
        "keine angabe",
        "n/d",
        "x",
        "refused",
        "don't know",
        "dont know",
        "dk",
        "prefer not to say",
        "prefer not to answer",
        "not applicable",
        "no answer",
    )
)

# What says yes and no.
TRUTH = dict.fromkeys(
    ("yes", "y", "true", "t", "1", "1.0", "ja", "j", "oui", "o", "si", "s", "wahr"), True
) | dict.fromkeys(("no", "n", "false", "f", "0", "0.0", "nein", "non", "falsch"), False)


@lru_cache(maxsize=1 << 16)
def word(text: str) -> Word:
    """What a text is by itself.

    >>> [word(text) for text in ("12", " 1.5", "1,5", "1,234", "NA", "<0.5", "007", "", "yes")]
    ['whole', 'real', 'comma', 'grouped', 'mark', 'limit', 'text', 'blank', 'text']
    """
    bare = text.strip()
    if not bare:
        return "blank"
    if bare[0].isalpha() and bare[0] not in "iI":  # most labels
        return "mark" if bare.lower() in POSSIBLE else "text"
    found = next((kind for kind, form in FORMS.items() if form.fullmatch(bare)), None)
    return found or ("mark" if bare.lower() in POSSIBLE else "text")


def as_number(text: str, decimal: str) -> float:
    """The number that a text is, with thousands set apart or not.

    >>> as_number("1.234,5", ","), as_number("1.234", ","), as_number("1,234.5", ".")
    (1234.5, 1234.0, 1234.5)
    """
    if decimal == ",":
        text = text.replace(".", "").replace(",", ".")
    return float(text.replace(",", ""))


def is_mark(text: str, marks: frozenset[str]) -> bool:
    bare = text.strip().lower()
    return not bare or bare in marks


@lru_cache(maxsize=1 << 16)
def folded(text: str) -> str:
    """A text in small letters with single blanks: equal for texts that differ in blanks and case only.

    >>> folded("  New   York ") == folded("new york"), folded("e" + chr(0x301)) == folded(chr(0xE9))
    (True, True)
    """
    return tidied(text).casefold()


def tidied(text: str) -> str:
    """A text with single blanks, without marks that nobody sees, letters and their accents as one sign each.

    >>> tidied(" a" + chr(0x200B) + "  b" + chr(0xFEFF))
    'a b'
    """
    if text.isascii():
        return " ".join(text.split())
    return " ".join(UNSEEN.sub("", normalize("NFC", text)).split())
