"""Slow twin of the reader of CSV files: characters one by one, and every cell looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

WHOLE = re.compile(r" *(0|-?[1-9][0-9]{0,17}) *")
REAL = re.compile(
    r"(?i) *[+-]?("
    r"((0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|(0|[1-9][0-9]*)e[+-]?[0-9]+|nan|inf|infinity"
    r") *"
)


def records_of(text: str, delimiter: str) -> Iterator[tuple[int, list[str], bool]]:
    """The records of a file: the line in which each begins, its fields, whether the first was quoted."""
    at, line = 0, 1
    while at < len(text):
        fields, begun, quoted = [], line, text[at] == '"'
        while True:
            field = ""
            while delimiter == " " and text[at : at + 1] == " ":
                at += 1
            if at < len(text) and text[at] == '"':
                at += 1
                while True:
                    if at >= len(text):
                        raise ValueError(f"line {begun} opens a quote that never ends")
                    if text[at] == '"' and text[at + 1 : at + 2] == '"':
                        field, at = field + '"', at + 2
                    elif text[at] == '"':
                        at += 1
                        break
                    else:
                        line += text[at] == "\n"
                        field, at = field + text[at], at + 1
                if at < len(text) and text[at] not in (delimiter, "\n", "\r"):
                    raise ValueError(
                        f"line {line} goes on behind a closing quote; a quote in a quoted field is doubled"
                    )
            else:
                while at < len(text) and text[at] not in (delimiter, "\n", "\r"):
                    field, at = field + text[at], at + 1
            fields.append(field)
            if at < len(text) and text[at] == delimiter:
                at += 1
                continue
            break
        at += 2 if text[at : at + 2] == "\r\n" else 1
        line += 1
        yield begun, fields, quoted


def rows_of(text: str, delimiter: str, n_fields: int, header: bool, fills: bool = False) -> list[list[str]]:
    """Records of the right length, in order; blank lines are none, a delimiter may end a line."""
    rows = []
    for line, fields, quoted in islice(records_of(text, delimiter), int(header), None):
        if fields == [""] and not quoted and n_fields > 1:
            continue
        if len(fields) == n_fields + 1 and fields[-1] == "":
            fields.pop()
        if fills:
            fields.extend([""] * (n_fields - len(fields)))
        if len(fields) != n_fields:
            some = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            were = "was" if n_fields == 1 else "were"
            raise ValueError(f"line {line} has {some} where {n_fields} {were} expected")
        rows.append(fields)
    return rows


def column_of(texts: list[str], missing: set[str], keeps_texts: bool) -> tuple[str, list[object]]:
    """What a column is, from every cell, and its cells; None where one is missing."""
    there = [text for text in texts if text != "" and text not in missing]
    if not there:
        return "nothing", [None] * len(texts)
    is_whole = [WHOLE.fullmatch(text) is not None for text in there]
    is_real = [REAL.fullmatch(text) is not None for text in there]
    if keeps_texts or not all(a or b for a, b in zip(is_whole, is_real, strict=True)):
        kind, value = "text", str
    else:
        kind, value = ("whole", int) if all(is_whole) else ("real", float)
    cells = [None if text == "" or text in missing else value(text) for text in texts]
    return kind, [None if cell != cell else cell for cell in cells]  # NaN is missing
