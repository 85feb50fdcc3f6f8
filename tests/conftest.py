"""Settings and tiny graphs with names, shared by all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from tests.postgres_server import PostgresServer, shared_server
from tests.required.packages import require_extras

from treewright import Dag, Schema, Variable, _core, load_network, set_memory_limit

require_extras()

# the same examples in every run; a loaded machine is no failure
settings.register_profile("treewright", deadline=None, derandomize=True)
settings.load_profile("treewright")


@pytest.fixture(autouse=True)
def settings_of_the_machine() -> Iterator[None]:
    """What a test chooses for the whole process ends with it."""
    yield
    set_memory_limit(None)
    _core.set_threads(0)


def dag_of(text: str) -> Dag:
    """A graph over yes / no variables from arcs such as "a->b b->c"."""
    arcs = [tuple(arc.split("->")) for arc in text.split()]
    names = sorted({name for arc in arcs for name in arc})
    return Dag(Schema(Variable(name, ("no", "yes")) for name in names), arcs)


@pytest.fixture
def chain() -> Dag:
    return dag_of("a->b b->c")


@pytest.fixture
def fork() -> Dag:
    return dag_of("b->a b->c")


@pytest.fixture
def collider() -> Dag:
    return dag_of("a->b c->b")


@pytest.fixture
def asia() -> Dag:
    return load_network("asia").dag


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A PostgreSQL server of our own, which all processes of a run share."""
    folder = tmp_path_factory.getbasetemp()
    with shared_server(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) as server:
        yield server
