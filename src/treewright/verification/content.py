"""Whether a file is what it says: JSON, of a known format and version, undamaged, with variables."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from treewright.verification.report import Findings

FORMAT = "treewright model"
VERSION = 1


@dataclass(frozen=True)
class Variables:
    """Names in the order of the file, each with its states; a continuous variable has None."""

    states: dict[str, list[Any] | None]

    @property
    def names(self) -> list[str]:
        return list(self.states)

    def size(self, name: str) -> int:
        """How many states; none for a continuous variable."""
        return len(self.states[name] or ())


def are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


class RepeatedKeyError(ValueError):
    """A key that occurs twice in one object."""


def read_content(data: bytes, findings: Findings) -> dict[str, Any] | None:
    """The object in a file, with its format, version and checksum checked; None if there is none."""
    findings.begin("format")
    try:
        content = json.loads(data.decode("ascii"), object_pairs_hook=_unique, parse_constant=_refuse)
    except RepeatedKeyError as error:
        findings.add("format", f"the key {str(error)!r} occurs twice in one object")
        return None
    except (ValueError, RecursionError):
        findings.add("format", "the file is not JSON text")
        return None
    if not isinstance(content, dict):
        findings.add("format", "the file holds no JSON object")
        return None
    findings.expect(content.get("format") == FORMAT, "format", f'"format" is not {FORMAT!r}')
    version = content.get("version")
    known = type(version) is int and version == VERSION
    findings.expect(known, "format", f"version {version!r} is not known here, only {VERSION}")
    check_checksum(content, findings)
    return content


def check_checksum(content: dict[str, Any], findings: Findings) -> None:
    """SHA-256 of everything else: keys sorted, no spaces, ASCII."""
    findings.begin("checksum")
    rest = {key: value for key, value in content.items() if key != "checksum"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (ValueError, RecursionError):
        findings.add("checksum", "the file holds a number that is out of range")
        return
    expected = "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()
    edited = "it does not fit the content: the file was damaged or edited"
    message = edited if content.get("checksum") is not None else "the file has none"
    findings.expect(content.get("checksum") == expected, "checksum", message)


def read_variables(content: dict[str, Any], findings: Findings) -> Variables | None:
    """The variables, unless their list is so broken that nothing can be said about them."""
    findings.begin("variables")
    items = content.get("variables")
    if not isinstance(items, list):
        findings.add("variables", '"variables" is not a list')
        return None
    states: dict[str, list[Any] | None] = {}
    for position, item in enumerate(items):
        name = item.get("name") if isinstance(item, dict) else item  # a bare name is a continuous variable
        if not isinstance(name, str) or not name:
            findings.add("variables", f"variable {position} (counted from 0) has no name that is a text")
        elif "\0" in name:
            findings.add("variables", f"{name!r} has the character NUL, which no name has", (name,))
        elif name in states:
            findings.add("variables", f"{name!r} is declared twice", (name,))
        else:
            states[name] = _read_states(name, item, findings) if isinstance(item, dict) else None
    return Variables(states)


def _read_states(name: str, item: dict[str, Any], findings: Findings) -> list[Any] | None:
    findings.expect(
        item.keys() == {"name", "states", "ordered"} and isinstance(item["ordered"], bool),
        "variables",
        f'{name!r} has not just "name", "states" and "ordered" (true or false)',
        (name,),
    )
    labels = item.get("states")
    if labels is None:
        return None
    if not isinstance(labels, list) or not labels:
        findings.add("variables", f"{name!r} has no list of states", (name,))
        return []
    strange = [label for label in labels if not _is_label(label)]
    if strange:
        findings.add("variables", f"{strange[0]!r} is no state of {name!r}", (name,))
    else:
        # 1 and "1" differ, 1 and 1.0 do not
        once = len({(isinstance(label, str), _key(label)) for label in labels}) == len(labels)
        findings.expect(once, "variables", f"a state of {name!r} is listed twice", (name,))
    return labels


def _is_label(label: object) -> bool:
    return isinstance(label, str | int | float) or label in ({"float": "inf"}, {"float": "-inf"})


def _key(label: Any) -> Any:
    return float(label["float"]) if isinstance(label, dict) else label


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise RepeatedKeyError(key)
        result[key] = value
    return result


def _refuse(name: str) -> None:
    raise ValueError(name)
