"""Undirected graphs, their eliminations and triangulations, and trees of clusters."""
