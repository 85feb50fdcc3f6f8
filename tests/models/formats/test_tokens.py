import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.counting.tokens import tokenize as slow_tokenize

from treewright import _core
from treewright.errors import FormatError
from treewright.models.formats import bif, net, uai
from treewright.models.formats.text import Source
from treewright.models.formats.tokens import Cursor, Tokens

RULES = {"bif": bif.RULES, "net": net.RULES, "uai": uai.RULES}


def as_keywords(rules):
    return {
        "marks": rules.marks,
        "line_comments": list(rules.line_comments),
        "block_comments": rules.block_comments,
        "quotes": rules.quotes,
        "escapes": rules.escapes,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", RULES)
@settings(max_examples=300)
@given(text=st.text(alphabet='ab0.é "\\/*%#{}()[],;|=\n\t', max_size=40))
def test_native_and_slow_tokens_agree(kind, text):
    data = text.encode()
    kinds, starts, ends, symbols, problem, at = _core.tokenize(data, **as_keywords(RULES[kind]))
    expected, stopped = slow_tokenize(data, **as_keywords(RULES[kind]))
    assert list(zip(kinds.tolist(), starts.tolist(), ends.tolist(), strict=True)) == expected
    assert bool(problem) == (stopped is not None)
    if problem:
        assert at == stopped
    spans = [data[s:e] for _, s, e in expected]
    first = {}
    for span in spans:
        first.setdefault(span, len(first))
    assert symbols.tolist() == [first[span] for span in spans]


@pytest.mark.slow
@settings(max_examples=300)
@given(st.text(alphabet="0123456789.eE+-naif x", min_size=1, max_size=12) | st.floats().map(repr))
def test_numbers_are_those_of_python(text):
    data = text.encode()
    values, n_read = _core.parse_numbers(
        data, np.array([0], dtype=np.uint32), np.array([len(data)], dtype=np.uint32)
    )
    is_decimal = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text) is not None
    expected = float(text) if is_decimal else math.nan
    assert n_read == int(math.isfinite(expected))
    if n_read:
        assert values[0] == expected


@given(st.text(alphabet="aé中\n", max_size=30), st.integers(0, 30))
def test_places_count_lines_and_characters(text, n):
    before = text[:n]
    line, column = _core.place_of(text.encode(), len(before.encode()))
    assert line == before.count("\n") + 1
    assert column == len(before.rpartition("\n")[2]) + 1


def test_a_span_outside_the_text_is_refused():
    with pytest.raises(IndexError):
        _core.parse_numbers(b"1", np.array([0], dtype=np.uint32), np.array([9], dtype=np.uint32))
    with pytest.raises(ValueError, match="one start, one end"):
        _core.parse_numbers(b"1", np.array([0], dtype=np.uint32), np.array([], dtype=np.uint32))
    with pytest.raises(ValueError, match="starts with something"):
        _core.tokenize(b"1", marks="", line_comments=[""], block_comments=False, quotes=False, escapes=False)


def test_a_cursor_says_what_it_expected():
    cursor = Cursor(Tokens(Source("m.bif", b"variable\n  x ;"), bif.RULES))
    assert cursor.text("a word") == "variable"
    with pytest.raises(FormatError, match=r"m.bif, line 2, column 3: expected '\{' after x, found 'x'"):
        cursor.mark("{", after="x")
    with pytest.raises(FormatError, match=r"line 1, column 1: it never ends: there is no '\}' behind it"):
        cursor.until("}", what="it")
    cursor.at = 3
    with pytest.raises(FormatError, match="column 6: expected a name, found the end of the file"):
        cursor.text("a name")


def test_several_tokens_are_one_text_with_what_is_between():
    tokens = Tokens(Source("x", b'a  "b c" d'), bif.RULES)
    assert tokens.span_text(0, 3) == 'a "b c" d'
    assert tokens.span_text(1, 2) == "b c"
