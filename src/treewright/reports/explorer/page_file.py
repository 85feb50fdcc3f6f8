"""One HTML file out of plain modules, a style sheet and data: joined, allowed by hash, filled in one pass.

Modules are read as they lie in `page/`; nothing is bundled beforehand. Each imports by lines of its own at
the top, ``import { a, b } from './other.js';``, exports names where it declares them, and has no name at its
top level that another module has too: then the modules, each after those that it imports and without these
lines, are one script. What does not keep the rules is refused. Comments and indentation stay in the sources,
see `squeeze`.

The page asks nobody for anything. Its policy allows the one script and the one style sheet, by their hashes,
and no other source of any kind. Nothing knows models here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from treewright.errors import FormatError
from treewright.reports.explorer.squeeze import script_tokens, squeezed_script, squeezed_style

ENTRY = "app.js"
STYLES = ("page.css", "small.css", "curves.css")
Reader = Callable[[str], str]
_IMPORT = re.compile(r"import \{ ([\w$, ]+) \} from '\./(\w+\.js)';")
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@cache
def page_part(name: str) -> str:
    """A file of the page's folder, as it was written."""
    return files("treewright.reports.explorer").joinpath("page", name).read_text(encoding="utf-8")


def page_file(
    data: Mapping[str, Any],
    *,
    title: str,
    facts: str = "",
    entry: str = ENTRY,
    without: Collection[str] = (),
) -> str:
    """The page around an embedded model, see `page_data`.

    The `title` and the `facts` below it are text, never markup. Modules and style sheets that this page never
    needs can be left out.

    Examples
    --------
    >>> from treewright.networks import load_network
    >>> from treewright.reports.explorer.page_data import page_data
    >>> page = page_file(page_data(load_network("asia")), title="Chest clinic", entry="beliefs.js")
    >>> page.startswith("<!doctype html>"), page.count("<script")
    (True, 2)
    """
    script, style = page_code(without, entry)
    parts = {
        "policy": _policy(script, style),
        "title": escape(_storable(title)),
        "facts": escape(_storable(facts)),
        "style": style,
        "data": embedded_json(data),
        "script": script,
    }
    return fill(page_part("shell.html"), parts)


def page_code(without: Collection[str] = (), entry: str = ENTRY) -> tuple[str, str]:
    """The script and the style sheet of a page, but for what it never needs."""
    style = "".join(squeezed_style(page_part(name)) for name in STYLES if name not in without)
    return joined_script(entry, reader_without(without)), style


def fill(shell: str, parts: Mapping[str, str]) -> str:
    """Put each part where the shell says ``{{name}}``, in one pass: what is put in is not looked at again.

    Examples
    --------
    >>> fill("<h1>{{title}}</h1>{{data}}", {"title": "{{data}}", "data": "..."})
    '<h1>{{data}}</h1>...'
    """
    return _PLACE.sub(lambda place: parts[place[1]], shell)


def embedded_json(data: Mapping[str, Any]) -> str:
    """JSON that cannot end the element it stands in, whatever names it holds.

    Examples
    --------
    >>> print(embedded_json({"name": "</script>"}).replace(chr(92), "^"))
    {"name":"^u003c/script>"}
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return re.sub("[<\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def joined_script(entry: str = ENTRY, read: Reader = page_part) -> str:
    """One script of a module and all that it imports, each once and after its own imports."""
    exports: dict[str, set[str]] = {}
    owner: dict[str, str] = {}
    texts: list[str] = []
    _join(entry, read, exports, owner, texts)
    return "".join(texts)


def reader_without(modules: Collection[str], read: Reader = page_part) -> Reader:
    """Reads some modules as if what they export were undefined."""

    def shortened(module: str) -> str:
        text = read(module)
        if module not in modules:
            return text
        names = ", ".join(name for exported, name in _top_names(text) if exported)
        return f"export let {names};\n"

    return shortened


def _join(
    module: str, read: Reader, exports: dict[str, set[str]], owner: dict[str, str], texts: list[str]
) -> None:
    if module in exports:
        return
    exports[module] = set()
    imports, body = _cut(module, read(module))
    for names, other in imports:
        _join(other, read, exports, owner, texts)
        if missing := sorted(names - exports[other]):
            raise FormatError(f"{module} imports {missing[0]} from {other}, which does not export it")
    for exported, name in _top_names(body):
        if name in owner:
            raise FormatError(f"{owner[name]} and {module} both have {name} at their top level; rename one")
        owner[name] = module
        if exported:
            exports[module].add(name)
    texts.append(squeezed_script(re.sub(r"^export ", "", body, flags=re.M)))


def _cut(module: str, text: str) -> tuple[list[tuple[set[str], str]], str]:
    """The imports of a module and the rest of it."""
    if found := re.search(r"</script|<!--|\bimport\(|^export (default|\{|\*)", text, flags=re.M | re.I):
        raise FormatError(f"{module} holds {found[0]!r}, which a module of the page cannot")
    imports, rest = [], []
    for line in text.splitlines(keepends=True):
        if not line.startswith("import "):
            rest.append(line)
            continue
        if not (found := _IMPORT.fullmatch(line.strip())):
            raise FormatError(
                f"{module} has the line {line.strip()!r}; an import is one line: "
                "import { a, b } from './other.js';"
            )
        imports.append(({name.strip() for name in found[1].split(",")}, found[2]))
    return imports, "".join(rest)


def _top_names(body: str) -> list[tuple[bool, str]]:
    """Names that a module declares at its top level, and whether it exports them."""
    found: list[tuple[bool, str]] = []
    depth, exported, declares, awaits = 0, False, False, False
    for kind, token in script_tokens(body):
        if kind in ("blank", "break", "comment"):
            continue
        if awaits and kind == "word":
            found.append((exported, token))
            awaits = False
        elif depth == 0 and token == "export":
            exported = True
        elif depth == 0 and token in ("const", "let", "var", "function", "class"):
            awaits, declares = True, token not in ("function", "class")
        elif depth == 0 and token == "," and declares:
            awaits = True
        elif token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth -= 1
            if depth == 0 and token == "}" and not declares:
                exported = False
        if depth == 0 and token == ";":
            exported = declares = False
    return found


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _storable(text: str) -> str:
    """Text that a file can hold: what is no character becomes the sign for that."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)
