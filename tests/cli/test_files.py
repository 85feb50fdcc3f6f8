import os

import pytest

from treewright.cli.files import check_writable, write_json, written_whole
from treewright.errors import SettingError


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("before")

    def fail_half_way():
        with written_whole(str(path)) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert path.read_text() == "before"
    with written_whole(str(path)) as file:
        file.write(b"after")
    assert path.read_text() == "after"
    assert os.listdir(tmp_path) == ["rows.csv"]


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    link.symlink_to(target)
    with written_whole(str(link)) as file:
        file.write(b"after")
    assert link.is_symlink()
    assert target.read_text() == "after"


def test_what_is_not_finite_is_null(tmp_path):
    path = tmp_path / "a.json"
    write_json(str(path), {"a": [float("-inf"), 1.5]})
    assert path.read_text().split() == ["{", '"a":', "[", "null,", "1.5", "]", "}"]


def test_refusals(tmp_path):
    with pytest.raises(SettingError, match="it is a folder; add the name of a file"):
        check_writable(str(tmp_path))
    with pytest.raises(SettingError, match="there is no folder"):
        check_writable(str(tmp_path / "a" / "b"))
    check_writable(os.devnull)
    check_writable(None)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(SettingError, match="permission denied"):
        check_writable(str(tmp_path / "a"))
