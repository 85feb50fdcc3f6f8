"""Bayesian networks of bounded treewidth (Elidan & Gould 2008), and the default search under a bound."""
