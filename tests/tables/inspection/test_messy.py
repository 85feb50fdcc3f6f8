"""Twelve messy files: every trap is named, nothing changes by itself, and what is mended is listed."""

import csv

import pytest
from tests.messy import twelve

import treewright as tw

FILES = {messy.name: messy for messy in twelve()}


@pytest.fixture(params=sorted(FILES))
def messy(request):
    return FILES[request.param]


@pytest.fixture
def path(messy, tmp_path):
    return messy.write(tmp_path)


def cells(path, delimiter):
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=delimiter)
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def test_every_trap_is_named(messy, path):
    findings = tw.tables.inspect_table(tw.read_table(path))
    assert set(messy.kinds) <= {finding.kind for finding in findings}
    told = "\n".join(finding.sentence for finding in findings)
    assert [word for word in messy.words if word not in told] == []
    options = "\n".join(finding.option for finding in findings)
    assert [option for option in messy.options if option not in options] == []


def test_there_is_nothing_else_to_find(messy, path):
    """A finding that nobody put there is a false alarm."""
    findings = tw.tables.inspect_table(tw.read_table(path))
    assert {finding.kind for finding in findings} == set(messy.kinds)


def test_nothing_changes_by_itself(messy, path):
    """Texts are states as they stand in the file; numbers are the numbers."""
    table, raw = tw.read_table(path), cells(path, messy.delimiter)
    assert table.schema.names == tuple(raw)
    assert table.report.mendings == ()
    for name, texts in raw.items():
        found = table.to_dict()[name]
        assert all(str(cell) == text or float(text) == cell for cell, text in zip(found, texts, strict=True))


def test_what_is_mended_is_listed(messy, path):
    """Each cell that is not as it stands in the file is counted by a mending."""
    table, raw = tw.read_table(path, mend=True, missing="em"), cells(path, messy.delimiter)
    changed = dict.fromkeys(raw, 0)
    for name, values in table.to_dict().items():
        source = table.schema[name].raw.column or name
        changed[source] = sum(not is_same(cell, text) for cell, text in zip(values, raw[source], strict=True))
    listed = dict.fromkeys(raw, 0)
    for mending in table.report.mendings:
        for name in mending.columns if mending.cells else ():
            source = name if name in listed else (table.schema[name].raw.column or name)
            listed[source] += mending.cells if len(mending.columns) == 1 else changed[source]
    assert listed == changed
    out = {
        name for mending in table.report.mendings if mending.kind == "left out" for name in mending.columns
    }
    kept = {variable.raw.column or variable.name for variable in table.schema}
    assert kept | out == set(raw)


def is_same(cell, text):
    """A decimal comma is read, so the cell is not the same any more."""
    if isinstance(cell, str) or cell is None:
        return cell == text
    try:
        return float(text) == cell
    except ValueError:
        return False


def test_mended_rows_are_read_alike_by_the_schema(messy, path):
    table = tw.read_table(path, mend=True, missing="em")
    again = tw.read_table(path, schema=table.schema, missing="em")
    assert again.to_dict() == table.to_dict()


def test_a_saved_model_reads_the_raw_file(messy, path, tmp_path):
    bins = 3 if messy.learn and "--bins" in messy.learn else None
    table = tw.read_table(path, mend=True, missing="drop", bins=bins)
    counter = tw.count(table)
    model = tw.fit(tw.learn_chow_liu(tw.BIC(counter)).structure, counter)
    model.save(tmp_path / "m.twm")
    loaded = tw.load(tmp_path / "m.twm")
    assert loaded == model
    assert [v.raw for v in loaded.schema] == [v.raw for v in model.schema]
    rows = tw.read_table(path, schema=loaded.schema, missing="drop")
    assert loaded.score(rows) == model.score(table)


def test_forms_that_are_none_are_refused(tmp_path):
    with pytest.raises(ValueError, match="a raw form cannot be made of"):
        tw.tables.RawForm.from_dict({"mended": "yes"})
    with pytest.raises(ValueError, match="a raw form cannot be made of"):
        tw.tables.RawForm.from_dict({"colour": "red"})
