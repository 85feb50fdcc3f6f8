"""Put sigmoids on the arcs of continuous variables."""

from __future__ import annotations

from treewright.arguments import TABLE, require
from treewright.errors import GraphError, SchemaError
from treewright.graphs.directed.dag import Dag
from treewright.models.continuous.real_rows import check_continuous, real_columns
from treewright.models.continuous.sigmoid_network import SigmoidNetwork
from treewright.statistics.sigmoid_families import SigmoidFamilies, SigmoidFamily
from treewright.tables.table import Table
from treewright.types import Scope


def fit_sigmoid(structure: Dag, table: Table) -> SigmoidNetwork:
    """Fit a sigmoid to every family of a structure.

    The fits are those behind :class:`SigmoidBIC`, from the rows themselves, since a sigmoid has no sufficient
    statistics. For linear families, :func:`fit` with moments gives a :class:`GaussianNetwork`.

    The table has continuous columns of the same names without missing cells; weights, if any, weigh the rows.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> x = np.linspace(-3, 3, 60)
    >>> table = tw.read_table({"x": x, "y": 2 + 5 / (1 + np.exp(1 - 2 * x)) + 0.01 * np.sin(40 * x)})
    >>> model = tw.models.fit_sigmoid(tw.Dag(table.schema, [("x", "y")]), table)
    >>> round(model.family("y").th0, 1), round(model.family("y").th1, 1)
    (2.0, 5.0)
    """
    if not isinstance(structure, Dag):
        raise GraphError(
            f"fit_sigmoid puts sigmoids on a Dag; found {type(structure).__name__} "
            "(a result of learning has it as .structure, an equivalence class gives one by .to_dag())"
        )
    require("fit_sigmoid", TABLE, table)
    check_continuous(structure.schema, "a sigmoid network")
    real_columns(structure.schema, table)  # refuses by name what is absent, discrete or missing
    families = SigmoidFamilies(table.select(structure.schema.names))
    if not families.moments.n >= 1:
        raise SchemaError(f"a sigmoid network is fitted to one row at least; found {families.moments.n}")
    schema = structure.schema
    scopes: list[tuple[int, Scope]] = [(v, schema.by_name(structure.parents(v))) for v in range(len(schema))]
    fits = families.fit_many(scopes)
    return SigmoidNetwork(
        structure, [SigmoidFamily(f.child, f.parents, f.th0, f.th1, f.b, f.w, f.s2) for f in fits]
    )
