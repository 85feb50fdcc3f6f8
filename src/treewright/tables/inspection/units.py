"""Numbers that carry a sign: of money, of percent, of a unit, or blanks between their thousands.

A column of "12,5 %" or "€ 1.200" is one of numbers to a person. All labels have to carry the same sign; it is
kept with the variable, so that "5 lb" is refused where kilograms were learned from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

MONEY = r"US\$|[$€£¥₹]|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|CAD|AUD|INR|CNY"
MEASURES = (
    "kg|g|mg|µg|ug|ng|lbs?|oz|t|km|m|cm|mm|µm|ft|in|mi|l|ml|dl|µl|ms|s|sec|min|h|hrs?|d|days|y|yrs?|years|"
    "months|mmHg|kPa|hPa|Pa|bar|bpm|mol|mmol|kWh|kW|W|V|Hz|kHz|MHz|GHz|kB|MB|GB|TB|K"
)
UNIT = rf"{MONEY}|%|‰|°[CF]?|(?i:{MEASURES})[23²³]?(?:/(?i:{MEASURES})[23²³]?)?"
BLANKS = "'\u2019 \u00a0\u202f"  # between thousands
SIGNED = re.compile(rf"([+-]?)(?:({MONEY})\s*)?([+-]?[0-9.,{BLANKS}]*[0-9][.,]?[0-9]*)\s*({UNIT})?")
APART = re.compile(rf"[+-]?[1-9][0-9]{{0,2}}(?:[{BLANKS}][0-9]{{3}})+(?:[.,][0-9]+)?")
LONGEST = (
    48  # characters of a number with its sign; the time to tell that a text is none grows with its square
)
SMALL = "small"
MINUS = "-"  # the sign of numbers with a minus behind them, in brackets or of another kind, or with a plus
BRACKETS = re.compile(r"\(\s*([0-9][0-9.,]*)\s*\)|([0-9][0-9.,]*)-|[\u2212\u2013]\s*([0-9][0-9.,]*)")
PLUS = re.compile(r"\+([0-9]{1,8}(?:[.,][0-9]+)?)")  # more digits may be those of a telephone
PLAIN = re.compile(r"-?[0-9][0-9.,]*")
MANY = 20
ONLY_BLANKS = " "  # the sign of numbers that have none but blanks between thousands


@lru_cache(maxsize=1 << 16)
def parts_of(text: str) -> tuple[str, str] | None:
    """The sign of a text that is a number with one, and the number without it.

    >>> parts_of("€ 1.200,50"), parts_of("12 %"), parts_of("1 200"), parts_of("SNP12"), parts_of("12")
    (('€', '1.200,50'), ('%', '12'), (' ', '1200'), None, None)
    """
    bare = text.strip()
    found = SIGNED.fullmatch(bare) if len(bare) <= LONGEST else None
    if found is None:
        return None
    minus, before, number, after = (one or "" for one in found.groups())
    if (before and after) or (minus and number[0] in "+-"):
        return None
    apart = APART.fullmatch(number.strip())
    bare = re.sub(f"[{BLANKS}]", "", number) if apart else number.strip()
    if any(blank in bare for blank in BLANKS) or not (before or after or apart):
        return None
    return before or after or ONLY_BLANKS, minus + bare


def common_sign(texts: Iterable[str]) -> str:
    """The sign that all numbers carry; "" where one carries none, or another, or is no number."""
    texts, signs = list(texts), set[str]()
    if len(texts) > MANY and has_other_minus(texts):  # few may be school grades: 1, 1-, 2+
        return MINUS
    for text in texts:
        found = parts_of(text)
        signs.add(found[0] if found is not None else plain(text))
        if "" in signs:
            return ""
    if signs <= {ONLY_BLANKS, SMALL}:  # thousands are set apart in large numbers only
        return ONLY_BLANKS if ONLY_BLANKS in signs else ""
    rest = signs - {ONLY_BLANKS}
    return rest.pop() if len(rest) == 1 and SMALL not in rest else ""


def has_other_minus(texts: Sequence[str]) -> bool:
    """Whether all are numbers, some with a minus or plus as accountants and typesetters write them.

    >>> has_other_minus(["(12)", "7"]), has_other_minus(["12-", "+7"]), has_other_minus(["-12", "7"])
    (True, True, False)
    """
    bare = [text.strip() for text in texts]
    others = [text for text in bare if not PLAIN.fullmatch(text)]
    return bool(others) and all(plain_minus(text) != text for text in others)


def plain_minus(text: str) -> str:
    """A number with a plain minus in front of it, if it is negative.

    >>> [plain_minus(text) for text in ("(12)", "1.5-", chr(0x2212) + "3", "+4", "x")]
    ['-12', '-1.5', '-3', '4', 'x']
    """
    found, plus = BRACKETS.fullmatch(text.strip()), PLUS.fullmatch(text.strip())
    if found is not None:
        return "-" + next(number for number in found.groups() if number)
    return text if plus is None else plus[1]


def is_of_digits(text: str) -> bool:
    """Whether a text is made of numbers and signs, as 120/80 and 5 ft are; digits alone may be a key.

    >>> [is_of_digits(text) for text in ("120/80", "64 kg", "1,23,456", "00123", "C12", "yes")]
    [True, True, True, False, False, False]
    """
    bare = text.strip()
    return (
        0 < len(bare) <= LONGEST
        and not bare.isdigit()
        and any(map(str.isdigit, bare))
        and (not any(map(str.isalpha, bare)) or parts_of(bare) is not None)
    )


def plain(text: str) -> str:
    """That a text is a number without a sign, below a thousand; "" of others."""
    return SMALL if re.fullmatch(r"[+-]?[0-9]{1,3}(?:[.,][0-9]+)?", text.strip()) else ""


def without_sign(text: str, sign: str) -> str:
    """The number of a text that carries this sign; other texts as they are.

    >>> without_sign("-$5", "$"), without_sign("5 lb", "kg"), without_sign("1'200", " ")
    ('-5', '5 lb', '1200')
    """
    if sign == MINUS:
        return plain_minus(text)
    found = parts_of(text) if sign else None
    return found[1] if found is not None and found[0] in (sign, ONLY_BLANKS) else text
