"""What was found is kept as JSON and shown as a page."""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
EXPLAINED = HERE / "explained.json"  # by module, then by what was changed: why no test can or need notice
PAGE = HERE / "README.md"
HEAD = """# Mutation

How many small errors, put into a module on purpose, its own quick tests notice. Errors are signs, numbers off
by one, terms, factors and conditions left out, axes exchanged, ties not broken, comparisons flipped, bounds
moved; samples are drawn by a seed. Left alone are annotations, defaults of parameters, and words for people.
Tests are the file that mirrors the module (or those that `tests/mutation/modules.py` names), without those
marked slow, and the examples in its docstrings.

    python -m tests.mutation --all       # about half an hour of processor time
    python -m tests.mutation --again M   # what survived in a module, with the tests that there are now
    python -m tests.mutation --core      # patches of the core, compiled with the C++ tests of their room
    python -m tests.mutation --render    # this page
"""


def load(file: Path) -> dict[str, dict]:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def keep(module: str, found: dict[str, object]) -> None:
    """Put what became of one module's mutants beside the rest."""
    results = load(RESULTS) | {module: found}
    text = json.dumps(dict(sorted(results.items())), indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


def render() -> None:
    results, reasons = load(RESULTS), load(EXPLAINED)
    python = {m: r for m, r in results.items() if not m.startswith("cpp")}
    n, killed = (sum(r[key] for r in python.values()) for key in ("mutants", "killed"))
    why = [reasons.get(m, {}).get(s["what"], "") for m, r in python.items() for s in r["survivors"]]
    same = sum(reason.startswith("equivalent") for reason in why)
    lines = [
        HEAD,
        f"**{killed} of {n} killed: {killed / n:.1%}.** Of the {n - killed} survivors {same} are equivalent, "
        f"which no test can tell apart; without those it is {killed / (n - same):.1%}. The bar is 90%. "
        "Tests that were written after a module's last run do not count here before its next one.",
        "",
        "| module | mutants | killed | tests |",
        "|---|---|---|---|",
        *(f"| {m} | {r['mutants']} | {r['killed']} | {r.get('tests', '')} |" for m, r in results.items()),
        "",
        "## Survivors",
        "",
        "| module | change | why |",
        "|---|---|---|",
    ]
    for module, result in results.items():
        for one in result["survivors"]:
            what = one["what"].replace("|", "\\|").replace("\n", " ")
            lines.append(f"| {module} | `{what}` | {reasons.get(module, {}).get(one['what'], '')} |")
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
