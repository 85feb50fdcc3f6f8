"""UAI files, knowledge, sets, rows and compressed files that are made to stop a reader."""

from __future__ import annotations

import gzip
import json

from tests.fuzz.attacks import ATTACKS, attack, numbered, pairs
from tests.fuzz.foreign_attacks import repeated

# UAI


def uai(kind: str, cardinalities: list[int], scopes: list[list[int]], tables: list[str]) -> bytes:
    lines = [kind, str(len(cardinalities)), " ".join(map(str, cardinalities)), str(len(scopes))]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope in scopes]
    return "\n".join([*lines, *tables, ""]).encode()


@attack("uai")
def lone_tables(size: int) -> bytes:
    n = size // 14
    return uai("MARKOV", [1] * n, [[v] for v in range(n)], ["1 1"] * n)


@attack("uai")
def lone_families(size: int) -> bytes:
    n = size // 14
    return uai("BAYES", [1] * n, [[v] for v in range(n)], ["1 1"] * n)


@attack("uai")
def no_factors(size: int) -> bytes:
    return uai("MARKOV", [1] * (size // 2), [], [])


@attack("uai")
def unproven_states(size: int) -> bytes:
    return uai("MARKOV", [2] * (size // 2), [], [])


@attack("uai")
def bluffed_states(size: int) -> bytes:
    return uai("MARKOV", [999999999] * (size // 10), [], [])


@attack("uai")
def bluffed_counts(size: int) -> bytes:
    return b"MARKOV 999999999 " + b"2 " * (size // 2)


@attack("uai")
def factors_of_nothing(size: int) -> bytes:
    n = size // 6
    return uai("MARKOV", [2], [[]] * n, ["1 1"] * n)


@attack("uai")
def wide_scopes(size: int) -> bytes:
    n = size // 90
    return uai("MARKOV", [1] * 30, [list(range(30))] * n, ["1 1"] * n)


@attack("uai")
def factors_of_pairs(size: int) -> bytes:
    names, found = pairs(size // 14)
    scopes = [[int(u, 16), int(v, 16)] for u, v in found]
    return uai("MARKOV", [1] * len(names), scopes, ["1 1"] * len(scopes))


@attack("uai")
def growing_scopes(size: int) -> bytes:
    """Scopes that share much with each other: what is counted twice has to be taken away again."""
    n = size // 70
    scopes = [sorted({(7 * v + k * k) % 40 for k in range(14)}) for v in range(n)]
    return uai("MARKOV", [1] * 40, scopes, ["1 1"] * n)


@attack("uai")
def all_but_one(size: int) -> bytes:
    """Scopes that share all but one variable: two to the power of their number of ways to share."""
    n = 31
    scopes = [[v for v in range(n) if v != left] for left in range(n)]
    return uai("MARKOV", [1] * n, scopes, ["1 1"] * n)


@attack("uai")
def one_large_table(size: int) -> bytes:
    n = size // 2 - 20
    return uai("BAYES", [n], [[0]], [f"{n} 1" + " 0" * (n - 1)])


@attack("uai")
def a_long_scope(size: int) -> bytes:
    n = size // 10
    return uai("BAYES", [1] * n, [[*range(1, n), 0]], ["1 1"])


# knowledge, sets, rows, compressed files


@attack("json")
def many_required(size: int) -> bytes:
    return json.dumps({"required": pairs(size // 14)[1]}).encode()


@attack("json")
def many_tiers(size: int) -> bytes:
    return json.dumps({"tiers": [[name] for name in numbered(size // 14)]}).encode()


@attack("json")
def one_order(size: int) -> bytes:
    return json.dumps({"order": numbered(size // 10)}).encode()


@attack("json")
def many_families(size: int) -> bytes:
    return json.dumps({"parents": {v: ["asia"] for v in numbered(size // 20)}}).encode()


@attack("json")
def nested_lists(size: int) -> bytes:
    return b'{"required": ' + b"[" * (size // 2) + b"]" * (size // 2) + b"}"


@attack("json")
def same_keys(size: int) -> bytes:
    return b"{" + b'"order":[],' * (size // 11) + b'"order":[]}'


@attack("txt")
def many_sets(size: int) -> bytes:
    return repeated(size, lambda v: f"v{v:x}\n")


@attack("txt")
def one_set(size: int) -> bytes:
    return repeated(size, lambda v: f"v{v:x},")


@attack("txt")
def equal_sets(size: int) -> bytes:
    return b"a b c\n" * (size // 6)


@attack("txt")
def many_quotes(size: int) -> bytes:
    return b'"' * size


@attack("txt")
def many_blanks(size: int) -> bytes:
    return b"a" + b" " * size


def wide(size: int, *cells: str) -> bytes:
    """As many columns as fit, which hold these cells one below the other."""
    n = size // (8 + sum(1 + len(cell) for cell in cells))
    rows = (",".join([cell] * n) for cell in cells)
    return ("\n".join([",".join(numbered(n, "c")), *rows]) + "\n").encode()


@attack("csv")
def many_columns(size: int) -> bytes:
    return wide(size, "1", "0")


@attack("csv")
def text_columns(size: int) -> bytes:
    return wide(size, "a", "b")


@attack("csv")
def real_columns(size: int) -> bytes:
    return wide(size, ".1", ".2")


@attack("csv")
def gap_columns(size: int) -> bytes:
    return wide(size, "1", "")


@attack("csv")
def truth_columns(size: int) -> bytes:
    return wide(size, "True", "False")


@attack("mended.csv")
def mended_columns(size: int) -> bytes:
    return wide(size, "a", "b")


@attack("mended.csv")
def mended_names(size: int) -> bytes:
    """Names that are two by two the same but for blanks."""
    names = ",".join(f"{name},{name} " for name in numbered(size // 20))
    return f"{names}\n{','.join(['1'] * (size // 20 * 2))}\n".encode()


@attack("csv")
def many_labels(size: int) -> bytes:
    return repeated(size, lambda v: f"label{v:x},{v % 2}\n", "a,b\n")


@attack("csv")
def one_cell(size: int) -> bytes:
    return b"a,b\n" + b"x" * size + b",1\ny,2\n"


@attack("csv")
def open_cell(size: int) -> bytes:
    return b'a,b\n"' + b"x\n" * (size // 2)


@attack("csv")
def only_commas(size: int) -> bytes:
    return b"," * size


@attack("csv")
def only_lines(size: int) -> bytes:
    return b"\n" * size


@attack("csv")
def ragged_rows(size: int) -> bytes:
    return repeated(size, lambda v: ",".join(["1"] * (v % 50 + 1)) + "\n", "a,b\n")


@attack("bif.gz")
def growing(size: int) -> bytes:
    """As much text as a compressed file may hold."""
    return gzip.compress(b" " * (16 * 2**20 - 2**16), mtime=0)


@attack("twm.gz")
def members(size: int) -> bytes:
    return gzip.compress(b"", mtime=0) * (size // 20)


ALL_ATTACKS = ATTACKS  # with those on our own file and on the others
