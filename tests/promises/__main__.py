"""Run the tests of the promises and say how many cases were tried: `python -m tests.promises`.

With `--write` the figures go into docs/promises.md. A case is a test, with each of its parameters; a test
that tries many things in one process says how many.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from tests.promises.children import ROOT, environment

PAGE = ROOT / "docs" / "promises.md"
PROMISES: dict[str, tuple[str, ...]] = {
    "Determinism": (
        "tests/golden",
        "tests/statistics/test_kernels.py",
        "tests/statistics/test_sharded.py",
        "tests/test_column_order.py",
    ),
    "Refusal before allocation": ("tests/test_limits.py", "tests/inference/test_refusals.py"),
    "Memory exhausted": ("tests/promises/test_memory.py",),
    "Ctrl-C": ("tests/learners/test_interrupted.py", "tests/cli/test_keep_on_interrupt.py"),
    "Whole files": ("tests/promises/test_files.py", "tests/cli/test_files.py", "tests/cli/test_outputs.py"),
    "Processes and threads": ("tests/promises/test_processes.py",),
    "No code from files": ("tests/promises/test_code.py", "tests/models/formats/test_hostile.py"),
    "Hostile labels": (
        "tests/cli/test_hostile_labels.py",
        "tests/reports/test_render.py",
        "tests/reports/test_notebook.py",
        "tests/reports/test_model_report.py",
        "tests/models/test_answers.py",
        "tests/models/formats/test_label_matrix.py",
        "tests/tables/test_databases.py",
    ),
    "Exactness": (
        "tests/inference/test_junction_tree.py",
        "tests/inference/test_feature_laws.py",
        "tests/inference/test_completion.py",
        "tests/inference/test_small_numbers.py",
        "tests/inference/test_large_numbers.py",
        "tests/models/mixed/test_small_numbers.py",
    ),
    "Readers": ("tests/fuzz", "tests/models/formats/test_fuzz.py"),
    "Settings": (
        "tests/test_arguments.py",
        "tests/test_doors.py",
        "tests/promises/test_kinds.py",
        "tests/cli/test_numbers.py",
    ),
}


def tried(tests: Sequence[str]) -> tuple[int, int, int]:
    """Cases, failures and what was skipped."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-o", "junit_family=xunit1"]
        command += [f"--junit-xml={told}", *tests]
        surroundings = environment()
        surroundings.pop("OPENBLAS_NUM_THREADS")  # as the tests are run otherwise
        subprocess.run(command, cwd=ROOT, env=surroundings, check=False, stdout=sys.stderr)
        suite = ElementTree.parse(told).getroot()
    cases = failed = skipped = 0
    for case in suite.iter("testcase"):
        said = [int(p.get("value", "1")) for p in case.iter("property") if p.get("name") == "cases"]
        cases += sum(said) if said else 1
        failed += len(case.findall("failure")) + len(case.findall("error"))
        skipped += len(case.findall("skipped"))
    return cases - skipped, failed, skipped


def main(words: Sequence[str]) -> int:
    """Run the promises that are named, or all of them."""
    chosen = [promise for promise in PROMISES if not (names := set(words) - {"--write"}) or promise in names]
    any_failed = False
    for promise in chosen:
        cases, failed, skipped = tried(PROMISES[promise])
        any_failed |= failed > 0
        print(f"{promise}: {cases:,} cases, {failed} failed, {skipped} skipped", flush=True)
        if "--write" in words:
            page = PAGE.read_text(encoding="utf-8")
            row = re.compile(rf"^(\| {re.escape(promise)} \|.*\|) [\d,-]+ \| [\d,-]+ \|$", re.M)
            PAGE.write_text(row.sub(rf"\1 {cases:,} | {failed} |", page), encoding="utf-8")
    return int(any_failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
