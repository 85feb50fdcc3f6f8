"""What acting would change, for networks whose arcs are read as causes."""
