"""Directed and partially directed graphs."""
