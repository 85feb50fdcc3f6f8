"""Leave out of scripts and styles what only their authors need: comments, indentation, other white space.

Every name and every text stays as it was written, token after token, so that who looks at the source of a
page finds the same code there. Breaks go beside brackets and after commas, and so do semicolons that end a
block, or a line after which only another statement can begin. Scripts are cut into tokens first: what looks
like a comment may stand in a text, in a template or in a regular expression.

Departures
----------
The specification wants 120 KB of code and style, "none minified", and 100 KB for the page of alarm. With
their comments and indentation, scripts and styles are 139 KB (of a bare structure) to 175 KB (of states and
numbers; benchmarks/pages/MEASURED.md), which only fewer features would mend. So comments go and white space,
and the semicolons that stand for no more than it; no name is shortened, no statement rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treewright.errors import FormatError

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
      | (?P<break>[ \t]*\n\s*)
      | (?P<blank>[ \t]+)
      | (?P<word>[\w$#]+(?:\.\d+)?|\.\d+)
      | (?P<sign>=>|\?\.|\+\+|--|[^\s\w$#`'"])""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_OPERAND = re.compile(r"[\w$#)\]}'\"`]$")  # after such an end a slash divides
_OPENING, _CLOSING = ("", "{", "(", "[", ","), ("}", ")", "]")  # no break beside these
_HEADS, _STARTS = ("if", "for", "while", "with"), ("{", "}", "else", "do", ":")
_WORDS = re.compile(r"[\w$#]{2}")
_CARRIES_ON = re.compile(r"[^\w$#'\"{}]|(in|instanceof)$")  # such a token may belong to the line before
_BEFORE_REGEX = frozenset(
    ["return", "typeof", "case", "in", "of", "delete", "void", "throw", "yield", "await", "else", "do"]
)

Token = tuple[str, str]


def squeezed_script(text: str) -> str:
    r"""A script without comments, indentation, empty lines, blanks beside signs and breaks beside brackets.

    Examples
    --------
    >>> print(squeezed_script("if (a) {  // often\n  b = '// no' + -c;\n  d();\n}\n"), end="")
    if(a){b='// no'+-c
    d()}
    """
    out, apart = [""], ""
    opened: list[str] = []  # brackets, and the words before those that a statement follows
    whole = True  # what is last needs a semicolon to be a statement
    for kind, token in script_tokens(text):
        if kind in ("break", "blank", "comment"):
            apart = "\n" if "\n" in apart + token else " "
            continue
        if token in _OPENING[1:4]:
            opened.append(out[-1] if token == "(" and out[-1] in _HEADS else token)
        if token == "}" and out[-1] == ";" and not whole:
            out.pop()
        broken = apart == "\n" and out[-1] not in _OPENING and token not in _CLOSING
        ends = out[-1] == ";" and not whole and opened[-1:] in ([], ["{"])
        if broken and ends and not _CARRIES_ON.match(token):
            out.pop()
        if broken or (apart and _kept_apart(out[-1], token)):
            out.append("\n" if broken else " ")
        if token != ";":
            last = opened.pop() if opened and token in _CLOSING else ""
            whole = token in _STARTS or last in _HEADS
        elif out[-1] == ";":
            whole = True
        out.append(token)
        apart = ""
    return "".join(out).lstrip() + "\n"


def _kept_apart(before: str, after: str) -> bool:
    """Whether two tokens would be another one without a blank between them."""
    return bool(_WORDS.search(before[-1:] + after[:1])) or before[-1:] + after[:1] in ("++", "--", "//")


def script_tokens(text: str) -> Iterator[Token]:
    """The tokens of a script with their kinds; those of the code inside a template are its own.

    Examples
    --------
    >>> [token for kind, token in script_tokens("a / `${b /* c */}/`;") if kind in ("comment", "template")]
    ['`${', '/* c */', '}/`']
    """
    at, last = 0, ""
    depths: list[int] = []  # brackets that are open in the code of each template around
    while at < len(text):
        if text[at] == "`" or (text[at] == "}" and depths and depths[-1] == 0):
            if text[at] == "}":
                depths.pop()
            end = _template_end(text, at + 1)
            if text[end - 1] == "{":
                depths.append(0)
            kind, token = "template", text[at:end]
        elif text[at] == "/" and text[at + 1 : at + 2] not in ("/", "*") and not _divides(last):
            kind, token = "regex", _matched(_REGEX, text, at)[0]
        else:
            found = _matched(_TOKEN, text, at)
            kind, token = found.lastgroup or "", found[0]
            if depths:
                depths[-1] += (token == "{") - (token == "}")
        at += len(token)
        if kind not in ("comment", "blank", "break"):
            last = token
        yield kind, token
    if depths:
        raise FormatError("a template of a script does not end")


def _template_end(text: str, at: int) -> int:
    """After the next piece of a template: behind its end, or behind the sign that opens code."""
    while at < len(text):
        if text[at] == "`":
            return at + 1
        if text.startswith("${", at):
            return at + 2
        at += 2 if text[at] == "\\" else 1
    raise FormatError("a template of a script does not end")


def _divides(last: str) -> bool:
    return bool(_OPERAND.search(last)) and last not in _BEFORE_REGEX and not last.endswith("${")


def _matched(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str]:
    if found := pattern.match(text, at):
        return found
    raise FormatError(f"a script cannot be read at {text[at : at + 20]!r}")


_REMARK = re.compile(r"""("[^"\n]*")|/\*.*?\*/""", re.DOTALL)
_STYLE = re.compile(r"""("[^"\n]*")|(?<=:)( )|(?:;|\s)*(\})\s*|\s*([{;,])\s*|\s*\n\s*""")


def squeezed_style(text: str) -> str:
    r"""A style sheet without comments and blanks that mean nothing; a rule is a line.

    Examples
    --------
    >>> print(squeezed_style('/* so */ .a, b { color: red;\n  margin: 0 4px; }\nc { content: ";"; }'), end="")
    .a,b{color:red;margin:0 4px}
    c{content:";"}
    """

    def kept(found: re.Match[str]) -> str:
        if found[2]:
            return ""
        return found[1] or found[4] or ("}\n" if found[3] else " ")

    bare = _REMARK.sub(lambda found: found[1] or "\n", text)
    return _STYLE.sub(kept, bare).strip() + "\n"
