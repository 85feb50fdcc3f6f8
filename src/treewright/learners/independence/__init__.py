"""Equivalence classes, skeletons and blankets from independence tests."""
