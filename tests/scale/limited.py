"""One learner on a packed file, in a process that may take no more than 512 MB of anonymous memory.

The system refuses what is beyond (`RLIMIT_DATA`) and has been told to forget what it holds of the file; its
pages come back as they are touched, and are not of that kind. What was found is printed as JSON.
"""

import json
import os
import resource
import sys

import numpy as np

import treewright as tw
from treewright.cli import main

LIMIT = 512_000_000


def drop_pages(path):
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def refused():
    """Whether the limit is one."""
    try:
        np.ones(LIMIT, dtype=np.uint8)
    except MemoryError:
        return True
    return False


def arcs(graph):
    names = graph.schema.names
    return sorted((names[u], names[v]) for u, v in graph.index_edges())


def tree(table):
    learned = tw.learn_chow_liu(tw.BIC(tw.count(table)))
    return {"edges": sorted(map(sorted, learned.structure.edges())), "score": learned.score}


def fit(table):
    model = tw.fit(tw.learn_chow_liu(tw.BIC(tw.count(table))).structure, tw.count(table))
    return {"cells": [cell for one in model.tables for cell in one.ravel().tolist()], "arcs": arcs(model.dag)}


def climb(table):
    return {"arcs": arcs(tw.learn_hill_climbing(tw.BIC(tw.count(table)), effort=0).dag)}


def pc(table):
    learned = tw.learn_pc(tw.GTest(tw.count(table), alpha=1e-6), depth=2)
    return {"edges": sorted(map(sorted, learned.structure.skeleton().edges()))}


SEARCHES = {"tree": tree, "fit": fit, "climb": climb, "pc": pc}


if __name__ == "__main__":
    what, path, *more = sys.argv[1:]
    drop_pages(path)
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    assert refused(), "this system lets processes take what they like"
    if what == "command":
        sys.exit(main(["learn", path, *more, "--json"]))
    json.dump(SEARCHES[what](tw.open_table(path)), sys.stdout)
