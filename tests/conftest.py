"""Tiny graphs and tables with names, shared by all tests."""
