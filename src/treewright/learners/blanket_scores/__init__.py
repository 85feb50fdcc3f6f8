"""Markov network structure by scores of blankets (Schlüter et al. 2017)."""
