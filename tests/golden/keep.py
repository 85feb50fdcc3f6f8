"""Keep what every method learns now: `python -m tests.golden.keep`; never to make a test pass."""

import json
import sys
from pathlib import Path
from time import perf_counter

from tests.golden.cases import CASES


def main() -> None:
    kept = {}
    for name, learn in sorted(CASES.items()):
        started = perf_counter()
        kept[name] = learn()
        print(f"{perf_counter() - started:6.2f} s  {name}", file=sys.stderr)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in kept.items())
    Path(__file__).with_name("models.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
