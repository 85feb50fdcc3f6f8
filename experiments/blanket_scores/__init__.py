"""Markov-network structures from data: scores of blankets against other learners."""
