"""Each learner on each source: the same structure, parameters and score, bit for bit."""

from functools import cache
from importlib.util import find_spec

import pytest
from tests.learners.every import LEARNERS
from tests.scale.searches import OF_ALL_VARIABLES, ROW_SEARCHES, SEARCHES, TABLE_SEARCHES, TRIED, told
from tests.scale.sources import FILES, KINDS, ONLY_COUNTS, SOURCES, Place, Silent, read, sample
from tests.statistics.cluster.processes import REQUIRED, Cluster

import treewright as tw
from treewright.statistics import KeptCounter
from treewright.tables.mapped_table import MappedTable

BLOCKS = 70_000  # rows: more than the core takes at once, and not a multiple of it


@cache
def rows(kind="labels"):
    return read(KINDS[kind]())


@cache
def many_rows():
    return read(sample(BLOCKS))


@cache
def in_memory(name, n_rows=None):
    if name in TABLE_SEARCHES:
        kind, search = TABLE_SEARCHES[name]
        return search(rows(kind))
    return found(name, tw.count(many_rows() if n_rows else rows()))


def found(name, counter):
    if name in ROW_SEARCHES:
        return ROW_SEARCHES[name](counter)
    return told(SEARCHES[name](counter), counter)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Where a scheduler with two workers is."""
    if find_spec("distributed") is None and not REQUIRED:
        pytest.skip("needs Dask: pip install 'treewright[dask]'")
    started = Cluster(tmp_path_factory.mktemp("cluster"), 2)
    yield started.address
    started.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory, request):
    """Where rows of a kind may be put."""

    def made(kind="labels"):
        started = request.getfixturevalue
        folder = tmp_path_factory.mktemp("source")
        return Place(KINDS[kind](), folder, lambda: started("postgres"), lambda: started("cluster"))

    return made


@pytest.fixture(scope="module")
def counters(place):
    """Every source, opened once."""
    opened = cache(lambda name: SOURCES[name](place()))
    yield opened
    opened.cache_clear()


@pytest.fixture(scope="module")
def packed(place):
    """A packed file of every kind of rows from every kind of file, written once."""

    @cache
    def made(source, kind):
        here = place(kind)
        table = tw.pack(FILES[source](here), here.folder / "rows.twp", missing="em")
        assert isinstance(table, MappedTable)
        return table

    yield made
    made.cache_clear()


def test_every_learner_is_tried():
    assert LEARNERS.keys() | {"learn"} <= TRIED


@pytest.mark.parametrize("learner", SEARCHES)
@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same(counters, source, learner):
    assert found(learner, counters(source)) == in_memory(learner)


@pytest.mark.parametrize("learner", ROW_SEARCHES)
@pytest.mark.parametrize("source", [name for name in SOURCES if name not in ONLY_COUNTS])
def test_rows_give_the_same_wherever_they_are(counters, source, learner):
    assert found(learner, counters(source)) == in_memory(learner)


@pytest.mark.parametrize("learner", TABLE_SEARCHES)
@pytest.mark.parametrize("source", FILES)
def test_tables_give_the_same_from_packed_files(packed, source, learner):
    kind, search = TABLE_SEARCHES[learner]
    assert search(packed(source, kind)) == in_memory(learner)


@pytest.mark.parametrize("learner", SEARCHES)
def test_tables_that_are_remembered_give_the_same(place, remembers, learner):
    expected = in_memory(learner)
    for source in ("packed file", "CSV beyond memory"):
        counter = SOURCES[source](place())  # which nobody has asked before
        assert found(learner, counter) == expected


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """More rows than one block: mapped, and in shards of which each is one."""
    whole = tw.count(tw.pack(many_rows(), tmp_path_factory.mktemp("many") / "rows.twp"))
    return whole, tw.ShardedCounter(tw.count(shard) for shard in many_rows().shards(3))


@pytest.mark.parametrize("learner", [*SEARCHES, *ROW_SEARCHES])
def test_blocks_of_rows_give_the_same(many, learner):
    expected = in_memory(learner, BLOCKS)
    for counter in many:
        assert found(learner, counter) == expected


@pytest.mark.parametrize("learner", SEARCHES)
def test_blocks_that_are_remembered_give_the_same(many, remembers, learner):
    assert found(learner, tw.count(many[0].table)) == in_memory(learner, BLOCKS)


@pytest.mark.parametrize("learner", [name for name in SEARCHES if name not in OF_ALL_VARIABLES])
def test_a_checkpoint_replays_every_learner(tmp_path, learner):
    counter, path = tw.count(rows()), tmp_path / "run.twc"
    with KeptCounter(counter, path) as cold:
        assert found(learner, cold) == in_memory(learner)
    with KeptCounter(Silent(counter), path) as replayed:
        assert found(learner, replayed) == in_memory(learner)
        assert replayed.n_counted == 0


@pytest.mark.parametrize("learner", ROW_SEARCHES)
@pytest.mark.parametrize("source", sorted(ONLY_COUNTS))
def test_learners_of_rows_say_so_where_there_are_none(counters, source, learner):
    with pytest.raises(tw.errors.SettingError, match="rows"):
        found(learner, counters(source))
