"""Baselines for Markov networks: L1, graphical lasso, feature induction, PAC junction trees."""
