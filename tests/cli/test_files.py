import errno
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


def test_what_cannot_be_written_is_told_by_the_name_that_was_asked_for(tmp_path):
    path = str(tmp_path / "model.twm")
    with pytest.raises(OSError, match="No space left") as error, written_whole(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert error.value.filename == path
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="nowhere") as error, written_whole(path):
        open("/nowhere/at all", "rb")  # noqa: SIM115
    assert error.value.filename == "/nowhere/at all"


def test_a_file_in_a_folder_that_cannot_be_written_is_refused_beforehand(tmp_path, monkeypatch):
    """It would be made beside the old one, and take its place."""
    (tmp_path / "model.twm").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, _: os.fspath(path) != os.fspath(tmp_path))
    with pytest.raises(SettingError, match=r"model.twm'. permission denied"):
        check_writable(str(tmp_path / "model.twm"))
