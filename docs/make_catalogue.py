"""Write docs/catalogue.md, the networks that come with the package and their figures.

With a folder of published networks (`NAME.bif`, `NAME.bif.gz`) it first packs those that `SOURCES` names into
the package; their arcs and tables are kept as they were published. With --check it only compares the page.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any

from treewright.graphs import bound_treewidth_above
from treewright.models import BayesianNetwork, read_model
from treewright.networks import catalogue

PAGE = Path(__file__).with_name("catalogue.md")
DATA = Path(catalogue.__file__).with_name("data")
MOST_BYTES = 2_000_000

SOURCES = {
    "andes": "Conati, C., Gertner, A. S., VanLehn, K. & Druzdzel, M. J. (1997). On-line student "
    "modeling for coached problem solving using Bayesian networks. User Modeling, 231-242.",
    "cancer": "Korb, K. B. & Nicholson, A. E. (2010). Bayesian artificial intelligence, section "
    "2.2.2. CRC Press.",
    "child": "Spiegelhalter, D. J. & Cowell, R. G. (1992). Learning in probabilistic expert "
    "systems. Bayesian Statistics 4, 447-466.",
    "earthquake": "Korb, K. B. & Nicholson, A. E. (2010). Bayesian artificial intelligence, section "
    "2.5.1. CRC Press.",
    "hailfinder": "Abramson, B., Brown, J., Edwards, W., Murphy, A. & Winkler, R. L. (1996). Hailfinder: "
    "a Bayesian system for forecasting severe weather. International Journal of "
    "Forecasting 12, 57-71.",
    "hepar2": "Onisko, A. (2003). Probabilistic causal models in medicine: application to diagnosis "
    "of liver disorders. PhD thesis, Polish Academy of Science.",
    "insurance": "Binder, J., Koller, D., Russell, S. & Kanazawa, K. (1997). Adaptive probabilistic "
    "networks with hidden variables. Machine Learning 29, 213-244.",
    "link": "Jensen, C. S. & Kong, A. (1999). Blocking Gibbs sampling for linkage analysis in "
    "large pedigrees with many loops. American Journal of Human Genetics 65, 885-901.",
    "pathfinder": "Heckerman, D. E., Horvitz, E. J. & Nathwani, B. N. (1992). Toward normative expert "
    "systems: the Pathfinder project. Methods of Information in Medicine 31, 90-105.",
    "pigs": "Jensen, C. S. (1997). Blocking Gibbs sampling for inference in large and complex "
    "Bayesian networks with applications in genetics. PhD thesis, Aalborg University.",
    "sachs": "Sachs, K., Perez, O., Pe'er, D., Lauffenburger, D. A. & Nolan, G. P. (2005). Causal "
    "protein-signaling networks derived from multiparameter single-cell data. Science 308, "
    "523-529.",
    "survey": "Scutari, M. & Denis, J.-B. (2014). Bayesian networks: with examples in R. Chapman & Hall.",
    "win95pts": "Breese, J. S. & Heckerman, D. (1996). Decision-theoretic troubleshooting: a framework "
    "for repair and experiment. UAI, 124-132 (printing in Windows 95).",
}

HEAD = """# Example networks

Networks of the field, packaged: `tw.load_network("insurance")`, `treewright query insurance Accident`,
`treewright networks` for this list. Arcs and tables are those that were published; a row whose sum misses one
by no more than 1e-4 is rescaled. *Width* is that of the best triangulation found, *states* the most that one
variable has.
This page is made by `python docs/make_catalogue.py`.

| name | variables | arcs | states | parameters | width | source |
|---|---:|---:|---:|---:|---:|---|
"""


def pack(folder: Path) -> None:
    """Put the networks of a folder into the package."""
    for name, source in SOURCES.items():
        found = [folder / f"{name}{ending}" for ending in (".bif", ".bif.gz")]
        file = next((one for one in found if one.exists()), None)
        if file is None:
            print(f"no {name} in {folder}", file=sys.stderr)
            continue
        model = read_model(file)
        assert isinstance(model, BayesianNetwork)
        text = json.dumps(_document(name, source, model), separators=(",", ":"), ensure_ascii=False)
        (DATA / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    names = catalogue.list_networks()
    figures = {name: _figures(catalogue.load_network(name)) for name in names}
    text = json.dumps(figures, indent=1).replace("\n  ", " ").replace("\n }", " }")
    (DATA / "figures" / "networks.json").write_text(text + "\n", encoding="utf-8")


def _document(name: str, source: str, model: BayesianNetwork) -> dict[str, Any]:
    variables = [
        {
            "name": variable.name,
            "states": list(variable.states or ()),
            "parents": list(model.dag.parents(variable.name)),
            "table": [[int(p) if p in (0, 1) else p for p in row] for row in _rows(model, v)],
        }
        for v, variable in enumerate(model.schema)
    ]
    head = {"format": "treewright network", "version": 1, "name": name, "source": source}
    return {**head, "variables": variables}


def _rows(model: BayesianNetwork, v: int) -> list[list[float]]:
    table = model.tables[v]
    rows: list[list[float]] = table.reshape(-1, table.shape[-1]).tolist()
    return rows


def _figures(model: BayesianNetwork) -> dict[str, int]:
    return {
        "variables": len(model.schema),
        "arcs": model.dag.n_edges,
        "states": max(model.schema.cardinalities),
        "parameters": model.n_parameters,
        "width": bound_treewidth_above(model.dag.moral_graph()),
    }


def page() -> str:
    rows = [
        f"| {one.name} | {one.variables:,} | {one.arcs:,} | {one.states} | {one.parameters:,} | {one.width} "
        f"| {one.source} |"
        for one in catalogue.describe_networks()
    ]
    return HEAD + "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="published networks to pack into the package")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    given = parser.parse_args()
    if given.folder is not None:
        pack(given.folder)
    if given.check:
        return 0 if PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
