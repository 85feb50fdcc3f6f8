"""Gogate, Webb & Domingos (2010), Learning efficient Markov networks, and what grew out of it."""
