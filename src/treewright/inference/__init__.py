"""Propagate numbers over a tree of tables, exactly."""
