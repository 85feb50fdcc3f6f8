"""Gogate, Webb & Domingos (2010), Learning efficient Markov networks: how well, how large, how fast."""
