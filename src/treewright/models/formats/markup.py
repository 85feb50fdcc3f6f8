"""XML without its dangers: elements with their places, and nothing that a file could define for itself.

A document type or an entity is refused where it starts, so there is nothing to expand and nothing to fetch.
Elements that the caller does not know are stepped over without being kept. Some programs write a bare ``<``
or ``&`` in labels; where that makes the file no XML, such characters are escaped and the file is read again.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np

from treewright import _core
from treewright.errors import FormatError
from treewright.models.formats.draft import Draft
from treewright.models.formats.text import Source
from treewright.models.formats.tokens import shorten
from treewright.types import Floats

DEEPEST = 32
MOST_ELEMENTS = 4_000_000

# never well-formed outside comments: '<' before what cannot start a tag, '&' before what is no entity
_BARE = re.compile(rb"<(?![A-Za-z_:/!?])|&(?!(?:[A-Za-z]+|#[0-9]+|#x[0-9A-Fa-f]+);)")


@dataclass(slots=True)
class Element:
    """A tag, what it says and what is inside."""

    tag: str
    attributes: dict[str, str]
    at: tuple[int, int]
    pieces: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()

    def all(self, tag: str) -> list[Element]:
        return [child for child in self.children if child.tag == tag]

    def only(self, source: Source, tag: str, what: str) -> Element:
        """The one element of this tag inside."""
        found = self.all(tag)
        if len(found) != 1:
            raise source.error(f"expected one {what}, found {len(found)}", self.at)
        return found[0]

    def numbers(self, source: Source) -> Floats:
        """The numbers that the text lists."""
        words = "".join(self.pieces).encode("utf-8").split()
        sizes = np.array([len(word) for word in words], dtype=np.uint32)
        ends = np.cumsum(sizes + 1, dtype=np.uint32) - 1
        values, n_read = _core.parse_numbers(b" ".join(words), ends - sizes, ends)
        if n_read < len(values):
            found = words[n_read].decode("utf-8", "replace")
            raise source.error(f"{shorten(found)} is not a finite number", self.at)
        return values


def parse(
    source: Source, root: str, *, known: Collection[str], fold_case: bool = False
) -> tuple[Draft, Element]:
    """A draft, and the root of the elements whose tags are known; bare signs are repaired, and it is noted.

    Elements of other tags are skipped with all that is in them. `fold_case` compares tags in upper case.
    """
    draft = Draft(source)
    try:
        found = _Parser(source, known, fold_case).run(source.data)
    except _NotWellFormed as first:
        escaped = _BARE.sub(lambda found: b"&lt;" if found[0] == b"<" else b"&amp;", source.data)
        if escaped == source.data:
            raise first.error from None
        try:
            found = _Parser(source, known, fold_case).run(escaped)
        except _NotWellFormed:
            raise first.error from None
        draft.notes.append("bare '<' or '&' were read as such")
    if found.tag != root:
        raise source.error(f"the root element is not {root}", found.at)
    return draft, found


class _NotWellFormed(Exception):  # noqa: N818
    def __init__(self, error: FormatError) -> None:
        super().__init__(str(error))
        self.error = error


class _Parser:
    def __init__(self, source: Source, known: Collection[str], fold_case: bool) -> None:
        self.source = source
        self.known = frozenset(known)
        self.fold_case = fold_case
        self.open: list[Element] = []
        self.root: Element | None = None
        self.depth = 0
        self.skipping = 0  # depth below an element that is not known
        self.n_elements = 0
        self.expat = expat.ParserCreate()
        self.expat.buffer_text = True
        self.expat.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.expat.StartElementHandler = self.start
        self.expat.EndElementHandler = self.end
        self.expat.CharacterDataHandler = self.characters
        self.expat.StartDoctypeDeclHandler = self.refuse_doctype
        self.expat.EntityDeclHandler = self.expat.ExternalEntityRefHandler = self.refuse_entity

    def run(self, data: bytes) -> Element:
        try:
            self.expat.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise _NotWellFormed(
                self.source.error(f"this is no well-formed XML: {reason}", (error.lineno, error.offset + 1))
            ) from None
        except FormatError:  # one of the refusals below
            raise
        except (ValueError, LookupError) as error:  # an encoding that is not known
            raise self.source.error(f"this is no well-formed XML: {error}", self.place()) from None
        if self.root is None:
            raise self.source.error("the root element is not one of this format", (1, 1))
        return self.root

    def place(self) -> tuple[int, int]:
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.source.error(f"elements are nested more than {DEEPEST} deep", self.place())
        name = tag.upper() if self.fold_case else tag
        if self.skipping or name not in self.known:
            self.skipping += 1
            return
        self.n_elements += 1
        if self.n_elements > MOST_ELEMENTS:
            raise self.source.error(f"there are more than {MOST_ELEMENTS:,} elements", self.place())
        element = Element(name, attributes, self.place())
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.depth -= 1
        if self.skipping:
            self.skipping -= 1
        else:
            self.open.pop()

    def characters(self, text: str) -> None:
        if self.open and not self.skipping:
            self.open[-1].pieces.append(text)

    def refuse_doctype(self, name: str, *_: object) -> None:
        raise self.source.error(
            "a document type (<!DOCTYPE ...>) is not read, since it may define entities; delete it, "
            "models need none",
            self.place(),
        )

    def refuse_entity(self, *_: object) -> int:
        raise self.source.error("entities are not read", self.place())
