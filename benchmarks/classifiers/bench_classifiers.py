"""Classifiers beside those that people use: log-loss and accuracy on rows not seen, also with missing cells.

`python benchmarks/classifiers/bench_classifiers.py` takes twelve tables (scikit-learn's, and 2,000 rows of
networks of the catalogue), cuts each into two halves five times over, and prints the mean log-loss (nats) and
accuracy of each classifier: ours, `CategoricalNB`, a forest, and pyAgrum's by every method that it has; then
of ours and the forest where a fifth of the cells of the rows to be told is missing, which the forest has
filled in. It ends with an error when ours fails a bar, or anybody cannot be measured:

- log-loss and accuracy at least those of `CategoricalNB` and of each of pyAgrum's on every table,
- at least those of the forest on half of them, with missing cells on two thirds of them.

No probability is changed before it is judged, but those of the forest: it says 0 where no tree votes, which
is read as 0.001. Means that differ by less than 1e-9 are equal. Each result is kept in the file that `--keep`
names, so that a run goes on where another one ended; `--tables iris wine` takes some tables, `--who ours`
some classifiers (measured again), `--times 1` fewer halves. `--write` puts the tables into the guide.
`--others` takes the tables by which rules of the stack were chosen: other classes of networks, other rows.
`--speed` measures how long 10,000 rows of ALARM take instead, and ends with an error where the default takes
50 ms.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for benchmarks/common.py
from common import console, one_thread  # before NumPy is loaded: it sets its threads

# isort: split

import numpy as np
import pandas as pd
from rich.table import Table as RichTable
from rivals import classes_of, classifiers
from sklearn.model_selection import RepeatedStratifiedKFold

import treewright as tw
from tables import others, tables

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "classifiers.md"
LEAST_VOTE = 1e-3
MISSING = 0.2
MOST_MILLISECONDS = 50.0
SAME = 1e-9
Kept = dict[str, dict[str, dict[str, Any]]]  # table, classifier, figures


# Judging


def judged(fitted: Any, X: pd.DataFrame, y: np.ndarray, classes: np.ndarray, who: str) -> tuple[float, float]:
    """Mean log-loss and accuracy."""
    said = np.asarray(fitted.predict_proba(X), dtype=float)
    if who == "forest":
        said = np.maximum(said, LEAST_VOTE)
    said = said / said.sum(axis=1, keepdims=True)
    places = {label: place for place, label in enumerate(classes.tolist())}
    truth = np.array([places[label] for label in y.tolist()])
    with np.errstate(divide="ignore"):
        loss = -float(np.log(said[np.arange(len(y)), truth]).mean())
    return loss, float((said.argmax(axis=1) == truth).mean())


def with_holes(X: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return X.mask(rng.random(X.shape) < MISSING)


def halves(X: pd.DataFrame, y: np.ndarray, times: int) -> Any:
    return RepeatedStratifiedKFold(n_splits=2, n_repeats=times, random_state=1).split(X, y)


def measured(who: str, make: Any, X: pd.DataFrame, y: np.ndarray, times: int) -> dict[str, Any]:
    """Means over the halves: of whole rows, of rows with holes; and processor seconds of a fit."""
    whole, gaps, seconds = [], [], []
    for number, (train, test) in enumerate(halves(X, y, times)):
        started = time.process_time()
        fitted = make(X).fit(X.iloc[train], y[train])
        seconds.append(time.process_time() - started)
        classes = classes_of(fitted, y[train])
        whole.append(judged(fitted, X.iloc[test], y[test], classes, who))
        if who in ("ours", "forest"):
            torn = with_holes(X.iloc[test], np.random.default_rng(number))
            gaps.append(judged(fitted, torn, y[test], classes, who))
    found = {"rows": len(X), "times": times, "whole": np.mean(whole, axis=0).tolist()}
    return found | {"holes": np.mean(gaps, axis=0).tolist() if gaps else None, "fit": float(np.mean(seconds))}


def measure(kept: Kept, loaders: dict[str, Any], who: list[str], times: int, file: Path | None) -> None:
    """Measure what is asked for, or is not there yet, and keep it."""
    makers = classifiers()
    for name, load in loaders.items():
        X, y = load()
        here = kept.setdefault(name, {})
        for one, make in makers.items():
            wanted = one in who if who else here.get(one, {}).get("times") != times
            if not wanted:
                continue
            try:
                here[one] = measured(one, make, X, y, times)
            except Exception as error:
                here[one] = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
            console.print(f"{name}, {one}: {_shown(here[one], 'whole')}")
            if file is not None:
                file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


# The bars


def as_good(ours: list[float], theirs: list[float]) -> tuple[bool, bool]:
    """By log-loss, and by accuracy."""
    return ours[0] <= theirs[0] + SAME, ours[1] >= theirs[1] - SAME


def misses(kept: Kept, wanted: list[str]) -> list[str]:
    """What is not as it should be, in sentences."""
    found, forest, holes = [], [], []
    for name, results in kept.items():
        found += [f"{name}: {who}: {r['error']}" for who, r in results.items() if "error" in r]
        found += [f"{name}: {who} was not measured" for who in wanted if who not in results]
        good = {who: r for who, r in results.items() if "error" not in r}
        if "ours" not in good:
            continue
        for who, r in good.items():
            better = as_good(good["ours"]["whole"], r["whole"])
            if who == "forest":
                forest.append(better)
                holes.append(as_good(good["ours"]["holes"], r["holes"]))
                continue
            for what, place, won in zip(("log-loss", "accuracy"), (0, 1), better, strict=True):
                if not won:
                    pair = f"{good['ours']['whole'][place]:.4f} against {r['whole'][place]:.4f}"
                    found.append(f"{name}: {what} of {who} is better: {pair}")
    for told, wins, share in (("", forest, 1 / 2), (" with missing cells", holes, 2 / 3)):
        for what, place in (("log-loss", 0), ("accuracy", 1)):
            n = sum(win[place] for win in wins)
            console.print(f"{what}{told}: at least that of the forest on {n} of {len(wins)}")
            if n < share * len(wins):
                found.append(f"{what}{told}: better than the forest on {n} of {len(wins)} only")
    return found


# Shown


def lines_of(kept: Kept) -> list[list[str]]:
    """A header and a row for each table."""
    makers = [who for who in classifiers() if any(who in results for results in kept.values())]
    rows = [["table", *makers, "holes: ours", "holes: forest"]]
    for name, results in kept.items():
        cells = [_shown(results.get(who), "whole") for who in makers]
        rows.append([name, *cells, *(_shown(results.get(who), "holes") for who in ("ours", "forest"))])
    return rows


def _shown(result: dict[str, Any] | None, what: str) -> str:
    if not result or "error" in result or result.get(what) is None:
        return "failed" if result and "error" in result else ""
    loss, right = result[what]
    return f"{loss:.3f} / {right:.3f}"


def show(kept: Kept) -> None:
    head, *rows = lines_of(kept)
    shown = RichTable(*head, title="log-loss / accuracy")
    for row in rows:
        shown.add_row(*row)
    console.print(shown)


def write(kept: Kept) -> None:
    """The tables, between their marks in the guide."""
    head, *rows = lines_of(kept)
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
    begin, end = "<!-- made by benchmarks/classifiers/bench_classifiers.py -->", "<!-- end -->"
    text = GUIDE.read_text(encoding="utf-8")
    before, rest = text.split(begin)
    after = rest.split(end, 1)[1]
    GUIDE.write_text("\n".join([before + begin, "", *lines, "", end]) + after, encoding="utf-8")


def speed() -> list[str]:
    """Processor milliseconds of telling 10,000 rows of ALARM, whole and with holes."""
    rows = tw.load_network("alarm").sample(12_000, rng=np.random.default_rng(0)).to_pandas().astype(str)
    X, y = rows.drop(columns="HYPOVOLEMIA"), rows["HYPOVOLEMIA"].to_numpy()
    heads = ("structure", "table", "frame", "frame with holes")
    shown = RichTable(*heads, title="ms for 10,000 rows of ALARM")
    many, torn = X.iloc[2_000:], with_holes(X.iloc[2_000:], np.random.default_rng(0))
    found = []
    for structure in ("naive", "tree", "averaged", "k-dependence", "network", "stack", "auto"):
        told = tw.BayesianClassifier(structure=structure).fit(X.iloc[:2_000], y[:2_000])
        kinds = (tw.read_table(many), many, torn)
        times = [milliseconds(lambda what=what, told=told: told.predict_proba(what)) for what in kinds]
        shown.add_row(structure, *(f"{one:.1f}" for one in times))
        if structure == "auto":
            bars = zip(heads[1:3], times[:2], strict=True)
            found += [f"{what}: {one:.1f} ms" for what, one in bars if one >= MOST_MILLISECONDS]
    console.print(shown)
    return found


def milliseconds(call: Callable[[], object]) -> float:
    """Processor time, the least of several."""
    call()
    best = np.inf
    for _ in range(7):
        started = time.process_time()
        call()
        best = min(best, time.process_time() - started)
    return 1000 * best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--tables", nargs="*", default=[])
    options.add_argument("--who", nargs="*", default=[])
    options.add_argument("--times", type=int, default=5)
    options.add_argument("--keep", type=Path)
    for flag in ("--write", "--speed", "--others"):
        options.add_argument(flag, action="store_true")
    chosen = options.parse_args()
    one_thread()
    missed = speed() if chosen.speed else compare(chosen)
    for one in missed:
        console.print(f"[red]missed[/] {one}")
    sys.exit(bool(missed))


def compare(chosen: argparse.Namespace) -> list[str]:
    file, kept = chosen.keep, {}
    if file is not None and file.exists():
        kept = json.loads(file.read_text(encoding="utf-8"))
    loaders = others() if chosen.others else tables()
    wanted = {name: load for name, load in loaders.items() if name in (chosen.tables or loaders)}
    measure(kept, wanted, chosen.who, chosen.times, file)
    kept = {name: kept[name] for name in loaders if name in kept}
    show(kept)
    if chosen.write:
        write(kept)
    return misses(kept, chosen.who or [*classifiers()])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
