"""Files of every format, models and certificates, through the door."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import FileMissingError, GraphError, SchemaError, SettingError, TreewidthError
from treewright.models.formats import twm

ALARM = tw.load_network("alarm")


def tree_of(model, **options):
    return tw.JunctionTree.of(model.dag.moral_graph(), **options)


@pytest.mark.parametrize("ending", ["twm", "twm.gz", "bif", "xmlbif", "xdsl", "net", "uai", "bif.gz"])
def test_files_of_every_format(tmp_path, ending):
    path = tmp_path / f"alarm.{ending}"
    tw.write_model(ALARM, path)
    report = tw.verify(path)
    assert (report.valid, report.width, report.certificate) == (True, 4, "computed")
    assert (report.source, report.kind, report.n_variables) == (str(path), "bayesian network", 37)


def test_a_stored_certificate_is_the_one_that_is_checked(tmp_path):
    path = tmp_path / "alarm.twm"
    tree = tree_of(ALARM)
    ALARM.save(path, certificate=tree, treewidth=6)
    report = tw.verify(path)
    assert (report.certificate, report.width, report.bound, report.valid) == ("stored", 4, 6, True)
    assert report.n_clusters == len(tree.clusters)
    assert twm.read_certificate(path) == tree
    assert tw.load(path) == ALARM
    ALARM.save(path)
    assert twm.read_certificate(path) is None


def test_a_certificate_of_the_callers(tmp_path):
    one = tw.JunctionTree(ALARM.schema, [ALARM.schema.names], [])
    report = tw.verify(ALARM, certificate=one)
    assert (report.certificate, report.width) == ("given", 36)
    assert not tw.verify(ALARM, certificate=one, treewidth=5).valid
    poor = tw.JunctionTree(ALARM.schema, [[name] for name in ALARM.schema.names], [])
    assert {violation.check for violation in tw.verify(ALARM, certificate=poor).violations} == {"cover"}


@pytest.mark.parametrize("seed", range(6))
def test_random_networks_and_other_triangulations(seed, tmp_path):
    model = tw.random_network(30, 3, rng=np.random.default_rng(seed))
    for method in ("min_fill", "min_degree"):
        tree = tree_of(model, method=method).connect()
        model.save(tmp_path / "m.twm", certificate=tree, treewidth=tree.width)
        report = tw.verify(tmp_path / "m.twm")
        assert report.valid
        assert report.width == tree.width


def test_files_that_cannot_be_read_are_reported(tmp_path):
    path = tmp_path / "a.bif"
    path.write_text("network x { }\nvariable a { type discrete [ 2 ] { y, n }; }\n")
    report = tw.verify(path)
    assert not report.valid
    assert "there is no table of 'a'" in str(report)
    (tmp_path / "m.twm").write_bytes(b"\x80")
    assert str(tw.verify(tmp_path / "m.twm")).endswith("1 violation\n  format: the file is not JSON text")
    with pytest.raises(FileMissingError, match="there is no file"):
        tw.verify(tmp_path / "none.twm")
    with pytest.raises(SchemaError, match="verify checks a model or a file of one; found int"):
        tw.verify(3)


def test_saving_refuses_what_would_not_hold(tmp_path):
    path = tmp_path / "m.twm"
    tree = tree_of(ALARM)
    with pytest.raises(TreewidthError, match=r"is to prove a treewidth of 3; its cluster .* makes it 4"):
        ALARM.save(path, certificate=tree, treewidth=3)
    with pytest.raises(SettingError, match="a treewidth of 4 is proved by a certificate; found none"):
        ALARM.save(path, treewidth=4)
    poor = tw.JunctionTree(ALARM.schema, [[name] for name in ALARM.schema.names], [])
    with pytest.raises(GraphError, match="holds every family of its model in one cluster; none holds"):
        ALARM.save(path, certificate=poor)
    with pytest.raises(
        SchemaError, match="is about the variables of its model; 'ANAPHYLAXIS' is in one only"
    ):
        ALARM.save(path, certificate=tree_of(tw.load_network("asia")))
    assert not path.exists()


def test_learners_may_promise():
    table = ALARM.sample(500, rng=np.random.default_rng(1))
    assert tw.learn_chow_liu(tw.BIC(tw.count(table))).certificate is None
