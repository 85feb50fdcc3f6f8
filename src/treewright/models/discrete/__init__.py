"""Bayesian networks of tables."""
