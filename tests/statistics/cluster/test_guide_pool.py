"""The pool for Ray that the guide shows, on a stand-in for Ray."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import treewright as tw
from treewright.statistics.cluster import Pool
from treewright.statistics.cluster.pools import WorkerLost

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "scale.md"


class RayActorError(Exception):
    """Said by Ray where an actor has gone."""


class GetTimeoutError(Exception):
    """Said by Ray where an answer takes too long."""


def remote(**_):
    def actors_of(kind):
        def begin():
            actor, thread = kind(), ThreadPoolExecutor(1)
            call = SimpleNamespace(remote=lambda *asked: thread.submit(actor.call, *asked))
            return SimpleNamespace(call=call)

        kind.remote = staticmethod(begin)
        return kind

    return actors_of


def gone():
    raise RayActorError


def pool_of_the_guide(n):
    errors = SimpleNamespace(RayActorError=RayActorError, GetTimeoutError=GetTimeoutError)
    ray = SimpleNamespace(
        remote=remote,
        exceptions=errors,
        get=lambda call, timeout: call.result(timeout),
        cancel=lambda call: call.cancel(),
    )
    shown = re.search(r"```py\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[1]
    names = {"ray": ray, "WorkerLost": WorkerLost}
    exec(shown, names)
    return names["RayPool"](n)


def test_it_counts(tmp_path):
    rows = tw.load_network("asia").sample(900, rng=np.random.default_rng(0))
    for i, shard in enumerate(rows.shards(3)):
        tw.pack(shard, tmp_path / f"{i}.twp")
    pool = pool_of_the_guide(2)
    assert isinstance(pool, Pool)
    counter = tw.open_source(str(tmp_path / "*.twp"), client=pool)
    np.testing.assert_array_equal(counter.counts((0, 1)), tw.count(rows).counts((0, 1)))
    with pytest.raises(WorkerLost):
        pool.submit(gone, where="ray-0").result(60.0)
