"""Labels that break out of what they are written into: one table for the tests of every output and file."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np

import treewright as tw

LABELS: dict[str, str] = {
    "tag": "<script>alert(1)</script>",
    "closing tag": "</script></style></title></svg><img src=x onerror=alert(1)>",
    "comment": "<!-- a --> ]]> --!>",
    "attribute": "\" onmouseover='alert(1)' x=\"",
    "double quotes": '"""',
    "single quotes": "it's '' ",
    "ampersand": "a & b &amp; &#60; &lt;script&gt;",
    "braces": "{a} {0} %(a)s ${b} #{c}",
    "template": "{{script}} {{ title }} {% raw %}",
    "backslash": "C:\\new\\table \\u003c \\",
    "percent": "100% %s %n %2f",
    "newline": "one\ntwo\r\nthree",
    "tab": "\ta\tb ",
    "comma": "a,b;c|d\t:e",
    "dashes": "--output=/tmp/x",
    "dash": "-",
    "formula": "=cmd|' /C calc'!A0 +1 @SUM(1) \"",
    "equals": "a=b==c",
    "sql": 'x"; DROP TABLE "rows"; --',
    "sql single": "x'); DELETE FROM rows; /*",
    "path": "../../etc/passwd",
    "glob": "*?[a-z]~",
    "url": "javascript:alert(1)",
    "markdown": "[a](javascript:alert(1)) `x` **b** | c",
    "rich markup": "[red]a[/red] [/] [link=file:///x]b[/link]",
    "ansi": "\x1b[31mred\x1b[0m",
    "right to left": "\u202eabc\u202c \u200f\u05d0\u05d1",
    "emoji": "👩‍👩‍👧 🇦🇶 \ufe0f",
    "combining": "Z\u0351\u0346\u0300" * 20,
    "image": "<img src=x onerror=window.hacked=1>",
    "script": "</script><script>window.hacked=1</script>",
    "template alone": "{{script}}",
    "open comment": "<!--",
    "template text": "\"'`${window.hacked=1}\\",
    "line separators": "\u2028\u2029\u202e",
    "address": "a&b=c#d",
    "zero width": "\u200b\u200d\ufeff",
    "blank": " ",
    "number": "1e999",
    "missing": "NaN",
    "true": "true",
    "null": "null",
    "long": "x" * 5_000,
    "long words": "many words " * 500,
}


def in_threes() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Three labels at a time, for tests that take long."""
    kinds = [*LABELS, *list(LABELS)[: -len(LABELS) % 3]]
    threes = [tuple(kinds[i : i + 3]) for i in range(0, len(kinds), 3)]
    return {three: tuple(LABELS[kind] for kind in three) for three in threes}


def named(kind: str) -> tw.BayesianNetwork:
    """Two variables, one the parent of the other, whose names and states are made of one label."""
    label = LABELS[kind]
    return _network((label, (label, "b")), (label + "2", ("a", label, label + "3")))


def harmless() -> tw.BayesianNetwork:
    """The same with names and states that nobody minds."""
    return _network(("first", ("a", "b")), ("second", ("a", "b", "c")))


def _network(*variables: tuple[str, tuple[str, ...]]) -> tw.BayesianNetwork:
    schema = tw.Schema(tw.Variable(*variable) for variable in variables)
    dag = tw.Dag(schema, [schema.names])
    return tw.BayesianNetwork(dag, [np.array([0.25, 0.75]), np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])])


class Page(HTMLParser):
    """What a browser makes of a page: its tags with the names of their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.marks: set[tuple[str, ...]] = set()
        self.text = ""
        self.comments: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Any]]) -> None:
        self.marks |= {(tag,), *((tag, name) for name, _ in attrs)}
        self.text += "".join(f"\n{value}" for _, value in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def assert_nothing_broke_out(page: str, plain: str) -> None:
    """A page of hostile labels has the tags and attributes of the same page with harmless ones, no others."""
    found, expected = Page(page), Page(plain)
    assert found.marks <= expected.marks
    assert found.comments == expected.comments
