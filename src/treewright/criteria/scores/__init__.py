"""Scores of families: how good these parents are for this child."""
