"""Files made to hurt: refused (or read) in time that grows with their size, not with its square."""

import pytest
from tests.fuzz.targets import read_bytes

from treewright.errors import FormatError

N = 300_000
NAMES = [b"v%d" % i for i in range(2_000)]
VARIABLES = b"".join(b"variable %s { type discrete [ 2 ] { a, b }; }\n" % name for name in NAMES)

FILES = {
    "marks.bif": b";" * N,
    "names.bif": b"variable " * N,
    "heads.bif": b"probability ( a ) { } " * (N // 10),
    "brackets.bif": b"(" * N,
    "parents.bif": VARIABLES + b"probability ( v0 | " + b", ".join(NAMES[1:]) + b" ) { default 0.5, 0.5; }",
    "intervals.bif": b"variable a { type discrete [ 3 ] { " + b"(," * N + b" }; }",
    "label.bif": b"variable a { type discrete [ 2 ] { a, b" + b" x" * N + b" }; }",
    "comment.bif": b"/* " * N,
    "quote.net": b'net { name = "' + b"\\" * N,
    "word.net": b"node a { states = (x" + b"=|" * N + b"); }",
    "open.net": b'node a { states = ("a" "b"); } potential (a) { data = ' + b"(" * N + b"; }",
    "variables.xmlbif": b"<BIF><NETWORK>" + b"<VARIABLE/>" * (N // 10) + b"</NETWORK></BIF>",
    "nested.xmlbif": b"<BIF>" * N,
    "signs.xmlbif": b"<" * N,
    "laughs.xmlbif": b'<!DOCTYPE b [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]><BIF>&b;</BIF>',
    "outside.xdsl": b'<!DOCTYPE smile SYSTEM "file:///etc/passwd"><smile/>',
    "numbers.xdsl": b'<smile><nodes><cpt id="a"><state id="a"/><probabilities>'
    + b"1 " * N
    + b"</probabilities></cpt>",
    "ones.uai": b"BAYES " + b"1 " * N,
    "many.uai": b"BAYES 2000000000 2 2",
    "unproven.uai": b"MARKOV 1000 " + b"60000 " * 1000 + b"0",
    "factors.uai": b"MARKOV 1 2 " + b"100000 " + b"0 " * N,
    "digits.uai": b"BAYES " + b"9" * N,
    "deep.twm": b"[" * N,
    "number.twm": b'{"format": ' + b"9" * N + b"}",
}


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", FILES)
def test_hostile_files_are_refused_in_time(name):
    with pytest.raises(FormatError) as error:
        read_bytes(name, FILES[name])
    assert len(str(error.value)) < 1000


def test_a_long_table_of_bare_labels_is_read_in_time():
    n = 3_000
    labels = b", ".join(b"(%d,%d]" % (i, i + 1) for i in range(n))
    rows = b"".join(b"((%d,%d]) 1;\n" % (i, i + 1) for i in range(n))
    numbers = b" ".join(b"%r" % (1 / n) for _ in range(n))
    text = b"variable a { type discrete [ %d ] { %s }; }\nvariable b { type discrete [ 1 ] { x }; }\n" % (
        n,
        labels,
    )
    text += b"probability ( a ) { table %s; }\nprobability ( b | a ) {%s}" % (numbers, rows)
    assert read_bytes("m.bif", text).schema["a"].states[1] == "(1,2]"
