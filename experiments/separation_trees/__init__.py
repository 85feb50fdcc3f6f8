"""Experiments on learning over d-separation trees (Xie, Geng & Zhao 2006)."""
