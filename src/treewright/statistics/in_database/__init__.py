"""Counting inside a database: tables of counts leave it, rows do not."""
