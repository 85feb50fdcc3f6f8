import pytest
from tests.models.formats.samples import collider

from treewright.errors import FormatError
from treewright.models.formats import xmlbif
from treewright.models.formats.names import export_names
from treewright.models.formats.text import Source


def read(data):
    draft = xmlbif.read(Source("m.xmlbif", data if isinstance(data, bytes) else data.encode()))
    return draft.finish(), draft


def refused(text):
    with pytest.raises(FormatError) as error:
        read(text)
    return str(error.value)


FILE = xmlbif.write(collider(), export_names(collider().schema, xmlbif.NAMES)).decode()


def test_the_trip():
    assert read(FILE)[0] == collider()


def test_other_spellings():
    text = FILE.lower().replace('version="1.0" encoding="utf-8"', 'version="1.0" encoding="US-ASCII"')
    model, _ = read(text.replace("definition>", "probability>").replace("outcome>", "value>"))
    assert model.schema.names == ("a", "b", "c")
    assert model.table("c").tolist() == collider().table("C").tolist()


def test_latin_1_is_decoded_as_the_file_says():
    text = FILE.replace("UTF-8", "ISO-8859-1").replace(">low<", ">été<")
    assert read(text.encode("latin-1"))[0].schema["C"].states == ("été", "high")


def test_states_first_are_noticed_by_their_sums():
    rows = "0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6 0.5 0.5 0.6 0.4"
    flat = " ".join(FILE.split())
    assert flat.count(rows.replace(" 0", " 0")) == 1
    model, draft = read(flat.replace(rows, "0.1 0.2 0.3 0.4 0.5 0.6 0.9 0.8 0.7 0.6 0.5 0.4"))
    assert model == collider()
    assert draft.notes == ["the table of 'C' lists states, not rows, first"]


def test_bare_signs_are_repaired():
    model, draft = read(FILE.replace(">low<", "><5<").replace(">high<", ">a & b<"))
    assert model.schema["C"].states == ("<5", "a & b")
    assert draft.notes == ["bare '<' or '&' were read as such"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "<BIF ",
            "<!DOCTYPE BIF>\n<BIF ",
            "m.xmlbif, line 2, column 14: a document type (<!DOCTYPE ...>) is not read",
        ),
        ("<BIF ", '<!DOCTYPE BIF [<!ENTITY a "aaaa">]>\n<BIF ', "line 2, column 15: a document type"),
        (
            "<NAME>A</NAME>",
            "<NAME>&a;</NAME>",
            "line 6, column 9: this is no well-formed XML: undefined entity",
        ),
        ("</NETWORK>", "", "this is no well-formed XML: mismatched tag"),
        ("<BIF ", "<NET ", "this is no well-formed XML: mismatched tag"),
        ("0.2 0.3 0.5", "0.2 0.3 x", "line 23, column 3: 'x' is not a finite number"),
        ("0.2 0.3 0.5", "0.2 0.3", "line 23, column 3: the table of 'A' has 2 numbers"),
        ("0.2 0.3 0.5", "0.2 0.3 0.6", "line 23, column 3: the row of 'A' sums to 1.1, not to 1"),
        (
            "<GIVEN>A</GIVEN>",
            "<GIVEN>C</GIVEN>",
            "line 35, column 3: 'C' is listed twice in the table of 'C'",
        ),
        ("<FOR>A</FOR>", "", "line 21, column 1: expected one FOR here, found 0"),
        ("<FOR>A</FOR>", "<FOR>B</FOR>", "the table of 'B' has 3 numbers"),
        (
            '<VARIABLE TYPE="nature">\n  <NAME>A',
            '<VARIABLE TYPE="utility">\n  <NAME>A',
            "a variable is of type 'utility'; only nature is read",
        ),
        ('encoding="UTF-8"', 'encoding="unheard-of"', "this is no well-formed XML"),
    ],
)
def test_refusals(old, new, message):
    assert FILE.count(old) == 1
    assert message in refused(FILE.replace(old, new))


def test_deep_nesting_is_refused():
    assert "nested more than 32 deep" in refused("<a>" * 100_000)
    assert "the root element is not one of this format" in refused("<html></html>")
    assert "no well-formed XML: no element found" in refused("")
