"""Gather the fragments of this folder into an entry of CHANGELOG.md, and remove them."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

KINDS = ("added", "changed", "fixed")
MARK = "<!-- entries -->\n"


def fragment_files(folder: Path) -> list[Path]:
    """One file for each change, topics in alphabetical order; the README is none."""
    return sorted(path for path in folder.glob("*.md") if path.name != "README.md")


def fragments(folder: Path) -> dict[str, list[str]]:
    """The sentences of each kind, topics in alphabetical order; unknown kinds are refused."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for path in fragment_files(folder):
        kind = path.name.removesuffix(".md").rpartition(".")[2]
        if kind not in found:
            raise SystemExit(f"{path.name}: a fragment is named <topic>.<{'|'.join(KINDS)}>.md")
        found[kind].append(path.read_text(encoding="utf-8").strip())
    return found


def entry(version: str, day: str, found: dict[str, list[str]]) -> str:
    parts = [f"## {version} ({day})"]
    for kind, sentences in found.items():
        if sentences:
            parts.append(f"### {kind.capitalize()}")
            parts.append("\n".join(f"- {sentence}" for sentence in sentences))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="for example 0.2.0")
    parser.add_argument("--date", default=date.today().isoformat(), help="today when left out")
    parser.add_argument(
        "--root", type=Path, default=Path(__file__).resolve().parents[1], help="the repository"
    )
    asked = parser.parse_args()
    folder, changelog = asked.root / "changelog.d", asked.root / "CHANGELOG.md"
    found = fragments(folder)
    if not any(found.values()):
        raise SystemExit("there is no fragment, so there is nothing to release")
    before, mark, after = changelog.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        raise SystemExit(f"CHANGELOG.md has no line {MARK.strip()}, so there is no place for an entry")
    text = f"{before}{mark}\n{entry(asked.version, asked.date, found)}{after}"
    changelog.write_text(text, encoding="utf-8")
    for path in fragment_files(folder):
        path.unlink()


if __name__ == "__main__":
    main()
