"""Damage: bytes that are cut, spliced and repeated; JSON values that turn into others."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

MARKS = [bytes([byte]) for byte in b'{}();,|"%#=\\<>&[]:\n\r\t\xff\x00']
WORDS = b"/* */ // 1e999 nan -1 2000000000 -0.0 <a> </ &lt; <!DOCTYPE table \xef\xbb\xbf \xc3\x28".split()
SPLICES = [*MARKS, *WORDS, b"default 1 0;", b"9" * 5000]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    10**400,
    1e308,
    -0.0,
    "",
    "x",
    "\ud800",
    [],
    {},
    [[]],
    {"float": "inf"},
]


def damage(data: bytes, rng: random.Random) -> bytes:
    """A file with one to six faults."""
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(data))
        match rng.randint(0, 5):
            case 0:
                data = data[:at] + rng.choice(SPLICES) + data[at:]
            case 1:
                data = data[:at] + data[at + rng.randint(1, 20) :]
            case 2:
                other = rng.randint(0, len(data))
                data = data[:at] + data[other : other + rng.randint(1, 200)] + data[at:]
            case 3:
                data = data[:at] + bytes([rng.randint(0, 255)]) + data[at + 1 :]
            case 4:
                data = data[:at]
            case _:
                piece = data[at : at + rng.randint(1, 40)]
                data = data[:at] + piece * rng.randint(2, 50) + data[at:]
    return data


def disturb(content: Any, rng: random.Random) -> Any:
    """A copy of a JSON value in which one to three places hold something else."""
    content = json.loads(json.dumps(content))
    for _ in range(rng.randint(1, 3)):
        here, key = _place(content, rng)
        if here is None:
            continue
        match rng.randint(0, 4):
            case 0:
                here[key] = deepcopy(rng.choice(VALUES))
            case 1:
                del here[key]
            case 2 if isinstance(here, list):
                here.insert(key, deepcopy(here[rng.randrange(len(here))]))
            case 3 if isinstance(here, list):
                rng.shuffle(here)
            case _:
                other, place = _place(content, rng)
                if other is not None:
                    here[key] = json.loads(json.dumps(other[place]))
    return content


def _place(content: Any, rng: random.Random) -> tuple[Any, Any]:
    """A random container within a value, and a key or position in it."""
    here: Any = content
    while isinstance(here, dict | list) and here:
        key = rng.choice(list(here)) if isinstance(here, dict) else rng.randrange(len(here))
        inner = here[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.3:
            return here, key
        here = inner
    return None, None
