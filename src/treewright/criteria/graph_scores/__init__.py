"""Scores of whole undirected graphs by their blankets."""
