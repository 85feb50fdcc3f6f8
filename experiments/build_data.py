"""Build the folder that TREEWRIGHT_DATA names, from public sources: what is where says experiments/README.md.

    python -m experiments.build_data FOLDER --fetch                 # from the addresses of the README
    python -m experiments.build_data FOLDER --files DOWNLOADS       # from files that were fetched before
    python -m experiments.build_data FOLDER --fetch --address DEBD=https://mirror.example/DEBD

Files are looked for below DOWNLOADS by the last part of their address, packed (.gz) or not. Every file that
is built is compared with the one that the kept figures come from, by a digest of what is in it. The command
ends with an error where a file is missing or differs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np

SOURCES = Path(__file__).with_name("sources.json")
SPLITS = ("train", "valid", "test")


class NotThereError(LookupError):
    """A file that no folder and no address has."""


@dataclass(frozen=True)
class Sources:
    """Where files come from: folders first, then addresses if these may be asked."""

    bases: Mapping[str, str]  # name of a source -> address that its paths are below
    folders: Sequence[Path] = ()
    fetches: bool = False
    found: dict[str, Path] = field(default_factory=dict)  # files below the folders, by name

    def __post_init__(self) -> None:
        for folder in self.folders:
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    self.found.setdefault(file.name, file)

    def read(self, where: Sequence[str]) -> bytes:
        """The first of some places ("SOURCE/path") that has the file, unpacked."""
        names = [place.rsplit("/", 1)[-1] for place in where]
        for name in names:
            for known in (name, name.removesuffix(".gz"), f"{name}.gz"):
                if known in self.found:
                    return unpacked(self.found[known].read_bytes())
        if self.fetches:
            for place in where:
                source, _, path = place.partition("/")
                if source not in self.bases:  # nobody offers it as it is needed
                    continue
                try:
                    with urlopen(f"{self.bases[source].rstrip('/')}/{path}") as answer:
                        return unpacked(answer.read())
                except (URLError, OSError):
                    continue
        raise NotThereError(f"no {' or '.join(names)}")


def unpacked(raw: bytes) -> bytes:
    return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


def packed(raw: bytes) -> bytes:
    return gzip.compress(raw, mtime=0)


def density_set(parts: Sequence[bytes]) -> bytes:
    """Three texts of zeros and ones (or rows between commas) as one file of packed bits."""
    tables = [np.loadtxt(io.BytesIO(part), delimiter=",", dtype=np.uint8, ndmin=2) for part in parts]
    widths = {table.shape[1] for table in tables}
    if len(widths) != 1 or any(table.max(initial=0) > 1 for table in tables):
        raise ValueError(f"splits are rows of zeros and ones with as many columns; found {sorted(widths)}")
    buffer = io.BytesIO()
    arrays = {name: np.packbits(table, axis=1) for name, table in zip(SPLITS, tables, strict=True)}
    np.savez_compressed(buffer, n_vars=np.array(widths.pop()), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def edge_list(pairs: Sequence[tuple[int, int]]) -> bytes:
    lines = [f"{u},{v}" for u, v in sorted({(min(pair), max(pair)) for pair in pairs})]
    return ("\n".join(["u,v", *lines]) + "\n").encode()


def generated_graph(name: str) -> bytes:
    """Graphs that need no source: the package's own, hubs, and scale-free ones of a fixed seed."""
    import networkx

    import treewright as tw

    kind, *numbers = name.rsplit("_", 2 if name.startswith("scale_free") else 1)
    if kind == "hub":
        return edge_list(tw.networks.hub_graph(int(numbers[0]) // 8).index_edges())
    if kind == "scale_free":
        return edge_list(list(networkx.barabasi_albert_graph(*map(int, numbers), seed=2017).edges()))
    return edge_list(tw.networks.load_graph(name).index_edges())


def read_graph(text: bytes) -> bytes:
    """Edges of a GML file, of a matrix in coordinates (MatrixMarket, numbered from 1), or of a list u,v."""
    lines = text.decode().splitlines()
    if any(line.strip().startswith("source") for line in lines):
        ends = [line.split() for line in lines if line.split()[:1] in (["source"], ["target"])]
        numbers = [int(number) for _, number in ends]
        least = min(numbers)
        return edge_list([(u - least, v - least) for u, v in zip(numbers[::2], numbers[1::2], strict=True)])
    if lines[0].startswith("u,"):
        return edge_list([(int(u), int(v)) for u, v in csv.reader(lines[1:])])
    rows = [line.split() for line in lines if line.strip() and not line.startswith("%")]
    pairs = [(int(row[0]) - 1, int(row[1]) - 1) for row in rows[1:]]  # the first row tells the size
    return edge_list([(u, v) for u, v in pairs if u != v])


def digest(name: str, raw: bytes) -> str:
    """Of what is in a file, however it is packed."""
    if not name.endswith(".npz"):
        return hashlib.sha256(unpacked(raw)).hexdigest()[:16]
    arrays = np.load(io.BytesIO(raw))
    whole = b"".join(np.ascontiguousarray(arrays[part]).tobytes() for part in SPLITS)
    return hashlib.sha256(whole + str(int(arrays["n_vars"])).encode()).hexdigest()[:16]


def built(name: str, places: Sequence[Sequence[str]], sources: Sources) -> bytes:
    """One file of the folder; `places` has, for each part of it, where it may be found."""
    folder, _, file = name.partition("/")
    if not places:
        return generated_graph(file.removesuffix(".csv"))
    make: Mapping[str, Callable[[list[bytes]], bytes]] = {
        "density": density_set,
        "graphs": lambda parts: read_graph(parts[0]),
        "networks": lambda parts: packed(parts[0]),
        "sensors_genes": lambda parts: packed(parts[0]),
    }
    return make[folder]([sources.read(place) for place in places])


def build(folder: Path, sources: Sources, wanted: Mapping[str, dict[str, object]]) -> dict[str, str]:
    """Build what is not there yet; how each file turned out, by its name."""
    outcome = {}
    for name, about in wanted.items():
        file = folder / name
        try:
            if not file.exists():
                raw = built(name, about["from"], sources)  # type: ignore[arg-type]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(raw)
            same = digest(name, file.read_bytes()) == about["digest"]
            outcome[name] = "as measured" if same else "differs from what was measured"
        except NotThereError as missing:
            outcome[name] = f"missing: {missing}"
        except ValueError as wrong:
            outcome[name] = f"not built: {wrong}"
    return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    kept = json.loads(SOURCES.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(
        prog="python -m experiments.build_data", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="what TREEWRIGHT_DATA shall name")
    parser.add_argument("--files", type=Path, action="append", default=[], help="a folder of fetched files")
    parser.add_argument("--fetch", action="store_true", help="ask the addresses for what is not there")
    parser.add_argument(
        "--address", action="append", default=[], metavar="SOURCE=URL", help="another address of a source"
    )
    asked = parser.parse_args(arguments)
    bases = dict(kept["sources"])
    for given in asked.address:
        source, _, address = given.partition("=")
        if source not in bases or not address:
            parser.error(f"--address says SOURCE=URL; sources are {', '.join(bases)}; found {given!r}")
        bases[source] = address
    for folder in asked.files:
        if not folder.is_dir():
            parser.error(f"--files names a folder of fetched files; {str(folder)!r} is none")
    outcome = build(asked.folder, Sources(bases, asked.files, asked.fetch), kept["files"])
    for name, found in outcome.items():
        print(f"{name}: {found}")
    good = sum(found == "as measured" for found in outcome.values())
    print(f"{good} of {len(outcome)} files are as measured; export TREEWRIGHT_DATA={asked.folder}")
    return 0 if good == len(outcome) else 1


if __name__ == "__main__":
    sys.exit(main())
