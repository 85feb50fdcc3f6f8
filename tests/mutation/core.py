"""Errors put into the core by hand, compiled with the C++ tests of their room alone.

Sources are compiled one by one without optimising, outside of the tree; a patch costs one source, a link and
the tests of the room.
"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.pages import keep

CPP = Path(__file__).parents[2] / "cpp"
NEEDED = {"graphs": ("graphs", "parallel")}  # rooms of sources that the tests of a room are linked with
SECONDS = 60  # of processor time, however busy the machine is


@dataclass(frozen=True)
class Patch:
    """One place of one source, said differently."""

    room: str
    file: str
    before: str
    after: str
    operator: str


# file, what it says, what the patch says, the kind of error
GRAPHS = """
meek.cpp # into_a[i] & ~around_b[i] # into_a[i] # dropped term
meek.cpp # out_of_a[i] & into_b[i] # out_of_a[i] | into_b[i] # comparison flipped
meek.cpp # into_c[i] & beside_a[i] & ~around_b[i] # into_c[i] & ~around_b[i] # dropped term
meek.cpp # std::greater<>> open_ # std::less<>> open_ # dropped tie-break
d_separation.cpp # v == target && !given # v == target # dropped term
d_separation.cpp # (marks_[v] & kAboveGiven) != 0) # (marks_[v] & kAboveGiven) == 0) # comparison flipped
d_separation.cpp # if (given) continue; # ; # dropped term
d_separation.cpp # , mark_ancestors(z, kAboveGiven); # ; # dropped term
spanning.cpp # !(row[v] > *threshold) # !(row[v] >= *threshold) # boundary
spanning.cpp # nobody || row[v] > best[v] # nobody || row[v] < best[v] # comparison flipped
spanning.cpp # (row[v] == best[v] && pair_of(u, v) < pair_of(link[v], v)) # false # dropped tie-break
spanning.cpp # u != v && row[u] > row[best] # u != v && row[u] < row[best] # comparison flipped
spanning.cpp # i = 1; i < cycle.size(); ++i # i = 1; i + 1 < cycle.size(); ++i # off by one
spanning.cpp # std::max(left, u + 1) # std::max(left, u + 2) # off by one
"""
PATCHES = [Patch("graphs", *line.split(" # ")) for line in GRAPHS.split("\n") if line]


def _limit_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


class Workshop:
    """The objects of one room and the program made of them."""

    def __init__(self, room: str, folder: Path) -> None:
        self.folder, self.objects = folder, {}
        sources = [f for needed in NEEDED[room] for f in sorted((CPP / "src" / needed).rglob("*.cpp"))]
        tests = [CPP / "tests" / "main.cpp", *sorted((CPP / "tests" / room).glob("*.cpp"))]
        for source in (*sources, *tests):
            self.objects[source] = self.compile(source, source)

    def compile(self, source: Path, text: Path) -> Path | None:
        """An object, or nothing when the compiler refuses."""
        made = (
            self.folder / f"{'_'.join(source.relative_to(CPP).parts)}{'' if text == source else '.patched'}.o"
        )
        folders = [f"-I{CPP / name}" for name in ("include", "src", "tests")] + [f"-I{source.parent}"]
        command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O0", "-pthread", *folders, "-c", str(text)]
        done = subprocess.run([*command, "-o", str(made)], capture_output=True, check=False)
        return made if done.returncode == 0 else None

    def passes(self, **instead: Path) -> bool:
        """Whether the tests pass, with some objects in the place of others."""
        program = self.folder / "tests"
        objects = [str(instead.get(str(source), made)) for source, made in self.objects.items()]
        link = [os.environ.get("CXX", "c++"), "-pthread", *objects, "-o", str(program)]
        subprocess.run(link, check=True, capture_output=True)
        done = subprocess.run([str(program)], capture_output=True, check=False, preexec_fn=_limit_time)
        return done.returncode == 0

    def kills(self, patch: Patch) -> bool | None:
        """Whether the tests notice; None when the patch does not compile."""
        source = CPP / "src" / patch.room / patch.file
        text = source.read_text(encoding="utf-8")
        if text.count(patch.before) != 1:
            raise SystemExit(f"{patch.file} has {patch.before!r} {text.count(patch.before)} times, not once")
        changed = self.folder / source.name
        changed.write_text(text.replace(patch.before, patch.after), encoding="utf-8")
        made = self.compile(source, changed)
        return None if made is None else not self.passes(**{str(source): made})


def try_core() -> None:
    for room in NEEDED:
        with tempfile.TemporaryDirectory() as folder:
            shop = Workshop(room, Path(folder))
            if not shop.passes():
                raise SystemExit(f"the C++ tests of {room} fail without a patch")
            patches = [patch for patch in PATCHES if patch.room == room]
            verdicts = {patch: shop.kills(patch) for patch in patches}
        left = [patch for patch, killed in verdicts.items() if killed is False]
        tried = [patch for patch, killed in verdicts.items() if killed is not None]
        survivors = [
            {"operator": p.operator, "what": f"{p.file}: {p.before} -> {p.after}", "how": "survived"}
            for p in left
        ]
        found = {
            "mutants": len(tried),
            "killed": len(tried) - len(left),
            "stopped": 0,
            "survivors": survivors,
        }
        keep(f"cpp/src/{room}", found)
        print(
            f"{room}: {found['killed']} of {found['mutants']} killed",
            *(s["what"] for s in survivors),
            sep="\n  ",
        )
