"""Counts and moments of several databases that share some of their columns."""
