"""Import time of the package, beside NumPy alone, and what it must not load."""

from __future__ import annotations

import subprocess
import sys
import time

HEAVY = ("pandas", "sklearn", "torch", "duckdb", "narwhals", "scipy", "typer", "networkx")


def best(statement: str, repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    bare, numpy, ours = best("pass"), best("import numpy"), best("import treewright")
    print(f"bare interpreter {bare:.3f} s, with numpy {numpy:.3f} s, with treewright {ours:.3f} s")
    print(f"import treewright takes {ours - bare:.3f} s (bar 0.3 s)")
    check = f"import sys, treewright; print([m for m in {HEAVY!r} if m in sys.modules])"
    loaded = subprocess.check_output([sys.executable, "-c", check], text=True).strip()
    print(f"heavy libraries loaded: {loaded}")
    sys.exit(ours - bare > 0.3 or loaded != "[]")


if __name__ == "__main__":
    main()
