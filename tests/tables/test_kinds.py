"""Nothing that is written from Python takes the place of a file of another kind."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import SettingError
from treewright.kinds import kind_of

ASIA = tw.load_network("asia")
ROWS = ASIA.sample(50, rng=np.random.default_rng(0))
WRITERS = {
    "save": ASIA.save,
    "learned": lambda path, **how: tw.learn(ROWS).save(path, **how),
    "write_model": lambda path, **how: tw.write_model(ASIA, path, format="bif", **how),
    "pack": lambda path, **how: tw.pack(ROWS, path, **how),
    "knowledge": lambda path, **how: tw.Knowledge(required=[("smoke", "lung")]).to_json(path, **how),
}
HELD = {
    "save": "a model",
    "learned": "a model",
    "write_model": "a model",
    "pack": "packed rows",
    "knowledge": "knowledge",
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    ("ending", "there", "said"),
    [
        (".csv", b"a,b\n1,2\n", "rows"),
        (".html", b"<!doctype html><p>hello", "a page"),
        (".txt", b"Dear diary", "text of another kind"),
    ],
)
def test_a_file_of_another_kind_is_refused_and_left_as_it_was(name, ending, there, said, tmp_path):
    path = tmp_path / f"file{ending}"
    path.write_bytes(there)
    with pytest.raises(SettingError) as refused:
        WRITERS[name](path)
    assert str(refused.value) == (
        f"cannot write {str(path)!r}: it holds {said}, and {HELD[name]} would take its place; choose "
        "another name, or replace it with replace=True"
    )
    assert path.read_bytes() == there
    WRITERS[name](path, replace=True)
    assert path.read_bytes() != there


@pytest.mark.parametrize("name", WRITERS)
def test_its_own_kind_is_replaced_and_nothing_is_written_over(name, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"")
    WRITERS[name](path)
    first = path.read_bytes()
    WRITERS[name](path)
    assert path.read_bytes() == first


def test_names_take_no_place_either(tmp_path):
    table = tw.read_table({"an odd name": ["no", "yes"]})
    odd = tw.fit(tw.Dag(table.schema), tw.count(table))
    beside = tmp_path / "odd.uai.names.json"
    beside.write_text("mine")
    with pytest.raises(SettingError, match="it holds something else, and names would take its place"):
        tw.write_model(odd, tmp_path / "odd.uai")
    assert beside.read_text() == "mine"


def test_kinds(tmp_path):
    ASIA.save(tmp_path / "m.twm.gz")
    tw.write_model(ASIA, tmp_path / "m.xdsl")
    tw.pack(ROWS, tmp_path / "rows.twp")
    found = [kind_of(tmp_path / name) for name in ("m.twm.gz", "m.xdsl", "rows.twp")]
    assert found == ["model", "model", "packed"]
