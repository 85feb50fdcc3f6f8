"""Each learner on each source: the same structure, parameters and score, bit for bit."""

from functools import cache
from importlib.util import find_spec

import pytest
from tests.scale.searches import ROW_SEARCHES, SEARCHES, told
from tests.scale.sources import ONLY_COUNTS, SOURCES, Place, Silent, sample
from tests.statistics.cluster.processes import REQUIRED, Cluster

import treewright as tw
from treewright.statistics import KeptCounter

TABLE = sample()


@cache
def in_memory(name):
    counter = tw.count(TABLE)
    return ROW_SEARCHES[name](counter) if name in ROW_SEARCHES else told(SEARCHES[name](counter), counter)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Where a scheduler with two workers is."""
    if find_spec("distributed") is None and not REQUIRED:
        pytest.skip("needs Dask: pip install 'treewright[dask]'")
    started = Cluster(tmp_path_factory.mktemp("cluster"), 2)
    yield started.address
    started.close()


@pytest.fixture(scope="module")
def counters(tmp_path_factory, request):
    """Every source, opened once."""

    @cache
    def opened(name):
        folder, started = tmp_path_factory.mktemp("source"), request.getfixturevalue
        place = Place(TABLE, folder, lambda: started("postgres"), lambda: started("cluster"))
        return SOURCES[name](place)

    yield opened
    opened.cache_clear()


@pytest.mark.parametrize("learner", SEARCHES)
@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same(counters, source, learner):
    counter = counters(source)
    assert told(SEARCHES[learner](counter), counter) == in_memory(learner)


@pytest.mark.parametrize("learner", ROW_SEARCHES)
@pytest.mark.parametrize("source", [name for name in SOURCES if name not in ONLY_COUNTS])
def test_rows_give_the_same_wherever_they_are(counters, source, learner):
    assert ROW_SEARCHES[learner](counters(source)) == in_memory(learner)


@pytest.mark.parametrize("learner", SEARCHES)
def test_a_checkpoint_replays_every_learner(tmp_path, learner):
    counter, path = tw.count(TABLE), tmp_path / "run.twc"
    with KeptCounter(counter, path) as cold:
        assert told(SEARCHES[learner](cold), cold) == in_memory(learner)
    with KeptCounter(Silent(counter), path) as replayed:
        assert told(SEARCHES[learner](replayed), replayed) == in_memory(learner)
        assert replayed.n_counted == 0


@pytest.mark.parametrize("learner", ROW_SEARCHES)
@pytest.mark.parametrize("source", sorted(ONLY_COUNTS))
def test_learners_of_rows_say_so_where_there_are_none(counters, source, learner):
    with pytest.raises(tw.errors.SettingError, match="rows"):
        ROW_SEARCHES[learner](counters(source))
