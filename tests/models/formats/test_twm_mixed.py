"""Native files of mixed networks: every bit survives, what is damaged is refused, others refuse kindly."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.models.mixtures import random_mixed

import treewright as tw
from treewright.errors import FormatError, SchemaError
from treewright.models.formats.twm.document import _checksum, from_bytes, to_bytes


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.integers(0, 4))
def test_every_bit_survives(seed, n_discrete, n_continuous):
    if n_discrete + n_continuous == 0:
        return
    model = random_mixed(np.random.default_rng(seed), n_discrete, n_continuous)
    again = from_bytes(to_bytes(model))
    assert again == model
    assert to_bytes(again) == to_bytes(model)
    assert again.marginals() is not None


def test_files_pickles_copies_and_proofs(tmp_path):
    model = random_mixed(np.random.default_rng(1), 3, 3, density=0.7)
    tree = tw.JunctionTree.of(model.dag.moral_graph())
    model.save(tmp_path / "m.twm", certificate=tree)
    assert tw.load(tmp_path / "m.twm") == model
    assert pickle.loads(pickle.dumps(model)) == model == copy.deepcopy(model)
    report = tw.verify(tmp_path / "m.twm")
    assert report.valid
    assert report.width == tree.width


def damaged(model, change):
    content = json.loads(to_bytes(model))
    content.pop("checksum")
    change(content)
    return json.dumps({**content, "checksum": _checksum(content)}).encode()


def first(content, section):
    return content[section][next(iter(content[section]))]


def family(content):
    """A family with a continuous parent."""
    return next(f for f in content["families"].values() if f["coefficients"])


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["tables"].popitem(),
        lambda c: c["families"].popitem(),
        lambda c: c.update(families=[]),
        lambda c: first(c, "families").update(variances=[-1.0]),
        lambda c: first(c, "families").update(variances="x"),
        lambda c: first(c, "families").pop("variances"),
        lambda c: first(c, "families")["intercepts"].append(0.0),
        lambda c: first(c, "families").update(coefficients=[]),
        lambda c: family(c).update(coefficients={}),
        lambda c: first(c, "tables").append(0.5),
        lambda c: first(c, "tables").__setitem__(0, 7.0),
        lambda c: c["variables"].append("new"),
        lambda c: c["variables"].append({"name": "new"}),
        lambda c: c["variables"].__setitem__(0, 3),
        lambda c: c.update(arcs=[["x0", "nobody"]]),
    ],
)
def test_damage_is_refused_and_verification_says_so(change, tmp_path):
    model = random_mixed(np.random.default_rng(2), 3, 4, density=0.9)
    data = damaged(model, change)
    with pytest.raises(FormatError):
        from_bytes(data)
    (tmp_path / "m.twm").write_bytes(data)
    assert not tw.verify(tmp_path / "m.twm").valid


def test_an_arc_from_a_number_to_a_state_is_refused(tmp_path):
    model = random_mixed(np.random.default_rng(2), 1, 1, density=0.0)
    number, state = model.continuous[0], model.discrete.schema.names[0]
    data = damaged(model, lambda c: c.update(arcs=[[number, state]]))
    with pytest.raises(FormatError):
        from_bytes(data)
    (tmp_path / "m.twm").write_bytes(data)
    report = tw.verify(tmp_path / "m.twm")
    assert not report.valid


@pytest.mark.parametrize("ending", ["bif", "xdsl", "net", "uai", "xmlbif"])
def test_other_formats_refuse_kindly(ending, tmp_path):
    model = random_mixed(np.random.default_rng(2), 1, 1)
    with pytest.raises(SchemaError, match=r"is for networks of discrete variables; found Conditional.*twm"):
        tw.write_model(model, tmp_path / f"m.{ending}")
    assert not list(tmp_path.iterdir())
    with pytest.raises(SchemaError, match=r"no table says the lines and variances of \w+.*--bins"):
        tw.write_model(model, tmp_path / f"m.{ending}")
