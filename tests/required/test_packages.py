"""Packages that have to be there, where a switch says so."""

import pytest
from tests.required.packages import SWITCH, import_required


def test_an_absent_package_fails_a_peer_is_skipped():
    imported = import_required(pytest.importorskip)
    assert imported("json").dumps({}) == "{}"
    with pytest.raises(pytest.fail.Exception, match=f"{SWITCH} is set, and No module named"):
        imported("mkdocs_not_there")
    with pytest.raises(pytest.skip.Exception):
        imported("pgmpy.not_there", reason="bench")


def test_the_switch_is_set_in_continuous_integration(pytestconfig):
    assert f"export {SWITCH}=1" in (pytestconfig.rootpath / ".ci" / "run").read_text(encoding="utf-8")
