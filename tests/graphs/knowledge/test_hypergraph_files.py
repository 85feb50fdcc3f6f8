import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import FileMissingError, FormatError, TreewrightError
from treewright.graphs.knowledge.files import format_hypergraph, parse_hypergraph, read_hypergraph

NAMES = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
SETS = st.lists(st.lists(NAMES, min_size=1, max_size=5, unique=True).map(tuple), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("text", "sets"),
    [
        ("a,b\nb c\n", (("a", "b"), ("b", "c"))),
        ("  a ,  b,\n", (("a", "b"),)),
        ("a b # c\n# d\n\n e", (("a", "b"), ("e",))),
        ("a#1 b#", (("a#1", "b#"),)),
        ('"a b","say ""x"""\t"#c"', (("a b", 'say "x"', "#c"),)),
        ("a\r\nb, c\r\n", (("a",), ("b", "c"))),
        ("Größe 年齢", (("Größe", "年齢"),)),
    ],
)
def test_sets(text, sets):
    assert parse_hypergraph(text) == sets


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: there is no set in it; write one per line, such as: age, smoker, cough"),
        ("# a\n\n", "f: there is no set in it; write one per line, such as: age, smoker, cough"),
        ("a\n, b", "f, line 2, column 1: a line begins with a name, not with a comma"),
        ("a, , b", "f, line 1, column 4: a name is missing between two commas"),
        ('a "b', "f, line 1, column 3: a quotation mark that is opened here is not closed"),
        ('a ""', "f, line 1, column 3: a name between quotation marks is empty"),
        ('"a"b', "f, line 1, column 4: a comma or a blank is missing before this"),
        ("a b a", "f, line 1: a set holds a variable once; more than once: 'a'"),
        ("a\0b", "f: not a text: it holds a character that ends strings"),
    ],
)
def test_refusals(text, message):
    with pytest.raises(FormatError) as error:
        parse_hypergraph(text, "f")
    assert str(error.value) == message


def test_files(tmp_path):
    path = tmp_path / "sets.txt"
    path.write_bytes(b"\xef\xbb\xbfa b\r\nb, c")
    assert read_hypergraph(path) == (("a", "b"), ("b", "c"))
    path.write_bytes(b"a \xff")
    with pytest.raises(FormatError, match=r"sets\.txt: not text in UTF-8$"):
        read_hypergraph(path)
    with pytest.raises(FileMissingError, match=r"^there is no file '.*none' of sets of variables$"):
        read_hypergraph(tmp_path / "none")
    with pytest.raises(FormatError, match=r": the file cannot be read: Is a directory$"):
        read_hypergraph(tmp_path)


@pytest.mark.slow
@given(SETS)
def test_what_is_written_is_read_back(sets):
    assert parse_hypergraph(format_hypergraph(sets)) == tuple(sets)


@given(st.text(st.sampled_from('ab,"# \t\r\n\x0b\x85') | st.characters(), max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        sets = parse_hypergraph(text)
    except TreewrightError as error:
        assert str(error).startswith("hypergraph")  # noqa: PT017
    else:
        assert all(sets)
        assert parse_hypergraph(format_hypergraph(sets)) == sets


@pytest.mark.parametrize("name", ["", "a\nb", "a\0"])
def test_names_that_cannot_be_written(name):
    with pytest.raises(FormatError, match="has no way to write the name"):
        format_hypergraph([[name]])
