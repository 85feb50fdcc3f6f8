"""Feed damaged files to every reader, for as long as you like.

    python tests/fuzz/fuzz_formats.py --seconds 60 --seed 0

A reader may answer with a model or with a FormatError. Anything else (another exception, a crash, a call that
takes seconds) is printed with the bytes that caused it, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback

import numpy as np

from treewright.errors import FormatError
from treewright.graphs.dag import Dag
from treewright.models import BayesianNetwork, MarkovNetwork
from treewright.models.formats import FOREIGN, twm, uai
from treewright.models.formats.text import Source
from treewright.networks import load_network
from treewright.tables.schema import Schema, Variable

SLOW = 2.0  # seconds for a file of a few kilobytes
MARKS = [bytes([byte]) for byte in b'{}();,|"%#=\\\xff\x00']
WORDS = b"/* */ // 1e999 nan -1 2000000000 <a> </ &lt; <!DOCTYPE table".split()
SPLICES = [*MARKS, *WORDS, b"default 1 0;"]


def wide() -> BayesianNetwork:
    """Labels with signs and several parents of several sizes."""
    schema = Schema(
        [
            Variable("A-1", ("<5", "5-12", "12+")),
            Variable("b", ("0", "1")),
            Variable("c", ("x", "y", "z", "w")),
        ]
    )
    dag = Dag(schema, [("A-1", "c"), ("b", "c"), ("A-1", "b")])
    shapes = [[schema.cardinalities[p] for p in dag.parents(v)] for v in range(3)]
    rng = np.random.default_rng(3)
    return BayesianNetwork(
        dag, [rng.dirichlet(np.ones(schema.cardinalities[v]), size=shapes[v]) for v in range(3)]
    )


def valid_files() -> dict[str, bytes]:
    files = {}
    for title, model in (("asia", load_network("asia")), ("wide", wide())):
        files[f"{title}.twm"] = twm.to_bytes(model)
        for kind in FOREIGN:
            files[f"{title}.{kind.name}"] = kind.write(model, kind.export(model.schema))
    markov = MarkovNetwork.of(wide())
    files["markov.twm"] = twm.to_bytes(markov)
    files["markov.uai"] = uai.write(markov, uai.export(markov.schema))
    return files


FILES = valid_files()


def read_bytes(name: str, data: bytes) -> BayesianNetwork | MarkovNetwork:
    """Read bytes as the format that a name ends with."""
    ending = name.rpartition(".")[2]
    if ending == "twm":
        return twm.from_bytes(data)
    kind = next(kind for kind in FOREIGN if kind.name == ending)
    return kind.read(Source(name, data)).finish()


def mutate(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(data))
        match rng.randint(0, 5):
            case 0:
                data = data[:at] + rng.choice(SPLICES) + data[at:]
            case 1:
                data = data[:at] + data[at + rng.randint(1, 20) :]
            case 2:
                other = rng.randint(0, len(data))
                data = data[:at] + data[other : other + rng.randint(1, 200)] + data[at:]
            case 3:
                data = data[:at] + bytes([rng.randint(0, 255)]) + data[at + 1 :]
            case 4:
                data = data[:at]
            case _:
                piece = data[at : at + rng.randint(1, 40)]
                data = data[:at] + piece * rng.randint(2, 50) + data[at:]
    return data


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    tried = refused = failed = 0
    while time.monotonic() < end:
        name = rng.choice(sorted(FILES))
        data = mutate(FILES[name], rng)
        start = time.monotonic()
        try:
            read_bytes(name, data)
        except FormatError:
            refused += 1
        except Exception:
            failed += 1
            traceback.print_exc()
            print(f"{name}: {data!r}")
        if time.monotonic() - start > SLOW:
            failed += 1
            print(f"{name} took {time.monotonic() - start:.1f} s: {data!r}")
        tried += 1
    print(f"{tried} files, {refused} refused, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
