"""Counts of rows with gaps."""
