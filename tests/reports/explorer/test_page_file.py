import base64
import hashlib
import html
import json
import re

import pytest

from treewright.errors import FormatError
from treewright.reports.explorer.page_file import (
    STYLES,
    _top_names,
    embedded_json,
    fill,
    joined_script,
    page_code,
    page_file,
    page_part,
    reader_without,
)

MODULES = {
    "app.js": "import { b } from './b.js';\nimport { c } from './c.js';\nconst a = b + c;\n",
    "b.js": "import { c } from './c.js';\nexport const b = c + 1;\n",
    "c.js": "// three\nexport const c = 3;\nexport async function later() {}\n",
}


def joined(**changed):
    modules = MODULES | {f"{name}.js": text for name, text in changed.items()}
    return joined_script("app.js", modules.__getitem__)


def test_modules_come_once_and_after_what_they_import():
    lines = ["const c=3", "async function later(){}", "const b=c+1;"]
    assert joined().splitlines() == [*lines, "const a=b+c;"]


def test_modules_that_are_never_called_are_left_out():
    script = joined_script("app.js", reader_without({"b.js"}, MODULES.__getitem__))
    assert script.splitlines() == [
        "let b;",
        "const c=3",
        "async function later(){}",
        "const a=b+c;",
    ]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"b": "import c from './c.js';\n"},
            "b.js has the line \"import c from './c.js';\"; an import is one line",
        ),
        (
            {"b": "export const b = 1;\nconst c = 2;\n"},
            "b.js and c.js both have c at their top level; rename one",
        ),
        (
            {"b": "export const b = [1, {}], c = 2, d = 3;\n"},
            "b.js and c.js both have c at their top level; rename one",
        ),
        ({"c": "const c = 3;\n"}, "b.js imports c from c.js, which does not export it"),
        ({"c": "export default 3;\n"}, "c.js holds 'export default', which a module of the page cannot"),
        (
            {"c": "export const c = '</script>';\n"},
            "c.js holds '</script', which a module of the page cannot",
        ),
        (
            {"c": "export const c = import('./d.js');\n"},
            "c.js holds 'import(', which a module of the page cannot",
        ),
    ],
)
def test_what_breaks_the_rules_is_refused(changed, message):
    with pytest.raises(FormatError) as refused:
        joined(**changed)
    assert message in str(refused.value)


def test_what_is_filled_in_is_not_looked_at_again():
    parts = {"a": "{{b}} {{c}}", "b": "{{a}}", "c": r"\1 \g<0>"}
    assert fill("{{a}}|{{b}}|{{c}}", parts) == r"{{b}} {{c}}|{{a}}|\1 \g<0>"


@pytest.mark.parametrize(
    "name", ["</script><b>", "<!--", "{{script}}", "\u2028\u2029", "\ud800", '"\\', "é𝄞"]
)
def test_any_name_can_stand_in_the_data(name):
    text = embedded_json({"name": name})
    text.encode()  # no half characters
    assert "<" not in text
    assert json.loads(text) == {"name": name}


def test_the_policy_allows_what_is_there_and_nothing_else():
    page = page_file({"name": "{{script}}"}, title="<b>&{{data}}", facts="\ud800", entry="beliefs.js")
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    for tag, rule in (('script type="module"', "script-src"), ("style", "style-src")):
        content = re.search(rf"<{tag}>(.*?)</{tag.split()[0]}>", page, flags=re.S)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "<title>&lt;b&gt;&amp;{{data}}</title>" in page


def test_no_module_is_long():
    from importlib.resources import files

    folder = files("treewright.reports.explorer").joinpath("page")
    lines = {one.name: len(one.read_text(encoding="utf-8").splitlines()) for one in folder.iterdir()}
    assert {name: n for name, n in lines.items() if n > 250} == {}
    assert {"forest.js", "features.js", "normal.js", "beliefs.js"} <= {*lines}
    assert page_part("forest.js").startswith("//")


def test_names_at_the_top_of_a_module():
    """After a block the next declaration is exported only where it says so; lists go on to a semicolon."""
    cases = {
        "export function f(a) { return [a]; } function g() {}": [(True, "f"), (False, "g")],
        "export class A { b() {} }\nclass C {}": [(True, "A"), (False, "C")],
        "export const a = { b: (1) }, c = 2; const d = [1, 2], e = 3;": [
            (True, "a"),
            (True, "c"),
            (False, "d"),
            (False, "e"),
        ],
        "export const a = () => { const b = 1; }, c = 2;": [(True, "a"), (True, "c")],
        "let a = 1; a = { b: 1, c: 2 };": [(False, "a")],
    }
    for text, expected in cases.items():
        assert _top_names(text) == expected


def test_the_first_name_that_is_missing_is_told():
    with pytest.raises(FormatError, match=r"b.js imports aa from c.js"):
        joined(b="import { zz, yy, xx, aa, bb } from './c.js';\nexport const b = 1;\n")


def test_style_sheets_can_be_left_out():
    whole, less = page_code()[1], page_code(["curves.css"])[1]
    assert less in whole
    assert whole != less
    assert page_code(STYLES)[1] == ""
