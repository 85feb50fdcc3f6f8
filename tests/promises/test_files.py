"""A file is whole or as it was: on a full disk, in a folder that is read only, after kill -9 and SIGTERM."""

import errno
import os
import resource
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from tests.promises.children import ended, finished, fork_that, forked, started, wait_until_ready

import treewright as tw

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")

OLD = tw.load_network("asia")
NEW = tw.load_network("alarm")
SMALL = tw.Knowledge(required=[("smoke", "lung")])


# over a file of another kind, which is refused unless it is to be replaced
WRITERS = {
    "m.twm": lambda path: NEW.save(path, replace=True),
    "m.twm.gz": lambda path: NEW.save(path, replace=True),
    "m.bif": lambda path: tw.write_model(NEW, path, replace=True),
    "m.xdsl": lambda path: tw.write_model(NEW, path, replace=True),
    "m.uai": lambda path: tw.write_model(NEW, path, replace=True),
    "knowledge.json": lambda path: SMALL.to_json(path, replace=True),
}


def refused_from_byte(size, work, path):
    """The kernel refuses every byte of a file from a place on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        work(path)


@pytest.mark.parametrize("name", WRITERS)
def test_a_write_that_fails_at_any_byte(name, tmp_path):
    """Nothing of the new file is seen, nothing of the old one is lost."""
    path, write = tmp_path / name, WRITERS[name]
    write(path)
    size = path.stat().st_size
    path.write_bytes(b"what was there before")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    tried = sorted({*range(3), *np.linspace(0, size - 1, 12, dtype=int).tolist()})
    for at in tried:
        assert forked(lambda at=at: refused_from_byte(at, write, path)) == 0
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    write(path)
    assert path.stat().st_size == size


def can_mount():
    probe = "mount -t tmpfs -o size=8k none /mnt"
    done = subprocess.run(["unshare", "-m", "sh", "-c", probe], capture_output=True, check=False)
    return done.returncode == 0


def test_a_full_disk(tmp_path):
    """A file system of two pages that has an old model, and no room for a new one."""
    try:
        allowed = can_mount()
    except FileNotFoundError:
        allowed = False
    if not allowed:
        pytest.skip("mounting is not allowed here; the kernel refuses bytes in the test above")
    script = """
        import errno, os, subprocess, sys
        import treewright as tw
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", sys.argv[1]], check=True)
        path = sys.argv[1] + "/m.twm"
        old, new = tw.load_network("asia"), tw.load_network("alarm")
        old.save(path)
        try:
            new.save(path)
        except OSError as error:
            assert error.errno == errno.ENOSPC, error
        else:
            raise AssertionError("there was room")
        assert tw.load(path) == old
        assert os.listdir(sys.argv[1]) == ["m.twm"]
    """
    done = finished(started(script, tmp_path, before=["unshare", "-m"]))
    assert done == (0, "", "")


def test_a_device_that_is_full():
    with pytest.raises(OSError, match="No space left"):
        NEW.save("/dev/full")


def as_nobody(work):
    """As a user to whom permissions apply, which they do not to root."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    work()


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_is_read_only(name, tmp_path):
    folder = tmp_path / "shut"
    folder.mkdir()
    path, write = folder / name, WRITERS[name]
    write(path)  # what it imports is there
    before, there = path.read_bytes(), sorted(os.listdir(folder))
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.getuid() and parent != tmp_path.root:
            parent.chmod(parent.stat().st_mode | 0o011)
    folder.chmod(0o555)

    def refused():
        with pytest.raises(PermissionError, match="Permission denied"):
            write(path)
        with pytest.raises(PermissionError):
            write(folder / ("new-" + name))

    try:
        assert forked(lambda: as_nobody(refused)) == 0
        assert path.read_bytes() == before
        assert sorted(os.listdir(folder)) == there
    finally:
        folder.chmod(0o755)


def test_a_path_through_a_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        NEW.save(tmp_path / "file" / "m.twm")


def save_for_ever(path):
    while True:
        for model in (OLD, NEW):
            model.save(path)


@pytest.mark.parametrize("ending", ["twm", "twm.gz"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_killed_while_saving(how, ending, tmp_path):
    """Whatever the moment, the file is one of the two models, whole."""
    path = tmp_path / f"m.{ending}"
    OLD.save(path)
    for pause in np.linspace(0.005, 0.05, 25):
        child = fork_that(lambda: save_for_ever(path))
        time.sleep(pause)
        os.kill(child, how)
        assert ended(child) == -how
        assert tw.load(path) in (OLD, NEW)
        assert {file.name for file in tmp_path.iterdir() if not file.name.startswith(".")} == {path.name}


LEARNING = """
    import sys
    from treewright.cli import main
    print("ready", flush=True)
    options = ["--method", "bounded", "--effort", "1000000", "-q"]
    sys.argv[1:] = ["learn", sys.argv[1], "-o", sys.argv[2], *options]
    main()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_killed_while_learning(how, tmp_path):
    """What was there before is still there."""
    rows, path = tmp_path / "rows.csv", tmp_path / "m.twm"
    NEW.sample(500, rng=np.random.default_rng(0)).to_pandas().to_csv(rows, index=False)
    OLD.save(path)
    process = started(LEARNING, rows, path)
    wait_until_ready(process)
    time.sleep(1.5)
    process.send_signal(how)
    assert finished(process)[0] == -how
    assert tw.load(path) == OLD
    assert sorted(os.listdir(tmp_path)) == ["m.twm", "rows.csv"]


def test_threads_that_save_to_one_place(tmp_path):
    """The last one wins, and nobody sees half of anything."""
    path = tmp_path / "m.twm"
    OLD.save(path)
    wrong = []

    def save(model):
        for _ in range(10):
            model.save(path)
            if tw.load(path) not in (OLD, NEW):
                wrong.append(model)

    threads = [threading.Thread(target=save, args=(model,)) for model in (OLD, NEW) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert os.listdir(tmp_path) == ["m.twm"]
