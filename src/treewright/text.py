"""Text that can be shown anywhere.

Characters that steer a terminal, or that no XML may have, become pictures; addresses lose their passwords.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"} | {0x7F: 0x2421}
_NEVER_SHOWN = [*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF]
_PICTURES = _CONTROLS | dict.fromkeys(_NEVER_SHOWN, 0xFFFD)


def visible(text: str) -> str:
    r"""The same text for a screen; tabs and ends of lines stay.

    Examples
    --------
    >>> visible("\x1b[31mred")
    '␛[31mred'
    """
    return text.translate(_PICTURES)


_ADDRESS = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_SECRETS = ("password", "sslpassword")  # settings that an address may have behind its question mark


def is_address(text: object) -> bool:
    """Whether a text is the address of a server."""
    return isinstance(text, str) and _ADDRESS.match(text) is not None


def without_password(text: str) -> str:
    """The same text; an address loses its password.

    Examples
    --------
    >>> without_password("postgresql://ada:secret@host/clinic?sslmode=require::visits")
    'postgresql://ada@host/clinic?sslmode=require::visits'
    """
    return split_secrets(text)[0]


def split_secrets(text: str) -> tuple[str, list[str]]:
    """An address without its passwords, and the passwords as they were written."""
    found = _ADDRESS.match(text)
    if found is None:
        return text, []
    begin, secrets = found.end(), []
    slash = text.find("/", begin)
    place = text[begin:] if slash < 0 else text[begin:slash]
    at = begin + place.rfind("@")
    if at < begin and not re.fullmatch(r"(\[.*\]|[^:]*)(:[\d,]*)?", place):  # a slash in the password
        at = text.rfind("@")
    colon = text.find(":", begin, max(at, begin))
    if colon >= 0:
        secrets.append(text[colon + 1 : at])
        text = text[:colon] + text[at:]
    place, mark, settings = text.partition("?")
    settings, table_mark, table = settings.partition("::")
    kept = []
    for part in settings.split("&"):
        name, _, value = part.partition("=")
        if unquote(name).lower() in _SECRETS:
            secrets.append(value)
        else:
            kept.append(part)
    return place + (mark if any(kept) else "") + "&".join(kept) + table_mark + table, secrets
