"""Experiments of the papers: one package for each paper, one command for each figure.

``python -m experiments.bounded_treewidth.log_loss`` measures, writes down what it found under `results/`, and
renders the tables and pictures of `docs/measured/bounded_treewidth.md` from that.
`experiments.common` has what they share.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read when NumPy is loaded, so before it
