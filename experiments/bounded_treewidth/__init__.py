"""Elidan & Gould (2008), Learning bounded treewidth Bayesian networks: their figures, on data like theirs."""
