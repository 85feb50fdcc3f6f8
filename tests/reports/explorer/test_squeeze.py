"""What is left out of scripts and style sheets means nothing, and all else stays."""

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import FormatError
from treewright.reports.explorer.page_file import STYLES, page_part
from treewright.reports.explorer.squeeze import script_tokens, squeezed_script, squeezed_style

PAGE = files("treewright.reports.explorer").joinpath("page")
MODULES = sorted(one.name for one in PAGE.iterdir() if one.name.endswith(".js"))
APART = ("blank", "break", "comment")


def meaning(text):
    """Tokens that count, and the lines that they stand in.

    A break beside a bracket makes no line. A semicolon before a closing brace or at the end of a line is not
    counted: which of these may go is told by the examples below.
    """
    lines, line, broken = [], [], False
    for kind, token in script_tokens(text):
        if kind in APART:
            broken = broken or "\n" in token
            continue
        if broken and line and line[-1][1] not in ("{", "(", "[", ",") and token not in ("}", ")", "]"):
            lines.append(line[:-1] if line[-1][1] == ";" else line)
            line = []
        if token == "}" and line and line[-1][1] == ";":
            line.pop()
        line.append((kind, token))
        broken = False
    return [kept for kept in [*lines, line] if kept]


@pytest.mark.parametrize("module", MODULES)
def test_modules_keep_their_tokens_and_lines(module):
    text = page_part(module)
    short = squeezed_script(text)
    assert "".join(token for _, token in script_tokens(text)) == text
    assert meaning(short) == meaning(text)
    assert squeezed_script(short) == short
    assert len(short) < len(text)
    assert not [token for kind, token in script_tokens(short) if kind == "comment"]


TOKENS = st.sampled_from(
    ["a", "b1", "$", "0.5", "return", "of", "+", "-", "++", "--", "(", ")", "[", "]", ";", ",", "=>", "?.",
     "'// x'", '"/* \' */"', "`a // ${", "`b`", "typeof", "x"]
)  # fmt: skip
BETWEEN = st.sampled_from([" ", "\n", "  \n  ", " // note\n", "/* a\n b */", " /* one */ ", "\t"])


@given(st.lists(st.tuples(TOKENS, BETWEEN), max_size=25))
def test_any_tokens_stay_what_they_are(parts):
    text = "".join(token + apart + ("a }`" + apart if "${" in token else "") for token, apart in parts)
    assert meaning(squeezed_script(text)) == meaning(text)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("a = b / c / d; // e", "a=b/c/d;"),
        ("return /[/'\"]/.test(x);", "return/[/'\"]/.test(x);"),
        ("x = y.map(z => /a\\/\\/b/g);", "x=y.map(z=>/a\\/\\/b/g);"),
        ("a + +b - -c + ++d", "a+ +b- -c+ ++d"),
        ("`a  b ${ c  +  `d  ${ {e: 1}.e }  ` }  f`", "`a  b ${c+`d  ${{e:1}.e}  `}  f`"),
        ("'it\\'s  // so'  +  x", "'it\\'s  // so'+x"),
        ("a\n\n  .b()\n", "a\n.b()"),
        ("a(\n  b,\n  c\n);\nif (d) {\n  e();\n}\nf;", "a(b,c)\nif(d){e()}\nf;"),
        ("a = b;\n(c);\n[d];\n`e`;\n/f/.g();\n++h;", "a=b;\n(c);\n[d];\n`e`;\n/f/.g();\n++h;"),
        ("for (a = 0;\n b;\n c) ;\nd;\nreturn;\ne", "for(a=0;\nb;\nc);\nd\nreturn\ne"),
        ("a(() => {\n b();\n c();\n});\nd;", "a(()=>{b()\nc()})\nd;"),
        ("a = b;\nin_c();\ninstanceof_d;\n'e';\n{ f }", "a=b\nin_c()\ninstanceof_d\n'e'\n{f}"),
        ("if (a) ;\nb;\nwhile (c) ;\nd;", "if(a);\nb\nwhile(c);\nd;"),
        ("for (;;) ;", "for(;;);"),
        ("{ while (a()) ; }", "{while(a());}"),
        ("if (a) { b(); } else { ; c = (d); }", "if(a){b()}else{;c=(d)}"),
        ("f = () => { for (;;) ;; };", "f=()=>{for(;;);;};"),
        ("{ if (a) ; else ; }", "{if(a);else;}"),
        ("a = '('\nb = `${\n c\n}`\n[d]", "a='('\nb=`${\nc\n}`\n[d]"),
        ("for (const [a, b] of /* all */ c) d();", "for(const[a,b]of c)d();"),
        ("async  *steps() { yield  1; }", "async*steps(){yield 1}"),
    ],
)
def test_scripts(text, short):
    assert squeezed_script(text) == short + "\n"


@pytest.mark.parametrize("text", ["`a ${b", "`a", "'a\nb'"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(FormatError, match="script"):
        squeezed_script(text)


@pytest.mark.parametrize("name", STYLES)
def test_style_sheets_keep_their_words(name):
    text = page_part(name)
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    assert re.sub(r"[\s;]", "", squeezed_style(text)) == re.sub(r"[\s;]", "", bare)
    assert squeezed_style(squeezed_style(text)) == squeezed_style(text)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("a :is(b, c) > d { margin: 0 auto }", "a :is(b,c) > d{margin:0 auto}"),
        ("a { width: calc(1px + 2px); }", "a{width:calc(1px + 2px)}"),
        ('a::after { content: " ; } /* : "; }', 'a::after{content:" ; } /* : "}'),
        ("@media (max-width: 9px) { a { b: c; } d { e: f } }", "@media (max-width:9px){a{b:c}\nd{e:f}\n}"),
        ("a:hover b { c: d }", "a:hover b{c:d}"),
    ],
)
def test_styles(text, short):
    assert squeezed_style(text) == short + "\n"
