"""Efficient Markov networks (Gogate, Webb & Domingos 2010), cutset networks, hidden trees and mixtures."""
